//! A fleet on real services: a schema, queues and a results root of its own. `PAGESIEVE_TEST_POSTGRES` and
//! `PAGESIEVE_TEST_AMQP` name the services, which `test.sh` starts; a missing one fails.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use lapin::options::{BasicAckOptions, BasicGetOptions, ExchangeDeleteOptions, QueueDeleteOptions};
use lapin::types::AMQPValue;
use lapin::{Connection, ConnectionProperties};
use pagesieve::ledger::{Access, JobState, Ledger, LedgerError};
use pagesieve::queue::{Broker, Outgoing, Publisher, Topology};
use tokio::runtime::Runtime;

use super::tables::{self, Tables};
use super::{expect, pagesieve, text};

/// Longest wait for anything; the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Fleet {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) runtime: Runtime,
    pub(crate) topology: Topology,
    /// Environment of every command.
    pub(crate) settings: Vec<(&'static str, String)>,
    postgres: String,
    amqp: String,
    prefix: String,
    schema: String,
}

/// A role that runs; killed when dropped.
pub(crate) struct Role {
    child: Child,
    log: PathBuf,
}

pub(crate) fn postgres() -> String {
    std::env::var("PAGESIEVE_TEST_POSTGRES").expect("PAGESIEVE_TEST_POSTGRES names a database")
}

pub(crate) fn amqp() -> String {
    std::env::var("PAGESIEVE_TEST_AMQP").expect("PAGESIEVE_TEST_AMQP names a broker")
}

