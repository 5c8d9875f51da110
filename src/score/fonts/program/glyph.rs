//! Measures of a program and its glyphs.

use std::sync::{Arc, PoisonError};

use read_fonts::ps::{PredefinedEncoding, Sid};

use super::outline::Outline;
use super::{Body, Program, cff, charstring, sfnt};
use crate::score::fonts::Gid;

impl Program {
    /// Horizontal advance in em.
    pub fn advance(&self, gid: Gid) -> Option<f32> {
        if u32::from(gid.0) >= self.n_glyphs() {
            return None;
        }
        match &self.body {
            Body::Type1(font) => charstring::type1_advance(font, gid),
            Body::Sfnt { header, .. } => {
                let metrics = self.table(b"hmtx").and_then(|(hmtx, _)| header.advance(hmtx, gid));
                match metrics {
                    Some(units) => Some(f32::from(units) / self.units_per_em() as f32),
                    None => charstring::cff_advance(&self.cff_font()?, gid),
                }
            }
            Body::Cff(..) => charstring::cff_advance(&self.cff_font()?, gid),
        }
    }

    fn outline(&self, gid: Gid) -> Option<Arc<Outline>> {
        if u32::from(gid.0) >= self.n_glyphs() {
            return None;
        }
        let locked = || self.outlines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = locked().get(&gid.0) {
            return known.clone();
        }
        let outline = self.read_outline(gid).map(Arc::new);
        locked().insert(gid.0, outline.clone());
        outline
    }

    fn read_outline(&self, gid: Gid) -> Option<Outline> {
        match &self.body {
            Body::Type1(font) => charstring::type1_outline(font, gid),
            Body::Sfnt { is_cff: false, directory, header, .. } => {
                sfnt::Outlines::open(&self.data, directory, header)?.outline(gid)
            }
            _ => {
                let font = self.cff_font()?;
                let (mut outline, seac) = charstring::cff_outline(&font, gid)?;
                if let Some((base, accent)) = seac {
                    let charset = font.charset()?;
                    let part = |code: i32| -> Option<Gid> {
                        let sid: Sid = PredefinedEncoding::Standard.sid(u8::try_from(code).ok()?)?;
                        cff::to_gid(charset.glyph_id(sid)?)
                    };
                    outline.components.extend([base, accent].into_iter().filter_map(part));
                }
                Some(outline)
            }
        }
    }

    /// Whether the outline is empty or without area; `None` where it cannot be read.
    pub fn is_blank(&self, gid: Gid) -> Option<bool> {
        self.outline(gid).map(|outline| outline.is_blank())
    }

    /// Glyphs a composite TrueType glyph is made of, or base and accent of a `seac` in CFF; empty for all others.
    pub fn components(&self, gid: Gid) -> Vec<Gid> {
        self.outline(gid).map_or(Vec::new(), |outline| outline.components.to_vec())
    }

    /// Hash of the outline: equal for equal outlines (hinting and horizontal position left out), 0 for a blank one.
    pub fn outline_hash(&self, gid: Gid) -> Option<u64> {
        self.outline(gid).map(|outline| outline.hash)
    }

    /// Bounds of the outline `[x_min, y_min, x_max, y_max]` in em, control points included; `None` for a blank or
    /// unreadable one.
    pub fn bounds(&self, gid: Gid) -> Option<[f32; 4]> {
        self.outline(gid)?.bounds
    }

    /// Design units of the em; 1000 where the program does not say.
    pub fn units_per_em(&self) -> u32 {
        match &self.body {
            Body::Sfnt { header, .. } => header.units_per_em.map_or(1000, u32::from),
            Body::Cff(_, facts) => facts.units_per_em,
            Body::Type1(font) => u32::try_from(font.upem()).ok().filter(|&upem| upem > 0).unwrap_or(1000),
        }
    }

    fn extent(&self) -> Option<(f32, f32)> {
        let (ascent, descent) = match &self.body {
            Body::Sfnt { header, .. } => header.extent.map(|(up, down)| (f32::from(up), f32::from(down)))?,
            Body::Type1(font) => (font.bbox().y_max.to_f32(), font.bbox().y_min.to_f32()),
            Body::Cff(..) => {
                let bbox = self.cff_font()?.metadata()?.bbox();
                (bbox.y_max.to_f32(), bbox.y_min.to_f32())
            }
        };
        let em = self.units_per_em() as f32;
        let (ascent, descent) = (ascent / em, descent / em);
        ((0.1..=3.0).contains(&ascent) && (-3.0..=0.0).contains(&descent)).then_some((ascent, descent))
    }

    /// Ascent in em (hhea, or the Type 1 or CFF font box), as far as it is plausible.
    pub fn ascent(&self) -> Option<f32> {
        self.extent().map(|extent| extent.0)
    }

    /// Descent in em, negative below the baseline.
    pub fn descent(&self) -> Option<f32> {
        self.extent().map(|extent| extent.1)
    }

    /// `fontRevision` of `head`.
    pub fn revision(&self) -> Option<f32> {
        match &self.body {
            Body::Sfnt { header, .. } => header.revision,
            _ => None,
        }
    }

    /// Version of `post`: 1.0, 2.0, 2.5, 3.0 or 4.0.
    pub fn post_version(&self) -> Option<f32> {
        match &self.body {
            Body::Sfnt { header, .. } => header.post_version,
            _ => None,
        }
    }
}
