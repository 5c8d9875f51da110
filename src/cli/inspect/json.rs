//! The contract's JSON.

use serde::Serialize;

use crate::score::{FontScore, PageScore, Reason, RegionScore, State};
use crate::tables::made_by;

use super::Inspected;

#[derive(Serialize)]
struct Report<'a> {
    document: Document<'a>,
    fonts: Vec<serde_json::Value>,
    pages: Vec<Page<'a>>,
}

#[derive(Serialize)]
struct Document<'a> {
    uri: &'a str,
    sha256: Option<&'a str>,
    size_bytes: u64,
    pages: u32,
    producer: Option<&'a str>,
    producer_family: Option<String>,
    producer_version: Option<String>,
    creator: Option<&'a str>,
    state: State,
    state_reason: Option<&'a str>,
}

#[derive(Serialize)]
struct Page<'a> {
    page: u32,
    route: crate::score::Route,
    judged: bool,
    judged_share: f32,
    glyphs_drawn: u32,
    glyphs_suspect: u32,
    image_coverage: f32,
    script: Option<&'a str>,
    language: Option<&'a str>,
    reasons: &'a [Reason],
    /// Reasons beyond those listed.
    #[serde(skip_serializing_if = "is_zero")]
    n_more_reasons: u32,
    regions: &'a [[f32; 4]],
    /// Regions beyond those listed.
    #[serde(skip_serializing_if = "is_zero")]
    n_more_regions: u32,
    /// Boxes of `--region`, in their order.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    assessed: &'a [RegionScore],
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The report as indented JSON with a line feed.
pub(super) fn print(inspected: &Inspected) -> serde_json::Result<String> {
    let score = &inspected.score;
    let tool = made_by(score.info.producer.as_deref(), score.info.creator.as_deref());
    let (producer_family, producer_version) =
        tool.map_or((None, None), |tool| (Some(tool.family), tool.version));
    let report = Report {
        document: Document {
            uri: &inspected.uri,
            sha256: inspected.sha256.as_deref(),
            size_bytes: inspected.size_bytes,
            pages: score.info.n_pages,
            producer: score.info.producer.as_deref(),
            producer_family,
            producer_version,
            creator: score.info.creator.as_deref(),
            state: score.state,
            state_reason: score.state_reason.as_deref(),
        },
        fonts: score.fonts.iter().map(font).collect::<serde_json::Result<_>>()?,
        pages: score.pages.iter().map(page).collect(),
    };
    Ok(serde_json::to_string_pretty(&report)? + "\n")
}

fn font(font: &FontScore) -> serde_json::Result<serde_json::Value> {
    let mut value = serde_json::to_value(font)?;
    if let Some(keys) = value.as_object_mut() {
        keys.remove("signature"); // 64 bits: JSON readers round it; the tables have it
    }
    Ok(value)
}

fn page(page: &PageScore) -> Page<'_> {
    Page {
        page: page.page,
        route: page.route,
        judged: page.judged,
        judged_share: page.judged_share,
        glyphs_drawn: page.glyphs_drawn,
        glyphs_suspect: page.glyphs_suspect,
        image_coverage: page.image_coverage,
        script: page.script.as_deref(),
        language: page.language.as_deref(),
        reasons: &page.reasons,
        n_more_reasons: page.n_more_reasons,
        regions: &page.regions,
        n_more_regions: page.n_more_regions,
        assessed: &page.assessed,
    }
}
