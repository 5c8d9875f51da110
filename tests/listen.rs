//! The port of a role: probes, metrics, token.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use crate::support::{expect, pagesieve, stderr};

struct Worker {
    child: Child,
    addr: String,
}

impl Worker {
    /// A worker that waits for a ledger which never comes.
    fn start(token: Option<&str>) -> Self {
        let mut command = pagesieve();
        command.args(["worker", "--listen", "127.0.0.1:0"]).stderr(Stdio::piped()).stdout(Stdio::null());
        command.env("PAGESIEVE_LEDGER__URL", "postgres://someone:hidden@127.0.0.1:9/none");
        command.env("PAGESIEVE_RESULTS__ROOT", "/nonexistent");
        if let Some(token) = token {
            command.env("PAGESIEVE_LISTEN__TOKEN", token);
        }
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        let line = lines.find(|line| line.contains("listening on")).expect("it says where");
        let addr = line.rsplit_once("http://").expect("an address").1.trim().to_owned();
        lines.find(|line| line.contains("waiting for the ledger")).expect("it says what it waits for");
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, addr }
    }

    /// Status and whole text of an answer.
    fn get(&self, path: &str, headers: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.addr).unwrap();
        let request = format!("GET {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        (answer.split(' ').nth(1).unwrap().parse().unwrap(), answer)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_role_that_waits_is_alive_and_not_ready_and_says_why() {
    let worker = Worker::start(None);
    assert_eq!(worker.get("/healthz", "Host: localhost\r\n").0, 200);
    let (status, text) = worker.get("/readyz", "Host: localhost\r\n");
    assert_eq!(status, 503);
    assert!(text.contains("\nledger: ") && !text.contains("hidden"), "{text}");
    let (status, text) = worker.get("/metrics", "Host: 127.0.0.1:1\r\n");
    assert_eq!(status, 200);
    assert!(text.contains("pagesieve_build_info{"), "{text}");
    for header in ["content-security-policy: default-src 'none'", "x-content-type-options: nosniff"] {
        assert!(text.to_lowercase().contains(header), "{header}: {text}");
    }
    assert_eq!(worker.get("/metrics", "Host: rebound.example\r\n").0, 403);
    assert_eq!(worker.get("/nowhere", "Host: localhost\r\n").0, 404);
}

#[test]
fn with_a_token_only_probes_go_without_and_name_no_cause() {
    let worker = Worker::start(Some("123456"));
    assert_eq!(worker.get("/healthz", "Host: x\r\n").0, 200);
    let (status, text) = worker.get("/readyz", "Host: x\r\n");
    assert!(status == 503 && text.contains("ledger\n") && !text.contains("ledger: "), "{text}");
    assert_eq!(worker.get("/metrics", "Host: localhost\r\n").0, 401);
    assert_eq!(worker.get("/metrics", "Host: localhost\r\nAuthorization: Bearer 12345\r\n").0, 401);
    assert_eq!(worker.get("/metrics", "Host: x\r\nAuthorization: Bearer 123456\r\n").0, 200);
}

#[test]
fn a_port_open_to_strangers_needs_a_token() {
    for role in ["coordinator", "worker", "relay", "up"] {
        let refused = expect(2, &[role, "--listen", "0.0.0.0:0"]);
        assert!(stderr(&refused).contains("listen.token"), "{}", stderr(&refused));
    }
}
