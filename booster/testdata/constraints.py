"""Writes constraints.json: rows, and what LightGBM 4.7.0 and XGBoost 3.2.0 predict of them with limits of splits and leaves."""
import json
import pathlib

import lightgbm as lgb
import numpy as np
import xgboost as xgb

random = np.random.default_rng(3)
n = 400
x = np.stack([random.integers(0, high, n) for high in (30, 12, 6)], 1).astype(float)
a, b, c = x.T
y = 0.6 * a - 0.02 * a**2 + 3 * np.sin(b) - c * (a > 14) + random.integers(-8, 9, n) / 4
y = np.round(y * 8) / 8
runs = []


def run(name, **more):
    """Adds the predictions of three rounds with some parameters more."""
    parameters = dict(
        objective="regression", learning_rate=0.5, num_leaves=8, min_data_in_leaf=5, min_sum_hessian_in_leaf=0, min_data_in_bin=1,
        monotone_constraints_method="basic", feature_pre_filter=False, deterministic=True, num_threads=1, verbose=-1)
    model = lgb.train(parameters | more, lgb.Dataset(x, y), 3)
    runs.append(dict(name=name, predictions=[float(v) for v in model.predict(x)]))


run("plain")
run("monotone", monotone_constraints=[1, 0, -1])
run("monotone_down", monotone_constraints=[-1, -1, 0])
run("monotone_l1l2", monotone_constraints=[1, 0, -1], lambda_l1=2, lambda_l2=5)
run("max_delta_step", max_delta_step=2.5)
run("path_smooth", path_smooth=6)
run("all", monotone_constraints=[1, 0, -1], max_delta_step=1.5, path_smooth=3)
run("interaction", interaction_constraints=[[0, 1], [2]], num_leaves=16)
model = xgb.train(dict(
    objective="reg:squarederror", eta=0.5, max_depth=0, max_leaves=11, grow_policy="depthwise", tree_method="hist", max_bin=256, reg_lambda=0,
    min_child_weight=5, base_score=float(y.mean()), nthread=1), xgb.DMatrix(x, y), 3)
runs.append(dict(name="depth", predictions=[float(v) for v in model.predict(xgb.DMatrix(x))]))
path = pathlib.Path(__file__).with_name("constraints.json")
path.write_text(json.dumps(dict(columns=["a", "b", "c"], x=x.T.tolist(), y=y.tolist(), runs=runs)) + "\n")
