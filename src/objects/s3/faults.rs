//! The client against a server that misbehaves by a script.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use super::super::conformance::race;
use super::super::{Created, ObjectError, ObjectKey, Objects};
use super::S3;
use super::tests::{at, fresh};

/// What happens to one request.
#[derive(Debug, Clone, Copy)]
enum Fault {
    /// It is not passed on; this is the answer.
    Answer(u16, &'static str),
    /// It is passed on, and the connection is closed without an answer.
    LostReply,
    /// It is passed on without its `If-Match`, which some servers do not know.
    Unconditional,
    /// It is passed on, and of the answer's body only the first half arrives.
    HalfBody,
}

/// A proxy before the server of the tests. Requests whose first line contains all of some words meet faults, as long as there are some.
struct Script {
    faults: Arc<Mutex<VecDeque<Fault>>>,
    word: Arc<Mutex<String>>,
}

/// Lets one request at a time reach the server. Moto looks for an object and writes it in two steps: of requests side by side two
/// may be told that they created it (raw requests too, one round in some hundred, and more often under load).
static TURN: Mutex<()> = Mutex::new(());

impl Script {
    fn start() -> (Self, String) {
        let server = std::env::var("PAGESIEVE_TEST_S3").unwrap();
        let server = server.strip_prefix("http://").unwrap().trim_end_matches('/').to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let script = Self { faults: Arc::default(), word: Arc::default() };
        let (faults, word) = (script.faults.clone(), script.word.clone());
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (server, faults, word) = (server.clone(), faults.clone(), word.clone());
                std::thread::spawn(move || serve(client, &server, &faults, &word));
            }
        });
        (script, address)
    }

    fn plan(&self, word: &str, faults: &[Fault]) {
        *self.word.lock().unwrap() = word.to_owned();
        *self.faults.lock().unwrap() = faults.iter().copied().collect();
    }

    fn left(&self) -> usize {
        self.faults.lock().unwrap().len()
    }
}

/// One request of one connection, which is closed afterwards.
fn serve(
    mut client: TcpStream,
    server: &str,
    faults: &Mutex<VecDeque<Fault>>,
    word: &Mutex<String>,
) -> Option<()> {
    let mut request = Vec::new();
    let head = loop {
        let mut byte = [0];
        client.read_exact(&mut byte).ok()?;
        request.push(byte[0]);
        if request.ends_with(b"\r\n\r\n") {
            break String::from_utf8(request.clone()).ok()?;
        }
    };
    let header = |name: &str| {
        let lines = head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned()).next()
    };
    let length: usize = header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    if header("expect").is_some() {
        client.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").ok()?;
    }
    let mut body = vec![0; length];
    client.read_exact(&mut body).ok()?;
    let first = head.lines().next()?;
    let meant = word.lock().unwrap().split(' ').all(|word| first.contains(word));
    let fault = if meant { faults.lock().unwrap().pop_front() } else { None };
    if let Some(Fault::Answer(status, code)) = fault {
        let xml =
            format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>script</Message></Error>");
        let answer = format!(
            "HTTP/1.1 {status} X\r\nContent-Type: application/xml\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{xml}",
            xml.len()
        );
        return client.write_all(answer.as_bytes()).ok();
    }
    let turn = TURN.lock().unwrap();
    let mut upstream = TcpStream::connect(server).ok()?;
    let (_, rest) = head.split_once("\r\n")?;
    let rest: Vec<&str> = rest
        .lines()
        .filter(|line| !line.is_empty() && !line.to_lowercase().starts_with("connection:"))
        .filter(|line| !line.to_lowercase().starts_with("expect:"))
        .filter(|line| {
            !(matches!(fault, Some(Fault::Unconditional)) && line.to_lowercase().starts_with("if-match:"))
        })
        .collect();
    let head = format!("{first}\r\n{}\r\nConnection: close\r\n\r\n", rest.join("\r\n"));
    upstream.write_all(head.as_bytes()).ok()?;
    upstream.write_all(&body).ok()?;
    let mut answer = Vec::new();
    upstream.read_to_end(&mut answer).ok()?;
    drop(turn);
    let body_at = answer.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    match fault {
        Some(Fault::LostReply) => None,
        Some(Fault::HalfBody) => client.write_all(&answer[..body_at + (answer.len() - body_at) / 2]).ok(),
        _ => client.write_all(&answer).ok(),
    }
}

async fn scripted() -> (Script, S3) {
    drop(fresh().await); // says what is missing where no server is set
    let (script, address) = Script::start();
    let s3 = at(&address).await;
    (script, s3)
}

