//! Evidence → route and reasons. The only home of thresholds.

use super::evidence::{DocumentInfo, FontEvidence, FontFacts, PageEvidence};
use super::{DocumentScore, PageScore, Policy, State};

/// Decides one page from its evidence and that of the document's fonts (`font_index` counts into `fonts`).
pub fn decide(page: &PageEvidence, fonts: &[FontEvidence], policy: &Policy) -> PageScore {
    let _ = (page, fonts, policy);
    todo!("score/verdict")
}

/// Makes a verdict from the pages that arrived before a child died.
///
/// `pages` pairs each arrived page with the facts of its fonts, as in [`Event::Page`](super::Event::Page). Missing pages get
/// `judged = false`, reason `page_error`, route `policy.unscored`. Without `info` the document has no page rows and
/// ends as `state`; with it, as `partial` with `state_reason`.
pub fn salvage(
    info: Option<DocumentInfo>,
    pages: Vec<(PageEvidence, Vec<FontFacts>)>,
    state: State,
    state_reason: &str,
    policy: &Policy,
) -> DocumentScore {
    let _ = (info, pages, state, state_reason, policy);
    todo!("score/verdict")
}
