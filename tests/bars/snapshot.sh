#!/usr/bin/env bash
# A synthetic snapshot of 500,000 pages (25,000 documents, 3,800 producers, 75,000 subsets): sizes by table, and reports on files that are
# not in the page cache. With a binary of the feature `sql` and a Python with duckdb: a group-by of `query` against DuckDB's on the same
# files, in one run.
#
# usage: tests/bars/snapshot.sh PAGESIEVE [PYTHON]     needs target/release/examples/synthetic_snapshot (cargo build --release --example …)
set -euo pipefail
pagesieve=$(realpath "$1") python=${2:-python3}
example=${CARGO_TARGET_DIR:-target}/release/examples/synthetic_snapshot
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
"$example" "$root" 25000 21 | grep -E 'files|together'
job=$(sed -n 's/.*"job": *"\([^"]*\)".*/\1/p' "$root/_current.json" | head -n 1)
bytes=$(cd "$root" && cat documents/schema=v1/job="$job"/*/* pages/schema=v1/job="$job"/*/* page_fonts/schema=v1/job="$job"/*/* | wc -c)
echo "documents, pages and page_fonts: $bytes bytes (bar: 12000000)"
cold() { find "$root" -type f -exec dd if={} iflag=nocache count=0 status=none \; ; }
uri=$("$pagesieve" report "$root" documents --csv --limit 1 | sed -n '2s/,.*//p')
for report in producers clusters "documents $uri"; do
  cold
  # shellcheck disable=SC2086
  /usr/bin/time -f "%e s wall, %U s user, %S s system: report $report" "$pagesieve" report "$root" $report >/dev/null
done
sql="select producer_family, route, count(*) n, sum(glyphs_drawn) glyphs from pages group by 1, 2 order by n desc limit 20"
"$pagesieve" query "$root" "$sql" >/dev/null || exit 0
"$python" - "$pagesieve" "$root" "$job" "$sql" <<'PY'
import subprocess, sys, time
import duckdb
pagesieve, root, job, sql = sys.argv[1:]
duckdb.sql("set threads = 2")
duckdb.sql(f"create view pages as select * from read_parquet('{root}/pages/schema=v1/job={job}/**/*.parquet', hive_partitioning = false)")
def ours():
    subprocess.run([pagesieve, "query", root, sql], check=True, stdout=subprocess.DEVNULL)
def theirs():
    duckdb.sql(sql).fetchall()
def seconds(run):
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun
pairs = [(seconds(ours), seconds(theirs)) for _ in range(7)]
a, b = (sorted(times)[3] for times in zip(*pairs))
print(f"group-by, median of 7: query {a:.3f} s (its start included), DuckDB {b:.3f} s: {a / b:.2f} times (bar: 3)")
PY
