//! The published tables, read by other engines: DuckDB, pandas and Polars get the same numbers by plain paths.
//!
//! `PAGESIEVE_TEST_PYTHON` names a Python that has them; `test.sh` makes one.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::Int32Type;
use serde_json::{Value, json};

use pagesieve::tables::Table;

use crate::world::{World, batches, corpus};

pub(crate) fn run(script: &str, arguments: &[&str]) -> String {
    let python = std::env::var("PAGESIEVE_TEST_PYTHON")
        .expect("PAGESIEVE_TEST_PYTHON names a Python with duckdb, pandas, pyarrow and polars (see test.sh)");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(script);
    let output = Command::new(python).arg(script).args(arguments).output().expect("Python starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn all(world: &World, table: Table, job: &str) -> Vec<RecordBatch> {
    batches(world.root(), table, job).into_iter().flat_map(|(_, batches)| batches).collect()
}

/// What the engines should count.
fn expected(world: &World, job: &str) -> Value {
    let (mut routes, mut reasons) = (BTreeMap::<String, u64>::new(), BTreeMap::<String, u64>::new());
    let mut glyphs = 0;
    for batch in all(world, Table::Pages, job) {
        let column = |name| batch.column_by_name(name).unwrap();
        for route in column("route").as_string::<i32>().iter().flatten() {
            *routes.entry(route.to_owned()).or_default() += 1;
        }
        glyphs +=
            column("glyphs_drawn").as_primitive::<Int32Type>().iter().flatten().map(i64::from).sum::<i64>();
        let codes =
            column("reasons").as_list::<i32>().values().as_struct().column_by_name("code").unwrap().clone();
        for code in codes.as_string::<i32>().iter().flatten() {
            *reasons.entry(code.to_owned()).or_default() += 1;
        }
    }
    let clusters = all(world, Table::Clusters, job);
    let flagged = |batch: &RecordBatch| {
        let flagged = batch.column_by_name("pages_flagged").unwrap().as_primitive::<Int32Type>();
        flagged.iter().flatten().map(i64::from).sum::<i64>()
    };
    let n: usize = clusters.iter().map(RecordBatch::num_rows).sum();
    json!({
        "routes": routes, "glyphs": glyphs, "reasons": reasons,
        "clusters": [n, clusters.iter().map(flagged).sum::<i64>()],
    })
}

#[tokio::test]
async fn duckdb_pandas_and_polars_get_the_same_numbers() {
    let world = World::new().await;
    let closed = world.scan(&corpus(150)).await;
    let root = world.root().to_str().unwrap();
    let counted: Value = serde_json::from_str(&run("tests/engines.py", &[root, &closed.job])).unwrap();
    let expected = expected(&world, &closed.job);
    assert!(expected["routes"]["ocr"].as_u64() > Some(0));
    for engine in ["duckdb", "pandas", "polars"] {
        assert_eq!(counted[engine], expected, "{engine}");
    }
}

#[tokio::test]
async fn the_notebook_runs() {
    let world = World::new().await;
    world.scan(&corpus(150)).await;
    let printed = run("examples/analyse.py", &[world.root().to_str().unwrap()]);
    assert!(printed.contains("Toola") && printed.contains("undecodable_font"), "{printed}");
}
