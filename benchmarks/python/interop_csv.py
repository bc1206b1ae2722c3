"""Writes small CSV and TSV files with other programs, for tests of boost's reader.

    python interop_csv.py FOLDER

Each case is a table in several files, CASE.<variant>.<ending>, and CASE.json, which states
what the table is:

    {"columns": [{"name": "x", "numbers": ["1.5", null, …]}, {"name": "s", "texts": ["a", null, …]}],
     "options": {"<variant>": {"decimal": ",", "encoding": "latin1"}}}

A number is text, so that nothing is lost on its way; null is a missing cell. The files are
made by pandas, polars, DuckDB and pyarrow, each with its own idea of quotes and line ends.
A package that is not installed is said, and its files are left out.
"""

import csv
import datetime as dt
import gzip
import importlib
import json
import math
import os
import random
import sys

ROWS = 83


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"interop_csv: {name} could not be had; its files are missing", file=sys.stderr)
        return None


pandas, polars, duckdb, pyarrow, numpy = (optional(n) for n in ("pandas", "polars", "duckdb", "pyarrow", "numpy"))
if pyarrow:
    import pyarrow.csv


class Case:
    """A table, its statement, and where its files go."""

    def __init__(self, folder, name, **columns):
        self.folder, self.name, self.columns, self.options = folder, name, columns, {}

    def path(self, variant, ending, **options):
        if options:
            self.options[variant] = options
        return os.path.join(self.folder, f"{self.name}.{variant}.{ending}")

    def state(self):
        columns = []
        for name, values in self.columns.items():
            if all(v is None or isinstance(v, str) for v in values):
                columns.append({"name": name, "texts": values})
            else:
                columns.append({"name": name, "numbers": [number(v) for v in values]})
        with open(os.path.join(self.folder, self.name + ".json"), "w", encoding="utf-8") as f:
            json.dump({"columns": columns, "options": self.options}, f, ensure_ascii=False, indent=1)
            f.write("\n")

    def pandas(self):
        return pandas.DataFrame({n: list(v) for n, v in self.columns.items()})

    def polars(self):
        return polars.DataFrame({n: list(v) for n, v in self.columns.items()}, strict=False)

    def arrow(self):
        return pyarrow.table({n: list(v) for n, v in self.columns.items()})

    def duckdb(self):
        connection = duckdb.connect()
        connection.register("t", self.arrow())
        return connection


def number(v):
    """The value of a cell as boost is to read it: dates are seconds since 1970 UTC."""
    if v is None or isinstance(v, float) and math.isnan(v):
        return None
    if isinstance(v, bool):
        return str(int(v))
    if isinstance(v, dt.datetime):
        elapsed = v.replace(tzinfo=v.tzinfo or dt.timezone.utc) - dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)
        return repr(elapsed.days * 86400 + elapsed.seconds + elapsed.microseconds / 1e6)
    if isinstance(v, dt.date):
        return str((v - dt.date(1970, 1, 1)).days * 86400)
    return repr(v)


def gaps(values, every):
    return [None if i % every == every - 1 else v for i, v in enumerate(values)]


def label(draw):
    """Of every case, so that a model can be trained."""
    return [round(draw.gauss(0, 1), 3) for _ in range(ROWS)]


