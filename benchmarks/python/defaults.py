"""Trains the peers by their own defaults on inner splits: benchmarks/defaults_peers.json.

    defaults.py --data DIR --out FILE [--sets a,b] [--trainers a,b] [--splits 5]

Of train.csv.gz split.py holds out a fifth to score on, and of the rest a tenth that stops
training. Every trainer runs on one thread and sees the same rows; its processor time is
that of making its data set and training. What is in FILE is not run again.
"""

import argparse
import json
import os
import time
import warnings

warnings.filterwarnings("ignore")

import catboost
import lightgbm
import numpy as np
import pandas
import sklearn
import xgboost
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from losses import loss
from split import held_out, stopping_rows
from tables import Table, encode

ROWS = 900, 200_000  # of train.csv.gz, for a set to be in the study
ROUNDS, PATIENCE = 1000, 50
TD_PATIENCE = 300  # "Better by Default", arXiv 2407.04491
HGB_LEVELS = 255


class Data:
    """What a trainer gets: coded matrices (missing is NaN), labels, weights."""

    def __init__(self, table, train, stop, held):
        self.task, self.categorical, self.table = table.task, table.categorical, table
        self.rows = {"train": train, "stop": stop, "held": held}
        self.x = {}
        self.x["train"], self.x["stop"] = encode(table, train, table, stop)
        _, self.x["held"] = encode(table, train, table, held)
        labels, weights = table.labels(), table.weights()
        self.y = {part: labels[rows] for part, rows in self.rows.items()}
        self.w = {part: None if weights is None else weights[rows] for part, rows in self.rows.items()}
        self.classes = len(table.meta.get("label_classes", []))

    def frame(self, part):
        """Returns the rows of a part with the categories as text, as CatBoost takes them."""
        table, rows = self.table, self.rows[part]
        return pandas.DataFrame({
            name: table.columns[name][rows] if i in self.categorical else self.x[part][:, i]
            for i, name in enumerate(table.features)
        })


def fit_lightgbm(data, params, patience):
    params = {"objective": data.task, "num_threads": 1, "seed": 1, "verbosity": -1, **params}
    if data.task == "multiclass":
        params["num_class"] = data.classes
    train = lightgbm.Dataset(data.x["train"], data.y["train"], weight=data.w["train"],
                             categorical_feature=data.categorical, params=params)
    stop = lightgbm.Dataset(data.x["stop"], data.y["stop"], weight=data.w["stop"], reference=train)
    model = lightgbm.train(params, train, ROUNDS, valid_sets=[stop],
                           callbacks=[lightgbm.early_stopping(patience, verbose=False)])
    return lambda: model.predict(data.x["held"]), model.best_iteration


def lgbm(data):
    return fit_lightgbm(data, {}, PATIENCE)


def lgbm_td(data):
    if data.task == "regression":
        params = {"learning_rate": .05, "num_leaves": 100, "bagging_fraction": .7, "min_data_in_leaf": 3}
    else:
        params = {"learning_rate": .04, "num_leaves": 50, "bagging_fraction": .75, "min_data_in_leaf": 40}
    return fit_lightgbm(data, {"bagging_freq": 1, "min_sum_hessian_in_leaf": 1e-7, **params}, TD_PATIENCE)


def xgb_td(data):
    if data.task == "regression":
        params = {"eta": .05, "max_depth": 9, "min_child_weight": 2, "subsample": .7}
    else:
        params = {"eta": .08, "max_depth": 6, "min_child_weight": 5e-6, "subsample": .65, "colsample_bylevel": .9}
    params |= {"objective": {"regression": "reg:squarederror", "binary": "binary:logistic",
                             "multiclass": "multi:softprob"}[data.task],
               "lambda": 0, "tree_method": "hist", "nthread": 1, "seed": 1, "verbosity": 0}
    if data.task == "multiclass":
        params["num_class"] = data.classes
    types = ["c" if i in data.categorical else "float" for i in range(len(data.table.features))]

    def matrix(part, make=xgboost.DMatrix, **more):
        return make(data.x[part], data.y[part], weight=data.w[part], feature_types=types,
                    enable_categorical=True, nthread=1, **more)

    train = matrix("train", xgboost.QuantileDMatrix)
    model = xgboost.train(params, train, ROUNDS, [(matrix("stop", xgboost.QuantileDMatrix, ref=train), "stop")],
                          early_stopping_rounds=TD_PATIENCE, verbose_eval=False)
    return (lambda: model.predict(matrix("held"), iteration_range=(0, model.best_iteration + 1)),
            model.best_iteration + 1)


