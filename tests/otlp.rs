//! Spans of a real job at a collector: a server that keeps what is posted to it.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use crate::support;
use crate::support::fleet::Fleet;

/// Bodies posted to `/v1/traces`.
fn collector() -> (String, Arc<Mutex<Vec<Vec<u8>>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let bodies = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&bodies);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, kept) = (stream.unwrap(), Arc::clone(&kept));
            std::thread::spawn(move || {
                let (mut got, mut piece) = (Vec::new(), [0; 65536]);
                loop {
                    let Ok(n @ 1..) = stream.read(&mut piece) else { return };
                    got.extend_from_slice(&piece[..n]);
                    let Some(end) = got.windows(4).position(|bytes| bytes == b"\r\n\r\n") else { continue };
                    let head = String::from_utf8_lossy(&got[..end]).to_lowercase();
                    let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
                    let length: usize = length.expect("a length").trim().parse().unwrap();
                    if got.len() < end + 4 + length {
                        continue;
                    }
                    assert!(head.starts_with("post /v1/traces "), "{head}");
                    assert!(head.contains("content-type: application/x-protobuf"), "{head}");
                    kept.lock().unwrap().push(got[end + 4..end + 4 + length].to_vec());
                    got.drain(..end + 4 + length);
                    let answer = "HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n";
                    stream.write_all(answer.as_bytes()).unwrap();
                }
            });
        }
    });
    (address, bodies)
}

#[test]
fn a_job_is_one_trace_at_the_collector() {
    let fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 3);
    let (address, bodies) = collector();
    let environment =
        [("OTEL_EXPORTER_OTLP_ENDPOINT", address.as_str()), ("OTEL_SERVICE_NAME", "sieve-test")];
    let mut up = fleet.start_with(&["up", "--threads", "1"], &environment);
    let job = fleet.submit(&[]);
    fleet.wait_closed(&job);
    assert!(up.stop().success(), "{}", up.said());
    let bodies = bodies.lock().unwrap().concat();
    let count = |wanted: &[u8]| bodies.windows(wanted.len()).filter(|bytes| *bytes == wanted).count();
    let trace = uuid::Uuid::parse_str(&job).unwrap();
    assert!(count(trace.as_bytes()) >= 2, "a task and the closing are spans of the job's trace");
    let names: [&[u8]; 4] = [b"sieve-test", b"task", b"close", b"stage ended"];
    for name in names {
        assert!(count(name) > 0, "{}", String::from_utf8_lossy(name));
    }
    // The parent is the span that the job's messages name.
    let parent = pagesieve::telemetry::trace::traceparent(&job, "submit").unwrap();
    let parent = u64::from_str_radix(&parent[36..52], 16).unwrap().to_be_bytes();
    assert!(count(&parent) >= 2);
    // Document names never leave.
    assert_eq!(count(b".pdf"), 0);
}
