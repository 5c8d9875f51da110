//! Integration tests: the whole program, on files, tables and children.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(missing_docs, unreachable_pub, reason = "nothing here is an interface")]

mod cli;
mod closing;
mod clusters;
mod delta;
mod deploy;
mod engines;
mod fleet;
mod fleet_commands;
mod fleet_faults;
mod fleet_storage;
mod full_disk;
mod given;
mod isolation;
mod layering;
mod listen;
mod live;
mod mutated;
mod ocr_requests;
#[cfg(feature = "otlp")]
mod otlp;
mod prometheus;
mod report;
mod scan;
mod storage;
mod support;
mod synthetic;
mod tables;
mod trusted_text;
mod world;
