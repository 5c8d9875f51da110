//! Rows of `page_fonts` → runs: one font of one document, over its pages.

use std::collections::BTreeMap;

use super::flagged::Flagged;
use super::read::{PageFonts, at};
use crate::score::ReasonCode;
use crate::tables::TablesError;
use crate::tables::snapshot::short_hash;

/// What fonts of one producer family share that make a cluster, in the table's order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Structure {
    pub(super) version: Option<String>,
    pub(super) family: Option<String>,
    pub(super) signature: String,
}

/// What is kept of the fonts of a structure: functions of the signature.
#[derive(Debug, Clone)]
pub(super) struct Kind {
    pub(super) subtype: String,
    pub(super) encoding: Option<String>,
    pub(super) to_unicode: String,
}

/// One font of one document.
#[derive(Debug)]
pub(super) struct Run {
    /// 128 bits of the URI's SHA-256.
    pub(super) document: u128,
    pub(super) uri: Box<str>,
    pub(super) sha256: Box<str>,
    pub(super) program: Option<Box<str>>,
    pub(super) pages: Vec<i32>,
    pub(super) flagged: Vec<FlaggedPage>,
    pub(super) glyphs_drawn: i64,
    pub(super) glyphs_suspect: i64,
    /// Microseconds since 1970.
    pub(super) scored_at: i64,
}

/// A page with a reason against the run's font.
#[derive(Debug)]
pub(super) struct FlaggedPage {
    pub(super) page: i32,
    pub(super) suspect: i32,
    pub(super) codes: Vec<ReasonCode>,
}

/// The runs of one producer family, by structure.
pub(super) type OfProducer = BTreeMap<Structure, (Kind, Vec<Run>)>;

/// What takes a producer family whose rows have ended.
pub(super) type End<'e> = dyn FnMut(Option<String>, OfProducer) -> Result<(), TablesError> + 'e;

/// Collects runs. Rows come sorted by producer family, so one family is held at a time.
pub(super) struct Runs<'f> {
    flagged: &'f Flagged,
    producer: Option<String>,
    done: OfProducer,
    /// Runs that the next row may belong to: of the current document and subset.
    open: Vec<(Structure, Kind, Run)>,
    document: (String, u128),
    subset: Option<String>,
    begun: bool,
}

impl<'f> Runs<'f> {
    pub(super) fn new(flagged: &'f Flagged) -> Self {
        Self {
            flagged,
            producer: None,
            done: BTreeMap::new(),
            open: Vec::new(),
            document: (String::new(), 0),
            subset: None,
            begun: false,
        }
    }

    /// Adds rows; `end` takes each producer family that ends in them.
    pub(super) fn add(&mut self, rows: &PageFonts, end: &mut End<'_>) -> Result<(), TablesError> {
        let [producers, versions, families, subsets, uris, hashes, fonts] = [
            "producer_family",
            "producer_version",
            "family",
            "subset_tag",
            "document_uri",
            "document_sha256",
            "font",
        ]
        .map(|column| rows.text(column));
        let [signatures, programs, subtypes, encodings, maps] =
            ["signature", "program_sha256", "subtype", "encoding", "to_unicode"]
                .map(|column| rows.text(column));
        let [pages, drawn, suspect] =
            ["page", "glyphs_drawn", "glyphs_suspect"].map(|column| rows.int(column));
        let times = rows.scored_at();
        for row in 0..rows.len() {
            if !self.begun || self.producer.as_deref() != at(producers, row) {
                self.end(end)?;
                (self.begun, self.producer) = (true, at(producers, row).map(str::to_owned));
            }
            if self.document.0 != uris.value(row) || self.subset.as_deref() != at(subsets, row) {
                self.close();
                self.subset = at(subsets, row).map(str::to_owned);
                if self.document.0 != uris.value(row) {
                    self.document = (uris.value(row).to_owned(), short_hash(uris.value(row)));
                }
            }
            let (version, family, signature, program) =
                (at(versions, row), at(families, row), signatures.value(row), at(programs, row));
            let known = self.open.iter_mut().position(|(structure, _, run)| {
                structure.signature == signature
                    && structure.family.as_deref() == family
                    && structure.version.as_deref() == version
                    && run.program.as_deref() == program
            });
            let index = known.unwrap_or_else(|| {
                let structure = Structure {
                    version: version.map(str::to_owned),
                    family: family.map(str::to_owned),
                    signature: signature.to_owned(),
                };
                let kind = Kind {
                    subtype: subtypes.value(row).to_owned(),
                    encoding: at(encodings, row).map(str::to_owned),
                    to_unicode: maps.value(row).to_owned(),
                };
                let run = Run {
                    document: self.document.1,
                    uri: uris.value(row).into(),
                    sha256: hashes.value(row).into(),
                    program: program.map(Into::into),
                    pages: Vec::new(),
                    flagged: Vec::new(),
                    glyphs_drawn: 0,
                    glyphs_suspect: 0,
                    scored_at: times.value(row),
                };
                self.open.push((structure, kind, run));
                self.open.len() - 1
            });
            let page = pages.value(row);
            let codes: Vec<ReasonCode> =
                self.flagged.reasons(self.document.1, page, fonts.value(row)).collect();
            let run = &mut self.open[index].2;
            run.pages.push(page);
            run.glyphs_drawn += i64::from(drawn.value(row));
            run.glyphs_suspect += i64::from(suspect.value(row));
            if !codes.is_empty() {
                run.flagged.push(FlaggedPage { page, suspect: suspect.value(row), codes });
            }
        }
        Ok(())
    }

    /// Ends the current producer family.
    pub(super) fn end(&mut self, end: &mut End<'_>) -> Result<(), TablesError> {
        self.close();
        if self.begun { end(self.producer.take(), std::mem::take(&mut self.done)) } else { Ok(()) }
    }

    fn close(&mut self) {
        for (structure, kind, mut run) in self.open.drain(..) {
            run.pages.shrink_to_fit();
            self.done.entry(structure).or_insert_with(|| (kind, Vec::new())).1.push(run);
        }
    }
}
