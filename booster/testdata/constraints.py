"""Writes constraints.json: rows, and what LightGBM 4.7.0, XGBoost 3.2.0 and CatBoost 1.2.10 predict of them with limits of splits and leaves,
and shapes of trees."""
import json
import os
import pathlib
import tempfile

import catboost
import lightgbm as lgb
import numpy as np
import pandas as pd
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
run("monotone_intermediate", monotone_constraints=[1, 0, -1], monotone_constraints_method="intermediate")
run("monotone_down_intermediate", monotone_constraints=[-1, -1, 0], monotone_constraints_method="intermediate")
run("monotone_penalty", monotone_constraints=[1, 0, -1], monotone_penalty=1.7)
run("monotone_penalty_low", monotone_constraints=[1, 0, -1], monotone_penalty=0.6)
run("feature_penalty", feature_contri=[0.4, 1.5, 1])
run("split_cost", cegb_penalty_split=0.4, cegb_tradeoff=2)
run("feature_cost", cegb_penalty_feature_coupled=[2000, 100, 50], cegb_tradeoff=0.5, num_leaves=2, learning_rate=0.3)
run("row_cost", cegb_penalty_feature_lazy=[2, 1, 0.5], cegb_tradeoff=0.5)
run("row_cost_high", cegb_penalty_feature_lazy=[1, 6, 1.5], cegb_tradeoff=0.5)
run("max_delta_step", max_delta_step=2.5)
run("path_smooth", path_smooth=6)
run("all", monotone_constraints=[1, 0, -1], max_delta_step=1.5, path_smooth=3)
run("interaction", interaction_constraints=[[0, 1], [2]], num_leaves=16)
forced = dict(feature=1, threshold=6.5, left=dict(feature=0, threshold=20.5, right=dict(feature=2, threshold=2.5)), right=dict(feature=2, threshold=1.5))
with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    json.dump(forced, file)
    file.flush()
    run("forced", forcedsplits_filename=file.name)
model = xgb.train(dict(
    objective="reg:squarederror", eta=0.5, max_depth=0, max_leaves=11, grow_policy="depthwise", tree_method="hist", max_bin=256, reg_lambda=0,
    min_child_weight=5, base_score=float(y.mean()), nthread=1), xgb.DMatrix(x, y), 3)
runs.append(dict(name="depth", predictions=[float(v) for v in model.predict(xgb.DMatrix(x))]))


def symmetric(rounds, rate, depth, l2, **more):
    """Returns CatBoost's symmetric trees without what it draws or scales."""
    return catboost.CatBoostRegressor(
        iterations=rounds, learning_rate=rate, depth=depth, l2_leaf_reg=l2, score_function="L2", bootstrap_type="No", random_strength=0,
        boosting_type="Plain", grow_policy="SymmetricTree", leaf_estimation_method="Newton", leaf_estimation_iterations=1, border_count=254,
        thread_count=1, allow_writing_files=False, verbose=False, **more)


for name, l2, depth in (("symmetric", 0, 4), ("symmetric_l2", 3, 5)):
    model = symmetric(3, 0.5, depth, l2).fit(x, y)
    runs.append(dict(name=name, predictions=[float(v) for v in model.predict(x)]))
for name, costs in (("symmetric_row_cost", [2, 1, 0.5]), ("symmetric_row_cost_high", [1, 6, 1.5])):
    model = symmetric(3, 0.5, 4, 3, per_object_feature_penalties=costs, penalties_coefficient=0.5).fit(x, y)
    runs.append(dict(name=name, predictions=[float(v) for v in model.predict(x)]))
name, label, rounds = "protein_casp", "RMSD", (1, 10, 25, 50, 100)
train, test = (pd.read_csv(f"{os.environ['BOOST_SHARED']}/data/{name}/{part}.csv.gz") for part in ("train", "test"))
model = symmetric(100, 0.1, 6, 3)
model.fit(train.drop(columns=label), train[label], eval_set=(test.drop(columns=label), test[label]), use_best_model=False)
result = model.get_evals_result()
curve = dict(set=name, rounds=rounds, **{part: [result[of]["RMSE"][r - 1] for r in rounds] for part, of in (("train", "learn"), ("test", "validation"))})
path = pathlib.Path(__file__).with_name("constraints.json")
path.write_text(json.dumps(dict(columns=["a", "b", "c"], x=x.T.tolist(), y=y.tolist(), runs=runs, curve=curve)) + "\n")
