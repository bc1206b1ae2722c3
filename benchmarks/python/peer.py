"""Trains or loads with one peer and prints one line of JSON about it.

    peer.py NAME --data DIR [--threads N] [--rounds N] [--out PREDICTIONS.npy]

NAME is a key of TRAINERS (reads the NumPy files of DIR) or LOADERS (reads train.csv).
A peer that is not installed exits with status 3. The settings are those of
`benchmarks train`: 31 leaves, learning rate 0.1, 255 bins, 20 rows a leaf.
"""

import argparse
import importlib.metadata
import json
import os
import resource
import sys
import time

import numpy as np

NOT_INSTALLED = 3


class Clock:
    """Wall and processor seconds of a stage, by name, and the memory before the first."""

    def __init__(self):
        self.figures = {}

    def time(self, stage, work):
        if not self.figures:
            unit = 1 if sys.platform == "darwin" else 1024
            self.figures["base_bytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
        wall, cpu = time.perf_counter(), time.process_time()
        result = work()
        self.figures[stage + "_seconds"] = time.perf_counter() - wall
        self.figures[stage + "_cpu_seconds"] = time.process_time() - cpu
        return result


def load(folder, clock):
    names = "train.npy", "train_label.npy", "test.npy"
    return clock.time("load", lambda: [np.load(os.path.join(folder, n)) for n in names])


def lightgbm_trainer(**extra):
    def run(a, clock):
        import lightgbm

        x, y, test = load(a.data, clock)
        params = {
            "objective": "binary", "num_leaves": 31, "learning_rate": 0.1, "max_bin": 255,
            "min_data_in_leaf": 20, "num_threads": a.threads, "verbosity": -1, **extra,
        }
        data = lightgbm.Dataset(x, y, params=params)
        clock.time("bin", data.construct)
        model = clock.time("train", lambda: lightgbm.train(params, data, a.rounds))
        return clock.time("predict", lambda: model.predict(test, num_threads=a.threads))

    return run


def xgboost_hist(a, clock):
    import xgboost

    x, y, test = load(a.data, clock)
    params = {
        "objective": "binary:logistic", "tree_method": "hist", "grow_policy": "lossguide",
        "max_leaves": 31, "max_depth": 0, "max_bin": 255, "eta": 0.1, "nthread": a.threads,
    }
    data = clock.time("bin", lambda: xgboost.QuantileDMatrix(x, y, max_bin=255, nthread=a.threads))
    model = clock.time("train", lambda: xgboost.train(params, data, a.rounds))
    return clock.time("predict", lambda: model.inplace_predict(test))


def sklearn_hgb(a, clock):
    from sklearn.ensemble import HistGradientBoostingClassifier

    x, y, test = load(a.data, clock)
    model = HistGradientBoostingClassifier(
        max_iter=a.rounds, learning_rate=0.1, max_leaf_nodes=31, min_samples_leaf=20,
        max_bins=255, early_stopping=False,
    )
    # fit bins and trains in one call: the binning inside is timed and taken off.
    bin_data = model._bin_data
    model._bin_data = lambda *args, **kw: clock.time("bin", lambda: bin_data(*args, **kw))
    clock.time("train", lambda: model.fit(x, y))
    for kind in "_seconds", "_cpu_seconds":
        clock.figures["train" + kind] -= clock.figures["bin" + kind]
    return clock.time("predict", lambda: model.predict_proba(test)[:, 1])


def load_pandas(a, clock):
    import pandas

    clock.time("load", lambda: pandas.read_csv(os.path.join(a.data, "train.csv"), dtype=np.float32))


def load_pyarrow(a, clock):
    import pyarrow
    from pyarrow import csv

    pyarrow.set_cpu_count(a.threads)
    clock.time("load", lambda: csv.read_csv(os.path.join(a.data, "train.csv")))


def load_lightgbm(a, clock):
    """LightGBM reads and bins in one step."""
    import lightgbm

    params = {"header": True, "label_column": "name:label", "max_bin": 255,
              "num_threads": a.threads, "verbosity": -1}
    clock.time("load", lightgbm.Dataset(os.path.join(a.data, "train.csv"), params=params).construct)


QUANTIZED = {"use_quantized_grad": True}
TRAINERS = {
    "lightgbm-row": ("lightgbm", lightgbm_trainer(force_row_wise=True)),
    "lightgbm-col": ("lightgbm", lightgbm_trainer(force_col_wise=True)),
    "lightgbm-quantized-row": ("lightgbm", lightgbm_trainer(force_row_wise=True, **QUANTIZED)),
    "lightgbm-quantized-col": ("lightgbm", lightgbm_trainer(force_col_wise=True, **QUANTIZED)),
    "xgboost-hist": ("xgboost", xgboost_hist),
    "sklearn-hgb": ("scikit-learn", sklearn_hgb),
}
LOADERS = {
    "load-pandas": ("pandas", load_pandas),
    "load-pyarrow": ("pyarrow", load_pyarrow),
    "load-lightgbm": ("lightgbm", load_lightgbm),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=[*TRAINERS, *LOADERS])
    parser.add_argument("--data", required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--out")
    a = parser.parse_args()
    package, run = {**TRAINERS, **LOADERS}[a.name]
    try:
        version = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        sys.exit(NOT_INSTALLED)
    clock = Clock()
    predictions = run(a, clock)
    if a.out and predictions is not None:
        np.save(a.out, np.asarray(predictions, dtype=np.float32))
    print(json.dumps({"version": f"{package} {version}", **clock.figures}))


if __name__ == "__main__":
    main()
