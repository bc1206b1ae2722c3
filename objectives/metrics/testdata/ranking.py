"""Writes ranking.json: rows in queries, and what LightGBM and XGBoost make of them.

Run with lightgbm 4.7.0, xgboost 3.2.0 and numpy: python ranking.py
All numbers are exact in float32; weights are the same within a query, so that all peers mean the same by the weight of a query.
"""
import json
import pathlib

import lightgbm as lgb
import numpy as np
import xgboost as xgb

random = np.random.default_rng(20260803)
sizes = [1, 2, 3, 7, 12, 1, 25, 40, 5, 5, 130, 9]
n = sum(sizes)
query = np.repeat(np.arange(len(sizes)), sizes)
labels = random.choice([0, 0, 0, 1, 2, 3, 4], n).astype(float)
labels[query == 3] = 0  # nothing relevant
labels[query == 8] = 2  # all alike
scores = random.integers(-40, 41, n) / 16  # some tie
scores[query == 10] = random.permutation(130) / 64
weights = random.choice([0.5, 1, 2, 4], len(sizes))
few = (labels > 1).astype(float)  # two classes
figures = []


def figure(metric, peer, want, weighted=False, binary=False):
    figures.append(dict(metric=metric, peer=peer, want=float(want), weighted=weighted, binary=binary))


def lightgbm(binary, weighted):
    names = ["ndcg", "map"]
    at = [1, 3, 5, 10, 1000]
    d = lgb.Dataset(np.zeros((n, 1)), few if binary else labels, group=sizes, init_score=scores,
                    weight=weights[query] if weighted else None, params=dict(verbose=-1, feature_pre_filter=False))
    b = lgb.Booster(dict(objective="lambdarank", metric=names, eval_at=at, verbose=-1), d)
    for _, name, want, _ in b.eval_train():
        name = name.replace("@1000", "")
        figure(name, "lightgbm", want, weighted, binary)


def xgboost(binary, weighted):
    d = xgb.DMatrix(np.zeros((n, 1)), few if binary else labels, qid=query, weight=weights if weighted else None, base_margin=scores)
    names = ["ndcg@1", "ndcg@5", "ndcg@10"] + (["map@3", "map@10"] if binary else [])
    b = xgb.Booster(dict(objective="rank:ndcg", eval_metric=names, disable_default_eval_metric=1, seed=1), [d])
    for part in b.eval_set([(d, "t")]).split()[1:]:
        name, want = part[2:].rsplit(":", 1)
        figure(name, "xgboost", want, weighted, binary)


for binary in [False, True]:
    for weighted in [False, True]:
        lightgbm(binary, weighted)
        xgboost(binary, weighted)
out = dict(sizes=sizes, labels=labels.tolist(), scores=scores.tolist(), weights=weights[query].tolist(), figures=figures)
pathlib.Path(__file__).with_name("ranking.json").write_text(json.dumps(out))
