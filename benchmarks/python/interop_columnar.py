"""Writes small Parquet and Arrow files with other programs, for tests of boost's readers.

    python interop_columnar.py FOLDER

Each case is a table in several files, CASE.<variant>.parquet or .arrow, and a twin
CASE.csv that states the values: a reader has to find the same table in all of them.
The twins are written cell by cell from Python values, not by the writers under test.
"""

import datetime as dt
import decimal
import math
import os
import random
import sys
import uuid

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet as pq

ROWS = 61


def cell(v):
    """The text of a value in a CSV twin; "" is a missing one."""
    if v is None or isinstance(v, float) and math.isnan(v):
        return ""
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, (int, np.integer)):
        return str(int(v))
    if isinstance(v, np.floating):
        return repr(float(v))
    if isinstance(v, float):
        return repr(v)
    if isinstance(v, decimal.Decimal):
        return format(v, "f")
    if isinstance(v, dt.datetime):
        if v.tzinfo is not None:
            v = v.astimezone(dt.timezone.utc)
        return v.strftime("%Y-%m-%dT%H:%M:%S.") + f"{v.microsecond:06d}" + ("Z" if v.tzinfo else "")
    if isinstance(v, dt.date):
        return v.isoformat()
    if isinstance(v, dt.time):
        text = v.strftime("%H:%M:%S")
        return text + (f".{v.microsecond:06d}".rstrip("0") if v.microsecond else "")
    if isinstance(v, bytes):
        v = v.decode()
    text = str(v)
    return '"' + text.replace('"', '""') + '"'


def write_twin(folder, case, columns):
    names = list(columns)
    with open(os.path.join(folder, case + ".csv"), "w", encoding="utf-8", newline="") as f:
        f.write(",".join('"' + n.replace('"', '""') + '"' for n in names) + "\n")
        for row in zip(*columns.values()):
            f.write(",".join('""' if len(names) == 1 and cell(v) == "" else cell(v) for v in row) + "\n")


def gaps(values, every):
    return [None if i % every == every - 1 else v for i, v in enumerate(values)]


def types():
    """Every type with a value that a table can hold, with gaps and without."""
    rng = random.Random(7)
    day = dt.date(1969, 12, 30)
    moment = dt.datetime(1969, 12, 31, 23, 59, 58, 250_000)
    arrays = {}

    def add(name, typ, values):
        arrays[name] = pa.array(values, typ)

    add("flag", pa.bool_(), [rng.random() < 0.4 for _ in range(ROWS)])
    add("flag_gaps", pa.bool_(), gaps([i % 3 == 0 for i in range(ROWS)], 7))
    for bits in (8, 16, 32, 64):
        top = min(2 ** (bits - 1) - 1, 2**53)
        values = [-top, top, 0, -1, 1] + [rng.randint(-top, top) for _ in range(ROWS - 5)]
        add(f"int{bits}", getattr(pa, f"int{bits}")(), gaps(values, 11))
        top = min(2**bits - 1, 2**53)
        values = [0, top, 1] + [rng.randint(0, top) for _ in range(ROWS - 3)]
        add(f"uint{bits}", getattr(pa, f"uint{bits}")(), values)
    doubles = [0.1, -0.0, 5e-324, 1.7976931348623157e308, math.inf, -math.inf, math.nan] + [
        rng.gauss(0, 1) * 10 ** rng.randint(-30, 30) for _ in range(ROWS - 7)
    ]
    add("float64", pa.float64(), doubles)
    add("float64_gaps", pa.float64(), gaps(doubles, 4))
    add("float32", pa.float32(), [np.float32(x) if abs(x) < 1e38 or not math.isfinite(x) else np.float32(1.5) for x in doubles])
    add("float16", pa.float16(), gaps([np.float16(i / 8 - 2) for i in range(ROWS)], 9))
    for precision, scale in ((7, 2), (15, 4), (30, 10), (38, 0), (60, 5)):
        top = 10 ** min(precision, 35) - 1
        values = [decimal.Decimal(rng.randint(-top, top)).scaleb(-scale) for _ in range(ROWS)]
        values[0] = decimal.Decimal(5).scaleb(-scale)
        with decimal.localcontext(prec=80):
            values = [v.quantize(decimal.Decimal(1).scaleb(-scale)) for v in values]
        typ = pa.decimal128(precision, scale) if precision <= 38 else pa.decimal256(precision, scale)
        add(f"decimal{precision}", typ, gaps(values, 13))
    add("date", pa.date32(), gaps([day + dt.timedelta(days=i * 400) for i in range(ROWS)], 10))
    add("date64", pa.date64(), [day + dt.timedelta(days=i) for i in range(ROWS)])
    add("time_ms", pa.time32("ms"), [dt.time(i % 24, i % 60, i, 250_000 if i % 2 else 0) for i in range(60)] + [None])
    add("time_us", pa.time64("us"), [dt.time(i % 24, i % 60, i, i * 16_001) for i in range(60)] + [None])
    moments = [moment + dt.timedelta(hours=31 * i, milliseconds=250 * i) for i in range(ROWS)]
    for unit in ("ms", "us", "ns"):
        add(f"stamp_{unit}", pa.timestamp(unit), gaps(moments, 8))
    zone = dt.timezone(dt.timedelta(hours=5, minutes=30))
    add("stamp_zone", pa.timestamp("us", "Asia/Kolkata"), [m.replace(tzinfo=zone) for m in moments])
    words = ["red", "grün", "blue", 'a "quoted", text', "two\nlines", " spaces ", "00", "日本"]
    texts = [rng.choice(words) for _ in range(ROWS)]
    add("text", pa.string(), texts)
    add("text_gaps", pa.string(), gaps(texts, 6))
    add("large_text", pa.large_string(), texts)
    add("text_numbers", pa.string(), [f"{i % 5}.50" for i in range(ROWS)])
    add("category", pa.dictionary(pa.int8(), pa.string()), gaps(texts, 5))
    add("all_null", pa.null(), [None] * ROWS)
    add("all_missing", pa.float64(), [None] * ROWS)
    return arrays


