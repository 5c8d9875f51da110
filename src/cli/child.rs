//! `pagesieve child --address-space BYTES`: a scoring process. Started by the pool only, so it is no command
//! that help or completions would show, and it is looked for before anything else is set up.

use std::ffi::OsString;

use crate::isolate::{self, ChildArgs};

use super::exit::Exit;

/// The arguments of a scoring process, if these are.
pub(super) fn asked(mut arguments: impl Iterator<Item = OsString>) -> Option<ChildArgs> {
    let [_, child, flag, bytes] =
        [arguments.next()?, arguments.next()?, arguments.next()?, arguments.next()?];
    let ours = child == "child" && flag == "--address-space" && arguments.next().is_none();
    let address_space = bytes.to_str()?.parse().ok()?;
    ours.then_some(ChildArgs { address_space })
}

/// Scores until the input ends.
pub(super) fn run(arguments: ChildArgs) -> Exit {
    match isolate::run_child(arguments) {
        Ok(()) => Exit::Done,
        Err(error) => {
            eprintln!("pagesieve child: {error}");
            Exit::Internal
        }
    }
}
