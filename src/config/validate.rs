//! Bounds of every setting.

use std::fmt::Display;
use std::ops::RangeInclusive;

use crate::score::Route;

use super::{Config, ConfigError};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

fn within<T: PartialOrd + Display + Copy>(
    key: &'static str,
    value: T,
    bounds: RangeInclusive<T>,
) -> Result<(), ConfigError> {
    if bounds.contains(&value) {
        return Ok(());
    }
    let bounds = format!("{} to {}", bounds.start(), bounds.end());
    Err(ConfigError::Bounds { key, value: value.to_string(), bounds })
}

fn scheme(key: &'static str, value: &str, schemes: &[&str]) -> Result<(), ConfigError> {
    if value.is_empty() || schemes.iter().any(|scheme| value.starts_with(scheme)) {
        return Ok(());
    }
    // The value is a URL and may hold a password.
    let value = value.split("://").next().unwrap_or_default();
    let value = if value.len() > 16 { "another kind of address".to_owned() } else { format!("`{value}…`") };
    Err(ConfigError::Bounds { key, value, bounds: format!("empty or begin with {}", schemes.join(" or ")) })
}

fn queue_prefix(value: &str) -> Result<(), ConfigError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if (1..=100).contains(&value.len()) && value.chars().all(plain) {
        return Ok(());
    }
    let bounds = "1 to 100 letters, digits, `.`, `-` and `_`".to_owned();
    Err(ConfigError::Bounds { key: "queue.prefix", value: format!("`{value}`"), bounds })
}

fn policy(key: &'static str, value: Route) -> Result<(), ConfigError> {
    if matches!(value, Route::Keep | Route::Ocr) {
        return Ok(());
    }
    let value = format!("{value:?}").to_lowercase();
    Err(ConfigError::Bounds { key, value, bounds: "keep or ocr".to_owned() })
}

impl Config {
    /// Checks every value against its bounds.
    ///
    /// # Errors
    /// The first value that is out of them.
    pub fn validate(&self) -> Result<(), ConfigError> {
        scheme("queue.url", &self.queue.url, &["amqp://", "amqps://"])?;
        queue_prefix(&self.queue.prefix)?;
        scheme("ledger.url", &self.ledger.url, &["postgres://", "postgresql://", "sqlite://"])?;
        scheme("store.endpoint", &self.store.endpoint, &["http://", "https://"])?;
        within("results.keep_jobs", self.results.keep_jobs, 1..=10_000)?;
        self.validate_worker()?;
        self.validate_limits()?;
        policy("policy.unjudged", self.policy.unjudged)?;
        policy("policy.unscored", self.policy.unscored)?;
        within("ocr.max_backlog", self.ocr.max_backlog, 1..=1_000_000_000)?;
        within("coordinator.feed_idle_s", self.coordinator.feed_idle_s, 1..=86_400)?;
        within("coordinator.unsealed_hours", self.coordinator.unsealed_hours, 1..=720)?;
        self.validate_listen()
    }

    fn validate_worker(&self) -> Result<(), ConfigError> {
        let worker = &self.worker;
        within("worker.children", worker.children, 0..=1024)?;
        within("worker.threads_per_child", worker.threads_per_child, 0..=256)?;
        within("worker.child_memory_bytes", worker.child_memory_bytes, 256 * MIB..=64 * GIB)?;
        within("worker.recycle_documents", worker.recycle_documents, 1..=1_000_000_000)?;
        within("worker.max_inflight_bytes", worker.max_inflight_bytes, MIB..=1024 * GIB)?;
        within("worker.file_roots", worker.file_roots.len(), 0..=256)?;
        match worker.file_roots.iter().find(|root| !root.starts_with('/')) {
            Some(root) => {
                let (value, bounds) = (format!("`{root}`"), "absolute folders".to_owned());
                Err(ConfigError::Bounds { key: "worker.file_roots", value, bounds })
            }
            None => Ok(()),
        }
    }

    fn validate_limits(&self) -> Result<(), ConfigError> {
        let limits = &self.limits;
        within("limits.document_bytes", limits.document_bytes, KIB..=4 * GIB)?;
        within("limits.pages", limits.pages, 1..=1_000_000)?;
        within("limits.content_bytes", limits.content_bytes as u64, 64 * KIB..=GIB)?;
        within("limits.font_bytes", limits.font_bytes as u64, 64 * KIB..=256 * MIB)?;
        within("limits.object_stream_bytes", limits.object_stream_bytes as u64, MIB..=256 * MIB)?;
        within("limits.operators_per_page", limits.operators_per_page, 1_000..=100_000_000)?;
        within("limits.glyphs_per_page", limits.glyphs_per_page, 1_000..=100_000_000)?;
        within("limits.depth", limits.depth, 1..=256)?;
        within("limits.filters", limits.filters, 1..=32)?;
        within("limits.fonts_per_page", limits.fonts_per_page, 16..=65_536)?;
        within("limits.document_content_bytes", limits.document_content_bytes, MIB..=64 * GIB)?;
        within("limits.wall_ms", limits.wall_ms, 1_000..=86_400_000)?;
        within("limits.wall_ms_per_page", limits.wall_ms_per_page, 0..=60_000)
    }

    /// A port that strangers can reach needs a token.
    fn validate_listen(&self) -> Result<(), ConfigError> {
        let addr = self.listen.addr.as_str();
        if addr.is_empty() {
            return Ok(());
        }
        let bounds = |bounds: &str| ConfigError::Bounds {
            key: "listen.addr",
            value: format!("`{addr}`"),
            bounds: bounds.to_owned(),
        };
        let (host, port) = addr.rsplit_once(':').ok_or_else(|| bounds("empty or host:port"))?;
        port.parse::<u16>().map_err(|_| bounds("empty or host:port"))?;
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let loopback = host.parse().map_or(host == "localhost", |ip: std::net::IpAddr| ip.is_loopback());
        if !loopback && self.listen.token.is_empty() {
            return Err(bounds("on loopback while `listen.token` is empty"));
        }
        Ok(())
    }
}