def values_of(arrays):
    out = {}
    for name, array in arrays.items():
        if pa.types.is_timestamp(array.type) and array.type.unit == "ns":
            array = array.cast(pa.timestamp("us", array.type.tz))
        if pa.types.is_dictionary(array.type):
            array = array.cast(array.type.value_type)
        out[name] = array.to_pylist()
    return out


def write_types(folder):
    arrays = types()
    write_twin(folder, "types", values_of(arrays))
    table = pa.table(arrays)
    path = lambda variant: os.path.join(folder, f"types.{variant}")
    for codec in ("none", "snappy", "gzip", "brotli", "zstd", "lz4"):
        pq.write_table(table, path(f"{codec}.parquet"), compression=codec, row_group_size=40)
    for version in ("1.0", "2.0"):
        for dictionary in (True, False):
            pq.write_table(table, path(f"page{version[0]}{'dict' if dictionary else 'plain'}.parquet"),
                           data_page_version=version, use_dictionary=dictionary, data_page_size=64,
                           write_page_checksum=True, row_group_size=100)
    pq.write_table(table, path("int96.parquet"), use_deprecated_int96_timestamps=True)
    pq.write_table(table, path("decimal_int.parquet"), store_decimal_as_integer=True)
    encodings = {}
    for name, array in arrays.items():
        if pa.types.is_boolean(array.type):
            encodings[name] = "RLE"
        elif pa.types.is_integer(array.type) or pa.types.is_temporal(array.type):
            encodings[name] = "DELTA_BINARY_PACKED"
        elif pa.types.is_string(array.type):
            encodings[name] = "DELTA_BYTE_ARRAY"
        elif pa.types.is_large_string(array.type):
            encodings[name] = "DELTA_LENGTH_BYTE_ARRAY"
        elif pa.types.is_decimal(array.type):
            encodings[name] = "DELTA_BYTE_ARRAY"
    pq.write_table(table, path("delta1.parquet"), use_dictionary=False, column_encoding=encodings,
                   data_page_size=128, data_page_version="1.0")
    pq.write_table(table, path("delta2.parquet"), use_dictionary=False, column_encoding=encodings, data_page_version="2.0")
    batches = table.to_batches(max_chunksize=25)
    for codec in (None, "lz4", "zstd"):
        options = pa.ipc.IpcWriteOptions(compression=codec)
        with pa.ipc.new_file(path(f"{codec or 'plain'}.arrow"), table.schema, options=options) as w:
            for b in batches:
                w.write_batch(b)
        with pa.ipc.new_stream(path(f"{codec or 'plain'}.arrows"), table.schema, options=options) as w:
            for b in batches:
                w.write_batch(b)