def numbers(folder):
    draw = random.Random(3)
    c = Case(
        folder, "numbers", label=label(draw),
        small=[draw.randint(-9, 9) for _ in range(ROWS)],
        large=[draw.randint(-(2**53), 2**53) for _ in range(ROWS)],
        thirds=[draw.gauss(0, 1) * 10.0 ** draw.randint(-20, 20) for _ in range(ROWS)],
        hard=[5e-324, 1.7976931348623157e308, 2.2250738585072014e-308, 0.1, 1 / 3, 9007199254740993.0, 1e22, 1e23] * 10 + [0.5, 1.5, -0.25],
        gap=gaps([draw.random() for _ in range(ROWS)], 4),
        count=gaps([draw.randint(0, 10**6) for _ in range(ROWS)], 5),
        flag=[draw.random() < 0.3 for _ in range(ROWS)],
    )
    if pandas:
        frame = c.pandas().astype({"count": "Int64", "flag": "boolean"})
        frame.to_csv(c.path("pandas", "csv"), index=False)
        frame.to_csv(c.path("pandas_crlf", "csv"), index=False, lineterminator="\r\n")
        frame.to_csv(c.path("pandas_na", "csv"), index=False, na_rep="NA")
        frame.to_csv(c.path("pandas_tab", "tsv"), index=False, sep="\t")
        frame.to_csv(c.path("pandas_quoted", "csv"), index=False, quoting=csv.QUOTE_ALL)
        frame.to_csv(c.path("pandas_semicolon", "csv"), index=False, sep=";")
        frame.to_csv(c.path("pandas_bar", "csv"), index=False, sep="|")
        frame.to_csv(c.path("pandas_comma", "csv", decimal=","), index=False, sep=";", decimal=",")
        frame.to_csv(c.path("pandas", "csv.gz"), index=False)
        frame.to_csv(c.path("pandas_bom", "csv"), index=False, encoding="utf-8-sig")
        with open(c.path("pandas_members", "csv.gz"), "wb") as f:
            text = frame.to_csv(index=False).encode()
            for part in (text[:1000], text[1000:1001], b"", text[1001:]):
                f.write(gzip.compress(part))
    if polars:
        frame = c.polars()
        frame.write_csv(c.path("polars", "csv"))
        frame.write_csv(c.path("polars_crlf", "csv"), line_terminator="\r\n")
        frame.write_csv(c.path("polars_quoted", "csv"), quote_style="always")
        frame.write_csv(c.path("polars_scientific", "csv"), float_scientific=True)
        frame.write_csv(c.path("polars_comma", "csv", decimal=","), separator=";", decimal_comma=True)
        frame.write_csv(c.path("polars_tab", "tsv"), separator="\t")
        frame.write_csv(c.path("polars", "csv.zst"), compression="zstd")
        frame.write_csv(c.path("polars", "csv.gz"), compression="gzip")
    if duckdb and pyarrow:
        connection = c.duckdb()
        for variant, ending, options in (
            ("duckdb", "csv", ""), ("duckdb", "csv.gz", ", compression gzip"), ("duckdb", "csv.zst", ", compression zstd"),
            ("duckdb_tab", "tsv", ", delimiter '\t'"), ("duckdb_null", "csv", ", nullstr 'NULL'".replace("NULL", "null")),
            ("duckdb_quoted", "csv", ", force_quote *"),
        ):
            connection.execute(f"copy t to '{c.path(variant, ending)}' (format csv, header true{options})")
    if pyarrow:
        pyarrow.csv.write_csv(c.arrow(), c.path("pyarrow", "csv"))
        options = pyarrow.csv.WriteOptions(delimiter=";", quoting_style="all_valid")
        pyarrow.csv.write_csv(c.arrow(), c.path("pyarrow_quoted", "csv"), options)
        for kind, ending in (("gzip", "gz"), ("zstd", "zst")):
            with pyarrow.CompressedOutputStream(c.path("pyarrow", "csv." + ending), kind) as f:
                pyarrow.csv.write_csv(c.arrow(), f)
    c.state()


def singles(folder):
    """float32 values, which each program prints with as few digits as it takes."""
    if not numpy:
        return
    draw = random.Random(5)
    values = [float(numpy.float32(draw.gauss(0, 1) * 10.0 ** draw.randint(-8, 8))) for _ in range(ROWS)]
    infinite = [math.inf if i % 9 == 0 else -math.inf if i % 9 == 1 else i / 4 for i in range(ROWS)]
    c = Case(folder, "singles", label=label(draw), single=values, infinite=infinite)
    if polars:
        frame = c.polars().with_columns(polars.col("single").cast(polars.Float32))
        # Shortest digits of a float32 are another float64.
        frame.with_columns(polars.col("single").cast(polars.Float64)).write_csv(c.path("polars", "csv"))
    if pandas:
        c.pandas().to_csv(c.path("pandas", "csv"), index=False)
    if duckdb and pyarrow:
        c.duckdb().execute(f"copy t to '{c.path('duckdb', 'csv')}' (format csv, header true)")
    if pyarrow:
        pyarrow.csv.write_csv(c.arrow(), c.path("pyarrow", "csv"))
    c.state()


