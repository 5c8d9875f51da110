//! Settings that installations start from, against the program.

use std::path::Path;

use crate::support::{expect, text};

#[test]
fn the_example_settings_are_valid() {
    for name in ["laptop", "single-server", "cluster"] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("config/{name}.toml"));
        expect(0, &["--config", text(&file), "config", "check"]);
    }
}
