//! The connection, and what is known of it.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_lite::StreamExt;
use lapin::uri::{AMQPScheme, AMQPUri};
use lapin::{Channel, Connection, ConnectionProperties, Event};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tracing::warn;

use super::error::is_refusal;
use super::topology::queue_state;
use super::{QueueError, QueueState, Topology};
use crate::telemetry::{health, names};

/// Patience with a host that does not answer.
const TCP: Duration = Duration::from_secs(5);
/// Patience with a broker that takes a connection and says nothing.
const HANDSHAKE: Duration = Duration::from_secs(20);
/// Patience with the client's own recovery; it tries for about as long.
const RECOVERY: Duration = Duration::from_secs(45);
/// Interval of heartbeats, where the URL names none.
const HEARTBEAT_S: u16 = 30;

/// Where the broker is and how to name things there. Cheap to clone; connects only when asked.
#[derive(Clone)]
pub struct Broker {
    inner: Arc<Inner>,
}

struct Inner {
    uri: AMQPUri,
    name: String,
    topology: Topology,
    alarm: Mutex<Option<String>>,
}

impl fmt::Debug for Broker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Broker").field("address", &self.address()).finish_non_exhaustive() // never the password
    }
}

/// An open connection with the topology in place; closed when dropped.
pub(super) struct Session {
    connection: Connection,
}

impl Broker {
    /// Reads the URL. `name` is how the connection is called on the broker.
    pub fn new(url: &str, topology: Topology, name: &str) -> Result<Self, QueueError> {
        let mut uri: AMQPUri = url.parse().map_err(QueueError::Url)?;
        uri.query.heartbeat.get_or_insert(HEARTBEAT_S);
        let name = name.to_owned();
        Ok(Self { inner: Arc::new(Inner { uri, name, topology, alarm: Mutex::new(None) }) })
    }

    /// `host:port`.
    pub fn address(&self) -> String {
        let authority = &self.inner.uri.authority;
        format!("{}:{}", authority.host, authority.port)
    }

    /// Names of exchanges and queues.
    pub fn topology(&self) -> &Topology {
        &self.inner.topology
    }

    /// Why the broker takes no messages at the moment (memory or disk alarm), in its words.
    pub fn alarm(&self) -> Option<String> {
        self.inner.alarm.lock().ok().and_then(|alarm| alarm.clone())
    }

    /// Declares exchanges, queues and bindings; what is there already stays.
    pub async fn declare(&self) -> Result<(), QueueError> {
        self.session().await.map(|_| ())
    }

    /// Asks for queues without creating any: each with its state, or why there is none.
    pub async fn queue_states(
        &self,
        queues: &[String],
    ) -> Result<Vec<(String, Result<QueueState, QueueError>)>, QueueError> {
        let connection = self.connect().await?;
        let mut states = Vec::with_capacity(queues.len());
        for queue in queues {
            let channel = connection.create_channel().await?; // an absent queue closes its channel
            states.push((queue.clone(), queue_state(&channel, queue).await));
        }
        Ok(states)
    }

    /// Connects and declares the topology.
    pub(super) async fn session(&self) -> Result<Session, QueueError> {
        let connection = self.connect().await?;
        let channel = connection.create_channel().await?;
        self.inner.topology.declare(&channel).await?;
        Ok(Session { connection })
    }

    async fn connect(&self) -> Result<Connection, QueueError> {
        let (uri, address) = (self.inner.uri.clone(), self.address());
        self.probe(&address).await?;
        if uri.scheme == AMQPScheme::AMQPS {
            // A connection that recovers would try a wrong certificate again and again, and keep the cause to itself.
            let trial = Connection::connect_uri(uri.clone(), ConnectionProperties::default());
            let trial = timeout(HANDSHAKE, trial)
                .await
                .map_err(|_| QueueError::Silent { address: address.clone() })?;
            match trial {
                Ok(connection) => connection.close(200, "".into()).await?,
                Err(error) if is_refusal(&error) => {} // told apart below
                Err(error) => return Err(error.into()),
            }
        }
        let properties = ConnectionProperties::default()
            .with_connection_name(self.inner.name.as_str().into())
            .enable_auto_recover()
            .configure_backoff(|backoff| {
                let delays = (Duration::from_millis(200), Duration::from_secs(5));
                backoff.with_min_delay(delays.0).with_max_delay(delays.1).with_max_times(11).with_jitter()
            });
        let user = uri.authority.userinfo.username.clone();
        let vhost = uri.vhost.clone();
        let connection = match timeout(HANDSHAKE, Connection::connect_uri(uri, properties)).await {
            Err(_) => return Err(QueueError::Silent { address }),
            Ok(Err(source)) if is_refusal(&source) => {
                return Err(QueueError::Refused { address, user, vhost, source: Box::new(source) });
            }
            Ok(connection) => connection?,
        };
        self.watch(&connection);
        Ok(connection)
    }

    /// Tells a dead host at once; the client itself would try for a minute.
    async fn probe(&self, address: &str) -> Result<(), QueueError> {
        let authority = &self.inner.uri.authority;
        let host = authority.host.trim_start_matches('[').trim_end_matches(']');
        let unreachable = |source| QueueError::Unreachable { address: address.to_owned(), source };
        match timeout(TCP, TcpStream::connect((host, authority.port))).await {
            Err(_) => Err(unreachable(std::io::ErrorKind::TimedOut.into())),
            Ok(connected) => connected.map(drop).map_err(unreachable),
        }
    }

    /// Follows the broker's alarms until the connection ends.
    fn watch(&self, connection: &Connection) {
        self.set_alarm(None);
        let mut events = connection.events_listener();
        let this = self.clone();
        tokio::spawn(async move {
            while let Some(event) = events.next().await {
                match event {
                    Event::ConnectionBlocked(reason) => {
                        warn!("the broker takes no messages: {}", crate::words::clean(&reason, 200));
                        this.set_alarm(Some(reason));
                    }
                    Event::ConnectionUnblocked => {
                        warn!("the broker takes messages again");
                        this.set_alarm(None);
                    }
                    Event::Connected => this.set_alarm(None),
                    _ => (),
                }
            }
        });
    }

    fn set_alarm(&self, alarm: Option<String>) {
        match &alarm {
            Some(alarm) => {
                health::problem("broker", format!("takes no messages: {}", crate::words::clean(alarm, 200)))
            }
            None => health::well("broker"),
        }
        metrics::gauge!(names::QUEUE_BLOCKED).set(f64::from(u8::from(alarm.is_some())));
        if let Ok(mut current) = self.inner.alarm.lock() {
            *current = alarm;
        }
    }
}

impl Session {
    pub(super) async fn channel(&self) -> Result<Channel, QueueError> {
        Ok(self.connection.create_channel().await?)
    }
}

/// Waits until the client has recovered the channel from `error`; the error where it cannot.
pub(super) async fn recover(channel: &Channel, error: lapin::Error) -> Result<(), QueueError> {
    match timeout(RECOVERY, channel.wait_for_recovery(error.clone())).await {
        Ok(Ok(())) if channel.status().connected() => Ok(()),
        _ => Err(error.into()),
    }
}