def texts(folder):
    draw = random.Random(7)
    words = ["red", "grün", 'a "quoted" word', "comma, semicolon; bar|", "two\nlines", "tab\there", "日本", "-", "it's", '"']
    c = Case(
        folder, "texts", label=label(draw),
        word=[draw.choice(words) for _ in range(ROWS)],
        gap=gaps([draw.choice(words[:5]) for _ in range(ROWS)], 6),
        x=[round(draw.random(), 6) for _ in range(ROWS)],
        last=[draw.choice(["a", "b", "c"]) for _ in range(ROWS)],
    )
    if pandas:
        frame = c.pandas()
        for name, quoting in (("minimal", csv.QUOTE_MINIMAL), ("all", csv.QUOTE_ALL), ("nonnumeric", csv.QUOTE_NONNUMERIC)):
            frame.to_csv(c.path("pandas_" + name, "csv"), index=False, quoting=quoting)
            frame.to_csv(c.path("pandas_tab_" + name, "tsv"), index=False, quoting=quoting, sep="\t")
        frame.to_csv(c.path("pandas_comma", "csv", decimal=","), index=False, sep=";", decimal=",")
        frame.astype({"word": "category", "gap": "string"}).to_csv(c.path("pandas_category", "csv.gz"), index=False)
        frame.to_csv(c.path("pandas_crlf", "csv"), index=False, lineterminator="\r\n")
    if polars:
        frame = c.polars()
        for style in ("necessary", "always", "non_numeric"):
            frame.write_csv(c.path("polars_" + style, "csv"), quote_style=style)
        frame.write_csv(c.path("polars_semicolon", "csv"), separator=";")
        frame.write_csv(c.path("polars", "csv.zst"), compression="zstd")
    if duckdb and pyarrow:
        connection = c.duckdb()
        connection.execute(f"copy t to '{c.path('duckdb', 'csv')}' (format csv, header true)")
        connection.execute(f"copy t to '{c.path('duckdb_quoted', 'csv')}' (format csv, header true, force_quote *)")
        connection.execute(f"copy t to '{c.path('duckdb_tab', 'tsv.zst')}' (format csv, header true, delimiter '\t', compression zstd)")
    if pyarrow:
        for style in ("needed", "all_valid"):
            pyarrow.csv.write_csv(c.arrow(), c.path("pyarrow_" + style, "csv"), pyarrow.csv.WriteOptions(quoting_style=style))
    c.state()


def encodings(folder):
    draw = random.Random(9)
    c = Case(
        folder, "encodings", label=label(draw),
        city=[draw.choice(["Zürich", "Málaga", "Århus", "Ulm"]) for _ in range(ROWS)],
        größe=[draw.randint(1, 200) / 2 for _ in range(ROWS)],
    )
    if pandas:
        frame = c.pandas()
        frame.to_csv(c.path("pandas_utf8", "csv"), index=False)
        for encoding in ("latin1", "cp1252"):
            frame.to_csv(c.path("pandas_" + encoding, "csv", encoding=encoding), index=False, encoding=encoding)
            frame.to_csv(c.path("pandas_" + encoding, "csv.gz", encoding=encoding), index=False, encoding=encoding)
    if polars:
        c.polars().write_csv(c.path("polars_bom", "csv"), include_bom=True)
    c.state()


def moments(folder):
    draw = random.Random(11)
    start = dt.datetime(1969, 12, 31, 23, 59, 58)
    c = Case(
        folder, "moments", label=label(draw),
        day=[dt.date(1960, 1, 1) + dt.timedelta(days=draw.randint(0, 30000)) for _ in range(ROWS)],
        second=gaps([start + dt.timedelta(seconds=draw.randint(0, 2**31)) for _ in range(ROWS)], 7),
        fraction=[start + dt.timedelta(milliseconds=250 * draw.randint(0, 2**31)) for _ in range(ROWS)],
    )
    if pandas:
        frame = c.pandas()
        frame.to_csv(c.path("pandas", "csv"), index=False)
        frame.to_csv(c.path("pandas_iso", "csv"), index=False, date_format="%Y-%m-%dT%H:%M:%S.%fZ")
    if polars:
        c.polars().write_csv(c.path("polars", "csv"))
    if duckdb and pyarrow:
        c.duckdb().execute(f"copy t to '{c.path('duckdb', 'csv')}' (format csv, header true)")
    if pyarrow:
        pyarrow.csv.write_csv(c.arrow(), c.path("pyarrow", "csv"))
    c.state()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    for case in (numbers, singles, texts, encodings, moments):
        case(sys.argv[1])


if __name__ == "__main__":
    main()
