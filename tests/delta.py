"""Reads the registered Delta tables and prints what is counted, as JSON: rows, flagged pages and version by table, of the newest version
and of version 0.

usage: delta.py ROOT
"""

import json
import sys

import polars
from deltalake import DeltaTable

(ROOT,) = sys.argv[1:]


def counted(table, version=None):
    uri = f"{ROOT}/{table}"
    log = DeltaTable(uri, version=version)
    # Polars alone insists on lists of any length for the four numbers of a box, which Parquet says are four.
    rows = polars.read_delta(uri, version=version, use_pyarrow=True)
    counts = {"version": log.version(), "rows": rows.height, "files": len(log.file_uris()), "columns": rows.columns}
    if table == "pages":
        counts["routes"] = dict(rows["route"].value_counts().iter_rows())
        counts["reasons"] = rows["reasons"].explode().drop_nulls().len()
        counts["boxes"] = rows["regions"].explode().drop_nulls().len()
        counts["jobs"] = sorted(rows["job_id"].unique())
    return counts


tables = ["documents", "pages", "page_fonts", "clusters"]
print(json.dumps({"newest": {t: counted(t) for t in tables}, "first": {t: counted(t, 0) for t in tables}}))
