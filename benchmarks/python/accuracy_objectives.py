"""Trains the peers with other objectives than the usual: benchmarks/accuracy_objectives.json.

    accuracy_objectives.py --data DIR --out FILE [--threads 1] [--splits 10] CASE…

A case is SET/OBJECTIVE, with an argument behind an @ where the objective takes one: taxis/quantile@0.9. `go run ./benchmarks
objectives --list` prints those that boost is trained on. Each is trained on the training part, and where a set has fewer than 2,000
test rows, on the re-splits of it too (split.py; whole queries where it has any). Settings are those of reference.json.
"""

import argparse
import json
import os
import sys
import warnings

warnings.filterwarnings("ignore")

import lightgbm
import numpy as np
import xgboost

from losses import loss
from split import held_out
from tables import Table, encode

SMALL = 2000  # test rows from which a set counts as large
LIGHTGBM = {
    "l1": "regression_l1", "huber": "huber", "fair": "fair", "quantile": "quantile", "mape": "mape", "poisson": "poisson",
    "gamma": "gamma", "tweedie": "tweedie", "cross_entropy": "cross_entropy", "one_vs_all": "multiclassova",
    "lambdarank": "lambdarank", "rank_xendcg": "rank_xendcg",
}
XGBOOST = {
    "l1": "reg:absoluteerror", "quantile": "reg:quantileerror", "poisson": "count:poisson", "gamma": "reg:gamma",
    "tweedie": "reg:tweedie", "squared_log": "reg:squaredlogerror", "cross_entropy": "reg:logistic", "lambdarank": "rank:ndcg",
    "pairwise": "rank:pairwise", "lambdarank_map": "rank:map", "cox": "survival:cox", "aft": "survival:aft",
}


class Rows:
    """Some rows of a set: features, labels, weights, queries."""

    def __init__(self, table, rows, x):
        self.x, self.task = x, table.task
        if table.task == "survival":
            label = table.meta["label"]
            time = table.columns[label["time"]].astype(float)[rows]
            self.event = table.columns[label["event"]].astype(float)[rows] == 1
            self.y, self.w, self.sizes = time, None, None
            return
        self.y = labels(table)[rows]
        self.w = None if table.weights() is None else table.weights()[rows]
        self.sizes = None
        if table.task == "ranking":
            ids = table.columns[table.meta["group"]][rows]
            starts = [0] + [i for i in range(1, len(ids)) if ids[i] != ids[i - 1]] + [len(ids)]
            self.sizes = np.diff(starts)


def labels(table):
    if table.task in ("binary", "multiclass"):
        return table.labels()
    return table.columns[table.meta["label"]].astype(float)


def fit_lightgbm(train, test, objective, argument, categorical, classes, threads):
    params = {
        "objective": LIGHTGBM[objective], "num_leaves": 31, "min_data_in_leaf": 20, "max_bin": 255, "learning_rate": 0.1,
        "seed": 1, "num_threads": threads, "verbosity": -1,
    }
    if objective in ("quantile", "huber"):
        params["alpha"] = argument
    if objective == "fair":
        params["fair_c"] = argument
    if objective == "tweedie":
        params["tweedie_variance_power"] = argument
    if objective == "one_vs_all":
        params["num_class"] = classes
    data = lightgbm.Dataset(train.x, train.y, weight=train.w, group=train.sizes, categorical_feature=categorical, params=params)
    return lightgbm.train(params, data, 200).predict(test.x)


def fit_xgboost(train, test, objective, argument, categorical, classes, threads):
    params = {
        "objective": XGBOOST[objective], "tree_method": "hist", "grow_policy": "lossguide", "max_leaves": 31, "max_depth": 0,
        "max_bin": 256, "eta": 0.1, "nthread": threads, "seed": 1, "verbosity": 0,
    }
    if objective == "quantile":
        params["quantile_alpha"] = argument
    if objective == "tweedie":
        params["tweedie_variance_power"] = argument
    rounds = 200
    if train.task == "survival":
        params["eta"], rounds = 0.05, 100
    if objective == "aft":
        params.update(aft_loss_distribution=argument, aft_loss_distribution_scale=1)

    def matrix(rows):
        y = np.where(rows.event, rows.y, -rows.y) if objective == "cox" else rows.y
        m = xgboost.DMatrix(rows.x, y, weight=rows.w, nthread=threads)
        if objective == "aft":
            m.set_float_info("label_lower_bound", rows.y)
            m.set_float_info("label_upper_bound", np.where(rows.event, rows.y, np.inf))
        if rows.sizes is not None:
            m.set_group(rows.sizes)
        return m

    held = matrix(test)
    model = xgboost.train(params, matrix(train), rounds)
    if train.task == "survival":  # its own metric is the loss
        return float(model.eval(held).rsplit(":", 1)[1])
    return model.predict(held)


def dcg(y, order, k):
    order = order[:k]
    return np.sum((2.0 ** y[order] - 1) / np.log2(np.arange(len(order)) + 2))


def average_precision(y, order, k):
    hits, total = 0, 0.0
    for place, row in enumerate(order[:k], 1):
        if y[row] > 0:
            hits += 1
            total += hits / place
    return total / min(np.sum(y > 0), k)


def ranked(p, rows, target, k=10):
    """1 − ndcg@k or 1 − map@k; a query with no relevant row counts 1."""
    values, start = [], 0
    for size in rows.sizes:
        y, order = rows.y[start:start + size], np.argsort(-p[start:start + size], kind="stable")
        if not np.any(y > 0):
            values.append(1.0)
        elif target == "map":
            values.append(average_precision(y, order, k))
        else:
            values.append(dcg(y, order, k) / dcg(y, np.argsort(-y, kind="stable"), k))
        start += size
    return 1 - float(np.mean(values))


