//! Services of one test's own, to be restarted and killed: a RabbitMQ node and a PostgreSQL cluster.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::fleet::wait_for;

/// A port that nobody has at the moment.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("bound").port()
}

fn must(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&said));
}

/// A RabbitMQ node with its own port mapper; both end when dropped.
pub(crate) struct Rabbit {
    dir: tempfile::TempDir,
    name: String,
    /// AMQP, distribution, port mapper, AMQPS.
    ports: [u16; 4],
}

impl Rabbit {
    pub(crate) fn start() -> Self {
        let this = Self::prepare();
        this.begin();
        this
    }

    /// One that also speaks AMQPS, with a certificate of its own authority.
    pub(crate) fn start_with_tls() -> Self {
        let this = Self::prepare();
        let dir = this.dir.path();
        let mut certificate = Command::new("openssl");
        certificate.args([
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
        ]);
        certificate
            .args(["-addext", "subjectAltName=DNS:localhost"])
            .args(["-addext", "basicConstraints=CA:FALSE"]);
        certificate.arg("-keyout").arg(dir.join("key.pem")).arg("-out").arg(this.authority());
        must(&mut certificate);
        let paths =
            [this.authority(), this.authority(), dir.join("key.pem")].map(|path| path.display().to_string());
        let config = format!(
            "listeners.ssl.default = {}\nssl_options.cacertfile = {}\nssl_options.certfile = {}\n\
             ssl_options.keyfile = {}\nssl_options.verify = verify_none\n",
            this.ports[3], paths[0], paths[1], paths[2]
        );
        std::fs::write(dir.join("rabbitmq.conf"), config).unwrap();
        this.begin();
        this
    }

    fn prepare() -> Self {
        let name = format!("test-{}@localhost", uuid::Uuid::now_v7().simple());
        Self { dir: tempfile::tempdir().unwrap(), name, ports: [(); 4].map(|()| free_port()) }
    }

    /// `amqps://`; the certificate is valid for `localhost` only.
    pub(crate) fn tls_url(&self, host: &str) -> String {
        format!("amqps://guest:guest@{host}:{}/%2f", self.ports[3])
    }

    /// The certificate to trust.
    pub(crate) fn authority(&self) -> PathBuf {
        self.dir.path().join("certificate.pem")
    }

    pub(crate) fn url(&self) -> String {
        format!("amqp://guest:guest@127.0.0.1:{}/%2f", self.ports[0])
    }

    fn begin(&self) {
        let mut server = self.program("rabbitmq-server");
        server.arg("-detached").stdout(Stdio::null()).stderr(Stdio::null());
        assert!(server.status().expect("RabbitMQ is installed").success());
        self.control(&["wait", "--timeout", "120", &self.pid_file().display().to_string()]);
    }

    pub(crate) fn control(&self, arguments: &[&str]) {
        must(self.program("rabbitmqctl").args(arguments));
    }

    /// As when the power goes, and comes again.
    pub(crate) fn kill_and_start(&self) {
        let pid = std::fs::read_to_string(self.pid_file()).expect("the node runs").trim().to_owned();
        must(Command::new("kill").args(["-9", &pid]));
        wait_for("the node to be gone", || (!Path::new("/proc").join(&pid).exists()).then_some(()));
        std::fs::remove_file(self.pid_file()).unwrap();
        self.begin();
    }

    fn pid_file(&self) -> PathBuf {
        self.dir.path().join("pid")
    }

    fn program(&self, name: &str) -> Command {
        let dir = self.dir.path();
        let [port, distribution, mapper, _] = self.ports.map(|port| port.to_string());
        let mut command = Command::new(Path::new("/usr/lib/rabbitmq/bin").join(name));
        command.env("HOME", dir).env("ERL_EPMD_PORT", mapper).env("ERL_EPMD_ADDRESS", "127.0.0.1");
        command.env("RABBITMQ_NODENAME", &self.name).env("RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1");
        command.env("RABBITMQ_NODE_PORT", port).env("RABBITMQ_DIST_PORT", distribution);
        command.env("RABBITMQ_MNESIA_BASE", dir).env("RABBITMQ_LOG_BASE", dir);
        command
            .env("RABBITMQ_PID_FILE", self.pid_file())
            .env("RABBITMQ_ENABLED_PLUGINS_FILE", dir.join("plugins"));
        command
            .env("RABBITMQ_CONFIG_FILE", dir.join("rabbitmq.conf"))
            .env("RABBITMQ_CONF_ENV_FILE", dir.join("none"));
        let loopback = "-kernel inet_dist_use_interface {127,0,0,1}";
        command.env("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", loopback);
        command
    }
}

impl Drop for Rabbit {
    fn drop(&mut self) {
        let _ = self.program("rabbitmqctl").arg("stop").arg(self.pid_file()).output();
        let _ = Command::new("epmd").env("ERL_EPMD_PORT", self.ports[2].to_string()).arg("-kill").output();
    }
}

/// A PostgreSQL cluster; ends when dropped.
pub(crate) struct Postgres {
    dir: tempfile::TempDir,
    bin: PathBuf,
    port: u16,
}

impl Postgres {
    pub(crate) fn start() -> Self {
        let mut bins: Vec<PathBuf> =
            glob::glob("/usr/lib/postgresql/*/bin").expect("a pattern").flatten().collect();
        bins.extend(Path::new("/usr/local/pgsql/bin").canonicalize());
        bins.sort();
        let dir = tempfile::tempdir().unwrap();
        let this = Self { bin: bins.pop().expect("PostgreSQL is installed"), port: free_port(), dir };
        if is_root() {
            must(Command::new("chown").arg("postgres").arg(this.dir.path())); // initdb refuses root
        }
        must(this.program("initdb").args(["-A", "trust", "-U", "pagesieve"]));
        this.begin();
        this
    }

    pub(crate) fn url(&self) -> String {
        format!("postgres://pagesieve@127.0.0.1:{}/postgres", self.port)
    }

    fn begin(&self) {
        let options = format!(
            "-p {} -k {} -c listen_addresses=127.0.0.1 -c max_connections=100",
            self.port,
            self.dir.path().display()
        );
        let log = self.dir.path().join("log");
        let mut start = self.program("pg_ctl");
        // The server keeps the descriptors it is started with.
        start
            .args(["-w", "-l"])
            .arg(log)
            .args(["-o", &options, "start"])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        assert!(start.status().expect("pg_ctl runs").success());
    }

    /// `fast`: connections are cut; `immediate`: as a crash, the log is replayed.
    pub(crate) fn restart(&self, mode: &str) {
        must(self.program("pg_ctl").args(["-w", "-m", mode, "stop"]));
        self.begin();
    }

    fn program(&self, name: &str) -> Command {
        let program = self.bin.join(name);
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command.current_dir(self.dir.path()).arg("-D").arg(self.dir.path().join("data"));
        command
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let _ = self.program("pg_ctl").args(["-m", "immediate", "stop"]).output();
    }
}

fn is_root() -> bool {
    // SAFETY: it takes nothing and cannot fail.
    unsafe { libc::geteuid() == 0 }
}
