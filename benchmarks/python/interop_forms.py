"""Writes one table with several programs, for the test that all of them train the same model.

    python interop_forms.py FOLDER

people.csv is written cell by cell and holds what the other people.* files hold; numbers.csv
has no gaps and names its columns as boost names those of the LibSVM files beside it.
"""

import datetime as dt
import pathlib
import random
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
from sklearn.datasets import dump_svmlight_file

ROWS = 160


def people():
    draw = random.Random(11)
    rows = []
    for i in range(ROWS):
        age = None if draw.random() < 0.1 else draw.randint(18, 90)
        city = draw.choice(["Oslo", "Rome", "São Paulo", "Kyiv, Ukraine", 'the "Hague"', None])
        day = dt.date(2020, 1, 1) + dt.timedelta(days=draw.randint(0, 900))
        member = draw.random() < 0.4
        income = round(draw.lognormvariate(3, 1), 3) if draw.random() < 0.95 else None
        wins = (age or 40) / 40 + member + (0.5 if city == "Oslo" else 0) + draw.random()
        rows.append((f"p{i:03}", age, city, day, member, income, "yes" if wins > 2.2 else "no"))
    return rows


NAMES = ["person", "age", "city", "day", "member", "income", "wins"]


def text(v):
    if v is None:
        return ""
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, float):
        return repr(v)
    s = str(v)
    return '"' + s.replace('"', '""') + '"' if any(c in s for c in ',"') else s


def write_people(to):
    rows = people()
    lines = [",".join(NAMES)] + [",".join(text(v) for v in row) for row in rows]
    (to / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    columns = dict(zip(NAMES, zip(*rows)))
    table = pa.table({name: list(values) for name, values in columns.items()})
    coded = table.set_column(2, "city", table["city"].dictionary_encode())

    pq.write_table(table, to / "people.pyarrow.parquet", row_group_size=50)
    pq.write_table(coded, to / "people.pyarrow-v2.parquet", data_page_version="2.0", compression="zstd", version="2.6")
    pa.feather.write_feather(coded, to / "people.pyarrow.feather", compression="lz4")
    with pa.ipc.new_stream(to / "people.pyarrow.arrows", coded.schema) as stream:
        stream.write_table(coded, max_chunksize=60)
    pa.csv.write_csv(table, to / "people.pyarrow.csv")

    frame = table.to_pandas()
    frame.to_csv(to / "people.pandas.csv.gz", index=False)
    frame.astype({"city": "category", "age": "Int64"}).to_parquet(to / "people.pandas.parquet", index=False)

    polars = pl.from_arrow(table)
    polars.write_parquet(to / "people.polars.parquet", row_group_size=64)
    polars.with_columns(pl.col("city").cast(pl.Categorical)).write_ipc(to / "people.polars.arrow", compression="zstd")
    polars.write_csv(to / "people.polars.csv.zst", compression="zstd")

    duck = duckdb.connect()
    duck.register("people", table)
    duck.execute(f"copy people to '{to}/people.duckdb.parquet' (format parquet, compression zstd)")
    duck.execute(f"copy people to '{to}/people.duckdb.csv' (header, delimiter ';')")


def write_numbers(to):
    draw = np.random.RandomState(5)
    x = np.round(draw.normal(size=(ROWS, 4)) * (draw.uniform(size=(ROWS, 4)) < 0.6), 4) + 0.0
    y = np.round(x @ [1, -2, 0.5, 0] + draw.normal(size=ROWS) / 4, 6)
    frame = pd.DataFrame(x, columns=["f1", "f2", "f3", "f4"])
    frame.insert(0, "label", y)
    frame.to_csv(to / "numbers.csv", index=False)
    dump_svmlight_file(x, y, str(to / "numbers.sklearn.svm"), zero_based=False)
    dump_svmlight_file(x, y, str(to / "numbers.comment.libsvm"), zero_based=False, comment="written by scikit-learn")
    pl.from_pandas(frame).write_parquet(to / "numbers.polars.parquet")


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    write_people(folder)
    write_numbers(folder)
