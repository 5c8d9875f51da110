//! Positional forms of one letter must mean one letter (spec/fonts 6.7).
//!
//! Forms are known to belong together by their names (`meem.init`, `meem.fina`) or by single substitutions of GSUB.

use read_fonts::tables::gsub::{Gsub, SingleSubst, SubstitutionSubtables};
use read_fonts::{FontData, FontRead};
use rustc_hash::FxHashMap;

use super::super::Gid;
use super::super::program::Program;
use super::fold;
use super::view::{Code, View};

/// Codes that must disagree with their kin: two letters can share one skeleton that no table here lists.
const MIN_CODES: usize = 3;
const MAX_LOOKUPS: usize = 64;
const MAX_PAIRS: usize = 1 << 14;

/// Codes whose claim differs from that of another form of their letter; empty below the threshold.
pub(super) fn find(view: &View<'_>) -> Vec<u32> {
    let Some(program) = view.program else { return Vec::new() };
    let mut families: FxHashMap<Gid, Vec<&Code>> = FxHashMap::default();
    let roots = roots(program, view);
    for code in view.drawn() {
        if let (Some(gid), Some(_)) = (code.gid, code.letter()) {
            families.entry(roots.get(&gid).copied().unwrap_or(gid)).or_default().push(code);
        }
    }
    let mut denied: Vec<u32> = families.values().flat_map(|forms| disagreeing(forms)).collect();
    denied.sort_unstable();
    if denied.len() >= MIN_CODES { denied } else { Vec::new() }
}

/// The codes of a family that are not at one with its first.
fn disagreeing<'a>(forms: &'a [&Code]) -> impl Iterator<Item = u32> + 'a {
    let first = forms[0].claim.as_deref().unwrap_or_default();
    forms[1..].iter().filter_map(move |form| {
        let claim = form.claim.as_deref()?;
        (!fold::same(first, claim) && !fold::is_benign(first, claim)).then_some(form.code)
    })
}

/// The glyph that stands for a family, for every glyph that has one.
fn roots(program: &Program, view: &View<'_>) -> FxHashMap<Gid, Gid> {
    let mut roots = FxHashMap::default();
    let mut stems: FxHashMap<&str, Gid> = FxHashMap::default();
    for gid in view.drawn().filter_map(|code| code.gid) {
        if let Some(stem) = program.glyph_name(gid).and_then(stem) {
            roots.insert(gid, *stems.entry(stem).or_insert(gid));
        }
    }
    for (from, to) in substitutions(program).unwrap_or_default() {
        let root = *roots.entry(from).or_insert(from);
        roots.entry(to).or_insert(root);
    }
    roots
}

/// A name without the ending that tells the position; `None` for names without one.
fn stem(name: &str) -> Option<&str> {
    let (stem, position) = name.rsplit_once('.')?;
    matches!(position, "init" | "medi" | "fina" | "isol").then_some(stem)
}

/// Glyph → form, of the features init, medi, fina and isol.
fn substitutions(program: &Program) -> Option<Vec<(Gid, Gid)>> {
    let gsub = Gsub::read(FontData::new(program.table_bytes(b"GSUB")?)).ok()?;
    let features = gsub.feature_list().ok()?;
    let lookups = gsub.lookup_list().ok()?;
    let mut indices = Vec::new();
    for record in features.feature_records() {
        if [*b"init", *b"medi", *b"fina", *b"isol"].contains(&record.feature_tag().to_be_bytes()) {
            let feature = record.feature(features.offset_data()).ok()?;
            indices.extend(feature.lookup_list_indices().iter().map(|index| index.get()));
        }
    }
    indices.sort_unstable();
    indices.dedup();
    let mut pairs = Vec::new();
    for index in indices.into_iter().take(MAX_LOOKUPS) {
        let lookup = lookups.lookups().get(index.into()).ok()?;
        let SubstitutionSubtables::Single(subtables) = lookup.subtables().ok()? else { continue };
        for subtable in subtables.iter().take(MAX_LOOKUPS).flatten() {
            read_single(&subtable, &mut pairs);
        }
    }
    Some(pairs)
}

fn read_single(subtable: &SingleSubst<'_>, pairs: &mut Vec<(Gid, Gid)>) {
    let room = MAX_PAIRS.saturating_sub(pairs.len());
    match subtable {
        SingleSubst::Format1(table) => {
            let Ok(coverage) = table.coverage() else { return };
            let delta = table.delta_glyph_id();
            let forms = coverage.iter().take(room).map(|gid| gid.to_u32() as u16);
            pairs.extend(forms.map(|gid| (Gid(gid), Gid(gid.wrapping_add_signed(delta)))));
        }
        SingleSubst::Format2(table) => {
            let Ok(coverage) = table.coverage() else { return };
            let forms = coverage.iter().zip(table.substitute_glyph_ids()).take(room);
            pairs.extend(forms.map(|(from, to)| (Gid(from.to_u32() as u16), Gid(to.get().to_u16()))));
        }
        // Wider formats than a program with 16-bit glyph indices needs.
        _ => {}
    }
}
