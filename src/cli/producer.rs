//! Documents of one producer, from the corpus's current snapshot.

use std::collections::HashSet;

use anyhow::Context;

use crate::config::Config;
use crate::coordinator;

use super::exit::usage;
use super::fleet;
use super::output::safe;

/// URIs of the corpus's documents whose producer or producer family is `producer`.
pub(super) async fn uris(config: &Config, corpus: &str, producer: &str) -> anyhow::Result<HashSet<String>> {
    let objects = fleet::objects(config)?;
    let files = coordinator::current_documents(&*objects, corpus).await.context("the current snapshot")?;
    let Some(files) = files else {
        return Err(usage(format!(
            "the corpus `{}` has no snapshot yet; submit it as a whole first",
            safe(corpus)
        )));
    };
    let mut uris = HashSet::new();
    for file in files {
        crate::tables::read_producers(&file, &mut |uri, names| {
            if names.iter().flatten().any(|name| *name == producer) {
                uris.insert(uri.to_owned());
            }
        })?;
    }
    Ok(uris)
}
