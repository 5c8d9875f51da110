//! `pagesieve export`: a table of one job as one file.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;

use crate::config::Config;
use crate::report::{Results, json_rows};
use crate::tables::{self, Table};

use super::exit::{Exit, usage};
use super::output::{self, say};
use super::report::{csv_safe, open};

/// Writes a table as one sorted file
///
/// Merges the files of a table of one job into one, in the table's order: FILE.parquet or FILE.csv. In CSV, lists are
/// JSON, and text that a spreadsheet would take for a formula gets a leading apostrophe.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Folder with results of `scan`, or `s3://bucket/prefix` of a fleet.
    #[arg(value_name = "DIR")]
    root: PathBuf,
    /// The table.
    #[arg(value_enum, value_name = "TABLE")]
    table: Name,
    /// The file to write; its name ends in .parquet or .csv.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The job to export; without it the current one.
    #[arg(long, value_name = "ID")]
    job: Option<String>,
    /// Replace FILE where it is there.
    #[arg(long)]
    overwrite: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Name {
    /// One row per document.
    Documents,
    /// One row per page.
    Pages,
    /// One row per page and font that draws on it.
    PageFonts,
    /// One row per cluster of fonts.
    Clusters,
}

impl Name {
    fn table(self) -> Table {
        match self {
            Self::Documents => Table::Documents,
            Self::Pages => Table::Pages,
            Self::PageFonts => Table::PageFonts,
            Self::Clusters => Table::Clusters,
        }
    }
}

pub(super) fn run(args: &Args, config: &Config) -> anyhow::Result<Exit> {
    let results = open(&args.root, config, args.job.as_deref())?;
    let kind = args.file.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
    if !matches!(kind.as_deref(), Some("parquet" | "csv")) {
        return Err(usage("the file's name must end in .parquet or .csv"));
    }
    if args.file.exists() && !args.overwrite {
        return Err(usage(format!("`{}` is there already; --overwrite replaces it", args.file.display())));
    }
    // The file appears whole or not at all.
    let folder = args.file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let unfinished = output::unfinished_in(folder)
        .with_context(|| format!("failed to create a file in `{}`", folder.display()))?;
    let table = args.table.table();
    let rows = if kind.as_deref() == Some("csv") {
        write_csv(&results, table, unfinished.as_file())?
    } else {
        tables::export(table, &results.files(table)?, unfinished.path())?
    };
    let file = unfinished.persist(&args.file).context("failed to put the file in place")?;
    file.sync_all()?;
    say(&format!("{rows} rows of {} in {}", table.name(), args.file.display()));
    Ok(Exit::Done)
}

fn write_csv(results: &Results, table: Table, file: &File) -> anyhow::Result<u64> {
    let mut writer = csv::Writer::from_writer(BufWriter::new(file));
    let schema = table.schema();
    writer.write_record(schema.fields().iter().map(|field| field.name()))?;
    let (mut rows, mut failed) = (0, None);
    tables::merged(table, &results.files(table)?, &mut |batch| {
        for row in json_rows(&batch) {
            let cells = schema.fields().iter().map(|field| cell(&row[field.name()]));
            if failed.is_none() {
                failed = writer.write_record(cells).err();
            }
            rows += 1;
        }
        Ok(())
    })?;
    match failed {
        Some(error) => Err(error.into()),
        None => {
            writer.into_inner().map_err(|error| error.into_error())?.flush()?;
            Ok(rows)
        }
    }
}

fn cell(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => csv_safe(text),
        other => csv_safe(&other.to_string()),
    }
}
