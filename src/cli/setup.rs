//! What several commands set up alike.

use std::num::NonZero;

use anyhow::Context;
use sha2::{Digest, Sha256};

use crate::config::{Config, Isolation};
use crate::isolate::PoolConfig;
use crate::report::html::Drawing;
use crate::score::{RULES_VERSION, Settings};

/// Scoring threads in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Threads(usize);

impl Threads {
    /// One per processor this process may use.
    pub(super) fn all() -> Self {
        Self(std::thread::available_parallelism().map_or(1, NonZero::get))
    }

    /// As asked, else one per processor.
    pub(super) fn asked(asked: Option<usize>) -> Self {
        asked.map_or_else(Self::all, |threads| Self(threads.max(1)))
    }
}

/// Most threads of one document where the settings leave it open: every child may have a large one.
const MOST_THREADS: usize = 16;

/// The pool that settings and flags ask for: a child per scoring thread, so that small documents run side by
/// side; and in each as many threads, so that a document that is large or the last one uses them all.
pub(super) fn pool_config(
    config: &Config,
    settings: Settings,
    Threads(threads): Threads,
    isolation: Option<Isolation>,
) -> PoolConfig {
    let worker = &config.worker;
    let or = |asked: usize, threads: usize| if asked == 0 { threads } else { asked };
    PoolConfig {
        isolation: isolation.unwrap_or(worker.isolation),
        children: or(worker.children, threads),
        threads_per_child: or(worker.threads_per_child, threads.min(MOST_THREADS)),
        child_memory_bytes: worker.child_memory_bytes,
        recycle_documents: worker.recycle_documents,
        settings,
        ..PoolConfig::default()
    }
}

/// What drawing pages needs.
pub(super) fn drawing(config: &Config) -> anyhow::Result<Drawing> {
    Ok(Drawing {
        program: std::env::current_exe().context("failed to find this program")?,
        limits: config.settings().limits,
        document_bytes: config.limits.document_bytes,
        store: config.store.clone(),
    })
}

/// An event loop on this thread: what it does is wait; the work is in children and blocking threads.
pub(super) fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

/// What a score depends on beside the document. Limits of time are left out: a document they end is tried
/// again in every scan.
pub(super) fn score_key(settings: &Settings) -> String {
    let mut settings = settings.clone();
    (settings.limits.wall_ms, settings.limits.wall_ms_per_page) = (0, 0);
    hash(&(RULES_VERSION, settings))
}

/// Lower-case hex of the SHA-256 of a value's JSON.
pub(super) fn hash(value: &impl serde::Serialize) -> String {
    let json = serde_json::to_vec(value).expect("plain data");
    Sha256::digest(json).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_score_key_knows_what_shapes_a_score() {
        let key = |change: fn(&mut Settings)| {
            let mut settings = Settings::default();
            change(&mut settings);
            score_key(&settings)
        };
        let plain = key(|_| ());
        assert_eq!(plain, key(|settings| settings.limits.wall_ms = 5_000));
        assert_ne!(plain, key(|settings| settings.limits.depth = 5));
        assert_ne!(plain, key(|settings| settings.policy.unscored = crate::score::Route::Keep));
        assert_ne!(plain, key(|settings| settings.pages = Some((1, 1))));
    }
}
