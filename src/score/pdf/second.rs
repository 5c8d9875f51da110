//! lopdf, the second reader: independent of the first, eager, and capped.
//!
//! It rescues what the first cannot open by writing it anew, in memory, as a clean file that the first then
//! reads: so the rest of the library sees one kind of object. It also gives single streams, and the facts
//! that a proof is confirmed against.

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use lopdf::{Dictionary, LoadOptions};

use super::filters::{End, Filter, Filters, Layout, Predictor, run};
use super::{Document, ObjectIdentifier};
use crate::score::limits::Limits;

/// Largest file it is given: it copies every stream and keeps every object, four times the file and more.
pub(super) const MAX_FILE_BYTES: usize = 64 << 20;
/// A file written anew may grow by objects that lay compressed, but not past this.
const MAX_REWRITTEN_BYTES: usize = 256 << 20;

/// Loads a file; `None` where it fails, panics, is too large, or stays locked.
pub(super) fn load(bytes: &[u8], rebuild: bool, limits: &Limits) -> Option<lopdf::Document> {
    if bytes.len() > MAX_FILE_BYTES {
        return None;
    }
    let options = LoadOptions {
        max_decompressed_size: Some(limits.object_stream_bytes),
        force_reconstruct: rebuild,
        ..LoadOptions::default()
    };
    let loaded = catch_unwind(AssertUnwindSafe(|| lopdf::Document::load_mem_with_options(bytes, options)));
    loaded.ok()?.ok().filter(|document| !document.is_encrypted() && !document.objects.is_empty())
}

/// A clean file with the objects, ids and trailer of a loaded one.
pub(super) fn rewrite(mut document: lopdf::Document) -> Option<Vec<u8>> {
    make_tree_reachable(&mut document);
    document.version = "1.7".into();
    document.binary_mark = vec![0xe2, 0xe3, 0xcf, 0xd3];
    let mut out = Capped(Vec::new());
    let written = catch_unwind(AssertUnwindSafe(|| document.save_to(&mut out)));
    written.ok()?.ok()?;
    Some(out.0)
}

/// The first reader insists on references to the catalog and to the root of the page tree.
fn make_tree_reachable(document: &mut lopdf::Document) {
    let catalog = document.trailer.get(b"Root").ok().cloned();
    let reached = match catalog {
        Some(lopdf::Object::Reference(id)) => {
            document.get_dictionary(id).is_ok_and(|dict| dict.has(b"Pages"))
        }
        Some(direct @ lopdf::Object::Dictionary(_)) => {
            let id = document.add_object(direct);
            document.trailer.set("Root", id);
            true
        }
        _ => false,
    };
    if !reached {
        let is_catalog = |object: &lopdf::Object| {
            object.as_dict().is_ok_and(|dict| dict.has_type(b"Catalog") && dict.has(b"Pages"))
        };
        if let Some((&id, _)) = document.objects.iter().rev().find(|(_, object)| is_catalog(object)) {
            document.trailer.set("Root", id);
        }
    }
    let direct = document.catalog().ok().and_then(|catalog| catalog.get(b"Pages").ok()).cloned();
    if let Some(pages @ lopdf::Object::Dictionary(_)) = direct {
        let id = document.add_object(pages);
        if let Ok(catalog) = document.catalog_mut() {
            catalog.set("Pages", id);
        }
    }
}

struct Capped(Vec<u8>);

impl Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_REWRITTEN_BYTES {
            return Err(io::Error::other("larger than the cap"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Decodes a stream as the second reader has it; `None` where it has none of that id, or the same bytes.
pub(super) fn decode_stream(
    document: &Document,
    id: ObjectIdentifier,
    first_raw: Option<&[u8]>,
    cap_bytes: usize,
    out: &mut Vec<u8>,
) -> Option<End> {
    let second = document.second_reader()?;
    let generation = u16::try_from(id.gen_number).ok()?;
    let stream = second.get_object((id.obj_number, generation)).ok()?.as_stream().ok()?;
    if first_raw == Some(&stream.content) || stream.content.is_empty() {
        return None;
    }
    let filters = read_filters(second, &stream.dict, document.limits.filters)?;
    Some(run(&filters, &stream.content, cap_bytes, out))
}

fn read_filters(document: &lopdf::Document, dict: &Dictionary, max_filters: usize) -> Option<Filters> {
    let entry = |keys: [&[u8]; 2]| {
        keys.iter().find_map(|key| dict.get_deref(key, document).ok()).filter(|object| !object.is_null())
    };
    let resolve =
        |object: &lopdf::Object| document.dereference(object).ok().map(|(_, object)| object.clone());
    let list = |object: Option<&lopdf::Object>| match object {
        Some(lopdf::Object::Array(items)) => items.iter().take(max_filters + 1).map(resolve).collect(),
        Some(other) => vec![Some(other.clone())],
        None => Vec::new(),
    };
    let names = list(entry([b"Filter", b"F"]));
    let parms = list(entry([b"DecodeParms", b"DP"]));
    if names.len() > max_filters {
        return None;
    }
    let parms = parms.into_iter().chain(std::iter::repeat(None));
    names.into_iter().zip(parms).map(|(name, parms)| filter(&name?, parms.as_ref())).collect()
}

fn filter(name: &lopdf::Object, parms: Option<&lopdf::Object>) -> Option<Filter> {
    let parms = parms.and_then(|parms| parms.as_dict().ok());
    let integer =
        |key: &[u8]| parms.and_then(|parms| parms.get(key).ok()).and_then(|value| value.as_i64().ok());
    let predictor = Predictor::new(integer(b"Predictor").unwrap_or(1), || {
        let or = |key: &[u8], default| integer(key).unwrap_or(default);
        Layout::new(or(b"Colors", 1), or(b"BitsPerComponent", 8), or(b"Columns", 1))
    });
    Some(match Filter::from_name(name.as_name().ok()?, None) {
        Filter::Flate(_) => Filter::Flate(predictor),
        Filter::Brotli(_) => Filter::Brotli(predictor),
        Filter::Lzw { .. } => Filter::Lzw { early_change: integer(b"EarlyChange") != Some(0), predictor },
        other => other,
    })
}
