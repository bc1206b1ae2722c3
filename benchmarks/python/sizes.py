"""The peers' side of `make sizes`: trains on a real set and writes the model's files.

    sizes.py NAME --set FOLDER --out DIR [--rounds N] [--leaves N] [--threads N]

NAME is a key of PEERS. It prints one line of JSON: version, seconds of training,
loss on the test rows, trees, leaves, and the files by what they are. A peer that is not
installed exits with status 3.
"""

import argparse
import importlib.util
import json
import math
import os
import sys
import time

import numpy as np

from losses import loss
from tables import Table, encode

NOT_INSTALLED = 3


class Rows:
    """A set as arrays, coded from its training rows."""

    def __init__(self, folder):
        train, test = Table(folder, "train"), Table(folder, "test")
        rows, test_rows = (np.arange(len(t.labels())) for t in (train, test))
        self.x, self.xt = encode(train, rows, test, test_rows)
        self.y, self.yt, self.w, self.wt = train.labels(), test.labels(), train.weights(), test.weights()
        self.task, self.names, self.categorical = train.task, train.features, train.categorical
        self.classes = len(train.meta.get("label_classes", []))


def in_out(a, name):
    return os.path.join(a.out, name)


def lightgbm(a, r):
    import lightgbm

    params = {"objective": r.task, "num_leaves": a.leaves, "learning_rate": 0.1, "min_data_in_leaf": 20, "max_bin": 255,
              "num_threads": a.threads, "verbosity": -1}
    if r.task == "multiclass":
        params["num_class"] = r.classes
    data = lightgbm.Dataset(r.x, r.y, weight=r.w, feature_name=r.names, categorical_feature=r.categorical, params=params)
    model = lightgbm.train(params, data, a.rounds)
    model.save_model(in_out(a, "lightgbm.txt"))
    with open(in_out(a, "lightgbm.txt"), encoding="utf-8") as f:
        counts = [int(line.split("=")[1]) for line in f if line.startswith("num_leaves=")]
    return lightgbm.__version__, model.predict(r.xt, num_threads=a.threads), counts, {"text": "lightgbm.txt"}


def xgboost(a, r):
    import xgboost

    params = {"objective": {"regression": "reg:squarederror", "binary": "binary:logistic", "multiclass": "multi:softprob"}[r.task],
              "tree_method": "hist", "grow_policy": "lossguide", "max_leaves": a.leaves, "max_depth": 0, "max_bin": 255,
              "eta": 0.1, "nthread": a.threads, "verbosity": 0}
    if r.task == "multiclass":
        params["num_class"] = r.classes
    types = ["c" if f in r.categorical else "q" for f in range(r.x.shape[1])]

    def matrix(x, y=None, w=None):
        return xgboost.DMatrix(x, y, weight=w, feature_names=r.names, feature_types=types, enable_categorical=True, nthread=a.threads)

    model = xgboost.train(params, matrix(r.x, r.y, r.w), a.rounds)
    files = {"UBJ": "xgboost.ubj", "JSON": "xgboost.json"}
    for name in files.values():
        model.save_model(in_out(a, name))
    with open(in_out(a, "xgboost.json"), encoding="utf-8") as f:
        trees = json.load(f)["learner"]["gradient_booster"]["model"]["trees"]
    counts = [(int(t["tree_param"]["num_nodes"]) + 1) // 2 for t in trees]
    return xgboost.__version__, model.predict(matrix(r.xt)), counts, files


def catboost(**grow):
    def train(a, r):
        import catboost
        import pandas

        def pool(x, y=None, w=None):
            frame = pandas.DataFrame(x, columns=r.names)
            for f in r.categorical:
                frame[r.names[f]] = np.where(np.isnan(x[:, f]), -1, x[:, f]).astype(np.int32)
            return catboost.Pool(frame, y, weight=w, cat_features=r.categorical, thread_count=a.threads)

        settings = dict(grow) or {"depth": round(math.log2(a.leaves + 1))}
        if grow:
            settings["max_leaves"] = a.leaves
        model = catboost.CatBoost({
            "loss_function": {"regression": "RMSE", "binary": "Logloss", "multiclass": "MultiClass"}[r.task],
            "iterations": a.rounds, "learning_rate": 0.1, "border_count": 254, "boosting_type": "Plain", "bootstrap_type": "No",
            "thread_count": a.threads, "verbose": False, "allow_writing_files": False, **settings,
        })
        model.fit(pool(r.x, r.y, r.w))
        model.save_model(in_out(a, a.name + ".cbm"))
        kind = {"regression": "RawFormulaVal"}.get(r.task, "Probability")
        p = model.predict(pool(r.xt), prediction_type=kind, thread_count=a.threads)
        # A tree gives all classes at once: as many values in a leaf as there are classes.
        counts = [int(n) for n in model.get_tree_leaf_counts()]
        return catboost.__version__, p[:, 1] if r.task == "binary" else p, counts, {"cbm": a.name + ".cbm"}

    return train


PEERS = {
    "lightgbm": lightgbm,
    "xgboost": xgboost,
    "catboost": catboost(),
    "catboost-lossguide": catboost(grow_policy="Lossguide", depth=16, min_data_in_leaf=20),
}


def train(a):
    if importlib.util.find_spec(a.name.split("-")[0]) is None:
        sys.exit(NOT_INSTALLED)
    r = Rows(a.set)
    began = time.perf_counter()
    version, prediction, counts, files = PEERS[a.name](a, r)
    print(json.dumps({"version": f"{a.name.split('-')[0]} {version}", "seconds": time.perf_counter() - began,
                      "loss": loss(r.task, prediction, r.yt, r.wt), "trees": len(counts), "leaves": sum(counts), "files": files}))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=PEERS)
    parser.add_argument("--set")
    parser.add_argument("--out", required=True)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--leaves", type=int, default=31)
    parser.add_argument("--threads", type=int, default=2)
    a = parser.parse_args()
    train(a)


if __name__ == "__main__":
    main()
