"""Writes peers.json: rows, and what scikit-learn, LightGBM and NumPy make of them.

Run with scikit-learn 1.9.1, lightgbm 4.7.0 and numpy: python peers.py
All numbers are exact in float32, which LightGBM stores labels and weights in.
"""
import json
import math
import pathlib
import warnings

import lightgbm as lgb
import numpy as np
import sklearn.metrics as sk

warnings.simplefilter("ignore")
random = np.random.default_rng(20260727)
sets, figures = {}, []


def rows(name, labels, values, weights=None, raw=None):
    """Adds a set of rows; values, and raw scores where a metric takes them, are one column or several."""
    values = np.atleast_2d(np.asarray(values, float))
    raw = values if raw is None else np.atleast_2d(np.asarray(raw, float))
    sets[name] = dict(labels=np.asarray(labels, float), values=values, raw=raw, weights=weights)
    return name


def figure(metric, peer, compute, *names, of="values"):
    """Adds what a peer computes of the sets' values or raw scores; what it refuses is undefined."""
    for name in names:
        s = sets[name]
        v = s[of][0] if len(s[of]) == 1 else s[of]
        try:
            want = float(compute(s["labels"], v, s["weights"]))
        except ValueError:
            want = math.nan
        figures.append(dict(metric=metric, peer=peer, set=name, want=None if math.isnan(want) else want))


def eighths(low, high, n):
    return random.integers(low * 8, high * 8 + 1, n) / 8


def weighted(name):
    """Adds the rows of a set once more, with weights, some of them 0."""
    s = sets[name]
    n = len(s["labels"])
    return rows(name + "_weighted", s["labels"], s["values"], eighths(0, 3, n) * (random.random(n) < 0.8), s["raw"])


def ours(metric, function, *names):
    """A formula of its own, for a metric that no peer has."""
    figure(metric, "numpy", lambda y, v, w: np.average(function(y, v), weights=w), *names)


def lightgbm(metric, objective="regression", **settings):
    """The metric that LightGBM computes of init scores, which a round at no learning rate keeps."""

    def compute(y, v, w):
        n = len(y)
        data = lgb.Dataset(np.zeros((n, 1)), y, weight=w, init_score=np.asarray(v).T, free_raw_data=False)
        record = {}
        lgb.train(
            dict(objective=objective, metric=metric, learning_rate=1e-300, boost_from_average=False, verbose=-1, **settings),
            data, 1, valid_sets=[data], callbacks=[lgb.record_evaluation(record)])
        return next(iter(record["training"].values()))[0]

    return compute


# Numbers.
n = 61
numbers = rows("numbers", eighths(-5, 5, n), eighths(-5, 5, n))
numbers = [numbers, weighted(numbers), rows("exact", [1, 2, 3], [1, 2, 3]), rows("one_row", [3], [-2.5])]
near = rows("near", np.arange(n) / 8, np.arange(n) / 8 + random.normal(size=n) * 1e-4)
counts = rows("counts", random.poisson(1.5, n), eighths(0, 4, n) + 0.125)
counts = [counts, weighted(counts)]
positive = rows("positive", eighths(0, 4, n) + 0.125, eighths(0, 4, n) + 0.125)
positive = [positive, weighted(positive)]
even = rows("even_weights", [1, 2, 3, 4, 9], [0, 0, 0, 0, 0], np.array([1.0, 1, 0, 2, 0]))
zeros = rows("zeros", [0, 0, 1], [0.5, 0, 0])
all_numbers = numbers + [near] + counts + positive

figure("rmse", "scikit-learn", lambda y, v, w: sk.root_mean_squared_error(y, v, sample_weight=w), *all_numbers)
figure("mae", "scikit-learn", lambda y, v, w: sk.mean_absolute_error(y, v, sample_weight=w), *all_numbers)
figure("r2", "scikit-learn", lambda y, v, w: sk.r2_score(y, v, sample_weight=w), *numbers[:3], near)
figure("medae", "scikit-learn", lambda y, v, w: sk.median_absolute_error(y, v, sample_weight=w), *all_numbers, even)
figure("max_error", "scikit-learn", lambda y, v, w: sk.max_error(y, v) if w is None else sk.max_error(y[w > 0], v[w > 0]), *all_numbers, even)
figure("mape", "lightgbm", lightgbm("mape"), *numbers[:2], *counts)
figure("rmsle", "scikit-learn", lambda y, v, w: sk.root_mean_squared_log_error(y, v, sample_weight=w), *counts, *positive, numbers[0])
for delta in 0.9, 2.5:
    figure(f"huber@{delta}", "lightgbm", lightgbm("huber", alpha=delta), *numbers[:2], near)
for c in 1, 0.25:
    figure(f"fair@{c}", "lightgbm", lightgbm("fair", fair_c=c), *numbers[:2])
    ours(f"fair@{c}", lambda y, v: c * abs(v - y) - c * c * np.log1p(abs(v - y) / c), *numbers[:2])
