//! SQL over the tables of one job, with DataFusion.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use arrow::array::RecordBatch;
use datafusion::common::DataFusionError;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{ParquetReadOptions, SQLOptions, SessionConfig, SessionContext};
use futures_lite::StreamExt;

use crate::tables::Table;

/// What a query may use.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Memory of its operators; its result may take as much again. Nothing is spilled to disk.
    pub memory_bytes: usize,
    /// Wall clock.
    pub time: Duration,
}

/// Why a query gave no rows.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// The engine refused it or failed.
    #[error("the query failed: {0}")]
    Engine(#[from] DataFusionError),
    /// It took too long.
    #[error("the query took longer than {} s; see --timeout", .0.as_secs())]
    Time(Duration),
    /// The machine gives no threads.
    #[error("the engine's threads could not be started")]
    Threads(#[source] std::io::Error),
    /// The engine has a bug; the place is on standard error.
    #[error("internal error of the query engine")]
    Panicked,
    /// Its result is too large.
    #[error("the result is larger than {0} bytes; see --memory")]
    TooLarge(usize),
}

/// Runs one query over `tables`, each a table and its files. Only queries: nothing can be created, changed,
/// set or copied out, and no file beside the tables' can be named. Blocks; what runs when the time is over goes on until the
/// process ends, which should be soon.
///
/// # Errors
/// When the query is not one, or reaches a limit.
pub fn query(
    tables: Vec<(Table, Vec<PathBuf>)>,
    sql: String,
    limits: Limits,
) -> Result<Vec<RecordBatch>, QueryError> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(QueryError::Threads)?;
    // A task of its own: an operator that computes for long does not look at the clock, and is left behind.
    let (send, done) = std::sync::mpsc::sync_channel(1);
    runtime.spawn(async move {
        let _ = send.send(run(tables, &sql, limits).await); // nobody waits any more
    });
    let rows = match done.recv_timeout(limits.time) {
        Ok(rows) => rows,
        Err(RecvTimeoutError::Timeout) => Err(QueryError::Time(limits.time)),
        Err(RecvTimeoutError::Disconnected) => Err(QueryError::Panicked),
    };
    runtime.shutdown_background();
    rows
}

async fn run(
    tables: Vec<(Table, Vec<PathBuf>)>,
    sql: &str,
    limits: Limits,
) -> Result<Vec<RecordBatch>, QueryError> {
    let runtime = RuntimeEnvBuilder::new()
        .with_memory_pool(Arc::new(FairSpillPool::new(limits.memory_bytes)))
        .with_disk_manager_builder(DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled))
        .build_arc()?;
    let config = SessionConfig::new().with_information_schema(false);
    let session = SessionContext::new_with_config_rt(config, runtime);
    for (table, files) in tables {
        let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        let rows = session.read_parquet(files, ParquetReadOptions::default()).await?;
        session.register_table(table.name(), rows.into_view())?;
    }
    let only_queries =
        SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
    let rows = session.sql_with_options(sql, only_queries).await?;
    let mut stream = rows.execute_stream().await?;
    let (mut batches, mut bytes) = (Vec::new(), 0);
    while let Some(batch) = stream.next().await {
        let batch = batch?;
        bytes += batch.get_array_memory_size();
        if bytes > limits.memory_bytes {
            return Err(QueryError::TooLarge(limits.memory_bytes));
        }
        batches.push(batch);
    }
    Ok(batches)
}
