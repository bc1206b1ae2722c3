"""Writes ranking.json: rows in queries with raw scores, and the derivatives that LightGBM and XGBoost have there.

A tree with a leaf for each row tells them: the gradient over the hessian is its value, turned round.
Run with lightgbm 4.7.0, xgboost 3.2.0 and numpy: python ranking.py
"""
import json
import pathlib
import re

import lightgbm as lgb
import numpy as np
import xgboost as xgb

random = np.random.default_rng(20260804)
sizes = [2, 1, 3, 7, 12, 40, 5, 90]
n = sum(sizes)
query = np.repeat(np.arange(len(sizes)), sizes)
labels = random.choice([0, 0, 0, 1, 2, 3, 4], n).astype(float)
labels[query == 2] = 0  # nothing relevant
scores = random.permutation(n) / 32 - 2
scores[query == 3] = 0.5  # all tie
few = (labels > 1).astype(float)
feature = np.arange(n, dtype=float)[:, None]
cases = []


def lightgbm(**params):
    # Refitting a tree of as many leaves as rows, with two penalties λ: values are -g/h and -g/(h+λ).
    fit = dict(objective="regression", num_leaves=n, min_data_in_leaf=1, min_sum_hessian_in_leaf=0, learning_rate=1, max_bin=2 * n,
               min_data_in_bin=1, boost_from_average=False, verbose=-1)
    d = lgb.Dataset(feature, query * 1000 + np.arange(n) + 1.0)
    text = lgb.train(fit, d, 1).model_to_string().replace("objective=regression", "objective=lambdarank").replace(
        "[objective: regression]", "[objective: lambdarank]")
    penalty = 0.05
    values = []
    for l2 in [0, penalty]:
        b = text
        for name, value in dict(params, lambda_l2=l2).items():
            if isinstance(value, list):
                value = ",".join(map(str, value))
            b, count = re.subn(rf"\[{name}: [^\]]*\]", f"[{name}: {int(value) if value is True or value is False else value}]", b)
            assert count == 1, name
        b = lgb.Booster(model_str=b).refit(feature, labels, decay_rate=0, group=sizes, init_score=scores)
        values.append(b.predict(feature, raw_score=True))
    at = b.predict(feature, pred_leaf=True).ravel()
    v, w = values
    with np.errstate(all="ignore"):
        h = np.where(v == 0, 0, penalty * w / (v - w))
    write("lightgbm", "lambdarank", params, v.tolist(), h.tolist(), at)


def xgboost(objective, **params):
    d = xgb.DMatrix(feature, few if "map" in objective else labels, qid=query, base_margin=scores)
    b = xgb.train(dict(objective=objective, max_leaves=2 * n, max_depth=0, grow_policy="lossguide", min_child_weight=0, reg_lambda=0, reg_alpha=0, eta=1, max_bin=2 * n,
                       lambdarank_pair_method="topk", lambdarank_normalization=False, lambdarank_score_normalization=False,
                       tree_method="hist", base_score=0, **params), d, 1)
    rows = b.trees_to_dataframe().set_index("Node")
    at = b.predict(d, pred_leaf=True).astype(int).ravel()
    write("xgboost", objective, params, rows.loc[at, "Gain"].tolist(), rows.loc[at, "Cover"].tolist(), at)


def write(peer, objective, params, values, hessians, at):
    alone = np.bincount(at)[at] == 1  # rows with a leaf of their own
    cases.append(dict(peer=peer, objective=objective, params=params,
                      grad=[-v * h if a else None for v, h, a in zip(values, hessians, alone)], hess=[h if a else None for h, a in zip(hessians, alone)]))
    print(peer, objective, params, alone.sum(), "of", n, sum(hessians))


lightgbm()
lightgbm(lambdarank_truncation_level=3)
lightgbm(lambdarank_norm=False)
lightgbm(sigmoid=2.5)
lightgbm(label_gain=[0, 1, 2, 5, 5])
xgboost("rank:pairwise", lambdarank_num_pair_per_sample=30)
xgboost("rank:pairwise", lambdarank_num_pair_per_sample=4)
xgboost("rank:map", lambdarank_num_pair_per_sample=30)
xgboost("rank:map", lambdarank_num_pair_per_sample=4)
out = dict(sizes=sizes, labels=labels.tolist(), scores=scores.tolist(), cases=cases)
pathlib.Path(__file__).with_name("ranking.json").write_text(json.dumps(out))
