//! The dashboards' expressions and the rules, evaluated by a real Prometheus that scraped a real job.
//! `PAGESIEVE_TEST_PROMETHEUS` names the program, which `test.sh` unpacks; where it is missing the test fails.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::support;
use crate::support::fleet::{Fleet, wait_for};
use crate::support::s3::Bucket;

const DAY: u64 = 86_400;

/// A Prometheus with the repository's rules that scrapes one address every second; ends when dropped.
struct Prometheus {
    child: Child,
    port: u16,
    _dir: tempfile::TempDir,
}

impl Prometheus {
    fn start(target: &str) -> Self {
        let program = std::env::var("PAGESIEVE_TEST_PROMETHEUS")
            .expect("PAGESIEVE_TEST_PROMETHEUS names Prometheus; ./test.sh unpacks it");
        let dir = tempfile::tempdir().unwrap();
        let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("dashboards/alerts.yaml");
        let config = format!(
            "global: {{ scrape_interval: 1s, evaluation_interval: 1s }}\nrule_files: [{rules:?}]\n\
             scrape_configs: [{{ job_name: pagesieve, static_configs: [{{ targets: [\"{target}\"] }}] }}]\n"
        );
        std::fs::write(dir.path().join("prometheus.yml"), config).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(program);
        command.arg(format!("--config.file={}", dir.path().join("prometheus.yml").display()));
        command.arg(format!("--storage.tsdb.path={}", dir.path().join("data").display()));
        command.arg(format!("--web.listen-address=127.0.0.1:{port}"));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let this = Self { child: command.spawn().expect("it starts"), port, _dir: dir };
        wait_for("Prometheus to be ready", || this.get("/-/ready").map(drop));
        this
    }

    /// The body of a good answer.
    fn get(&self, path: &str) -> Option<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        // HTTP/1.0: the body ends with the connection.
        write!(stream, "GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n").ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        head.lines().next()?.contains(" 200 ").then(|| body.to_owned())
    }

    fn api(&self, path: &str) -> Value {
        let body = self.get(path).unwrap_or_else(|| panic!("{path} is answered"));
        let answer: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(answer["status"], "success", "{answer}");
        answer["data"].clone()
    }

    /// Series that an expression gives, `later` seconds from now.
    fn series(&self, expression: &str, later: u64) -> Vec<Value> {
        let encoded: String = expression.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let data = self.api(&format!("/api/v1/query?query={encoded}&time={}", now + later));
        data["result"].as_array().unwrap().clone()
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// (file, panel, expression) of every dashboard.
fn expressions() -> Vec<(PathBuf, String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("dashboards");
    let mut found = Vec::new();
    for file in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let board: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        for panel in board["panels"].as_array().unwrap() {
            for target in panel["targets"].as_array().unwrap() {
                let [title, expression] = [&panel["title"], &target["expr"]];
                let [title, expression] = [title, expression].map(|value| value.as_str().unwrap().to_owned());
                found.push((file.clone(), title, expression));
            }
        }
    }
    found
}

#[test]
fn every_expression_gives_a_series_after_a_real_job() {
    let mut fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 40);
    // One document kills its child, and one message is none.
    std::fs::write(fleet.corpus().join("killer.pdf"), "%PAGESIEVE-HOOK abort").unwrap();
    let bucket = Bucket::new();
    fleet.set("PAGESIEVE_RESULTS__ROOT", bucket.url("results"));
    let mut settings = Command::new("true");
    bucket.settings(&mut settings);
    let settings: Vec<(String, String)> = settings
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_str()?.to_owned(), value?.to_str()?.to_owned())))
        .collect();
    let settings: Vec<(&str, &str)> =
        settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let up = fleet.start_with(&["up", "--listen", "127.0.0.1:0", "--threads", "1"], &settings);
    up.says("listening on http://");
    let said = up.said();
    let addr = said.split("listening on http://").nth(1).unwrap().lines().next().unwrap().trim();
    let prometheus = Prometheus::start(addr);
    up.says("coordinator: reading");
    wait_for("a first scrape", || (!prometheus.series("pagesieve_build_info", 0).is_empty()).then_some(()));
    fleet.publish(&["no message of ours".to_owned()]);
    let job = fleet.submit(&[]);
    fleet.wait_closed(&job);
    fleet.wait_relayed();
    // Counts are taken every ten seconds, scrapes every second.
    wait_for("the counts after the job", || {
        let closed = prometheus.series("pagesieve_jobs_closed_total > 0", 0);
        let eta = prometheus.series("pagesieve_job_eta_seconds", 0);
        let published = prometheus.series("increase(pagesieve_ocr_requests_published_total[5m]) > 0", 0);
        (!closed.is_empty() && !eta.is_empty() && !published.is_empty()).then_some(())
    });
    let mut without = Vec::new();
    let all = expressions();
    assert!(all.len() >= 24, "{} expressions", all.len());
    for (file, title, expression) in &all {
        // What compares with yesterday is asked tomorrow.
        let later = if expression.contains("offset 1d") { DAY } else { 0 };
        if prometheus.series(expression, later).is_empty() {
            without.push(format!("{}: {title}: {expression}", file.display()));
        }
    }
    assert!(without.is_empty(), "no series:\n{}", without.join("\n"));
    let groups = prometheus.api("/api/v1/rules")["groups"].as_array().unwrap().clone();
    let rules: Vec<Value> =
        groups.iter().flat_map(|group| group["rules"].as_array().unwrap().clone()).collect();
    assert!(rules.len() > 12, "{} rules", rules.len());
    for rule in &rules {
        assert_eq!(rule["health"], "ok", "{rule:#}");
        if rule["type"] == "recording" {
            let name = rule["name"].as_str().unwrap();
            assert!(!prometheus.series(name, 0).is_empty(), "{name} is recorded");
        }
    }
    // A dead letter fires its alert; a job that is done fires none of a job that hangs.
    let firing: Vec<&str> = rules
        .iter()
        .filter(|rule| rule["state"] == "firing")
        .filter_map(|rule| rule["name"].as_str())
        .collect();
    assert_eq!(firing, ["PagesieveDeadLetters"]);
    assert_eq!(prometheus.series("sum by (cause) (pagesieve_isolate_child_deaths_total) > 0", 0).len(), 1);
}
