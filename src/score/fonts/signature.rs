//! What a generator's subsetter leaves alike in all subsets it makes.

use std::fmt::Write as _;

use xxhash_rust::xxh3::xxh3_64;

use super::font::{Font, Kind};
use super::names::{NameShape, shape_of_name};
use super::program::Program;

/// Glyphs whose names are looked at for the scheme.
const SAMPLE: usize = 64;

impl Font {
    /// xxh3-64 of subtype, descendant, encoding, ordering, kind of ToUnicode and scheme of glyph names; where the
    /// program was read also of its tables, units, ascent, descent, revision and version of `post`.
    pub(super) fn signature(&self) -> u64 {
        let facts = &self.facts;
        let mut text = format!(
            "{}|{:?}|{:?}|{:?}|{:?}|{:?}",
            facts.subtype, facts.descendant, facts.encoding, facts.ordering, facts.to_unicode, facts.program
        );
        if let Kind::Simple(simple) | Kind::Type3(simple, _) = &self.kind {
            let names = simple.differences().map(|(_, name)| name);
            let _ = write!(text, "|{}", scheme(names.take(SAMPLE)));
        }
        if let Some(program) = self.program.peek() {
            push_program(program, &mut text);
        }
        xxh3_64(text.as_bytes())
    }
}

fn push_program(program: &Program, text: &mut String) {
    let names = (0..program.n_glyphs().min(SAMPLE as u32)).filter_map(|gid| {
        let gid = super::Gid(u16::try_from(gid).ok()?);
        program.glyph_name(gid)
    });
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "|{:?}|{}|{:?}|{:?}|{:?}|{:?}|{}",
        program.tables(),
        program.units_per_em(),
        program.ascent(),
        program.descent(),
        program.revision(),
        program.post_version(),
        scheme(names)
    );
}

/// The kinds of names that occur, one letter each, sorted.
fn scheme<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut kinds: Vec<char> = names
        .map(|name| match shape_of_name(name, false) {
            NameShape::Unicode if name.starts_with("uni") => 'u',
            NameShape::Unicode => 'n',
            NameShape::NotDef => '.',
            NameShape::Glyph(_) => 'g',
            NameShape::Cid(_) => 'c',
            NameShape::Numbered(_) => 'N',
            NameShape::Echo(_) => 'e',
            NameShape::Word => 'w',
            NameShape::Arbitrary => 'x',
        })
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes_of_names() {
        assert_eq!(scheme(["A", "B", ".notdef"].into_iter()), ".n");
        assert_eq!(scheme(["g1", "g2"].into_iter()), "g");
        assert_eq!(scheme(["uni0041", "a65", "cid7", "C3", "Hfoo"].into_iter()), "Nceux");
        assert_eq!(scheme(std::iter::empty()), "");
    }
}
