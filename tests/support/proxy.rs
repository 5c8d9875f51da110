//! A TCP proxy in front of a service: cuts connections, and lets the service be away.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

pub(crate) struct Proxy {
    url: String,
    state: Arc<State>,
}

struct State {
    service: String,
    address: String,
    down: AtomicBool,
    open: Mutex<Vec<TcpStream>>,
}

impl Proxy {
    /// In front of the service that a URL names.
    pub(crate) fn before(url: &str) -> Self {
        let (scheme, rest) = url.split_once("://").expect("a URL");
        let (login, rest) = rest.split_once('@').map_or(("", rest), |(login, rest)| (login, rest));
        let (service, path) = rest.split_once('/').expect("a path");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("bound").to_string();
        let at = if login.is_empty() { String::new() } else { format!("{login}@") };
        let state = Arc::new(State {
            service: service.to_owned(),
            address: address.clone(),
            down: AtomicBool::new(false),
            open: Mutex::default(),
        });
        let serving = Arc::clone(&state);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                serving.connect(client);
            }
        });
        Self { url: format!("{scheme}://{at}{address}/{path}"), state }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Closes every connection.
    pub(crate) fn cut(&self) {
        for stream in self.state.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// The service is away: connections are closed, new ones at once.
    pub(crate) fn down(&self) {
        self.state.down.store(true, Ordering::SeqCst);
        self.cut();
    }

    pub(crate) fn up(&self) {
        self.state.down.store(false, Ordering::SeqCst);
        // Whoever waits in the queue of the listener is answered now.
        drop(TcpStream::connect(&self.state.address));
    }
}

impl State {
    fn connect(&self, client: TcpStream) {
        if self.down.load(Ordering::SeqCst) {
            return;
        }
        let Ok(server) = TcpStream::connect(&self.service) else { return };
        let pairs = [
            (client.try_clone().unwrap(), server.try_clone().unwrap()),
            (server.try_clone().unwrap(), client.try_clone().unwrap()),
        ];
        self.open.lock().unwrap().extend([client, server]);
        for (mut from, mut to) in pairs {
            std::thread::spawn(move || {
                let mut buffer = [0; 1 << 14];
                while let Ok(n @ 1..) = from.read(&mut buffer) {
                    if to.write_all(&buffer[..n]).is_err() {
                        break;
                    }
                }
                let _ = from.shutdown(Shutdown::Both);
                let _ = to.shutdown(Shutdown::Both);
            });
        }
    }
}
