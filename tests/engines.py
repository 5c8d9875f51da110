"""Reads published tables with DuckDB, pandas and Polars by plain paths and prints what each counts, as JSON.

usage: engines.py ROOT JOB
"""

import json
import sys

import duckdb
import pandas
import polars

ROOT, JOB = sys.argv[1:]


def folder(table):
    return f"{ROOT}/{table}/schema=v1/job={JOB}"


def with_duckdb():
    def rows(sql):
        return duckdb.sql(sql).fetchall()

    glob = folder("pages") + "/**/*.parquet"
    clusters = folder("clusters") + "/**/*.parquet"
    return {
        "routes": dict(rows(f"select route, count(*) from '{glob}' group by 1")),
        "glyphs": rows(f"select sum(glyphs_drawn)::bigint from '{glob}'")[0][0],
        "reasons": dict(rows(f"select r.code, count(*) from (select unnest(reasons) r from '{glob}') group by 1")),
        "clusters": list(rows(f"select count(*), sum(pages_flagged)::bigint from '{clusters}'")[0]),
    }


def with_pandas():
    pages = pandas.read_parquet(folder("pages"), partitioning=None)
    clusters = pandas.read_parquet(folder("clusters"), partitioning=None)
    reasons = pages["reasons"].explode().dropna().map(lambda reason: reason["code"])
    return {
        "routes": {route: int(n) for route, n in pages["route"].value_counts().items()},
        "glyphs": int(pages["glyphs_drawn"].sum()),
        "reasons": {code: int(n) for code, n in reasons.value_counts().items()},
        "clusters": [len(clusters), int(clusters["pages_flagged"].sum())],
    }


def with_polars():
    pages = polars.scan_parquet(folder("pages") + "/**/*.parquet", hive_partitioning=False).collect()
    clusters = polars.scan_parquet(folder("clusters") + "/**/*.parquet", hive_partitioning=False).collect()
    codes = pages["reasons"].explode().drop_nulls().struct.field("code")
    return {
        "routes": dict(pages["route"].value_counts().iter_rows()),
        "glyphs": pages["glyphs_drawn"].cast(polars.Int64).sum(),
        "reasons": dict(codes.value_counts().iter_rows()),
        "clusters": [clusters.height, clusters["pages_flagged"].cast(polars.Int64).sum()],
    }


print(json.dumps({"duckdb": with_duckdb(), "pandas": with_pandas(), "polars": with_polars()}))