def deviance(p, y, w, power):
    if power == 1:
        with np.errstate(divide="ignore", invalid="ignore"):
            d = 2 * (np.where(y > 0, y * np.log(y / p), 0) - (y - p))
    elif power == 2:
        d = 2 * (np.log(p / y) + y / p - 1)
    else:
        d = 2 * (y ** (2 - power) / ((1 - power) * (2 - power)) - y * p ** (1 - power) / (1 - power) + p ** (2 - power) / (2 - power))
    return float(np.average(d, weights=w))


def judged(p, rows, objective, argument):
    """The loss of docs/metrics.md that the objective is judged by."""
    if rows.task == "survival":
        return p
    if rows.task == "ranking":
        return ranked(np.asarray(p, dtype=float), rows, "map" if objective == "lambdarank_map" else "ndcg")
    if rows.task in ("binary", "multiclass"):
        p = np.asarray(p, dtype=float)
        if objective == "one_vs_all":
            p = p / p.sum(axis=1, keepdims=True)
        return loss(rows.task, p, rows.y, rows.w)
    p, y, w = np.asarray(p, dtype=float), rows.y, rows.w
    d = np.abs(p - y)
    if objective == "l1":
        return float(np.average(d, weights=w))
    if objective == "mape":
        return float(np.average(d / np.maximum(1, np.abs(y)), weights=w))
    if objective == "huber":
        return float(np.average(np.where(d <= argument, d * d / 2, argument * (d - argument / 2)), weights=w))
    if objective == "fair":
        return float(np.average(argument * d - argument ** 2 * np.log1p(d / argument), weights=w))
    if objective == "quantile":
        return float(np.average(np.where(y > p, argument * (y - p), (1 - argument) * (p - y)), weights=w))
    if objective == "squared_log":
        return float(np.sqrt(np.average((np.log1p(np.maximum(p, -1 + 1e-6)) - np.log1p(y)) ** 2, weights=w)))
    return deviance(p, y, w, {"poisson": 1, "gamma": 2}.get(objective, argument))


def best_constant(train, objective, argument):
    """The prediction for every row of the constant that other losses are measured by."""
    if objective in ("l1", "huber", "fair", "mape"):
        return np.median(train.y)
    if objective == "quantile":
        return np.quantile(train.y, argument)
    if objective == "squared_log":
        return np.expm1(np.mean(np.log1p(train.y)))
    if train.task == "binary":
        return np.average(train.y, weights=train.w)
    return np.average(train.y, weights=train.w)


def constant_loss(train, test, objective, argument, classes):
    if train.task == "survival":
        return 0.0
    if train.task == "ranking":
        return judged(np.zeros(len(test.y)), test, objective, argument)
    if train.task == "multiclass":
        shares = np.bincount(train.y, minlength=classes) / len(train.y)
        return judged(np.tile(shares, (len(test.y), 1)), test, objective, argument)
    return judged(np.full(len(test.y), best_constant(train, objective, argument)), test, objective, argument)


def train_all(train, rows, test, test_rows, objective, argument, threads):
    x, xt = encode(train, rows, test, test_rows)
    one, other = Rows(train, rows, x), Rows(test, test_rows, xt)
    classes = len(train.meta.get("label_classes", []))
    losses = {}
    for peer, fit, names in (("lightgbm", fit_lightgbm, LIGHTGBM), ("xgboost", fit_xgboost, XGBOOST)):
        if objective in names:
            p = fit(one, other, objective, argument, train.categorical, classes, threads)
            losses[peer] = round(judged(p, other, objective, argument), 9)
    return losses, constant_loss(one, other, objective, argument, classes)


def groups(table):
    """Rows that are held out together: one number each, from 0."""
    if table.task != "ranking":
        return np.arange(len(table.columns[table.features[0]]))
    ids = table.columns[table.meta["group"]]
    return np.cumsum(np.concatenate([[False], ids[1:] != ids[:-1]]))


def run(case, data, splits, threads):
    name, _, objective = case.partition("/")
    objective, _, argument = objective.partition("@")
    if argument and objective != "aft":
        argument = float(argument)
    folder = os.path.join(data, name)
    train = Table(folder, "train")
    test = Table(folder, "test")
    rows, test_rows = (np.arange(t.meta[k]) for t, k in ((train, "rows_train"), (test, "rows_test")))
    losses, constant = train_all(train, rows, test, test_rows, objective, argument, threads)
    result = {"constant": round(constant, 9), "test": losses}
    if train.meta["rows_test"] >= SMALL:
        return result
    group = groups(train)
    classes = train.labels().tolist() if train.task in ("binary", "multiclass") else [0] * (group[-1] + 1)
    result.update(rows=len(group), losses={})
    for split in range(splits):
        held = np.isin(group, held_out(split, classes))
        losses, _ = train_all(train, np.flatnonzero(~held), train, np.flatnonzero(held), objective, argument, threads)
        for peer, value in losses.items():
            result["losses"].setdefault(peer, []).append(value)
    result["held_out"] = int(held.sum())
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("cases", nargs="+")
    a = parser.parse_args()
    record = {"cases": {}}
    if os.path.exists(a.out):
        with open(a.out, encoding="utf-8") as f:
            record = json.load(f)
    record["versions"] = {"lightgbm": lightgbm.__version__, "xgboost": xgboost.__version__}
    for case in a.cases:
        record["cases"][case] = result = run(case, a.data, a.splits, a.threads)
        print(case, result, file=sys.stderr, flush=True)
        with open(a.out + ".tmp", "w", encoding="utf-8") as f:
            json.dump(record, f, indent=1, sort_keys=True)
            f.write("\n")
        os.replace(a.out + ".tmp", a.out)


if __name__ == "__main__":
    main()
