"""LightGBM's side of `make time-to-metric`.

    reach.py prepare --set FOLDER --data DIR
    reach.py MODE --data DIR [--rounds N] [--threads N]

The first form writes a real set's arrays into DIR as `benchmarks generate` does for a
generated table. The second trains on them with LightGBM's own defaults but for the mode,
a key of MODES, and prints one line of JSON: seconds by stage and the loss on the test rows.
"""

import argparse
import importlib.util
import json
import os
import sys
import time

import numpy as np

from losses import loss
from tables import Table, encode

NOT_INSTALLED = 3
QUANTIZED = {"use_quantized_grad": True}
MODES = {
    "lightgbm": {},
    "lightgbm-row": {"force_row_wise": True},
    "lightgbm-col": {"force_col_wise": True},
    "lightgbm-quantized-row": {"force_row_wise": True, **QUANTIZED},
    "lightgbm-quantized-col": {"force_col_wise": True, **QUANTIZED},
}


def prepare(a):
    train, test = Table(a.set, "train"), Table(a.set, "test")
    rows, test_rows = (np.arange(len(t.labels())) for t in (train, test))
    x, xt = encode(train, rows, test, test_rows)
    os.makedirs(a.data, exist_ok=True)
    for name, values in {
        "train": x, "train_label": train.labels(), "train_weight": train.weights(),
        "test": xt, "test_label": test.labels(), "test_weight": test.weights(),
    }.items():
        if values is not None:
            np.save(os.path.join(a.data, name + ".npy"), values)
    with open(os.path.join(a.data, "about.json"), "w", encoding="utf-8") as f:
        json.dump({"task": train.task, "classes": len(train.meta.get("label_classes", [])),
                   "categorical": train.categorical}, f)


def array(a, name, needed=True):
    path = os.path.join(a.data, name + ".npy")
    return np.load(path) if needed or os.path.exists(path) else None


def train(a):
    if importlib.util.find_spec("lightgbm") is None:
        sys.exit(NOT_INSTALLED)
    import lightgbm

    about = {"task": "binary", "categorical": []}  # of a generated table
    if os.path.exists(os.path.join(a.data, "about.json")):
        with open(os.path.join(a.data, "about.json"), encoding="utf-8") as f:
            about = json.load(f)
    params = {"objective": about["task"], "num_threads": a.threads, "verbosity": -1, **MODES[a.what]}
    if about["task"] == "multiclass":
        params["num_class"] = about["classes"]
    clock = [time.perf_counter()]
    x, y, w = array(a, "train"), array(a, "train_label"), array(a, "train_weight", needed=False)
    clock.append(time.perf_counter())
    data = lightgbm.Dataset(x, y, weight=w, categorical_feature=about["categorical"] or "auto", params=params).construct()
    clock.append(time.perf_counter())
    model = lightgbm.train(params, data, a.rounds)
    clock.append(time.perf_counter())
    value = loss(about["task"], model.predict(array(a, "test"), num_threads=a.threads),
                 array(a, "test_label").astype(int if about["task"] != "regression" else float),
                 array(a, "test_weight", needed=False))
    load, bins, boosting = np.diff(clock)
    print(json.dumps({"version": "lightgbm " + lightgbm.__version__, "load_seconds": load, "bin_seconds": bins,
                      "train_seconds": boosting, "rounds": a.rounds, "loss": value, "rows": len(y), "columns": x.shape[1]}))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["prepare", *MODES])
    parser.add_argument("--set")
    parser.add_argument("--data", required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=100)
    a = parser.parse_args()
    prepare(a) if a.what == "prepare" else train(a)


if __name__ == "__main__":
    main()