def write_dictionaries(folder):
    """Dictionaries that grow from batch to batch, and that are replaced."""
    typ = pa.dictionary(pa.int16(), pa.string())
    parts = [(["b", "a"], [0, 1, None, 0]), (["b", "a", "c"], [2, 0, 1]), (["b", "a", "c", "dd", ""], [4, 3, 2, 1, 0])]
    other = [(["x", "y"], [1, 0]), (["y", "z"], [0, 1]), (["q"], [0, None, 0])]
    for case, pieces, delta in (("deltas", parts, True), ("replaced", other, False)):
        values = [None if i is None else levels[i] for levels, codes in pieces for i in codes]
        numbers = list(range(len(values)))
        write_twin(folder, case, {"n": numbers, "word": values})
        schema = pa.schema([("n", pa.int32()), ("word", typ)])
        options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=delta)
        makers = [("arrows", pa.ipc.new_stream)] + ([("arrow", pa.ipc.new_file)] if delta else [])
        for ending, maker in makers:
            with maker(os.path.join(folder, f"{case}.dictionary.{ending}"), schema, options=options) as w:
                first = 0
                for levels, codes in pieces:
                    words = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int16()), pa.array(levels))
                    w.write_batch(pa.record_batch([pa.array(numbers[first:first + len(codes)], pa.int32()), words], schema=schema))
                    first += len(codes)


def write_views(folder):
    """The view types of Arrow, a dictionary of numbers, and a sliced batch."""
    words = ["short", "a text that is longer than twelve bytes", None, "", "another long text, longer than twelve"] * 4
    numbers = [1.5, None, -2.25, 3.0, 1.5] * 4
    write_twin(folder, "views", {"word": words[3:], "number": numbers[3:], "flag": [i % 2 == 0 for i in range(17)]})
    table = pa.table({
        "word": pa.array(words, pa.string()).cast(pa.string_view()),
        "number": pa.array(numbers).dictionary_encode(),
        "flag": pa.array([False] * 3 + [i % 2 == 0 for i in range(17)]),
    }).slice(3)
    for codec in (None, "zstd"):
        options = pa.ipc.IpcWriteOptions(compression=codec)
        with pa.ipc.new_file(os.path.join(folder, f"views.{codec or 'plain'}.arrow"), table.schema, options=options) as w:
            w.write_table(table)


def write_pandas(folder):
    frame = pd.DataFrame({
        "n": pd.array([1, None, 3, 4, 5], dtype="Int64"),
        "x": [0.5, 1.5, np.nan, -2.0, 1e10],
        "flag": pd.array([True, None, False, True, True], dtype="boolean"),
        "kind": pd.Categorical(["b", "a", None, "b", "c"], categories=["unused", "a", "b", "c"]),
        "when": pd.to_datetime(["2024-01-02 03:04:05", None, "1969-07-20 20:17:40.5", "2000-02-29", "2024-12-31"], format="ISO8601"),
        "there": pd.to_datetime(["2024-01-02 03:04:05"] * 5).tz_localize("Europe/Berlin"),
        "name": ["ann", "bob", None, "", "eve"],
    }, index=[10, 20, 30, 40, 50])
    utc = dt.timezone.utc
    write_twin(folder, "pandas", {
        "n": [1, None, 3, 4, 5],
        "x": [0.5, 1.5, None, -2.0, 1e10],
        "flag": [True, None, False, True, True],
        "kind": ["b", "a", None, "b", "c"],
        "when": [dt.datetime(2024, 1, 2, 3, 4, 5), None, dt.datetime(1969, 7, 20, 20, 17, 40, 500_000),
                 dt.datetime(2000, 2, 29), dt.datetime(2024, 12, 31)],
        "there": [dt.datetime(2024, 1, 2, 2, 4, 5, tzinfo=utc)] * 5,
        "name": ["ann", "bob", None, None, "eve"],
    })
    frame.to_parquet(os.path.join(folder, "pandas.index.parquet"))
    frame.to_parquet(os.path.join(folder, "pandas.noindex.parquet"), index=False)
    frame.reset_index(drop=True).to_feather(os.path.join(folder, "pandas.feather.arrow"))
    table = pa.Table.from_pandas(frame)
    for ending, writer_of in (("arrow", pa.ipc.new_file), ("arrows", pa.ipc.new_stream)):
        with writer_of(os.path.join(folder, f"pandas.index.{ending}"), table.schema) as writer:
            writer.write_table(table)


