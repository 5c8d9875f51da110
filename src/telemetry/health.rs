//! What this process needs and lacks at the moment: for readiness probes.

use std::collections::BTreeMap;
use std::sync::Mutex;

static PROBLEMS: Mutex<BTreeMap<&'static str, String>> = Mutex::new(BTreeMap::new());

/// Notes that a part (`ledger`, `broker`, `results`, `draining`) has a problem.
pub fn problem(part: &'static str, why: impl Into<String>) {
    if let Ok(mut problems) = PROBLEMS.lock() {
        problems.insert(part, why.into());
    }
}

/// Notes that a part is well.
pub fn well(part: &'static str) {
    if let Ok(mut problems) = PROBLEMS.lock() {
        problems.remove(part);
    }
}

/// Parts with a problem, and what it is; none: ready.
pub fn problems() -> BTreeMap<&'static str, String> {
    PROBLEMS.lock().map(|problems| problems.clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_well_until_it_is_not() {
        problem("ledger", "away");
        assert_eq!(problems().get("ledger").map(String::as_str), Some("away"));
        well("ledger");
        assert!(!problems().contains_key("ledger"));
    }
}
