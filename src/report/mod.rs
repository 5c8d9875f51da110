//! Tables → answers.
//!
//! Takes: a results root and a job in it. Gives: [`Answer`]s, rows of named values that every printer can take. Fails:
//! [`ReportError`] when a table cannot be read. Never: writes, or reads a file or column that the answer does not need.
//!
//! ```text
//! results    root (folder or object storage) → the files of one job, through its manifest
//! remote     copies of files that lie on object storage
//! read       files → batches of some columns; row groups and pages that cannot hold the row are left out
//! producers clusters fonts reasons documents diff    one answer each
//! moved      producers whose flagged share moved
//! lookup     one document: its row, pages and fonts
//! json       rows of any table as JSON
//! html       one job as one file, with pages drawn
//! overview   the summary after a scan
//! ```

mod answer;
mod clusters;
mod diff;
mod documents;
mod error;
pub mod html;
mod json;
mod lookup;
mod moved;
mod overview;
mod producers;
mod read;
mod reasons;
mod remote;
mod results;
#[cfg(feature = "sql")]
pub mod sql;

pub use answer::{Answer, Column, Kind, Value};
pub use clusters::{clusters, fonts};
pub use diff::diff;
pub use documents::documents;
pub use error::ReportError;
#[cfg(feature = "sql")]
pub use json::value_rows;
pub use json::{json_cells, json_rows};
pub use lookup::{Document, lookup};
pub use moved::moved;
pub use overview::{Overview, Producer, overview};
pub use producers::producers;
pub use reasons::reasons;
pub use results::Results;
