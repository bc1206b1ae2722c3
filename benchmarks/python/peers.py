"""The peers' side of `make peers`.

    peers.py PEER --folder DIR [--threads N] [--rounds N] [--leaves N] [--budget S] [--ways a,b] [--known S]

PEER is a key of PEERS. DIR holds train.csv and meta.json, which says what the columns are for.
One line of JSON is printed: the least seconds of reading the file with pandas, of binning, and of
boosting alone in each of the ways. A way that takes more than twice the seconds known of another
(--known: of another process) in a tenth of the rounds is left out. A peer that is not installed
exits with status 3.
"""

import argparse
import importlib.metadata
import json
import os
import sys
import time

NOT_INSTALLED = 3
QUANTIZED = {"use_quantized_grad": True}
SLOW = 2


def repeat(work, budget):
    """Returns the least seconds, how often the work was done, and what it returned last.

    The rule is that of boost's side: until the work was done three times and the budget is
    spent, or four times the budget.
    """
    seconds, begin = [], time.perf_counter()
    while True:
        result = None  # what was made before goes while no clock runs
        start = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - start)
        spent = time.perf_counter() - begin
        if len(seconds) >= 3 and spent >= budget or spent >= 4 * budget:
            return min(seconds), len(seconds), result


class Table:
    """The file, and how it is read."""

    def __init__(self, folder, threads):
        import pandas  # noqa: F401: these are not to be imported while a clock runs
        import pyarrow.csv

        pyarrow.set_cpu_count(threads)
        pyarrow.set_io_thread_count(1)
        self.path = os.path.join(folder, "train.csv")
        with open(os.path.join(folder, "meta.json"), encoding="utf-8") as f:
            self.meta = json.load(f)
        self.task, self.label, self.weight = self.meta["task"], self.meta["label"], self.meta.get("weight")
        self.classes = self.meta.get("label_classes", [])
        self.columns = [c for c in self.meta["columns"] if c not in self.meta["ignore"]]
        self.types = {c: "category" for c in self.meta["categorical"]}
        if self.task != "regression":
            self.types[self.label] = "category"

    def read(self, engine):
        """Returns features, labels as numbers and weights or None."""
        import pandas

        # With pyarrow the types are given afterwards: it cannot make levels of whole numbers with gaps.
        types = self.types if engine == "c" else None
        frame = pandas.read_csv(self.path, engine=engine, usecols=self.columns, dtype=types,
                                keep_default_na=False, na_values=[""])
        if types is None:
            frame = frame.astype(self.types)
        label = frame.pop(self.label)
        weight = frame.pop(self.weight) if self.weight else None
        if self.task != "regression":
            # One engine takes levels like 1 for numbers, the other for text.
            label = label.cat.rename_categories([str(c) for c in label.cat.categories])
            label = label.cat.set_categories(self.classes).cat.codes
            if label.min() < 0:
                sys.exit(f"a label of {self.path} is none of {self.classes}")
        for name in frame.columns:
            if not isinstance(frame[name].dtype, pandas.CategoricalDtype) and not pandas.api.types.is_numeric_dtype(frame[name]):
                frame[name] = frame[name].astype("category")
        return frame, label, weight


class LightGBM:
    package = "lightgbm"
    ways = {
        "quantized-row": {"force_row_wise": True, **QUANTIZED},
        "quantized-col": {"force_col_wise": True, **QUANTIZED},
        "row": {"force_row_wise": True},
        "col": {"force_col_wise": True},
    }

    def __init__(self, a, table):
        target = {"objective": table.task}
        if table.task == "multiclass":
            target["num_class"] = len(table.classes)
        self.params = {**target, "num_leaves": a.leaves, "learning_rate": 0.1, "max_bin": 255,
                       "min_data_in_leaf": 20, "num_threads": a.threads, "verbosity": -1}

    def bin(self, x, y, weight):
        import lightgbm

        return lightgbm.Dataset(x, y, weight=weight, params=self.params).construct()

    def train(self, data, rounds, way):
        """The booster is kept as it is: else it would be written to text and read again."""
        import lightgbm

        return lightgbm.train({**self.params, **self.ways[way]}, data, rounds, keep_training_booster=True)

    def predict(self, model, x):
        return model.predict(x)


class XGBoost:
    package = "xgboost"
    ways = {"hist": {}}

    def __init__(self, a, table):
        target = {
            "regression": {"objective": "reg:squarederror"},
            "binary": {"objective": "binary:logistic"},
            "multiclass": {"objective": "multi:softprob", "num_class": len(table.classes)},
        }[table.task]
        self.threads = a.threads
        self.params = {**target, "tree_method": "hist", "grow_policy": "lossguide", "max_leaves": a.leaves,
                       "max_depth": 0, "max_bin": 255, "eta": 0.1, "nthread": a.threads}

    def bin(self, x, y, weight):
        import xgboost

        return xgboost.QuantileDMatrix(x, y, weight=weight, max_bin=255, nthread=self.threads, enable_categorical=True)

    def train(self, data, rounds, way):
        import xgboost

        return xgboost.train(self.params, data, rounds)

    def predict(self, model, x):
        import xgboost

        return model.predict(xgboost.DMatrix(x, nthread=self.threads, enable_categorical=True))


PEERS = {"lightgbm": LightGBM, "xgboost": XGBoost}


def timed(a, peer, data, rows, way, known):
    """Times one way; known is the least seconds of any so far. Its model must tell some rows apart."""
    few = max(1, a.rounds // 10)
    start = time.perf_counter()
    peer.train(data, few, way)
    warm = time.perf_counter() - start
    if known and warm > a.budget and warm * a.rounds / few > SLOW * known:
        return {"way": way, "seconds": 0, "repeats": 0, "warm_seconds": warm, "left_out": True}
    least, times, model = repeat(lambda: peer.train(data, a.rounds, way), a.budget)
    predictions = peer.predict(model, rows)
    if (predictions == predictions[0]).all():
        sys.exit(f"{way} learned nothing: the same prediction for every row")
    return {"way": way, "seconds": least, "repeats": times, "warm_seconds": warm}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("peer", choices=PEERS)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--leaves", type=int, default=31)
    parser.add_argument("--budget", type=float, default=0.5)
    parser.add_argument("--ways", type=lambda text: [w for w in text.split(",") if w], default=[])
    parser.add_argument("--known", type=float, default=0)
    a = parser.parse_args()
    kind = PEERS[a.peer]
    try:
        version = importlib.metadata.version(kind.package)
    except importlib.metadata.PackageNotFoundError:
        sys.exit(NOT_INSTALLED)
    importlib.import_module(kind.package)
    table = Table(a.folder, a.threads)
    peer = kind(a, table)
    read = {}
    for engine in "c", "pyarrow":
        read[engine], _, data = repeat(lambda: table.read(engine), a.budget / 2)
    engine = min(read, key=read.get)
    x, y, weight = data
    bins, _, binned = repeat(lambda: peer.bin(x, y, weight), a.budget / 2)
    ways, known = [], a.known
    for way in a.ways or peer.ways:
        ways.append(timed(a, peer, binned, x.head(1000), way, known))
        if ways[-1]["seconds"] and (not known or ways[-1]["seconds"] < known):
            known = ways[-1]["seconds"]
    print(json.dumps({"version": f"{kind.package} {version}", "rows": len(y), "columns": x.shape[1],
                      "read_seconds": read[engine], "read_engine": engine, "bin_seconds": bins, "ways": ways}))


if __name__ == "__main__":
    main()