def small(seed):
    rng = random.Random(seed)
    words = ["alpha", "beta", "gamma", "delta"]
    utc = dt.timezone.utc
    return {
        "i": [rng.randint(-1000, 1000) for _ in range(ROWS)],
        "gap": gaps([rng.gauss(0, 1) for _ in range(ROWS)], 3),
        "x": [rng.random() for _ in range(ROWS)],
        "flag": [rng.random() < 0.5 for _ in range(ROWS)],
        "word": gaps([rng.choice(words) for _ in range(ROWS)], 9),
        "day": [dt.date(2020, 1, 1) + dt.timedelta(days=rng.randint(-4000, 4000)) for _ in range(ROWS)],
        "when": [dt.datetime(2020, 1, 1) + dt.timedelta(microseconds=rng.randint(0, 10**14)) for _ in range(ROWS)],
        "price": [decimal.Decimal(rng.randint(-10**6, 10**6)).scaleb(-2) for _ in range(ROWS)],
        "big": [rng.randint(-2**53, 2**53) for _ in range(ROWS)],
    }


def write_polars(folder):
    values = small(11)
    write_twin(folder, "polars", values)
    frame = pl.DataFrame(values, schema_overrides={"price": pl.Decimal(12, 2), "big": pl.Int64})
    frame = frame.with_columns(pl.col("word").cast(pl.Categorical))
    for codec in ("zstd", "snappy", "lz4", "uncompressed"):
        frame.write_parquet(os.path.join(folder, f"polars.{codec}.parquet"), compression=codec, row_group_size=32)
    for codec in ("uncompressed", "lz4", "zstd"):
        frame.write_ipc(os.path.join(folder, f"polars.{codec}.arrow"), compression=codec)
    frame.write_ipc_stream(os.path.join(folder, "polars.stream.arrows"))


def write_duckdb(folder):
    values = small(13)
    values["id"] = [str(uuid.UUID(int=random.Random(i).getrandbits(128))) for i in range(ROWS)]
    values["clock"] = [dt.time(i % 24, i % 60, i % 60, i * 1000) for i in range(ROWS)]
    values["tiny"] = [i % 5 for i in range(ROWS)]
    write_twin(folder, "duckdb", values)
    frame = pl.DataFrame(values, schema_overrides={"price": pl.Decimal(12, 2), "tiny": pl.UInt8}).to_arrow()
    con = duckdb.connect()
    con.register("frame", frame)
    query = "select * replace (id::uuid as id, clock::time as clock, word::enum('alpha','beta','gamma','delta') as word) from frame"
    # Version 2 writes floats as BYTE_STREAM_SPLIT, which is refused.
    exact = {name: v for name, v in values.items() if name not in ("x", "gap")}
    write_twin(folder, "duckdb2", exact)
    for codec in ("snappy", "zstd", "lz4_raw"):
        for case, what, version in (("duckdb", query, "V1"), ("duckdb2", f"select * exclude (x, gap) from ({query})", "V2")):
            file = os.path.join(folder, f"{case}.{codec}.parquet")
            con.execute(f"copy ({what}) to '{file}' (format parquet, codec '{codec}', parquet_version '{version}', row_group_size 2048)")