for level in 0.5, 0.9, 0.05:
    figure(f"pinball@{level}", "scikit-learn", lambda y, v, w: sk.mean_pinball_loss(y, v, sample_weight=w, alpha=level), *all_numbers)
    ours(f"expectile@{level}", lambda y, v: np.where(v > y, 1 - level, level) * (v - y) ** 2 / 2, *all_numbers)
ours("log_cosh", lambda y, v: np.log(np.cosh(np.longdouble(v - y))), *all_numbers)
ours("smape", lambda y, v: 2 * abs(v - y) / np.where(abs(y) + abs(v) == 0, 1, abs(y) + abs(v)), *all_numbers, zeros)
figure("poisson_deviance", "scikit-learn", lambda y, v, w: sk.mean_poisson_deviance(y, v, sample_weight=w), *counts, *positive, zeros, numbers[0])
figure("gamma_deviance", "scikit-learn", lambda y, v, w: sk.mean_gamma_deviance(y, v, sample_weight=w), *positive, *counts, numbers[0])
for power in 1.5, 1, 2, 0, 3, -1, 1.01, 1.99:
    figure(f"tweedie_deviance@{power}", "scikit-learn",
           lambda y, v, w: sk.mean_tweedie_deviance(y, v, sample_weight=w, power=power), *counts, *positive, numbers[0])
quantiles = rows("quantiles", eighths(-5, 5, n), np.sort([eighths(-5, 5, n) for _ in range(3)], axis=0))
levels = 0.1, 0.5, 0.9
figure("pinball@0.1/0.5/0.9", "scikit-learn", lambda y, v, w: np.mean(
    [sk.mean_pinball_loss(y, v[k], sample_weight=w, alpha=levels[k]) for k in range(3)]), quantiles, weighted(quantiles))

# Two classes.
two = rows("two", random.integers(0, 2, n), random.integers(1, 24, n) / 24)
two = [two, weighted(two), rows("all_equal", [0, 1, 1], [0.3, 0.3, 0.3]),
       rows("positives", [1, 1, 1], [0.2, 0.5, 0.7]), rows("negatives", [0, 0, 0], [0.2, 0.5, 0.7]),
       rows("all_right", [0, 1, 1], [0.2, 0.75, 0.7]), rows("all_wrong", [1, 0, 0], [0.2, 0.75, 0.7])]
figure("logloss", "scikit-learn", lambda y, v, w: sk.log_loss(y, v, sample_weight=w, labels=[0, 1]), *two)
figure("auc", "scikit-learn", lambda y, v, w: sk.roc_auc_score(y, v, sample_weight=w), *two)
for at in 0.5, 0.25:
    figure(f"error@{at}", "scikit-learn", lambda y, v, w: 1 - sk.accuracy_score(y, v > at, sample_weight=w), *two)
figure("average_precision", "scikit-learn", lambda y, v, w: sk.average_precision_score(y, v, sample_weight=w) if y.any() else math.nan, *two)
figure("average_precision", "lightgbm", lambda y, v, w: lightgbm("average_precision", "binary")(y, np.log(v / (1 - v)), w), *two[:2])
figure("brier", "scikit-learn", lambda y, v, w: sk.brier_score_loss(y, v, sample_weight=w, labels=[0, 1]), *two)
for at in "", "@0.25", "@0.75", "@0":
    for metric, function in ("precision", sk.precision_score), ("recall", sk.recall_score), ("f1", sk.f1_score):
        figure(metric + at, "scikit-learn", lambda y, v, w: function(
            y, v > float(at[1:] or 0.5), sample_weight=w, zero_division=math.nan), *two)
soft = rows("soft", random.integers(0, 9, n) / 8, (s := 1 / (1 + np.exp(-(r := eighths(-3, 3, n))))), raw=r)
soft = [soft, weighted(soft)]
figure("cross_entropy", "lightgbm", lightgbm("cross_entropy", "cross_entropy"), *soft, of="raw")
figure("kullback_leibler", "lightgbm", lightgbm("kullback_leibler", "cross_entropy"), *soft, of="raw")

# Three classes, of which rows often have several with the highest chance.
raw = eighths(-1, 1, (3, n)).round()
three = rows("three", random.integers(0, 3, n), np.exp(raw) / np.exp(raw).sum(0), raw=raw)
quarters = np.array([[2, 1, 1], [1, 1, 2], [1, 2, 1], [1, 1, 2]]).T
three = [three, weighted(three), rows("class_missing", [0, 2, 2, 0], quarters / 4, raw=quarters),
         rows("one_label", [1, 1, 1, 1], quarters / 4, raw=quarters), rows("one_guess", [0, 1, 2], np.array([[2, 1, 1]] * 3).T / 4),
         rows("three_right", [0, 2, 1, 2], quarters / 4, raw=quarters)]
