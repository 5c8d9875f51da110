//! What saturates first at 500 thousand, ten million and a thousand million pages a night, and what that takes.
//!
//! ```text
//! cargo run --release --example scale_model -- [name=value]...
//! ```
//!
//! Each rate is what one unit gives, measured or taken from the source its comment names; another measurement is given as
//! `name=value`. A resource's load is what the night asks of it, over what one unit gives; a unit is planned at 70 %.

use std::process::ExitCode;

/// Share of its rate that a unit is planned to give.
const PLANNED: f64 = 0.7;
/// Pages of a night.
const NIGHTS: [f64; 3] = [5e5, 1e7, 1e9];

/// What is known of the machines and the corpus.
struct Rates(Vec<(&'static str, f64, &'static str)>);

impl Rates {
    fn measured() -> Self {
        Self(vec![
            ("night_s", 28_800.0, "eight hours"),
            ("pages_per_document", 20.0, "assumed; the corpus tells"),
            ("bytes_per_document", 1e6, "assumed; the corpus tells"),
            ("rescanned_share", 1.0, "1: everything is scored; a second night scores what changed"),
            ("flagged_share", 0.0025, "pages that go to OCR; the corpus tells"),
            ("pages_per_core_s", 1_510.0, "measured on public PDFs, tables and hashing included (README)"),
            ("cores_per_worker", 4.0, "as in deploy/kubernetes"),
            ("worker_bytes_s", 1.25e9, "a 10 Gbit/s network card"),
            ("documents_per_task", 64.0, "or 64 MiB, whatever is reached first"),
            ("task_bytes", 64.0 * 1024.0 * 1024.0, "see documents_per_task"),
            (
                "ledger_commits_s",
                600.0,
                "measured: transactions of one PostgreSQL node, fsync on, two busy cores",
            ),
            ("commits_per_task", 2.0, "claim and close; heartbeats are few"),
            ("ledger_rows_s", 25_000.0, "measured: documents claimed in batches of 50"),
            ("broker_publish_s", 18_594.0, "measured: quorum queue, window of 1,000 confirms"),
            ("broker_consume_s", 7_124.0, "measured: acknowledged one by one, prefetch 200"),
            (
                "broker_backlog",
                5e6,
                "messages of one quorum queue; beyond, its documentation advises streams",
            ),
            ("gets_s", 5_500.0, "AWS: GET requests a second and key prefix"),
            ("list_keys_s", 10_000.0, "assumed: 1,000 keys a page, 100 ms a page, one prefix at a time"),
            ("storage_bytes_s", 1.25e9, "a 10 Gbit/s storage node"),
            ("listing_s", 3_600.0, "how long listing may take"),
        ])
    }

    fn set(&mut self, argument: &str) -> Result<(), String> {
        let (name, value) =
            argument.split_once('=').ok_or_else(|| format!("`{argument}` is not name=value"))?;
        let rate =
            self.0.iter_mut().find(|rate| rate.0 == name).ok_or_else(|| format!("no rate `{name}`"))?;
        rate.1 = value
            .parse()
            .ok()
            .filter(|value: &f64| value.is_finite() && *value > 0.0)
            .ok_or_else(|| format!("`{value}` is not a number above 0"))?;
        rate.2 = "given";
        Ok(())
    }

    fn get(&self, name: &str) -> f64 {
        self.0.iter().find(|rate| rate.0 == name).expect("a rate of the list").1
    }
}

/// A resource: what the night asks of it, in units at their full rate.
struct Load {
    what: &'static str,
    units: f64,
}

fn loads(rates: &Rates, pages: f64) -> Vec<Load> {
    let get = |name| rates.get(name);
    let night = get("night_s");
    let documents = pages / get("pages_per_document");
    let scored = documents * get("rescanned_share");
    let per_task = get("documents_per_task").min(get("task_bytes") / get("bytes_per_document")).max(1.0);
    let flagged = pages * get("rescanned_share") * get("flagged_share");
    let bytes = scored * get("bytes_per_document");
    let load = |what, units| Load { what, units };
    vec![
        load(
            "worker: processors",
            pages * get("rescanned_share") / night / get("pages_per_core_s") / get("cores_per_worker"),
        ),
        load("worker: network", bytes / night / get("worker_bytes_s")),
        load(
            "database: transactions",
            scored / per_task * get("commits_per_task") / night / get("ledger_commits_s"),
        ),
        load("database: rows", (documents + flagged) / night / get("ledger_rows_s")),
        // Every id is sent and read within the time of the listing; OCR requests over the night.
        load(
            "broker: publishing",
            documents / get("listing_s") / get("broker_publish_s")
                + flagged / night / get("broker_publish_s"),
        ),
        load("broker: consuming", documents / get("listing_s") / get("broker_consume_s")),
        load("broker: OCR backlog of a night", flagged / get("broker_backlog")),
        load("storage: GET requests, in key prefixes", scored / night / get("gets_s")),
        load("storage: listing, in prefixes side by side", documents / get("listing_s") / get("list_keys_s")),
        load("storage: bytes", bytes / night / get("storage_bytes_s")),
    ]
}

/// Units of the resources whose names begin with `part`, by the one that asks most.
fn units(loads: &[Load], part: &str) -> f64 {
    let asked = loads.iter().filter(|load| load.what.starts_with(part)).map(|load| load.units);
    (asked.fold(0.0, f64::max) / PLANNED).ceil().max(1.0)
}

fn main() -> ExitCode {
    let mut rates = Rates::measured();
    for argument in std::env::args().skip(1) {
        if let Err(why) = rates.set(&argument) {
            eprintln!("{why}; the rates are:");
            rates.0.iter().for_each(|(name, value, from)| eprintln!("  {name}={value}  {from}"));
            return ExitCode::from(2);
        }
    }
    println!(
        "| pages a night | workers | broker nodes | database nodes | storage nodes | loaded most, in units |"
    );
    println!("|---|---|---|---|---|---|");
    for pages in NIGHTS {
        let mut loads = loads(&rates, pages);
        let counts = ["worker", "broker", "database", "storage: bytes"].map(|part| units(&loads, part));
        loads.sort_by(|a, b| b.units.total_cmp(&a.units));
        let most: Vec<String> =
            loads.iter().take(3).map(|load| format!("{} {:.3}", load.what, load.units)).collect();
        let [workers, brokers, databases, stores] = counts;
        println!("| {pages:e} | {workers} | {brokers} | {databases} | {stores} | {} |", most.join("; "));
    }
    ExitCode::SUCCESS
}