def write_long(folder):
    """Enough rows for several blocks of deltas, long runs and dictionaries of many entries."""
    rng = random.Random(17)
    n = 700
    values = {
        "wide": [rng.choice((-1, 1)) * rng.randint(0, 2**rng.randint(0, 53)) for _ in range(n)],
        "rising": list(range(-5, 2 * n - 5, 2)),
        "runs": gaps([i // 90 for i in range(n)], 17),
        "flag": gaps([i % 200 < 150 for i in range(n)], 19),
        "path": [f"/usr/share/doc/package-{i // 3}/file-{i % 3}" for i in range(n)],
        "name": gaps([f"n{rng.randint(0, 400)}" for _ in range(n)], 23),
        "half": [rng.randint(0, 300) / 2 for _ in range(n)],
    }
    write_twin(folder, "long", values)
    schema = pa.schema([("wide", pa.int64()), ("rising", pa.int32()), ("runs", pa.int32()), ("flag", pa.bool_()),
                        ("path", pa.string()), ("name", pa.string()), ("half", pa.float64())])
    table = pa.table(values, schema=schema)
    deltas = {"wide": "DELTA_BINARY_PACKED", "rising": "DELTA_BINARY_PACKED", "runs": "DELTA_BINARY_PACKED", "flag": "RLE",
              "path": "DELTA_BYTE_ARRAY", "name": "DELTA_LENGTH_BYTE_ARRAY", "half": "PLAIN"}
    for version in ("1.0", "2.0"):
        pq.write_table(table, os.path.join(folder, f"long.delta{version[0]}.parquet"), use_dictionary=False, compression="zstd",
                       column_encoding=deltas, data_page_version=version)
    pq.write_table(table, os.path.join(folder, "long.dictionary.parquet"), compression="zstd", dictionary_pagesize_limit=1500,
                   data_page_size=600, write_batch_size=64)
    pl.from_arrow(table).write_ipc(os.path.join(folder, "long.polars.arrow"), compression="zstd")


def write_huge(folder):
    """Whole numbers that float64 cannot hold, in two types."""
    values = {"signed": [2**60 + 12345, -(2**63), 2**63 - 1, None, 7], "unsigned": [2**64 - 1, 2**63 + 1025, 0, 1, 2**53 + 1]}
    write_twin(folder, "huge", values)
    table = pa.table(values, schema=pa.schema([("signed", pa.int64()), ("unsigned", pa.uint64())]))
    pq.write_table(table, os.path.join(folder, "huge.pyarrow.parquet"))
    with pa.ipc.new_stream(os.path.join(folder, "huge.pyarrow.arrows"), table.schema) as w:
        w.write_table(table)


def write_mixed(folder):
    """One table in two files that give a column two types."""
    parts = {"mixed1": pa.array([1, 2, None, 3]), "mixed2": pa.array(["a", "2", None, "b", "a"])}
    for case, array in parts.items():
        write_twin(folder, case, {"x": array.to_pylist(), "n": list(range(len(array)))})
        table = pa.table({"x": array, "n": list(range(len(array)))})
        pq.write_table(table, os.path.join(folder, f"{case}.pyarrow.parquet"))
        with pa.ipc.new_file(os.path.join(folder, f"{case}.pyarrow.arrow"), table.schema) as w:
            w.write_table(table)


def write_spans(folder):
    """Durations, which are seconds. Parquet has no type for them: the unit stands in the schema of Arrow alone."""
    counts = [0, 1, -1, 1500, -86_400_001, 2**53, 2**62 + 1, None]
    columns, twin = {}, {}
    for digits, unit in enumerate(("s", "ms", "us", "ns")):
        columns[unit] = pa.array(counts, pa.duration(unit))
        twin[unit] = [None if n is None else decimal.Decimal(n).scaleb(-3 * digits) for n in counts]
    columns["few"] = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, None] * 2, pa.int8()), pa.array([5, 7001], pa.duration("ms")))
    twin["few"] = [decimal.Decimal("0.005"), decimal.Decimal("7.001"), decimal.Decimal("0.005"), None] * 2
    columns["whole"], twin["whole"] = pa.array(range(8)), list(range(8))
    write_twin(folder, "spans", twin)
    table = pa.table(columns)
    pq.write_table(table, os.path.join(folder, "spans.pyarrow.parquet"))
    with pa.ipc.new_file(os.path.join(folder, "spans.pyarrow.arrow"), table.schema) as w:
        w.write_table(table)
    write_twin(folder, "spans2", {unit: twin[unit] for unit in ("us", "ms")})
    frame = pl.DataFrame({unit: pl.Series(counts).cast(pl.Duration(unit)) for unit in ("us", "ms")})
    frame.write_parquet(os.path.join(folder, "spans2.polars.parquet"))
    frame.write_ipc(os.path.join(folder, "spans2.polars.arrow"))


