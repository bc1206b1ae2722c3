"""Trains the peers on the re-splits of the small sets: benchmarks/accuracy_small.json.

    accuracy_small.py --data DIR --out FILE [--sets a,b] [--splits 10] [--threads 1]
    accuracy_small.py --data DIR --reference [--sets a,b]

The second form trains on the whole training part and prints each peer's test loss beside
the one in reference.json: they agree where the settings do.
"""

import argparse
import json
import os
import warnings

warnings.filterwarnings("ignore")

import lightgbm
import numpy as np
import sklearn
import xgboost
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from losses import loss
from split import held_out
from tables import Table, encode

SMALL = 2000  # test rows from which a set counts as large
ROUNDS = 200
TASKS = {"regression": "rmse", "binary": "binary_logloss", "multiclass": "multi_logloss"}


def fit_lightgbm(x, y, w, xt, task, classes, categorical, threads):
    params = {
        "objective": task, "num_leaves": 31, "min_data_in_leaf": 20, "max_bin": 255,
        "learning_rate": 0.1, "seed": 1, "num_threads": threads, "verbosity": -1,
    }
    if task == "multiclass":
        params["num_class"] = classes
    data = lightgbm.Dataset(x, y, weight=w, categorical_feature=categorical, params=params)
    return lightgbm.train(params, data, ROUNDS).predict(xt)


def fit_xgboost(x, y, w, xt, task, classes, categorical, threads):
    params = {
        "objective": {"regression": "reg:squarederror", "binary": "binary:logistic",
                      "multiclass": "multi:softprob"}[task],
        "tree_method": "hist", "grow_policy": "lossguide", "max_leaves": 31, "max_depth": 0,
        "max_bin": 256, "eta": 0.1, "nthread": threads, "seed": 1, "verbosity": 0,
    }
    if task == "multiclass":
        params["num_class"] = classes
    model = xgboost.train(params, xgboost.DMatrix(x, y, weight=w, nthread=threads), ROUNDS)
    return model.predict(xgboost.DMatrix(xt, nthread=threads))


def fit_sklearn(x, y, w, xt, task, classes, categorical, threads):
    make = HistGradientBoostingRegressor if task == "regression" else HistGradientBoostingClassifier
    model = make(max_iter=ROUNDS, learning_rate=0.1, max_leaf_nodes=31, min_samples_leaf=20,
                 l2_regularization=0, max_bins=255, early_stopping=False, random_state=1)
    model.fit(x, y, sample_weight=w)
    if task == "regression":
        return model.predict(xt)
    p = model.predict_proba(xt)
    return p[:, 1] if task == "binary" else p


PEERS = {"lightgbm": fit_lightgbm, "xgboost": fit_xgboost, "sklearn": fit_sklearn}


def train_all(train, rows, test, test_rows, threads):
    """Returns {peer: loss} of training on rows of train, on test_rows of test."""
    x, xt = encode(train, rows, test, test_rows)
    y, yt, w, wt = train.labels()[rows], test.labels()[test_rows], train.weights(), test.weights()
    w, wt = (None, None) if w is None else (w[rows], wt[test_rows])
    classes = len(train.meta.get("label_classes", []))
    return {
        peer: round(loss(train.task, fit(x, y, w, xt, train.task, classes, train.categorical, threads), yt, wt), 9)
        for peer, fit in PEERS.items()
    }


def small_sets(data):
    for name in sorted(os.listdir(data)):
        meta = os.path.join(data, name, "meta.json")
        if not os.path.exists(meta):
            continue
        with open(meta, encoding="utf-8") as f:
            m = json.load(f)
        if m["task"] in TASKS and m["rows_test"] < SMALL:
            yield name


def compare_with_reference(data, names, threads):
    with open(os.path.join(data, "reference.json"), encoding="utf-8") as f:
        reference = json.load(f)
    for name in names:
        folder = os.path.join(data, name)
        train, test = Table(folder, "train"), Table(folder, "test")
        rows, test_rows = (np.arange(len(t.labels())) for t in (train, test))
        metric = TASKS[train.task] + ("_weighted" if train.meta.get("weight") else "")
        for peer, ours in train_all(train, rows, test, test_rows, threads).items():
            print(f"{name:20} {peer:9} {metric:24} {ours:14.6f} {reference[name][peer][metric]:14.6f}", flush=True)


def resplit(data, names, splits, threads, out):
    record = {"sets": {}}
    if os.path.exists(out):
        with open(out, encoding="utf-8") as f:
            record = json.load(f)
    record["versions"] = {"lightgbm": lightgbm.__version__, "xgboost": xgboost.__version__,
                          "sklearn": sklearn.__version__}
    record["rounds"] = ROUNDS
    for name in names:
        train = Table(os.path.join(data, name), "train")
        classes = train.labels().tolist() if train.task != "regression" else [0] * len(train.labels())
        losses = {peer: [] for peer in PEERS}
        for split in range(splits):
            held = held_out(split, classes)
            rest = np.setdiff1d(np.arange(len(classes)), held)
            for peer, value in train_all(train, rest, train, np.array(held), threads).items():
                losses[peer].append(value)
        record["sets"][name] = {"rows": len(classes), "held_out": len(held), "losses": losses}
        print(name, {peer: round(sum(v) / len(v), 6) for peer, v in losses.items()}, flush=True)
        with open(out + ".tmp", "w", encoding="utf-8") as f:
            json.dump(record, f, indent=1, sort_keys=True)
            f.write("\n")
        os.replace(out + ".tmp", out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", default="accuracy_small.json")
    parser.add_argument("--sets")
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--reference", action="store_true")
    a = parser.parse_args()
    names = a.sets.split(",") if a.sets else list(small_sets(a.data))
    if a.reference:
        compare_with_reference(a.data, names, a.threads)
    else:
        resplit(a.data, names, a.splits, a.threads, a.out)


if __name__ == "__main__":
    main()
