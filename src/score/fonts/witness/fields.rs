//! Form values against the appearances that show them (row X6): `/V` is a Unicode string, and says what the widget's font
//! draws. Appearances go stale and values are formatted, so that a difference alone says nothing; a difference that is
//! one and the same substitution of letters over a dozen letters does.

use rustc_hash::FxHashMap;

use super::super::{CharCode, Charge, Font};
use super::known_text::{KnownText, Pairs};
use crate::score::pdf::tokens::{Operand, name_bytes, string_bytes};
use crate::score::pdf::{
    Array, Dict, Document, Object, PdfString, Stream, Tokenizer, decode_stream, text_string,
};

/// Fields, of all levels, that are looked at, and their nesting.
const MAX_FIELDS: usize = 4096;
const MAX_DEPTH: u32 = 16;
/// Decoded bytes of one appearance; a field shows a line or a few.
const MAX_APPEARANCE_BYTES: usize = 64 << 10;
/// Fonts of a document whose widgets are compared.
const MAX_FONTS: usize = 64;
/// What the form values of a document say of its fonts.
#[derive(Debug, Default)]
pub struct FormValues {
    by_font: FxHashMap<String, Pairs>,
}

impl FormValues {
    /// Reads the interactive form, if there is one.
    pub fn read(document: &Document) -> Self {
        let mut reader =
            Reader { document, fonts: FxHashMap::default(), values: Self::default(), n_fields: 0 };
        let form = document.catalog().and_then(|catalog| catalog.get::<Dict<'_>>("AcroForm"));
        if let Some(form) = form
            && let Some(fields) = form.get::<Array<'_>>("Fields")
        {
            let resources = form.get::<Dict<'_>>("DR").unwrap_or_default();
            reader.fields(&fields, None, &resources, 0);
        }
        reader.values
    }

    /// The charge against a font whose every code stands for one letter in the values, and for another in the text.
    pub fn charge(&self, font: &Font) -> Option<Charge> {
        self.by_font.get(&font.facts().font)?.charge("X6: witness form values")
    }
}

struct Reader<'a> {
    document: &'a Document,
    fonts: FxHashMap<String, Font>,
    values: FormValues,
    n_fields: usize,
}