def write_refused(folder):
    """What has to be refused, each with a twin that holds what is left without it."""
    values = {"x": [1.5, 2.5, 3.5]}
    write_twin(folder, "refused", values)
    x = pa.array(values["x"])
    bad = {
        "list": pa.array([[1], [2, 3], []]),
        "struct": pa.array([{"a": 1}, {"a": 2}, {"a": 3}]),
        "map": pa.array([[("k", 1)], [], []], pa.map_(pa.string(), pa.int32())),
        "binary": pa.array([b"\xff\xfe", b"\x80", b"ok"]),
    }
    for name, array in bad.items():
        table = pa.table({"x": x, "bad": array})
        pq.write_table(table, os.path.join(folder, f"refused.{name}.parquet"))
        with pa.ipc.new_file(os.path.join(folder, f"refused.{name}.arrow"), table.schema) as w:
            w.write_table(table)
    pq.write_table(pa.table({"x": x, "bad": x}), os.path.join(folder, "refused.BYTE_STREAM_SPLIT.parquet"),
                   use_dictionary=False, column_encoding={"bad": "BYTE_STREAM_SPLIT", "x": "PLAIN"})


def write_shared(folder):
    """Two columns of one dictionary, which pyarrow reads and does not write: the number
    of the second one's is 1, in the schema and in the dictionary's batch, and becomes 0."""
    values = {"first": ["red", "blue", "blue"], "second": ["blue", "red", "blue"]}
    write_twin(folder, "shared", values)
    words = pa.array(["red", "blue"])
    table = pa.table({name: pa.DictionaryArray.from_arrays(pa.array([words.to_pylist().index(v) for v in column], pa.int8()), words)
                      for name, column in values.items()})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as w:
        w.write_table(table)
    stream = bytearray(sink.getvalue().to_pybytes())
    one = (1).to_bytes(8, "little")
    places = [i for i in range(0, len(stream) - 7, 4) if stream[i:i + 8] == one]
    assert len(places) == 2
    for at in places:
        stream[at] = 0
    assert pa.ipc.open_stream(bytes(stream)).read_all().to_pydict() == values
    with open(os.path.join(folder, "shared.dictionary.arrows"), "wb") as f:
        f.write(stream)


def write_pruning(folder):
    """A table, and where the file has the pages of its column junk."""
    path = os.path.join(folder, "pruning.parquet")
    pq.write_table(pa.table({"x": [1, 2, 3], "junk": [0.5, 1.5, 2.5], "y": ["a", "b", "a"]}), path)
    write_twin(folder, "pruning", {"x": [1, 2, 3], "junk": [0.5, 1.5, 2.5], "y": ["a", "b", "a"]})
    column = pq.ParquetFile(path).metadata.row_group(0).column(1)
    start = column.dictionary_page_offset or column.data_page_offset
    with open(os.path.join(folder, "pruning.place.txt"), "w", encoding="ascii") as f:
        f.write(f"{start} {start + column.total_compressed_size}\n")


