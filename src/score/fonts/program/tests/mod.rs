mod build;
mod postscript;
mod sfnt;
mod survival;

use super::Program;

#[test]
fn programs_are_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Program>();
}