figure("multi_logloss", "scikit-learn", lambda y, v, w: sk.log_loss(y, v.T, sample_weight=w, labels=[0, 1, 2]), *three)
figure("multi_error", "numpy", lambda y, v, w: np.average(
    [np.sum(c >= c[int(k)]) > 1 for c, k in zip(v.T, y)], weights=w), *three)
figure("multi_error", "lightgbm", lightgbm("multi_error", "multiclass", num_class=3), *three[:2], of="raw")
figure("auc_mu", "lightgbm", lightgbm("auc_mu", "multiclass", num_class=3), *three, of="raw")
figure("auc_ovr", "scikit-learn", lambda y, v, w: sk.roc_auc_score(
    y, v.T, sample_weight=w, multi_class="ovr", average="macro", labels=[0, 1, 2]), *three)
for k in 1, 2, 3:
    figure(f"top_k@{k}", "scikit-learn", lambda y, v, w: sk.top_k_accuracy_score(y, v.T, sample_weight=w, k=k, labels=[0, 1, 2]), *three)


def brier(y, v, w):
    return sk.brier_score_loss(np.array(["a", "b", "c"])[y.astype(int)], v.T, sample_weight=w, labels=["a", "b", "c"])


figure("brier", "scikit-learn", brier, *three)


# Classes, of which there are two or three.
def guesses(function, **settings):
    """A metric of the predicted classes."""
    return lambda y, v, w: function(y, v > 0.5 if v.ndim == 1 else v.argmax(0), sample_weight=w, **settings)


def correlation(y, v, w):
    guess = v > 0.5 if v.ndim == 1 else v.argmax(0)
    one = len(set(y)) == 1 or len(set(guess)) == 1  # scikit-learn has 0 there
    return math.nan if one else sk.matthews_corrcoef(y, guess, sample_weight=w)


both = two + three
figure("accuracy", "scikit-learn", guesses(sk.accuracy_score), *both)
figure("balanced_accuracy", "scikit-learn", guesses(sk.balanced_accuracy_score), *both)
for metric, function in ("precision", sk.precision_score), ("recall", sk.recall_score), ("f1", sk.f1_score):
    figure("macro_" + metric, "scikit-learn", guesses(function, average="macro", zero_division=0), *both)
figure("mcc", "scikit-learn", correlation, *both)
for metric, weights in ("kappa", None), ("linear_kappa", "linear"), ("quadratic_kappa", "quadratic"):
    figure(metric, "scikit-learn", lambda y, v, w: guesses(sk.cohen_kappa_score, weights=weights, labels=[0, 1, 2][:max(2, v.ndim + 1)])(y, v, w), *both)


def confusion(name):
    s = sets[name]
    v, classes = s["values"], range(max(2, len(s["values"])))
    guess = v[0] > 0.5 if len(v) == 1 else v.argmax(0)
    return dict(set=name, want=list(sk.confusion_matrix(s["labels"], guess, sample_weight=s["weights"], labels=classes).ravel().astype(float)))


def best(name):
    """The highest f1 and mcc of all ways to part the predictions of two classes."""
    s = sets[name]
    y, v, w = s["labels"], s["values"][0], s["weights"]
    at = [v >= x for x in set(v)]
    return dict(set=name, f1=max(sk.f1_score(y, g, sample_weight=w) for g in at),
                mcc=max(sk.matthews_corrcoef(y, g, sample_weight=w) for g in at if not g.all()))


def calibration(bins):
    """Its bins as scikit-learn's calibration_curve has them."""

    def compute(y, v, w):
        p, true = (v, y) if v.ndim == 1 else (v.max(0), v.argmax(0) == y)
        w = np.ones(len(y)) if w is None else w
        at = np.searchsorted(np.arange(1, bins) / bins, p)
        return sum(abs(np.sum((w * (p - true))[at == b])) for b in range(bins)) / w.sum()

    return compute


for bins in 10, 4, 15, 1:
    figure(f"ece@{bins}", "numpy", calibration(bins), *both)

# Exposures in the place of weights; LightGBM takes none of 0.
for name in soft:
    s = sets[name]
    exposed = rows(name + "_exposed", s["labels"], np.log1p(np.exp(s["raw"])), None if s["weights"] is None else s["weights"] + 0.125, s["raw"])
    figure("cross_entropy_lambda", "lightgbm", lightgbm("cross_entropy_lambda", "cross_entropy_lambda"), exposed, of="raw")

out = dict(
    sets={name: dict(labels=list(s["labels"]), values=[list(c) for c in s["values"]], raw=[list(c) for c in s["raw"]],
                     weights=None if s["weights"] is None else list(s["weights"])) for name, s in sets.items()},
    figures=figures, confusions=[confusion(name) for name in both], best=[best(name) for name in two[:2] + two[5:]])
text = json.dumps(out).replace('"labels"', '\n"labels"').replace('{"metric"', '\n{"metric"').replace('{"set"', '\n{"set"')
pathlib.Path(__file__).with_name("peers.json").write_text(text + "\n")
print(len(figures), "figures of", len(sets), "sets")
