use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::ledger::{OutboxRequest, Place};
use crate::score::fonts::Case;
use crate::score::{Certainty, FontClass, PageScore, Reason, ReasonCode, Route, Scope};
use crate::tables::{ScoredDocument, StagingContext, made_by};
use crate::words::clean;

/// The embedded JSON schema of a request.
pub const OCR_REQUEST_JSON: &str = include_str!("../../config/schemas/ocr-request.json");

/// URIs of equal content named in a request, at most.
pub const MAX_URIS: usize = 10;
/// Reasons and regions of a page, at most; the verdict lists no more.
const MAX_REASONS: usize = 8;
const MAX_REGIONS: usize = 16;
/// Fonts named in a request, at most.
pub const MAX_FONTS: usize = 16;

/// Asks for one page to be read from its pixels: a CloudEvents 1.0 event in structured JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OcrRequest {
    /// `1.0`.
    pub specversion: String,
    /// See [`request_id`]; also the AMQP `message_id`.
    pub id: String,
    /// `/pagesieve/corpus/<corpus>`.
    pub source: String,
    /// `pagesieve.page.ocr.requested.v1`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `<sha256>#page=<n>`.
    pub subject: String,
    /// When the document was scored, RFC 3339.
    pub time: String,
    /// `application/json`.
    pub datacontenttype: String,
    /// Names the schema of `data`.
    pub dataschema: String,
    /// The request itself.
    pub data: OcrData,
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OcrData {
    /// Where the content is found, at most [`MAX_URIS`], in order; never empty.
    pub uris: Vec<String>,
    /// ETag at the first of them.
    pub etag: Option<String>,
    /// SHA-256 of the document.
    pub sha256: String,
    /// 1-based.
    pub page: u32,
    /// Pages of the document.
    pub page_count: u32,
    /// `ocr`.
    pub route: Route,
    /// Why, worst first.
    pub reasons: Vec<OcrReason>,
    /// Boxes to read, in points of the crop box, origin lower left, rotation not applied; empty for the whole page.
    pub regions: Vec<[f32; 4]>,
    /// ISO 15924 code of the page's most frequent script, where it is known.
    pub script: Option<String>,
    /// ISO 639 code of its language, where it is known.
    pub language: Option<String>,
    /// Resolution to render the page at.
    pub suggested_dpi: u32,
    /// 9 (first) to 0 (last).
    pub priority: u8,
    /// Producer without version.
    pub producer_family: Option<String>,
    /// Fonts of the page with suspect glyphs, worst first, at most [`MAX_FONTS`].
    pub fonts: Vec<OcrFont>,
    /// Version of the rules that decided.
    pub rules_version: String,
    /// 0; each `ocr requeue` on purpose adds one.
    pub generation: u32,
}

/// A reason, without its detail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OcrReason {
    /// The cause.
    pub code: ReasonCode,
    /// How strong the evidence is.
    pub certainty: Certainty,
    /// Share of the page's visible glyphs or area, 0.0..=1.0.
    pub share: f32,
    /// What the evidence was pooled over.
    pub scope: Scope,
}

/// A font with suspect glyphs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OcrFont {
    /// `4 0 R`, or `p1/F1`.
    pub font: String,
    /// `/BaseFont`, subset tag included.
    pub base_font: Option<String>,
    /// `/Subtype`.
    pub subtype: String,
    /// Class of its codes on the page.
    pub font_class: FontClass,
    /// The case with most suspect codes.
    pub font_case: Option<Case>,
    /// SHA-256 of its program: equal programs fail alike.
    pub program_sha256: Option<String>,
}

impl OcrRequest {
    /// One line of JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("texts and finite numbers serialize")
    }

    /// Makes it another request for the same page, with an id of its own.
    pub fn next_generation(&mut self) {
        self.data.generation += 1;
        self.id = request_id(&self.data.sha256, self.data.page, self.data.generation);
    }

    /// A message of the outbox, with where its content is found now.
    pub fn with_places(body: &str, places: &[Place]) -> Result<Self, serde_json::Error> {
        let mut request: Self = serde_json::from_str(body)?;
        if let Some(first) = places.first() {
            request.data.etag = first.etag.clone();
            request.data.uris = places.iter().take(MAX_URIS).map(|place| place.uri.clone()).collect();
        }
        Ok(request)
    }
}

/// The id of a request: a page is asked for once per content.
///
/// `ocr:` and the lower-case hex of the SHA-256 of these ASCII bytes: `v1`, a line feed, the document's SHA-256 in lower-case
/// hex, a line feed, the 1-based page in decimal; and for a generation other than 0 a line feed and the generation in decimal.
/// (`printf 'v1\n%s\n%d' SHA256 PAGE | sha256sum`)
pub fn request_id(document_sha256: &str, page: u32, generation: u32) -> String {
    let mut text = format!("v1\n{document_sha256}\n{page}");
    if generation > 0 {
        text.push_str(&format!("\n{generation}"));
    }
    let hash = Sha256::digest(text.as_bytes());
    hash.iter().fold(String::from("ocr:"), |id, byte| id + &format!("{byte:02x}"))
}

