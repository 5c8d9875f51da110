//! Chromium without a window, spoken to over a pipe (DevTools protocol).

use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::fleet::wait_for;

/// What every page of ours must be: the script gives a list of what is wrong.
const LOOK: &str = include_str!("look.js");

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    ask: PipeWriter,
    hear: BufReader<PipeReader>,
    session: Option<String>,
    asked: u64,
    loaded: bool,
    /// What the console and the log said that is an error.
    pub(crate) errors: Vec<String>,
    _profile: tempfile::TempDir,
}

impl Browser {
    pub(crate) fn start() -> Self {
        let profile = tempfile::tempdir().unwrap();
        let (child_hears, ask) = std::io::pipe().unwrap();
        let (hear, child_asks) = std::io::pipe().unwrap();
        let mut command = Command::new("chromium");
        command.args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
            "--remote-debugging-pipe",
            "about:blank",
        ]);
        command.arg(format!("--user-data-dir={}", profile.path().display()));
        command.env("HOME", profile.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let ends = [child_hears.as_raw_fd(), child_asks.as_raw_fd()];
        // SAFETY: between fork and exec only these calls, which are allowed there; the descriptors outlive them.
        unsafe {
            command.pre_exec(move || {
                // Out of the way first: an end may be 3 or 4 itself.
                let high = ends.map(|end| libc::fcntl(end, libc::F_DUPFD, 10));
                for (from, to) in std::iter::zip(high, [3, 4]) {
                    if from < 0 || libc::dup2(from, to) < 0 {
                        return Err(std::io::Error::last_os_error());
                    }
                    libc::close(from);
                }
                Ok(())
            });
        }
        let child = command.spawn().expect("Debian's chromium is installed; ./test.sh does it");
        let hear = BufReader::new(hear);
        let mut this = Self {
            child,
            ask,
            hear,
            session: None,
            asked: 0,
            loaded: false,
            errors: Vec::new(),
            _profile: profile,
        };
        let target = this.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached =
            this.call("Target.attachToTarget", json!({"targetId": target["targetId"], "flatten": true}));
        this.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            this.call(&format!("{domain}.enable"), json!({}));
        }
        this
    }

    /// Asks and waits for the answer; notes what is heard meanwhile.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.asked += 1;
        let mut message = json!({"id": self.asked, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.ask.write_all(format!("{message}\0").as_bytes()).expect("the browser runs");
        loop {
            let message = self.message();
            if message["id"] == self.asked {
                assert!(message.get("error").is_none(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
        }
    }

    fn message(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.hear.read_until(0, &mut bytes).expect("the browser runs");
        assert_eq!(bytes.pop(), Some(0), "the browser ended");
        let message: Value = serde_json::from_slice(&bytes).expect("JSON");
        let parameters = &message["params"];
        match message["method"].as_str().unwrap_or_default() {
            "Page.loadEventFired" => self.loaded = true,
            "Runtime.exceptionThrown" => self.errors.push(parameters["exceptionDetails"].to_string()),
            "Runtime.consoleAPICalled" if parameters["type"] == "error" => {
                self.errors.push(parameters["args"].to_string());
            }
            "Log.entryAdded" if parameters["entry"]["level"] == "error" => {
                self.errors.push(parameters["entry"].to_string());
            }
            _ => {}
        }
        message
    }

    /// Opens an address in a window of this width, light or dark, and waits until it is loaded.
    pub(crate) fn open(&mut self, url: &str, width: u32, dark: bool) {
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size);
        let scheme = if dark { "dark" } else { "light" };
        let media = json!({"media": "", "features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.call("Emulation.setEmulatedMedia", media);
        self.loaded = false;
        let went = self.call("Page.navigate", json!({"url": url}));
        assert!(went["errorText"].is_null(), "{url}: {went}");
        while !self.loaded {
            self.message();
        }
    }

    /// As it is printed.
    pub(crate) fn print(&mut self) {
        self.call("Emulation.setEmulatedMedia", json!({"media": "print"}));
    }

    pub(crate) fn evaluate(&mut self, script: &str) -> Value {
        let asked = json!({"expression": script, "returnByValue": true, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", asked);
        assert!(answer.get("exceptionDetails").is_none(), "{script}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Fails unless nothing overflows, contrasts suffice, everything has a name, and the console is silent.
    pub(crate) fn assert_good(&mut self, what: &str) {
        let wrong = self.evaluate(LOOK);
        assert_eq!(wrong, json!([]), "{what}: {wrong:#}");
        assert!(self.errors.is_empty(), "{what}: {:?}", self.errors);
    }

    /// Waits until a script gives true.
    pub(crate) fn wait(&mut self, script: &str) {
        wait_for(script, || (self.evaluate(script) == true).then_some(()));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
