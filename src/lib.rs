//! pagesieve finds the PDF pages whose text layer lies, with proof.
//!
//! A page's text layer is a *claim*. pagesieve collects independent evidence about it (font
//! structure, the font program, letter statistics, what is painted but is not text) and gives every
//! page a [`Route`](score::Route) with reasons.
//!
//! # The tree is the data flow
//!
//! ```text
//! source/       folder, bucket listing, manifest or queue → DocumentRef
//! objects/      object storage: one trait, a local folder and S3
//! isolate/      a document's bytes → child process → DocumentScore; limits and crash attribution
//! score/        bytes → DocumentScore. Pure.
//! tables/       DocumentScore → Parquet: schemas, staging writer, snapshot, manifest
//! ocr/          pages routed to OCR → OCR requests; the outbox relay
//! queue/        RabbitMQ: topology, consume, publish with confirms
//! ledger/       PostgreSQL and SQLite: jobs, tasks, attempts, leases
//! coordinator/  ids into jobs and tasks; closing a job into a snapshot
//! worker/       one claimed task through the stages above
//! report/       tables → answers
//! listen/       the port of a role: probes, metrics
//! live/         the live page of a coordinator, and its JSON
//! config/ telemetry/ cli/   settings; metric names; one file per subcommand
//! time, words   microseconds since 1970; how enums are spelled in tables, messages and the ledger
//! failpoint     where tests let a process die, or its clock be wrong
//! sample/       PDFs and fonts built in code, for tests and `sample`
//! ```
//!
//! # Invariants
//!
//! - `score` is synchronous and pure: same bytes and limits, same score. It knows no storage, queue,
//!   database, clock, environment, randomness or logging.
//! - A bad document is a result; only infrastructure fails.
//! - Nothing published is ever rewritten, and nothing unpublished lies under a table's folder.

#[cfg(feature = "fleet")]
pub mod cli;
#[cfg(feature = "fleet")]
pub mod config;
#[cfg(feature = "fleet")]
pub mod coordinator;
#[cfg(feature = "fleet")]
pub mod failpoint;
#[cfg(feature = "fleet")]
pub mod isolate;
#[cfg(feature = "fleet")]
pub mod ledger;
#[cfg(feature = "fleet")]
pub mod listen;
#[cfg(feature = "fleet")]
pub mod live;
#[cfg(feature = "fleet")]
pub mod objects;
#[cfg(feature = "fleet")]
pub mod ocr;
#[cfg(feature = "fleet")]
pub mod queue;
#[cfg(feature = "fleet")]
pub mod report;
pub mod sample;
pub mod score;
#[cfg(feature = "fleet")]
pub mod source;
#[cfg(feature = "fleet")]
pub mod tables;
#[cfg(feature = "fleet")]
pub mod telemetry;
#[cfg(feature = "fleet")]
pub mod time;
#[cfg(feature = "fleet")]
pub mod words;
#[cfg(feature = "fleet")]
pub mod worker;
