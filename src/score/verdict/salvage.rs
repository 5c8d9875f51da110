//! A verdict from the pages that arrived before a child died.

use super::super::assemble::assemble;
use super::super::evidence::{DocumentInfo, FontEvidence, FontFacts, PageEvidence};
use super::super::{DocumentScore, Policy, State};
use super::decide;

/// Makes a verdict from the pages that arrived before a child died.
///
/// `pages` pairs each arrived page with the facts of its fonts, as in [`Event::Page`](super::super::Event::Page).
/// Missing pages get `judged = false`, reason `page_error`, route `policy.unscored`. Without `info` or without any
/// page the document has no page rows and ends as `state`; else as `partial` with `state_reason`.
pub fn salvage(
    info: Option<DocumentInfo>,
    mut pages: Vec<(PageEvidence, Vec<FontFacts>)>,
    state: State,
    state_reason: &str,
    policy: &Policy,
) -> DocumentScore {
    let state_reason = Some(state_reason.chars().take(120).collect());
    let (Some(info), false) = (info.clone(), pages.is_empty()) else {
        let info = info.unwrap_or_default();
        return DocumentScore {
            state,
            state_reason,
            info,
            fonts: Vec::new(),
            pages: Vec::new(),
            findings: Vec::new(),
        };
    };
    pages.sort_by_key(|(page, _)| page.page_index);
    pages.dedup_by_key(|(page, _)| page.page_index);
    let mut fonts: Vec<FontEvidence> = Vec::new();
    let mut index_of = std::collections::HashMap::<String, u32>::new();
    let mut arrived = Vec::with_capacity(pages.len());
    for (mut page, facts) in pages {
        if page.page_index >= info.n_pages {
            continue;
        }
        for font in &mut page.fonts {
            let Some(facts) = facts.get(font.font_index as usize) else {
                font.font_index = u32::MAX; // a frame that lies about its fonts: the font is left out
                continue;
            };
            font.font_index = *index_of.entry(facts.font.clone()).or_insert_with(|| {
                fonts.push(FontEvidence::of_facts(facts.clone()));
                (fonts.len() - 1) as u32
            });
        }
        arrived.push(page);
    }
    let mut by_index: std::collections::BTreeMap<u32, PageEvidence> =
        arrived.into_iter().map(|page| (page.page_index, page)).collect();
    let all = (0..info.n_pages).map(|page_index| {
        by_index.remove(&page_index).unwrap_or_else(|| PageEvidence {
            page_index,
            incomplete: true,
            ..PageEvidence::default()
        })
    });
    let all: Vec<PageEvidence> = all.collect();
    let scores = all.iter().map(|page| decide(page, &fonts, policy)).collect();
    DocumentScore { state: State::Partial, state_reason, ..assemble(info, &all, &fonts, scores, Vec::new()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{ReasonCode, Route};

    #[test]
    fn pages_that_did_not_arrive_are_not_judged_and_go_where_the_policy_says() {
        let info = DocumentInfo { n_pages: 3, ..DocumentInfo::default() };
        let page = PageEvidence { page_index: 1, ..PageEvidence::default() };
        let score = salvage(
            Some(info),
            vec![(page, Vec::new())],
            State::Timeout,
            "timeout at page 2",
            &Policy::default(),
        );
        assert_eq!((score.state, score.pages.len()), (State::Partial, 3));
        assert_eq!(score.state_reason.as_deref(), Some("timeout at page 2"));
        assert_eq!((score.pages[1].route, score.pages[1].judged), (Route::Keep, true));
        for missing in [0, 2] {
            assert_eq!((score.pages[missing].route, score.pages[missing].judged), (Route::Ocr, false));
            assert_eq!(score.pages[missing].reasons[0].code, ReasonCode::PageError);
        }
    }

    #[test]
    fn nothing_arrived_is_the_state_itself_without_page_rows() {
        let score = salvage(None, Vec::new(), State::Memory, "address space", &Policy::default());
        assert_eq!((score.state, score.pages.len()), (State::Memory, 0));
    }
}
