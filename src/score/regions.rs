//! A caller's boxes → a verdict for each.
//!
//! A box is measured as a page whose crop box it is: glyphs, images and paths outside are off the page, shares are of
//! what is inside. The fonts are those of the document, judged over all its pages.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use rayon::prelude::*;

use super::pdf::{Document, Page};
use super::pool;
use super::text::{self, FontCache};
use super::{Judged, MAX_ASSESSED, PageScore, Rect, RegionScore, Settings, panicked, trusted, verdict};

/// Assesses the settings' regions on every scored page.
pub(super) fn assess<'a>(
    document: &'a Document,
    cache: &FontCache<'a>,
    judged: &Judged<'_>,
    settings: &Settings,
    scores: &mut [PageScore],
) {
    let pages = document.pages();
    for score in scores {
        let asked = settings.regions.iter().filter(|asked| asked.page.is_none_or(|page| page == score.page));
        let regions: Vec<Rect> = asked.map(|asked| asked.region).take(MAX_ASSESSED).collect();
        let Some(page) = pages.iter().find(|page| page.index + 1 == score.page) else { continue };
        let assess = |region: &Rect| one(document, cache, judged, settings, page, *region);
        score.assessed = regions.par_iter().map(assess).collect();
    }
}

fn one<'a>(
    document: &'a Document,
    cache: &FontCache<'a>,
    judged: &Judged<'_>,
    settings: &Settings,
    page: &Page<'a>,
    region: Rect,
) -> RegionScore {
    let Judged { pooled, fonts, readers } = *judged;
    let window = Page { crop_box: window(page.crop_box, region), ..page.clone() };
    let measured = catch_unwind(AssertUnwindSafe(|| text::measure(document, &window, cache)));
    let mut measure = measured.unwrap_or_else(|_| panicked(page.index));
    // A font that draws inside a box draws on its page: it is one of the document's.
    let number = |used: &text::FontUse| pooled.iter().position(|font| Arc::ptr_eq(&font.font, &used.font));
    let numbers: Vec<usize> = measure.fonts.iter().map(|used| number(used).unwrap_or(usize::MAX)).collect();
    for font in &mut measure.evidence.fonts {
        font.font_index = numbers[font.font_index as usize] as u32;
    }
    pool::apply_charges(&mut measure, fonts);
    pool::hear_letters(&mut measure, fonts);
    let score = verdict::decide(&measure.evidence, fonts, &settings.policy);
    RegionScore {
        region,
        route: score.route,
        judged: score.judged,
        judged_share: score.judged_share,
        glyphs_drawn: score.glyphs_drawn,
        glyphs_suspect: score.glyphs_suspect,
        image_coverage: score.image_coverage,
        text: settings.text.map(|wish| trusted::page_text(&score, &measure, readers, wish, &settings.policy)),
        reasons: score.reasons,
    }
}

/// The part of the page under the box, in user space; empty where they do not meet.
fn window(crop_box: [f32; 4], region: Rect) -> [f32; 4] {
    let [x0, y0, x1, y1] = crop_box;
    let (left, bottom) = (x0.min(x1), y0.min(y1));
    let (right, top) = (x0.max(x1), y0.max(y1));
    let inside =
        |value: f32, low: f32, high: f32| if value.is_finite() { value.clamp(low, high) } else { low };
    [
        inside(left + region[0], left, right),
        inside(bottom + region[1], bottom, top),
        inside(left + region[2], left, right),
        inside(bottom + region[3], bottom, top),
    ]
}

#[cfg(test)]
mod tests {
    use crate::sample::{Font, PdfBuilder, Sfnt, Type0, prose};
    use crate::score::{Limits, ReasonCode, RegionScore, Route, assess_regions};

    const TOP: [f32; 4] = [0.0, 500.0, 612.0, 792.0];
    const BOTTOM: [f32; 4] = [0.0, 0.0, 612.0, 400.0];

    /// Prose in a healthy font at the top, prose in a severed one at the bottom.
    fn half_dead(damage: impl FnOnce(PdfBuilder) -> PdfBuilder) -> Vec<u8> {
        let dead: Font =
            Type0::identity_h(Sfnt::mac_order().monospaced(600).without(&["cmap", "post"])).into();
        let healthy: Font = Type0::identity_h(Sfnt::mac_order().monospaced(600)).into();
        let text = prose::sentences(prose::ENGLISH).take(2).collect::<Vec<_>>().join(" ");
        damage(PdfBuilder::new().page(|page| {
            page.font(healthy).at(72.0, 740.0).paragraph(&text).font(dead).at(72.0, 300.0).paragraph(&text)
        }))
        .build()
    }

    fn assess(file: &[u8], regions: &[[f32; 4]]) -> Vec<RegionScore> {
        assess_regions(file, &Limits::default(), 1, regions).expect("the file has a first page")
    }

    #[test]
    fn each_box_gets_the_route_of_what_is_inside() {
        let scores = assess(&half_dead(|file| file), &[TOP, BOTTOM, [0.0, 0.0, 612.0, 792.0]]);
        let routes: Vec<Route> = scores.iter().map(|score| score.route).collect();
        assert_eq!(routes, [Route::Keep, Route::Ocr, Route::Ocr], "{scores:#?}");
        assert_eq!(scores[0].glyphs_suspect, 0);
        assert!(scores[0].glyphs_drawn > 100 && scores[0].judged);
        assert_eq!(scores[1].glyphs_suspect, scores[1].glyphs_drawn);
        assert_eq!(scores[1].reasons[0].code, ReasonCode::UndecodableFont);
        assert_eq!(scores[1].reasons[0].share, 1.0);
        assert_eq!(scores[2].glyphs_drawn, scores[0].glyphs_drawn + scores[1].glyphs_drawn);
    }

    #[test]
    fn a_box_without_content_or_area_or_off_the_page_is_blank() {
        let nowhere = [[400.0, 420.0, 600.0, 480.0], [1e9, 1e9, 2e9, 2e9], [f32::NAN, 0.0, 10.0, 10.0]];
        for score in assess(&half_dead(|file| file), &nowhere) {
            assert_eq!((score.route, score.glyphs_drawn), (Route::Keep, 0), "{score:#?}");
            assert_eq!(score.reasons[0].code, ReasonCode::Blank, "{score:#?}");
        }
    }

    #[test]
    fn boxes_count_from_the_crop_box() {
        let shifted = half_dead(|file| {
            file.damage(crate::sample::Damage::replaced(
                "/MediaBox [0 0 612 792]",
                "/MediaBox [0 0 612 792]/CropBox [0 400 612 792]",
            ))
        });
        let scores = assess(&shifted, &[[0.0, 0.0, 612.0, 392.0]]);
        assert_eq!(scores[0].route, Route::Keep, "{scores:#?}");
        assert!(scores[0].glyphs_drawn > 100);
    }

    #[test]
    fn a_missing_page_has_no_answer() {
        assert!(assess_regions(&half_dead(|file| file), &Limits::default(), 2, &[TOP]).is_none());
        assert!(assess_regions(b"no PDF", &Limits::default(), 1, &[TOP]).is_none());
    }
}
