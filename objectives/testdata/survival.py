"""Writes survival.json: random rows of times, and what XGBoost makes of them.

python survival.py > survival.json   (xgboost 3.2)

Derivatives are read from a tree with a leaf per row, of learning rate 1 without penalties: a leaf's cover is the second derivative, and
its value is minus the first over the second.
"""
import json
import numpy as np
import xgboost as xgb


def data(scores, lower, upper=None):
    n = len(scores)
    d = xgb.DMatrix(np.arange(n, dtype=np.float32).reshape(-1, 1), base_margin=scores)
    if upper is None:
        d.set_label(lower)
    else:
        d.set_float_info("label_lower_bound", lower)
        d.set_float_info("label_upper_bound", upper)
    return d


def step(params, d):
    figures = {}
    tree = dict(max_depth=16, eta=1, reg_lambda=0, min_child_weight=0, tree_method="exact", max_delta_step=0)
    booster = xgb.train({**params, **tree}, d, 1, evals=[(d, "train")], evals_result=figures, verbose_eval=False)
    leaf = booster.predict(d, pred_leaf=True).astype(int).ravel()
    assert len(set(leaf)) == len(leaf), "rows share a leaf"
    nodes = booster.trees_to_dataframe().set_index("Node")
    hess = nodes.Cover[leaf].to_numpy()
    return (-nodes.Gain[leaf].to_numpy() * hess).tolist(), hess.tolist()


def alone(params, scores, lower, upper):
    pairs = [step(params, data(scores[i:i + 1], lower[i:i + 1], upper[i:i + 1])) for i in range(len(scores))]
    return [g[0] for g, _ in pairs], [h[0] for _, h in pairs]


def figure(params, metric, d):
    figures = {}
    xgb.train({**params, "eta": 0.0, "eval_metric": metric}, d, 1, evals=[(d, "t")], evals_result=figures, verbose_eval=False)
    return figures["t"][metric][0]


rng = np.random.RandomState(7)
out = {}
n = 12
scores = np.round(rng.randn(n) * 1.5, 3)
times = np.round(rng.permutation(n) + 1 + rng.rand(n), 2)
event = rng.rand(n) < 0.6
y = np.where(event, times, -times)
grad, hess = step(dict(objective="survival:cox"), data(scores, y))
out["cox"] = dict(labels=y.tolist(), scores=scores.tolist(), grad=grad, hess=hess,
                  nloglik=figure(dict(objective="survival:cox"), "cox-nloglik", data(scores, y)))
tied = np.ceil(times / 3)
tied = np.where(event, tied, -tied)
out["cox_ties"] = dict(labels=tied.tolist(), scores=scores.tolist(),
                       nloglik=figure(dict(objective="survival:cox"), "cox-nloglik", data(scores, tied)))
out["aft"] = []
lower = np.array([1.5, 3, 0.2, 20, 7, 0, 0, 2, 5, 1, 40, 0.01])
upper = np.array([1.5, np.inf, 0.2, np.inf, 7, 3, 0.5, 6, 5.5, np.inf, 40, 0.01])
scores = np.array([0.4, 0.9, -1.2, 2.5, 2.1, 1.3, -0.4, 1.0, 1.65, -3.0, 3.1, -4.5])
known = (lower == upper) | np.isinf(upper)  # no intervals
for distribution in ("normal", "logistic", "extreme"):
    for scale in (1.0, 0.7):
        p = dict(objective="survival:aft", aft_loss_distribution=distribution, aft_loss_distribution_scale=scale)
        d = data(scores, lower, upper)
        grad, hess = alone(p, scores, lower, upper)
        out["aft"].append(dict(distribution=distribution, scale=scale, grad=grad, hess=hess, nloglik=figure(p, "aft-nloglik", d),
                               accuracy=figure(p, "interval-regression-accuracy", d),
                               nloglik_events=figure(p, "aft-nloglik", data(scores[known], lower[known], upper[known]))))
out["aft_rows"] = dict(lower=lower.tolist(), upper=[None if np.isinf(u) else u for u in upper], scores=scores.tolist())
print(json.dumps(out, indent=1))
