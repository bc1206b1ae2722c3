"""Writes the files of this folder with pandas, polars and DuckDB: one table in five forms.

pip install pandas==3.1.1 polars==2.1.0 duckdb==2.0.0; run it in this folder.
"""
import duckdb
import pandas as pd
import polars as pl

rows = []
for i in range(40):
    rows.append({
        "id": i,
        "price": None if i % 7 == 3 else round(1000 / (i + 1), 4),
        "big": 10.0 ** (i * 7) / 3,
        "city": ["Oslo", "São Paulo", 'say "hi"', "line\nbreak", "\U0001F600 smile", None][i % 6],
        "fast": i % 3 == 0,
        "day": f"2024-02-{i % 28 + 1:02d}",
        "late": "x" if i > 30 else None,
        "y": i % 4,
    })
frame = pd.DataFrame(rows)
frame.to_csv("table.csv", index=False)
frame.to_json("pandas.jsonl", orient="records", lines=True, double_precision=15)
frame.to_json("pandas.jsonl.gz", orient="records", lines=True, double_precision=15, force_ascii=False)
people = pl.DataFrame(rows)
people.write_ndjson("polars.ndjson")
duckdb.sql("COPY (SELECT * FROM people) TO 'duckdb.jsonl' (FORMAT json)")
nested = people.select("id", pl.struct("price", "city", pl.struct("fast", "day").alias("more")).alias("at"), "late", "y")
nested.write_ndjson("nested.ndjson")
