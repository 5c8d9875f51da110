//! The live page of a coordinator: its JSON against the OpenAPI file, its pages in a browser.

use std::io::{Read, Write};
use std::net::TcpStream;

use pagesieve::sample::{PdfBuilder, Sfnt, Type0};
use serde_json::{Value, json};

use crate::support::browser::Browser;
use crate::support::fleet::{Fleet, Role, wait_for};
use crate::support::{self, expect, text};

const OPENAPI: &str = include_str!("../config/schemas/openapi.json");
/// A producer whose name is markup, an escape sequence, a change of direction and a formula.
const HOSTILE: &str = "<img src=x onerror=alert(1)>\u{1b}[31m\u{202e}=1+1\" onload=\"x";

/// Documents of a broken tool among healthy ones, and one whose names attack.
fn corpus(fleet: &Fleet) {
    support::corpus(&fleet.corpus(), 60);
    let prose = "THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG AND RUNS AWAY INTO THE DARK WOODS";
    let broken = |name: &str, producer: &str| {
        let font = Type0::identity_h(Sfnt::latin().without(&["cmap", "post"])).base_font("AAAAAA+<b>x</b>");
        let page = |pdf: PdfBuilder| pdf.page(|page| page.font(font.clone()).show(prose));
        let file = (0..6).fold(PdfBuilder::new().producer(producer), |pdf, _| page(pdf)).build();
        std::fs::write(fleet.corpus().join(name), file).unwrap();
    };
    for n in 0..4 {
        broken(&format!("broken-{n}.pdf"), "Brokensoft 3.1");
    }
    broken("<script>alert(2)<&>.pdf", HOSTILE);
}

/// Status, headers and body of an answer.
fn get(addr: &str, path: &str, headers: &str) -> (u16, String, String) {
    let mut stream = TcpStream::connect(addr).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {addr}\r\n{headers}Connection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), head.to_lowercase(), body.to_owned())
}

fn address(role: &Role) -> String {
    role.says("listening on http://");
    let said = role.said();
    said.split("listening on http://").nth(1).unwrap().lines().next().unwrap().trim().to_owned()
}

