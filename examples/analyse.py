# %% [markdown]
# Which producers and fonts are broken? Reads the tables of a scan with DuckDB.
#
# usage: python3 analyse.py DIR     (pip install duckdb; cells run in any editor that knows `# %%`)

# %%
import json
import pathlib
import sys

import duckdb

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "out")
corpora = json.loads((root / "_current.json").read_text())["corpora"]
job = corpora.get("default", next(iter(corpora.values())))["job"]

# One job's folder is the whole corpus at that time.
for table in ["documents", "pages", "page_fonts", "clusters"]:
    files = str(root / table / "schema=v1" / f"job={job}" / "**" / "*.parquet").replace("'", "''")
    duckdb.sql(f"create view {table} as select * from read_parquet('{files}', hive_partitioning = false)")


def show(title, sql):
    print(f"\n{title}")
    duckdb.sql(sql).show(max_width=140)


# %%
show("Pages by route", "select route, count(*) pages from pages group by 1 order by 2 desc")

# %% Producers by flagged pages above the corpus rate: a large one that is as bad as the rest hides nothing.
show(
    "Producers",
    """
    with flagged as (select *, route in ('ocr', 'decode') f from pages),
         rate as (select avg(f::int) r from flagged)
    select producer_family, count(distinct document_uri) documents, count(*) pages, sum(f::int) flagged,
           round(sum(f::int) - count(*) * any_value(r)) above_rate
    from flagged, rate group by 1 order by above_rate desc limit 10
    """,
)

# %% Clusters: one generator's way to write one font. Where most pages are flagged, all have one cause.
show(
    "Clusters",
    """
    select producer_family, producer_version "version", family, signature, documents, pages, pages_flagged,
           round(flagged_share, 3) share, round(flagged_share_low, 3) low, reasons[1].code reason, example_uri, example_page
    from clusters where pages_flagged > 0 order by pages_flagged desc limit 10
    """,
)

# %% What the fonts of one producer look like.
show(
    "Fonts of flagged clusters",
    """
    select f.family, f.subtype, f.encoding, f.to_unicode, f.program, count(*) page_fonts, sum(f.glyphs_suspect) suspect
    from page_fonts f join clusters c using (producer_family, family, signature)
    where c.pages_flagged > 0 group by all order by suspect desc limit 10
    """,
)
