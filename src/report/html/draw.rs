//! The pages of cards, drawn in children from the documents as they were scored.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::{Card, Picture};
use crate::config::Store;
use crate::isolate;
use crate::objects::{Buckets, parse_url};
use crate::score::Limits;
use crate::source::{self, FetchError, Fetched};

/// Time for the pages of one document.
const TIME: Duration = Duration::from_secs(30);

/// What drawing needs.
#[derive(Debug, Clone)]
pub struct Drawing {
    /// This program, started again as a child.
    pub program: PathBuf,
    /// What a document may cost.
    pub limits: Limits,
    /// Largest document that is read.
    pub document_bytes: u64,
    /// Where documents on object storage are found.
    pub store: Store,
}

impl Drawing {
    /// Draws the cards' pages, document by document; a card says why it has no picture. Blocks, and not in an event loop.
    ///
    /// # Errors
    /// When no child can be started.
    pub fn draw(&self, cards: &mut [Card]) -> io::Result<()> {
        let mut by_document = BTreeMap::<(String, String), Vec<usize>>::new();
        for (index, card) in cards.iter().enumerate() {
            by_document.entry((card.uri.clone(), card.sha256.clone())).or_default().push(index);
        }
        for ((uri, sha256), indexes) in by_document {
            let pages: Vec<u32> = indexes.iter().map(|&index| cards[index].page).collect();
            let rendered = match self.bytes(&uri, &sha256) {
                Ok(file) => isolate::render_pages(self.program.clone(), file, &pages, &self.limits, TIME)?,
                Err(why) => {
                    indexes.iter().for_each(|&index| cards[index].picture = Picture::Missing(why.clone()));
                    continue;
                }
            };
            for index in indexes {
                let page = rendered.iter().find(|page| page.page == cards[index].page);
                cards[index].picture = match page {
                    Some(page) => Picture::Rendered(page.clone()),
                    None => Picture::Missing("drawing it failed or took too long".to_owned()),
                };
            }
        }
        Ok(())
    }

    /// The bytes that were scored, or why they cannot be had.
    fn bytes(&self, uri: &str, sha256: &str) -> Result<Arc<[u8]>, String> {
        let fetched = match (source::to_path(uri), parse_url(uri)) {
            (Some(path), _) => source::fetch(&path, self.document_bytes),
            (None, Some((bucket, key))) => self.object(bucket, key)?,
            (None, None) => return Err("the document is neither a file nor an object".to_owned()),
        };
        let file = fetched.map_err(|error| match error {
            FetchError::Missing => "the document is no longer where it was",
            FetchError::TooLarge { .. } => "the document is larger than limits.document_bytes",
            _ => "the document cannot be read",
        })?;
        let hash: String = Sha256::digest(&file.bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        if hash == sha256 {
            Ok(file.bytes)
        } else {
            Err("the document has changed since it was scored".to_owned())
        }
    }

    fn object(&self, bucket: &str, key: &str) -> Result<Result<Fetched, FetchError>, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|_| "object storage cannot be asked".to_owned())?;
        let buckets = Buckets::new(&self.store);
        Ok(runtime.block_on(source::fetch_object(&buckets, bucket, key, None, self.document_bytes)))
    }
}