impl<'a> Reader<'a> {
    /// `value` is inherited from the parent (ISO 32000-2, 12.7.4.1).
    fn fields(&mut self, fields: &Array<'a>, value: Option<&str>, resources: &Dict<'a>, depth: u32) {
        for field in fields.iter::<Object<'a>>() {
            let Object::Dict(field) = field else { continue };
            self.n_fields += 1;
            if depth > MAX_DEPTH || self.n_fields > MAX_FIELDS {
                return;
            }
            let own = field.get::<PdfString<'a>>("V").and_then(|value| text_string(&value));
            let value = own.as_deref().or(value);
            match field.get::<Array<'a>>("Kids") {
                Some(kids) => self.fields(&kids, value, resources, depth + 1),
                None => {
                    if let Some(value) = value {
                        self.widget(&field, value, resources);
                    }
                }
            }
        }
    }

    fn widget(&mut self, widget: &Dict<'a>, value: &str, resources: &Dict<'a>) {
        let states = widget.get::<Dict<'a>>("AP");
        let Some(stream) = states.and_then(|states| states.get::<Stream<'a>>("N")) else { return };
        let mut content = Vec::new();
        decode_stream(&stream, MAX_APPEARANCE_BYTES, &mut content);
        let own = stream.dict().get::<Dict<'a>>("Resources").and_then(|own| own.get::<Dict<'a>>("Font"));
        let Some(fonts) = own.or_else(|| resources.get::<Dict<'a>>("Font")) else { return };
        let Some((name, codes)) = self.shown(&content, &fonts) else { return };
        let font = &self.fonts[&name];
        let drawn: Vec<(CharCode, &str)> = codes
            .iter()
            .map(|&(code, n_bytes)| {
                (code, font.glyph(code, n_bytes).route.unicode.as_deref().unwrap_or("\u{FFFD}"))
            })
            .collect();
        let known = KnownText { drawn: &drawn, known: value };
        let Some(pairs) = known.pairs() else { return };
        let denied = known.denied();
        let entry = self.values.by_font.entry(name).or_default();
        for (code, letter) in pairs {
            entry.note(code, letter, denied.binary_search(&code).is_ok());
        }
    }

    /// The codes an appearance shows, if one font shows them all, and that font's name in reports.
    fn shown(&mut self, content: &[u8], fonts: &Dict<'a>) -> Option<(String, Vec<(CharCode, u8)>)> {
        let (mut tokens, mut scratch) = (Tokenizer::new(content), Vec::new());
        let (mut font, mut codes) = (None, Vec::new());
        while let Some(operator) = tokens.next_op() {
            match operator.keyword() {
                b"Tf" => {
                    let Some(Operand::Name(name)) = tokens.operands().first() else { continue };
                    let found = self.font(fonts, name_bytes(name, &mut scratch))?;
                    if !codes.is_empty() && font.as_ref() != Some(&found) {
                        return None;
                    }
                    font = Some(found);
                }
                b"Tj" | b"'" | b"\"" | b"TJ" => {
                    let font = &self.fonts[font.as_ref()?];
                    let strings = tokens.operands().iter().chain(tokens.items());
                    for string in strings {
                        if let Operand::String(raw, spelling) = string {
                            codes.extend(font.codes(string_bytes(raw, *spelling, &mut scratch)));
                        }
                    }
                }
                _ => {}
            }
        }
        Some((font?, codes))
    }

    fn font(&mut self, fonts: &Dict<'a>, key: &[u8]) -> Option<String> {
        let id = fonts.get_ref(key)?;
        let name = format!("{} {} R", id.obj_number, id.gen_number);
        if !self.fonts.contains_key(&name) {
            if self.fonts.len() >= MAX_FONTS {
                return None;
            }
            let font = Font::read(&fonts.get::<Dict<'a>>(key)?, self.document, name.clone());
            self.fonts.insert(name.clone(), font);
        }
        Some(name)
    }
}

#[cfg(test)]
mod tests {
    use crate::sample::{PdfBuilder, Sfnt, ToUnicode, Type0};
    use crate::score::{Limits, Reason, ReasonCode, score_document};

    const VALUE: &str = "Judge Sphinx";

    /// Reasons of a page with this field, twice, in a font that nothing else can judge.
    fn reasons(map: ToUnicode, value: &str, shown: &str) -> Vec<Reason> {
        let sfnt = Sfnt::latin().monospaced(600).without(&["cmap", "post"]);
        let font = crate::sample::Font::from(Type0::identity_h(sfnt).to_unicode(map));
        let file = PdfBuilder::new().page(|page| {
            let field = |page: crate::sample::PageBuilder, y: f32| {
                page.text_field([72.0, y, 300.0, y + 20.0], value, |widget| widget.font(&font).show(shown))
            };
            field(field(page, 600.0), 500.0)
        });
        score_document(&file.build(), &Limits::default()).pages.remove(0).reasons
    }

    fn is_charged(reasons: &[Reason]) -> bool {
        reasons
            .iter()
            .any(|reason| reason.code == ReasonCode::ContradictedUnicode && reason.detail.starts_with("X6"))
    }

    #[test]
    fn x6_a_form_value_denies_the_font_that_shows_it() {
        let reasons = reasons(ToUnicode::rotated(5), VALUE, VALUE);
        assert!(is_charged(&reasons), "{reasons:?}");
    }

    #[test]
    fn x6_twin_the_same_a_stale_or_a_formatted_value_is_kept() {
        for (map, value, shown) in [
            (ToUnicode::Right, VALUE, VALUE),
            (ToUnicode::Right, "Quartz Owner", VALUE),
            (ToUnicode::Right, "Sphinx Judge", VALUE),
            (ToUnicode::Right, "Judge Sphinxes", VALUE),
        ] {
            assert!(!is_charged(&reasons(map, value, shown)), "{value}");
        }
    }
}