/// Asks the API and holds the answer against what the OpenAPI file says of this path and status.
fn ask(addr: &str, described: &str, path: &str) -> (u16, Value) {
    let openapi: Value = serde_json::from_str(OPENAPI).unwrap();
    let (status, head, body) = get(addr, path, "");
    let answer: Value = serde_json::from_str(&body).unwrap_or_else(|error| panic!("{path}: {error}: {body}"));
    let said = &openapi["paths"][described]["get"]["responses"][status.to_string()];
    let schema = &said["content"]["application/json"]["schema"];
    assert!(schema.is_object(), "{described} does not say {status}: {body}");
    assert!(head.contains("content-type: application/json"), "{head}");
    let mut whole = schema.clone();
    whole["components"] = openapi["components"].clone();
    let validator = jsonschema::validator_for(&whole).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&answer)
        .map(|error| format!("{} at {}", error, error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{path}: {errors:?}\n{answer:#}");
    (status, answer)
}

#[test]
fn the_api_answers_as_its_description_says() {
    let fleet = Fleet::new();
    corpus(&fleet);
    let coordinator = fleet.start(&["coordinator", "--listen", "127.0.0.1:0"]);
    let addr = address(&coordinator);
    coordinator.says("coordinator: reading");
    let (status, before) = ask(&addr, "/v1/status", "/v1/status");
    assert_eq!((status, &before["jobs"], &before["producers"]), (200, &json!([]), &Value::Null));
    let id = fleet.submit(&[]);
    let waiting = wait_for("the job to be planned", || {
        let (status, job) = ask(&addr, "/v1/jobs/{job}", &format!("/v1/jobs/{id}"));
        (status == 200 && job["tasks_open"].as_u64() > Some(0)).then_some(job)
    });
    assert_eq!(waiting["pending"], waiting["documents"]);
    assert_eq!(waiting["eta_s"], Value::Null, "nothing is done yet");
    let _worker = fleet.start(&["worker", "--threads", "1"]);
    let mut rates = 0;
    wait_for("the job to be closed", || {
        let (_, status) = ask(&addr, "/v1/status", "/v1/status");
        let job = status["jobs"][0].clone();
        rates += usize::from(job["pages_per_second"].as_f64() > Some(0.0));
        (job["state"] == "closed").then_some(())
    });
    assert!(rates > 0, "a pace was told");
    let (_, status) = ask(&addr, "/v1/status", "/v1/status");
    let job = &status["jobs"][0];
    assert_eq!(job["pending"], 0);
    let by_state = job["documents_by_state"].as_object().unwrap().values();
    assert_eq!(by_state.map(|n| n.as_u64().unwrap()).sum::<u64>(), job["documents"]);
    assert!(status["ocr"]["outbox_pending"].as_u64() > Some(0), "no relay runs");
    let (_, all) = ask(&addr, "/v1/jobs", "/v1/jobs?limit=5");
    assert_eq!(all["jobs"][0]["job"], id.as_str());
    let report = |name: &str| {
        let path = format!("/v1/jobs/{id}/reports/{name}?limit=7");
        ask(&addr, "/v1/jobs/{job}/reports/{report}", &path)
    };
    for name in ["producers", "moved", "fonts", "clusters", "reasons", "documents"] {
        let (status, answer) = report(name);
        assert_eq!((status, &answer["job"]), (200, &json!(id)), "{name}");
        assert!(answer["rows"].as_array().unwrap().len() <= 7);
    }
    assert_eq!(
        report("producers").1["rows"][0]["producer_family"],
        "Brokensoft",
        "the broken tool comes first"
    );
    assert_eq!(report("nonsense").0, 404);
    let (uri, page) = {
        let cluster = &report("clusters").1["rows"][0];
        (cluster["example_uri"].as_str().unwrap().to_owned(), cluster["example_page"].as_u64().unwrap())
    };
    let document = format!("document={}", uri.replace('/', "%2F").replace(':', "%3A"));
    let (_, found) = ask(&addr, "/v1/jobs/{job}/documents", &format!("/v1/jobs/{id}/documents?{document}"));
    assert_eq!(found["document"]["document_uri"], uri.as_str());
    assert_eq!(found["pages"].as_array().unwrap().len(), 6);
    let sha256 = found["document"]["document_sha256"].as_str().unwrap();
    let path = format!("/v1/pages/{id}/{page}?document={sha256}");
    let (_, found) = ask(&addr, "/v1/pages/{job}/{page}", &path);
    assert_eq!((&found["page"]["page"], &found["page"]["route"]), (&json!(page), &json!("ocr")));
    for (described, path, status) in [
        ("/v1/jobs/{job}", "/v1/jobs/none".to_owned(), 404),
        ("/v1/jobs", "/v1/jobs?limit=many".to_owned(), 400),
        ("/v1/jobs", "/v1/jobs?other=1".to_owned(), 400),
        ("/v1/jobs/{job}/documents", format!("/v1/jobs/{id}/documents"), 400),
        ("/v1/jobs/{job}/documents", format!("/v1/jobs/{id}/documents?document=nothing"), 404),
        ("/v1/jobs/{job}/documents", "/v1/jobs/..%2F..%2Fetc/documents?document=x".to_owned(), 404),
        ("/v1/pages/{job}/{page}", format!("/v1/pages/{id}/0?document={sha256}"), 404),
        ("/v1/pages/{job}/{page}", format!("/v1/pages/{id}/one?document={sha256}"), 400),
    ] {
        assert_eq!(ask(&addr, described, &path).0, status, "{path}");
    }
    let (status, head, served) = get(&addr, "/v1/openapi.json", "");
    assert_eq!((status, served.as_str()), (200, OPENAPI));
    assert!(head.contains("content-security-policy: default-src 'none'"), "{head}");
}

#[test]
fn with_a_token_nothing_is_shown_without_it() {
    let mut fleet = Fleet::new();
    fleet.set("PAGESIEVE_LISTEN__TOKEN", "a long secret");
    let coordinator = fleet.start(&["coordinator", "--listen", "127.0.0.1:0"]);
    let addr = address(&coordinator);
    coordinator.says("coordinator: reading");
    for path in ["/", "/v1/status", "/v1/openapi.json", "/jobs/x", "/pages/x/1?document=y", "/live.js"] {
        let (status, head, body) = get(&addr, path, "");
        assert_eq!(status, 401, "{path}");
        assert!(head.contains("www-authenticate: basic realm") && !body.contains("<html"), "{head}{body}");
    }
    assert_eq!(get(&addr, "/v1/status", "Authorization: Bearer a long secret\r\n").0, 200);
    // `browser:a long secret`, as a browser sends it when its user was asked.
    assert_eq!(get(&addr, "/", "Authorization: Basic YnJvd3NlcjphIGxvbmcgc2VjcmV0\r\n").0, 200);
}

#[test]
fn the_pages_stand_in_a_browser_and_update_by_themselves() {
    let fleet = Fleet::new();
    corpus(&fleet);
    let coordinator = fleet.start(&["coordinator", "--listen", "127.0.0.1:0"]);
    let addr = address(&coordinator);
    let mut browser = Browser::start();
    coordinator.says("coordinator: reading");
    let home = format!("http://{addr}/");
    browser.open(&home, 1280, false);
    browser.wait("document.body.innerText.includes('No job has begun')");
    let id = fleet.submit(&[]);
    // The same document all the time: the script puts newer sections in place.
    browser.evaluate("window.mark = 1");
    browser.wait(&format!("document.getElementById('job-{id}') !== null && window.mark === 1"));
    browser.wait("document.body.innerText.includes('not done yet')");
    browser.assert_good("a job that waits");
    {
        let _worker = fleet.start(&["worker", "--threads", "1"]);
        let _relay = fleet.start(&["relay"]);
        browser.wait(&format!(
            "document.querySelector('#job-{id} .state')?.innerText === 'closed' && window.mark === 1"
        ));
        fleet.wait_relayed();
    }
    browser.wait("document.querySelector('#producers tbody tr td')?.innerText === 'Brokensoft'");
    let policy = get(&addr, "/", "").1;
    for part in ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"] {
        assert!(policy.contains(part) && !policy.contains("unsafe"), "{policy}");
    }
    let job = format!("{home}jobs/{id}");
    browser.open(&job, 1280, false);
    let link = "[...document.querySelectorAll('#clusters a')].find((a) => a.innerText.includes('alert(2)'))";
    let attacked = browser.evaluate(&format!("{link}?.href"));
    let attacked = attacked.as_str().expect("the hostile document is an example").to_owned();
    for url in [&home, &job, &attacked] {
        for (width, dark) in [(1280, false), (400, false), (1280, true), (400, true)] {
            browser.open(url, width, dark);
            browser.assert_good(&format!("{url} at {width}, dark: {dark}"));
            assert_eq!(browser.evaluate("document.querySelectorAll('main img, main script').length"), 0);
        }
    }
    assert_eq!(
        browser.evaluate("document.querySelectorAll('svg.page image').length"),
        1,
        "the page is drawn"
    );
    assert!(
        browser.evaluate("document.body.innerText").as_str().unwrap().contains("Nothing in the file says")
    );
    // What is gone is taken away, and updates can be paused.
    browser.open(&home, 1280, false);
    browser.evaluate(
        "document.getElementById('live').prepend(Object.assign(document.createElement('p'), {id: 'stale'}))",
    );
    browser.wait("document.getElementById('stale') === null");
    browser.open(&home, 1280, false);
    browser.evaluate("document.querySelector('#updates button').click()");
    assert_eq!(browser.evaluate("document.querySelector('#updates button').innerText"), "Resume updates");
    browser.open(&format!("{home}jobs/none"), 400, false);
    assert!(browser.evaluate("document.body.innerText").as_str().unwrap().contains("no such job"));
    browser.errors.retain(|error| !error.contains("404")); // the browser tells of the status
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}

#[test]
fn the_html_report_stands_in_a_browser() {
    let dir = tempfile::tempdir().unwrap();
    let (pdfs, out, file) = (dir.path().join("pdfs"), dir.path().join("out"), dir.path().join("report.html"));
    pagesieve::sample::write(&pdfs).unwrap();
    for _ in 0..2 {
        expect(0, &["scan", text(&pdfs), "--out", text(&out), "--quiet"]);
        std::fs::remove_file(pdfs.join("scan.pdf")).unwrap_or_default(); // the second job has a time line, and differs
    }
    expect(0, &["report", text(&out), "--html", text(&file), "--gallery", "12"]);
    let mut browser = Browser::start();
    let url = pagesieve::source::from_path(&file);
    for (width, dark) in [(1280, false), (400, false), (1280, true), (400, true)] {
        browser.open(&url, width, dark);
        browser.evaluate("document.querySelectorAll('details').forEach((details) => details.open = true)");
        browser.assert_good(&format!("the report at {width}, dark: {dark}"));
        let charts =
            "[...document.querySelectorAll('svg.chart')].filter((svg) => svg.clientWidth > 0).length";
        assert_eq!(browser.evaluate(charts), 5, "each chart once");
    }
    browser.print();
    browser.assert_good("the report on paper");
    assert_eq!(browser.evaluate("getComputedStyle(document.querySelector('nav')).display"), "none");
}
