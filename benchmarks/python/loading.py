"""Reads one file with one library and prints one line of JSON about it.

    loading.py READER --file FILE [--threads N]
    loading.py prepare --file DIR

READER is pyarrow, pandas, scikit-learn or lightgbm. The second form writes Parquet
files of DIR's tables, unless they are there. A library that is not installed exits
with status 3. Imports are done before the clock starts.
"""

import argparse
import importlib.metadata
import json
import os
import resource
import sys
import time

NOT_INSTALLED = 3


def peak():
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def pyarrow_reader(path, threads):
    import pyarrow
    import pyarrow.dataset  # read_table would import it within the time
    import pyarrow.parquet
    from pyarrow import csv

    pyarrow.set_cpu_count(threads)
    pyarrow.set_io_thread_count(1)
    many = threads > 1
    if path.endswith(".parquet"):
        return lambda: pyarrow.parquet.read_table(path, use_threads=many)
    options = csv.ReadOptions(use_threads=many)
    # Without this a cell that is empty in a column of text would be a text, for boost a gap.
    convert = csv.ConvertOptions(strings_can_be_null=True)
    if os.path.basename(path).startswith("levels"):  # dictionaries, as boost makes them
        convert.auto_dict_encode = True
        convert.auto_dict_max_cardinality = 1 << 20
    return lambda: csv.read_csv(path, read_options=options, convert_options=convert)


def pandas_reader(path, threads):
    import pandas

    return lambda: pandas.read_csv(path, engine="c")


def sklearn_reader(path, threads):
    from sklearn.datasets import load_svmlight_file

    return lambda: load_svmlight_file(path)


def lightgbm_reader(path, threads):
    """LightGBM reads and bins in one step."""
    import lightgbm

    params = {"header": path.endswith(".csv"), "num_threads": threads, "verbosity": -1}
    return lightgbm.Dataset(path, params=params).construct


READERS = {
    "pyarrow": ("pyarrow", pyarrow_reader),
    "pandas": ("pandas", pandas_reader),
    "scikit-learn": ("scikit-learn", sklearn_reader),
    "lightgbm": ("lightgbm", lightgbm_reader),
}


def prepare(folder):
    from pyarrow import csv, parquet

    for name in "floats", "strings":
        target = os.path.join(folder, name + ".parquet")
        if os.path.exists(target):
            continue
        convert = csv.ConvertOptions(strings_can_be_null=True)
        table = csv.read_csv(os.path.join(folder, name + ".csv"), convert_options=convert)
        parquet.write_table(table, target + ".tmp")
        os.replace(target + ".tmp", target)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("reader", choices=[*READERS, "prepare"])
    parser.add_argument("--file", required=True)
    parser.add_argument("--threads", type=int, default=1)
    a = parser.parse_args()
    package, make = READERS["pyarrow" if a.reader == "prepare" else a.reader]
    try:
        version = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        sys.exit(NOT_INSTALLED)
    if a.reader == "prepare":
        return prepare(a.file)
    read = make(a.file, a.threads)
    base = peak()
    wall, cpu = time.perf_counter(), time.process_time()
    result = read()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    del result
    print(json.dumps({"version": f"{package} {version}", "seconds": wall, "cpu_seconds": cpu, "base_bytes": base}))


if __name__ == "__main__":
    main()