def write_forms(folder):
    """One table in every form that these programs write, text by their own writers too:
    truth values, days, moments and zones look different in each of them."""
    folder = os.path.join(folder, "forms")
    os.makedirs(folder, exist_ok=True)
    rng = random.Random(19)
    zone = dt.timezone(dt.timedelta(hours=5, minutes=30))
    moment = dt.datetime(1969, 12, 31, 23, 59, 58, 250_000)
    moments = [moment + dt.timedelta(hours=9 * (i % 4), milliseconds=250 * (i % 4)) for i in range(ROWS)]
    values = {
        "flag": [rng.random() < 0.5 for _ in range(ROWS)],
        "flag_gaps": gaps([rng.random() < 0.3 for _ in range(ROWS)], 7),
        "day": gaps([dt.date(1969, 12, 30) + dt.timedelta(days=rng.randint(0, 5)) for _ in range(ROWS)], 11),
        "when": gaps(moments, 8),
        "there": [m.replace(tzinfo=zone) for m in moments],
        "tiny": [rng.randint(-3, 3) for _ in range(ROWS)],
        "word": gaps([rng.choice(["red", "green", "blue", "true story"]) for _ in range(ROWS)], 9),
        "kind": gaps([rng.choice(["b", "a", "c"]) for _ in range(ROWS)], 5),
        "price": gaps([decimal.Decimal(rng.randint(-3, 3) * 25).scaleb(-2) for _ in range(ROWS)], 13),
        "none": [None] * ROWS,
        "y": [rng.randint(0, 1) for _ in range(ROWS)],
    }
    write_twin(folder, "twin", values)
    path = lambda name: os.path.join(folder, name)
    table = pa.table({
        "flag": pa.array(values["flag"]), "flag_gaps": pa.array(values["flag_gaps"]), "day": pa.array(values["day"]),
        "when": pa.array(values["when"], pa.timestamp("us")), "there": pa.array(values["there"], pa.timestamp("us", "Asia/Kolkata")),
        "tiny": pa.array(values["tiny"], pa.int8()), "word": pa.array(values["word"]),
        "kind": pa.array(values["kind"]).dictionary_encode(), "price": pa.array(values["price"], pa.decimal128(5, 2)),
        "none": pa.array(values["none"], pa.null()), "y": pa.array(values["y"], pa.int64()),
    })
    plain = table.set_column(table.column_names.index("kind"), "kind", pa.array(values["kind"]))
    pa.csv.write_csv(plain, path("pyarrow.csv"))
    pq.write_table(table, path("pyarrow.parquet"))
    for ending, writer_of in (("arrow", pa.ipc.new_file), ("arrows", pa.ipc.new_stream)):
        with writer_of(path("pyarrow." + ending), table.schema) as w:
            w.write_table(table, max_chunksize=40)
    frame = table.to_pandas()
    frame.to_csv(path("pandas.csv"), index=False)
    frame.to_parquet(path("pandas.parquet"), index=False)
    frame.to_feather(path("pandas.arrow"))
    frame = pl.from_arrow(plain)
    frame.write_csv(path("polars.csv"))
    frame.write_parquet(path("polars.parquet"))
    frame.write_ipc(path("polars.arrow"))
    con = duckdb.connect()
    con.register("frame", plain)
    con.execute(f"copy (select * from frame) to '{path('duckdb.csv')}' (format csv, header)")
    con.execute(f"copy (select * from frame) to '{path('duckdb.parquet')}' (format parquet)")


def write_categoricals(folder):
    """Categoricals of pandas: of whole numbers, of floats and of digits, and plain numbers beside them."""
    folder = os.path.join(folder, "categorical")
    os.makedirs(folder, exist_ok=True)
    def column(levels):
        return pd.Categorical([None if i == 7 else levels[i % len(levels)] for i in range(30)])
    frame = pd.DataFrame({
        "shop": column([10, -3, 7]), "size": column([2.0, 0.1]), "code": column(["07", "7"]),
        "x": [np.nan if i == 7 else i for i in range(30)],
    })
    frame.to_parquet(os.path.join(folder, "pandas.parquet"))
    frame.to_feather(os.path.join(folder, "pandas.arrow"), compression="uncompressed")
    plain = pa.Table.from_pandas(frame).replace_schema_metadata(None)
    pq.write_table(plain, os.path.join(folder, "pyarrow.parquet"))
    pa.feather.write_feather(plain, os.path.join(folder, "pyarrow.arrow"), compression="uncompressed")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for write in (write_types, write_dictionaries, write_views, write_pandas, write_polars, write_duckdb, write_long, write_huge, write_mixed, write_spans, write_refused, write_shared,
                  write_pruning, write_forms, write_categoricals):
        write(folder)


if __name__ == "__main__":
    main()