fn key(text: &str) -> ObjectKey {
    ObjectKey::new(text).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_passes_is_tried_again() {
    let (script, s3) = scripted().await;
    let slow = Fault::Answer(503, "SlowDown");
    script.plan("PUT", &[slow, Fault::Answer(500, "InternalError"), slow]);
    s3.put(&key("a"), b"12345678".to_vec()).await.unwrap();
    script.plan("GET", &[slow, Fault::HalfBody, Fault::HalfBody]);
    assert_eq!(s3.get(&key("a"), 100, None).await.unwrap(), b"12345678");
    script.plan("GET", &[Fault::HalfBody]);
    assert_eq!(s3.get_range(&key("a"), 2..6, None).await.unwrap(), b"3456");
    script.plan("list-type", &[slow, Fault::LostReply]);
    assert_eq!(s3.list("", None, 10).await.unwrap().len(), 1);
    assert_eq!(script.left(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_create_whose_reply_is_lost_is_recognised_as_ours() {
    let (script, s3) = scripted().await;
    script.plan("PUT", &[Fault::LostReply]);
    assert_eq!(s3.put_if_absent(&key("a"), b"mine".to_vec()).await.unwrap(), Created::Yes);
    assert_eq!(script.left(), 0);
    assert_eq!(s3.put_if_absent(&key("a"), b"mine".to_vec()).await.unwrap(), Created::Exists);
}

/// Also where replies are lost and creates conflict: who has won is told by its own token, not by the bytes.
#[tokio::test(flavor = "multi_thread")]
async fn of_many_creates_one_wins() {
    let (script, s3) = scripted().await;
    let conflict = Fault::Answer(409, "ConditionalRequestConflict");
    let faults = (0..60).map(|n| [Fault::LostReply, conflict, Fault::LostReply][n % 3]);
    script.plan("PUT race", &faults.collect::<Vec<_>>());
    race(Arc::new(s3)).await;
    assert_eq!(script.left(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conflicting_create_is_tried_again_and_a_lost_one_is_not() {
    let (script, s3) = scripted().await;
    let conflict = Fault::Answer(409, "ConditionalRequestConflict");
    script.plan("PUT", &[conflict, conflict]);
    assert_eq!(s3.put_if_absent(&key("a"), b"1".to_vec()).await.unwrap(), Created::Yes);
    script.plan("PUT", &[conflict]);
    assert_eq!(s3.put_if_absent(&key("a"), b"2".to_vec()).await.unwrap(), Created::Exists);
    assert_eq!(script.left(), 0);
    assert_eq!(s3.get(&key("a"), 9, None).await.unwrap(), b"1");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_completed_upload_whose_reply_is_lost_is_found() {
    let (script, s3) = scripted().await;
    let file = s3.scratch().join("large");
    std::fs::write(&file, vec![8; 17 << 20]).unwrap();
    // Only the request that completes the upload is a POST that names it.
    script.plan("POST uploadId=", &[Fault::LostReply]);
    s3.put_file(&key("large"), &file).await.unwrap();
    assert_eq!(script.left(), 0);
    assert_eq!(s3.head(&key("large")).await.unwrap().unwrap().size_bytes, 17 << 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_changed_is_not_read_where_the_server_does_not_look() {
    let (script, s3) = scripted().await;
    s3.put(&key("a"), b"1".to_vec()).await.unwrap();
    let etag = s3.head(&key("a")).await.unwrap().unwrap().etag;
    script.plan("GET", &[Fault::Unconditional, Fault::Unconditional, Fault::Unconditional]);
    assert_eq!(s3.get(&key("a"), 9, Some(&etag)).await.unwrap(), b"1");
    s3.put(&key("a"), b"2".to_vec()).await.unwrap();
    let error = s3.get(&key("a"), 9, Some(&etag)).await.unwrap_err();
    assert!(matches!(error, ObjectError::Changed(_)), "{error:?}");
    let error = s3.get_range(&key("a"), 0..1, Some(&etag)).await.unwrap_err();
    assert!(matches!(error, ObjectError::Changed(_)), "{error:?}");
    assert_eq!(script.left(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_are_told_from_failures() {
    let (script, s3) = scripted().await;
    for (status, code, transient, ours) in [
        (403, "SignatureDoesNotMatch", false, true),
        (403, "AccessDenied", false, false),
        (400, "InvalidRequest", false, false),
    ] {
        script.plan("GET", &[Fault::Answer(status, code)]);
        let error = s3.get(&key("a"), 9, None).await.unwrap_err();
        let is_ours = super::Buckets::is_ours(&error);
        assert_eq!((error.is_transient(), is_ours), (transient, ours), "{error:?}");
    }
    script.plan("GET", &[Fault::Answer(412, "PreconditionFailed")]);
    let error = s3.get(&key("a"), 9, Some("x")).await.unwrap_err();
    assert!(matches!(error, ObjectError::Changed(_)), "{error:?}");
    script.plan("GET", &[Fault::Answer(500, "InternalError"); 6]);
    let error = s3.get(&key("a"), 9, None).await.unwrap_err();
    assert!(error.is_transient(), "{error:?}");
}
