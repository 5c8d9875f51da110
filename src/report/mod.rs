//! Tables → answers.
//!
//! Takes: the tables of one published job. Gives: counts. Fails: [`ReportError`] when a table cannot be read.
//! Never: writes.

mod overview;

pub use overview::{Overview, Producer, ReportError, overview};
