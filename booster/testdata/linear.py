"""Writes linear.json: rows, and what LightGBM 4.7.0 predicts of them with linear models in leaves."""
import json
import pathlib

import lightgbm as lgb
import numpy as np

random = np.random.default_rng(5)
n = 400
x = np.stack([random.integers(0, high, n) for high in (40, 25, 9)], 1).astype(float)
x[:, 0] = 1000 + x[:, 0] / 4
x[:, 2] /= 8
a, b, c = x.T
y = 0.8 * (a - 1004) * (b > 9) - 0.3 * b + np.sin(b) + 4 * c * (a > 1006) + random.integers(-8, 9, n) / 8
y = np.round(y * 8) / 8
gaps = x.copy()
gaps[random.integers(0, n, 60), 1] = np.nan
runs = []


def run(name, x=x, label=y, params={}, rounds=4):
    """Adds the predictions of some rounds with some parameters more."""
    parameters = dict(
        objective="regression", learning_rate=0.5, num_leaves=8, min_data_in_leaf=12, min_sum_hessian_in_leaf=0, min_data_in_bin=1,
        linear_tree=True, feature_pre_filter=False, deterministic=True, num_threads=1, verbose=-1)
    model = lgb.train(parameters | params, lgb.Dataset(x, label, params=dict(linear_tree=True)), rounds)
    raw = model.predict(x, raw_score=True)
    runs.append(dict(name=name, rounds=rounds, raw=[float(v) for v in raw.T.ravel()]))


run("plain")
run("lambda", params=dict(linear_lambda=5))
run("missing", x=gaps)
run("missing_l2", x=gaps, params=dict(lambda_l2=4, linear_lambda=1))
run("binary", label=(y > 0).astype(float), params=dict(objective="binary", linear_lambda=1), rounds=2)  # later, its trees differ: it estimates rows of leaves by hessians
run("dart", params=dict(boosting="dart", skip_drop=1.0))
path = pathlib.Path(__file__).with_name("linear.json")
columns = lambda x: [[None if np.isnan(v) else float(v) for v in column] for column in x.T]
path.write_text(json.dumps(dict(columns=["a", "b", "c"], x=columns(x), gaps=columns(gaps), y=y.tolist(), runs=runs)) + "\n")