/// The requests of a task's documents, one per distinct (content, page), in order of their ids.
pub fn requests(context: &StagingContext, documents: &[ScoredDocument]) -> Vec<OutboxRequest> {
    let mut requests = BTreeMap::new();
    for document in documents {
        let Some(sha256) = &document.sha256 else { continue };
        let is_ocr = |page: &&PageScore| page.route == Route::Ocr;
        let n_ocr = document.score.pages.iter().filter(is_ocr).count();
        for page in document.score.pages.iter().filter(is_ocr) {
            let request = request(context, document, sha256, page, n_ocr);
            requests.entry(request.id.clone()).or_insert_with(|| OutboxRequest {
                document_sha256: sha256.clone(),
                page: page.page,
                priority: request.data.priority,
                body: request.to_json(),
                id: request.id,
            });
        }
    }
    requests.into_values().collect()
}

fn request(
    context: &StagingContext,
    document: &ScoredDocument,
    sha256: &str,
    page: &PageScore,
    n_ocr: usize,
) -> OcrRequest {
    let info = &document.score.info;
    let data = OcrData {
        uris: vec![document.document.uri.clone()],
        etag: document.document.etag.clone(),
        sha256: sha256.to_owned(),
        page: page.page,
        page_count: info.n_pages.max(page.page),
        route: page.route,
        reasons: page.reasons.iter().take(MAX_REASONS).map(reason).collect(),
        regions: page.regions.iter().take(MAX_REGIONS).map(|bounds| bounds.map(finite)).collect(),
        script: page.script.as_deref().map(|code| clean(code, 16)),
        language: page.language.as_deref().map(|code| clean(code, 16)),
        suggested_dpi: suggested_dpi(page),
        priority: priority(page, n_ocr),
        producer_family: made_by(info.producer.as_deref(), info.creator.as_deref()).map(|tool| tool.family),
        fonts: suspect_fonts(document, page),
        rules_version: context.rules_version.clone(),
        generation: 0,
    };
    OcrRequest {
        specversion: "1.0".into(),
        id: request_id(sha256, page.page, 0),
        source: format!("/pagesieve/corpus/{}", percent_encoded(&context.corpus)),
        kind: "pagesieve.page.ocr.requested.v1".into(),
        subject: format!("{sha256}#page={}", page.page),
        time: document.scored_at.whole_second().to_string(),
        datacontenttype: "application/json".into(),
        dataschema: "urn:pagesieve:schema:ocr-request:v1".into(),
        data,
    }
}

fn reason(reason: &Reason) -> OcrReason {
    let Reason { code, certainty, share, scope, .. } = *reason;
    OcrReason { code, certainty, share: finite(share).clamp(0.0, 1.0), scope }
}

fn suspect_fonts(document: &ScoredDocument, page: &PageScore) -> Vec<OcrFont> {
    let mut drawn: Vec<_> = page.fonts.iter().filter(|drawn| drawn.glyphs_suspect > 0).collect();
    drawn.sort_by_key(|drawn| (std::cmp::Reverse(drawn.glyphs_suspect), drawn.font_index));
    let fonts = drawn.iter().take(MAX_FONTS).filter_map(|drawn| {
        let facts = &document.score.fonts.get(drawn.font_index as usize)?.facts;
        Some(OcrFont {
            font: clean(&facts.font, 200),
            base_font: facts.base_font.as_deref().map(|name| clean(name, 200)),
            subtype: clean(&facts.subtype, 200),
            font_class: drawn.font_class,
            font_case: drawn.font_case,
            program_sha256: facts.program_sha256.clone(),
        })
    });
    fonts.collect()
}

/// Resolution that gives the smallest text to read about 20 pixels of x-height: 300 dpi does for 10 points and more.
///
/// A region of suspect text is a line or more, so the lowest one bounds the font size from above; without regions, or for a
/// scan, 300 dpi, the resolution that engines are trained on.
fn suggested_dpi(page: &PageScore) -> u32 {
    let heights = page.regions.iter().map(|[_, y0, _, y1]| y1 - y0).filter(|height| *height > 0.5);
    match heights.fold(f32::INFINITY, f32::min) {
        lowest if lowest < 5.0 => 600,
        lowest if lowest < 8.0 => 400,
        _ => 300,
    }
}

/// What is cheap to repair and sure to be broken comes first: a few pages of a document that is otherwise read, on proof.
/// Whole scanned volumes, and pages that were not measured at all, come last.
fn priority(page: &PageScore, n_ocr: usize) -> u8 {
    let volume = match n_ocr {
        0..=4 => 0,
        5..=16 => 1,
        17..=64 => 2,
        65..=256 => 3,
        257..=1024 => 4,
        _ => 5,
    };
    let certainty = page.reasons.iter().filter(|reason| reason.code != ReasonCode::PageError);
    let doubt = match certainty.map(|reason| reason.certainty).min() {
        Some(Certainty::Proven) => 0,
        Some(Certainty::Measured) => 1,
        Some(Certainty::Suspected) => 2,
        None => 4,
    };
    9 - volume - doubt
}

fn finite(number: f32) -> f32 {
    if number.is_finite() { number + 0.0 } else { 0.0 }
}

/// A corpus name as a segment of a URI reference.
fn percent_encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut uri, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => uri.push(byte.into()),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
        uri
    })
}