/// Waits until `done` gives something.
pub(crate) fn wait_for<T>(what: &str, mut done: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        if let Some(done) = done() {
            return done;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("waited {} s for {what}", PATIENCE.as_secs());
}

impl Fleet {
    /// The test's services, an empty corpus and an empty results root.
    pub(crate) fn new() -> Self {
        Self::on(&postgres(), &amqp())
    }

    /// The same on other services.
    pub(crate) fn on(postgres: &str, amqp: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("corpus")).unwrap();
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let prefix = format!("test-{}", uuid::Uuid::now_v7().simple());
        let schema = prefix.replace('-', "_");
        let mut this = Self {
            topology: Topology::new(prefix.clone()),
            settings: Vec::new(),
            postgres: postgres.to_owned(),
            amqp: amqp.to_owned(),
            dir,
            runtime,
            prefix,
            schema,
        };
        this.sql(&format!("create schema {}", this.schema));
        this.settings = vec![
            ("PAGESIEVE_QUEUE__URL", amqp.to_owned()),
            ("PAGESIEVE_QUEUE__PREFIX", this.prefix.clone()),
            ("PAGESIEVE_LEDGER__URL", this.ledger_url(postgres)),
            ("PAGESIEVE_RESULTS__ROOT", text(&this.root()).to_owned()),
            ("PAGESIEVE_WORKER__FILE_ROOTS", text(this.dir.path()).to_owned()),
            ("PAGESIEVE_COORDINATOR__FEED_IDLE_S", "1".to_owned()),
        ];
        this
    }

    pub(crate) fn corpus(&self) -> PathBuf {
        self.dir.path().join("corpus")
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().join("root")
    }

    /// The fleet's schema at this server.
    pub(crate) fn ledger_url(&self, server: &str) -> String {
        format!("{server}?options=-csearch_path%3D{}", self.schema)
    }

    pub(crate) fn set(&mut self, name: &'static str, value: impl Into<String>) {
        self.settings.retain(|(other, _)| *other != name);
        self.settings.push((name, value.into()));
    }

    /// Runs a statement in the fleet's schema.
    pub(crate) fn sql_here(&self, sql: &str) {
        self.sql(&format!("set search_path to {}; {sql}; set search_path to default", self.schema));
    }

    /// A number that a query of the fleet's schema gives; 0 while there is no schema.
    pub(crate) fn number(&self, sql: &str) -> i64 {
        sqlx::any::install_default_drivers();
        self.runtime.block_on(async {
            let pool =
                sqlx::AnyPool::connect(&self.ledger_url(&self.postgres)).await.expect("PostgreSQL runs");
            let number =
                sqlx::query_scalar(sqlx::AssertSqlSafe(sql.to_owned())).fetch_one(&pool).await.unwrap_or(0);
            pool.close().await;
            number
        })
    }

    pub(crate) fn sql(&self, sql: &str) {
        sqlx::any::install_default_drivers();
        self.runtime.block_on(async {
            let pool = sqlx::AnyPool::connect(&self.postgres).await.expect("PostgreSQL runs");
            sqlx::raw_sql(sqlx::AssertSqlSafe(sql.to_owned()))
                .execute(&pool)
                .await
                .expect("the statement is right");
            pool.close().await;
        });
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = pagesieve();
        command.args(arguments).envs(self.settings.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Starts a role.
    pub(crate) fn start(&self, arguments: &[&str]) -> Role {
        self.start_with(arguments, &[])
    }

    pub(crate) fn start_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Role {
        self.start_prepared(arguments, |command| {
            command.envs(environment.iter().copied());
        })
    }

    pub(crate) fn start_prepared(&self, arguments: &[&str], prepare: impl FnOnce(&mut Command)) -> Role {
        let log = self.dir.path().join(format!("{}-{}.log", arguments[0], uuid::Uuid::now_v7().simple()));
        let mut command = self.command(arguments);
        prepare(&mut command);
        command.stdout(Stdio::null()).stderr(File::create(&log).unwrap());
        Role { child: command.spawn().expect("the program starts"), log }
    }

    /// A role that a failpoint ends: waits for it to die.
    pub(crate) fn dies(&self, arguments: &[&str], failpoint: &str) {
        let mut role = self.start_with(arguments, &[("PAGESIEVE_FAILPOINT", failpoint)]);
        let status = role.ends(&format!("{} to die at {failpoint}", arguments[0]));
        assert!(!status.success(), "{failpoint}: {status}");
    }

    /// Submits the corpus; the job.
    pub(crate) fn submit(&self, more: &[&str]) -> String {
        self.submit_source(text(&self.corpus()), more)
    }

    /// Submits a source; the job.
    pub(crate) fn submit_source(&self, source: &str, more: &[&str]) -> String {
        let arguments = [&["submit", source, "--corpus", "default"], more].concat();
        let output = self.command(&arguments).output().expect("the program starts");
        assert!(output.status.success(), "{arguments:?}: {}", super::stderr(&output));
        super::stdout(&output).trim().to_owned()
    }

    pub(crate) fn ledger(&self) -> Ledger {
        self.runtime
            .block_on(Ledger::open(&self.ledger_url(&self.postgres), Access::Guest))
            .expect("the ledger opens")
    }

    /// Waits until the job is closed.
    pub(crate) fn wait_closed(&self, job: &str) {
        self.wait_state(job, JobState::Closed);
    }

    pub(crate) fn wait_state(&self, job: &str, state: JobState) {
        let ledger = self.ledger();
        wait_for(&format!("job {job} to be {state:?}"), || match self.runtime.block_on(ledger.job(job)) {
            Ok(job) => (job.state == state).then_some(()),
            Err(LedgerError::NoJob(_)) => None,
            Err(error) => panic!("{error:?}"),
        });
        self.runtime.block_on(ledger.close());
    }

    /// Waits until every request of the outbox is sent.
    pub(crate) fn wait_relayed(&self) {
        let ledger = self.ledger();
        wait_for("the outbox to be empty", || {
            let state = self.runtime.block_on(ledger.outbox_state()).unwrap();
            (state.pending == 0).then_some(())
        });
        self.runtime.block_on(ledger.close());
    }

    pub(crate) fn tables(&self) -> Tables {
        tables::read(&self.root(), &self.corpus())
    }

    /// Tables and OCR requests (sorted ids) of a local scan of the corpus.
    pub(crate) fn local(&self) -> (Tables, Vec<String>) {
        let out = self.dir.path().join(format!("local-{}", uuid::Uuid::now_v7().simple()));
        expect(0, &["scan", "-q", text(&self.corpus()), "--out", text(&out)]);
        let queue = std::fs::read_to_string(out.join("ocr-queue.ndjson")).unwrap();
        let id = |line: &str| {
            let request: serde_json::Value = serde_json::from_str(line).expect("a request a line");
            request["id"].as_str().expect("an id").to_owned()
        };
        (tables::read(&out, &self.corpus()), queue.lines().map(id).collect())
    }

    pub(crate) fn broker(&self) -> Broker {
        Broker::new(&self.amqp, self.topology.clone(), "test").unwrap()
    }

    /// Publishes bodies to the document queue.
    pub(crate) fn publish(&self, bodies: &[String]) {
        let message = |body: &String| Outgoing { body: body.clone().into_bytes(), ..Outgoing::default() };
        let messages: Vec<Outgoing> = bodies.iter().map(message).collect();
        let queue = self.topology.documents();
        self.runtime.block_on(async {
            let window = Publisher::new(self.broker()).publish(&queue, &messages).await.unwrap();
            assert!(window.problem.is_none(), "{:?}", window.problem);
        });
    }

    /// Takes every message of a queue: (`message_id`, body), in order.
    pub(crate) fn drain(&self, queue: &str) -> Vec<(String, Vec<u8>)> {
        self.runtime.block_on(async {
            let connection = Connection::connect(&self.amqp, ConnectionProperties::default()).await.unwrap();
            let channel = connection.create_channel().await.unwrap();
            let mut taken = Vec::new();
            while let Some(got) = channel.basic_get(queue.into(), BasicGetOptions::default()).await.unwrap() {
                let id = got
                    .delivery
                    .properties
                    .message_id()
                    .as_ref()
                    .map_or_else(String::new, ToString::to_string);
                taken.push((id, got.delivery.data.clone()));
                got.delivery.acker.ack(BasicAckOptions::default()).await.unwrap();
            }
            taken
        })
    }

    /// The `traceparent` of every message of a queue; all stay in it.
    pub(crate) fn traces(&self, queue: &str) -> Vec<String> {
        self.runtime.block_on(async {
            let connection = Connection::connect(&self.amqp, ConnectionProperties::default()).await.unwrap();
            let channel = connection.create_channel().await.unwrap();
            let mut traces = Vec::new();
            while let Some(got) = channel.basic_get(queue.into(), BasicGetOptions::default()).await.unwrap() {
                let headers = got.delivery.properties.headers().clone().unwrap_or_default();
                match headers.inner().get("traceparent") {
                    Some(AMQPValue::LongString(trace)) => traces.push(trace.to_string()),
                    other => traces.push(format!("{other:?}")),
                }
            }
            traces
        })
    }

    /// Ids on the OCR queue, sorted, each as often as it is there.
    pub(crate) fn ocr_ids(&self) -> Vec<String> {
        let mut ids: Vec<String> = self.drain(&self.topology.ocr()).into_iter().map(|(id, _)| id).collect();
        ids.sort();
        ids
    }

    pub(crate) fn delete_queue(&self, queue: &str) {
        self.runtime.block_on(async {
            let connection = Connection::connect(&self.amqp, ConnectionProperties::default()).await.unwrap();
            let channel = connection.create_channel().await.unwrap();
            channel.queue_delete(queue.into(), QueueDeleteOptions::default()).await.unwrap();
        });
    }

    /// A producer that some documents of the current snapshot have, and others have not.
    pub(crate) fn producer_of_some_document(&self) -> String {
        let objects = pagesieve::objects::Folder::new(self.root());
        let files = pagesieve::coordinator::current_documents(&objects, "default");
        let files = self.runtime.block_on(files).unwrap().expect("a snapshot");
        let mut found = None;
        for file in files {
            pagesieve::tables::read_producers(&file, &mut |_, names| {
                found = found.take().or(names[0].map(str::to_owned));
            })
            .unwrap();
        }
        found.expect("a document with a producer")
    }

    async fn forget(&self) {
        let Ok(connection) = Connection::connect(&self.amqp, ConnectionProperties::default()).await else {
            return;
        };
        let Ok(channel) = connection.create_channel().await else { return };
        for queue in self.topology.queues() {
            let _ = channel.queue_delete(queue.as_str().into(), QueueDeleteOptions::default()).await;
        }
        for exchange in [self.topology.exchange(), self.topology.dead_exchange()] {
            let _ = channel.exchange_delete(exchange.as_str().into(), ExchangeDeleteOptions::default()).await;
        }
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        if std::thread::panicking() {
            for entry in std::fs::read_dir(self.dir.path()).into_iter().flatten().flatten() {
                if entry.path().extension().is_some_and(|extension| extension == "log") {
                    let said = std::fs::read_to_string(entry.path()).unwrap_or_default();
                    eprintln!("--- {}\n{said}", entry.file_name().display());
                }
            }
            return;
        }
        self.runtime.block_on(self.forget());
        self.sql(&format!("drop schema {} cascade", self.schema));
    }
}

impl Role {
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, number: i32) {
        signal(self.child.id(), number);
    }

    /// Asks it to stop, and waits.
    pub(crate) fn stop(&mut self) -> ExitStatus {
        self.signal(libc::SIGTERM);
        self.ends("a role to stop")
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    pub(crate) fn ends(&mut self, what: &str) -> ExitStatus {
        wait_for(what, || self.child.try_wait().expect("our child"))
    }

    /// What it has said so far.
    pub(crate) fn said(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// Waits until it says something.
    pub(crate) fn says(&self, words: &str) {
        wait_for(&format!("`{words}`"), || self.said().contains(words).then_some(()));
    }
}

impl Drop for Role {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Processes started by `parent`.
pub(crate) fn children_of(parent: u32) -> Vec<u32> {
    let parent = parent.to_string();
    let processes = std::fs::read_dir("/proc").expect("mounted").flatten();
    let children = processes.filter_map(|entry| {
        let id = entry.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        let mut fields = stat.rsplit_once(") ")?.1.split(' ');
        (fields.next() != Some("Z") && fields.next() == Some(&parent)).then_some(id)
    });
    children.collect()
}

pub(crate) fn signal(process: u32, number: i32) {
    // SAFETY: `kill` takes integers; the process is a child of this test, or a child's.
    unsafe { libc::kill(process.cast_signed(), number) };
}

/// Fails unless the fleet's tables and requests are a local scan's, each request once.
pub(crate) fn assert_as_local(fleet: &Fleet) {
    let (tables, ids) = fleet.local();
    tables::assert_equal(&tables, &fleet.tables());
    fleet.wait_relayed();
    assert_eq!(fleet.ocr_ids(), ids);
    assert!(!ids.is_empty());
}

/// Files below the results root that must be gone when a job is closed.
pub(crate) fn staging_files(root: &Path) -> usize {
    let Ok(jobs) = std::fs::read_dir(root.join("_staging")) else { return 0 };
    jobs.flatten().map(|job| std::fs::read_dir(job.path()).into_iter().flatten().count()).sum()
}
