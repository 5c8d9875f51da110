//! `pagesieve child --address-space BYTES`: a scoring process; `drawing-child`: one that draws. Started by us only, so it is no command
//! that help or completions would show, and it is looked for before anything else is set up.

use std::ffi::OsString;

use crate::isolate::{self, ChildArgs};

use super::exit::Exit;

/// What the process is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Scores documents.
    Scores,
    /// Draws pages.
    Draws,
}

/// The role and arguments of such a process, if these are.
pub(super) fn asked(mut arguments: impl Iterator<Item = OsString>) -> Option<(Role, ChildArgs)> {
    let [_, child, flag, bytes] =
        [arguments.next()?, arguments.next()?, arguments.next()?, arguments.next()?];
    let role = match child.to_str()? {
        "child" => Role::Scores,
        "drawing-child" => Role::Draws,
        _ => return None,
    };
    let ours = flag == "--address-space" && arguments.next().is_none();
    let address_space = bytes.to_str()?.parse().ok()?;
    ours.then_some((role, ChildArgs { address_space }))
}

/// Scores until the input ends, or draws one document.
pub(super) fn run((role, arguments): (Role, ChildArgs)) -> Exit {
    let ended = match role {
        Role::Scores => isolate::run_child(arguments),
        Role::Draws => isolate::run_drawing_child(arguments),
    };
    match ended {
        Ok(()) => Exit::Done,
        Err(error) => {
            eprintln!("pagesieve child: {error}");
            Exit::Internal
        }
    }
}
