//! `pagesieve query`: SQL over the tables of one job.

use std::path::PathBuf;

use crate::config::Config;
use crate::report::Results;
use crate::tables::Table;

use super::exit::Exit;
use super::report::{Format, open};

/// Runs one SELECT over the tables documents, pages, page_fonts and clusters
///
/// Read-only, within --memory and --timeout. Needs a build with the cargo feature `sql`; any other build prints the
/// DuckDB command that does the same and exits with 2.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Folder with results of `scan`, or `s3://bucket/prefix` of a fleet.
    #[arg(value_name = "DIR")]
    root: PathBuf,
    /// The query, such as "select route, count(*) from pages group by 1".
    #[arg(value_name = "SQL")]
    sql: String,
    /// The job to read; without it the current one.
    #[arg(long, value_name = "ID")]
    job: Option<String>,
    /// Print one JSON object.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV.
    #[arg(long)]
    csv: bool,
    /// Memory of the query, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(16..=1_048_576))]
    memory: u32,
    /// Time of the query, in seconds.
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    timeout: u32,
}

pub(super) fn run(args: &Args, config: &Config) -> anyhow::Result<Exit> {
    let results = open(&args.root, config, args.job.as_deref())?;
    let format = Format::of(args.json, args.csv);
    execute(args, &results, format)
}

/// The folder of a job's table.
#[cfg(not(feature = "sql"))]
fn folder(results: &Results, table: Table) -> String {
    let folder = crate::tables::table_folder(table, &results.manifest().job);
    format!("{}/{folder}/", results.root().display())
}

#[cfg(not(feature = "sql"))]
fn execute(args: &Args, results: &Results, _format: Format) -> anyhow::Result<Exit> {
    let quoted = |text: &str| text.replace('\'', "''");
    let views = Table::ALL.map(|table| {
        let name = table.name();
        format!(
            "create view {name} as select * from read_parquet('{}**/*.parquet', hive_partitioning = false);",
            quoted(&folder(results, table))
        )
    });
    let script = format!("{} {}", views.join(" "), args.sql);
    let shell = script.replace('\'', "'\\''");
    super::output::say(
        "pagesieve: this build has no SQL engine (cargo feature `sql`); with DuckDB the same is:",
    );
    super::output::say(&super::output::safe(&format!("duckdb -c '{shell}'")));
    let _ = (args.memory, args.timeout);
    Ok(Exit::Usage)
}

#[cfg(feature = "sql")]
fn execute(args: &Args, results: &Results, format: Format) -> anyhow::Result<Exit> {
    use crate::report::sql;
    let limits = sql::Limits {
        memory_bytes: usize::try_from(args.memory).unwrap_or(usize::MAX).saturating_mul(1 << 20),
        time: std::time::Duration::from_secs(args.timeout.into()),
    };
    let mut tables = Vec::new();
    for table in Table::ALL {
        tables.push((table, results.files(table)?));
    }
    match sql::query(tables, args.sql.clone(), limits) {
        Ok(rows) => {
            super::output::print(&super::report::rows_text(&rows, results, format)?)?;
            Ok(Exit::Done)
        }
        Err(error) => Err(super::exit::usage(format!("{error:#}"))),
    }
}