def fit_catboost(data, params):
    make = catboost.CatBoostRegressor if data.task == "regression" else catboost.CatBoostClassifier
    model = make(thread_count=1, random_seed=1, verbose=False, allow_writing_files=False,
                 **({"loss_function": "MultiClass"} if data.task == "multiclass" else {}), **params)

    def pool(part):
        return catboost.Pool(data.frame(part), data.y[part], weight=data.w[part], cat_features=data.categorical)

    model.fit(pool("train"), eval_set=pool("stop"))

    def predict():
        if data.task == "regression":
            return model.predict(data.frame("held"))
        p = model.predict_proba(data.frame("held"))
        return p[:, 1] if data.task == "binary" else p

    return predict, model.tree_count_


def catboost_default(data):
    return fit_catboost(data, {})


def catboost_td(data):
    params = {"n_estimators": ROUNDS, "early_stopping_rounds": TD_PATIENCE, "bootstrap_type": "Bernoulli",
              "subsample": .9, "l2_leaf_reg": 1e-5}
    if data.task == "regression":
        params |= {"learning_rate": .09, "max_depth": 9, "random_strength": 0, "one_hot_max_size": 20,
                   "leaf_estimation_iterations": 20}
    else:
        params |= {"learning_rate": .08, "max_depth": 7, "random_strength": .8, "one_hot_max_size": 15,
                   "leaf_estimation_iterations": 1}
    return fit_catboost(data, params)


def hgb(data):
    make = HistGradientBoostingRegressor if data.task == "regression" else HistGradientBoostingClassifier
    few = [i for i in data.categorical if np.nanmax(data.x["train"][:, i], initial=0) < HGB_LEVELS]
    model = make(max_iter=ROUNDS, early_stopping=True, random_state=1, categorical_features=few)
    model.fit(data.x["train"], data.y["train"], sample_weight=data.w["train"],
              X_val=data.x["stop"], y_val=data.y["stop"], sample_weight_val=data.w["stop"])

    def predict():
        if data.task == "regression":
            return model.predict(data.x["held"])
        p = np.zeros((len(data.y["held"]), data.classes))
        p[:, model.classes_] = model.predict_proba(data.x["held"])
        return p[:, 1] if data.task == "binary" else p

    return predict, model.n_iter_


TRAINERS = {"LightGBM": lgbm, "LGBM-TD": lgbm_td, "XGB-TD": xgb_td, "CatBoost": catboost_default,
            "CatBoost-TD": catboost_td, "HGB": hgb}


def run(train, data):
    began = time.process_time()
    predict, rounds = train(data)
    cpu = time.process_time() - began
    value = loss(data.task, predict(), data.y["held"], data.w["held"])
    return {"loss": float(f"{value:.7g}"), "cpu": round(cpu, 2), "rounds": int(rounds)}


def sets(folder):
    """Returns the names of the study's sets, the smaller tables first."""
    found = []
    for name in os.listdir(folder):
        meta = os.path.join(folder, name, "meta.json")
        if os.path.exists(meta):
            with open(meta, encoding="utf-8") as f:
                m = json.load(f)
            if m["task"] in ("regression", "binary", "multiclass") and ROWS[0] <= m["rows_train"] <= ROWS[1]:
                cells = m["rows_train"] * m["n_features"] * max(1, len(m.get("label_classes", [])))
                found.append((cells, name))
    return [name for _, name in sorted(found)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--sets")
    parser.add_argument("--trainers")
    parser.add_argument("--splits", type=int, default=5)
    a = parser.parse_args()
    record = {"sets": {}}
    if os.path.exists(a.out):
        with open(a.out, encoding="utf-8") as f:
            record = json.load(f)
    record["versions"] = {m.__name__: m.__version__ for m in (lightgbm, xgboost, catboost, sklearn)}
    for split in range(a.splits):
        for name in a.sets.split(",") if a.sets else sets(a.data):
            todo = [t for t in (a.trainers.split(",") if a.trainers else TRAINERS)
                    if str(split) not in record["sets"].get(name, {}).get(t, {})]
            if not todo:
                continue
            table = Table(os.path.join(a.data, name), "train")
            classes = table.labels().tolist() if table.task != "regression" else [0] * len(table.labels())
            held = held_out(split, classes)
            stop = stopping_rows(split, classes, held)
            train = np.setdiff1d(np.arange(len(classes)), np.concatenate([held, stop]))
            data = Data(table, train, np.array(stop), np.array(held))
            for trainer in todo:
                result = run(TRAINERS[trainer], data)
                record["sets"].setdefault(name, {}).setdefault(trainer, {})[str(split)] = result
                print(split, name, trainer, result, flush=True)
                with open(a.out + ".tmp", "w", encoding="utf-8") as f:
                    json.dump(record, f, indent=1, sort_keys=True)
                    f.write("\n")
                os.replace(a.out + ".tmp", a.out)


if __name__ == "__main__":
    main()
