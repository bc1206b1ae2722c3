"""Writes calibration.json: probabilities and labels, and what scikit-learn's calibrations make of them.

Run with numpy 2.4 or later and scikit-learn 1.9.1: python calibration.py
"""
import json
import pathlib

import numpy as np
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

random = np.random.default_rng(20261127)


def platt_targets(labels, weights):
    positive, negative = weights[labels == 1].sum(), weights[labels == 0].sum()
    return np.where(labels == 1, (positive + 1) / (positive + 2), 1 / (negative + 2))


def logistic(terms, labels, weights):
    """Fits soft targets: each row stands twice, as much for each class as its target says. Returns a function of terms."""
    targets = platt_targets(labels, weights)
    rows, n = np.concatenate([terms, terms]), len(labels)
    fit = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-14, max_iter=1000)
    fit.fit(rows, np.repeat([1, 0], n), sample_weight=np.concatenate([targets * weights, (1 - targets) * weights]))
    return fit


def platt(scores, labels, weights, at):
    return logistic(scores[:, None], labels, weights).predict_proba(at[:, None])[:, 1]


def beta_terms(scores):
    return np.column_stack([-np.logaddexp(0, -scores), np.logaddexp(0, scores)])


def beta(scores, labels, weights, at):
    use = [0, 1]
    while True:
        fit = logistic(beta_terms(scores)[:, use], labels, weights)
        if (fit.coef_ >= 0).all():
            return fit.predict_proba(beta_terms(at)[:, use])[:, 1]
        del use[int(np.argmin(fit.coef_[0]))]


def isotonic(scores, labels, weights, at):
    edge = 1 / (len(labels) + 2)
    fit = IsotonicRegression(y_min=edge, y_max=1 - edge, out_of_bounds="clip").fit(scores, labels, weights)
    return fit.predict(at)


def venn_abers(scores, labels, weights, at):
    """By the definition: two regressions for each score, with the score among the rows."""
    out = []
    for s in at:
        x, w = np.append(scores, s), np.append(weights, weights.mean())
        p0, p1 = (IsotonicRegression().fit(x, np.append(labels, y), w).predict([s])[0] for y in (0, 1))
        out.append(p1 / (1 - p0 + p1))
    return np.array(out)


def two_classes(name, n, scores, labels, weights=None):
    w = np.ones(n) if weights is None else weights
    points = np.unique(scores)
    at = np.concatenate([points, (points[1:] + points[:-1]) / 2, [points[0] - 1, points[-1] + 1]])
    case = dict(name=name, outputs=1, scores=scores.tolist(), labels=labels.tolist(), weights=weights if weights is None else weights.tolist(),
                at=at.tolist(), expected={})
    for method, fit in [("platt", platt), ("beta", beta), ("isotonic", isotonic), ("venn-abers", venn_abers)]:
        case["expected"][method] = fit(scores, labels, w, at).tolist()
    if weights is None:
        library = _SigmoidCalibration().fit(scores, labels)
        assert np.allclose(library.predict(at), case["expected"]["platt"], atol=1e-5)
    return case


def more_classes(n, k):
    labels = random.integers(0, k, n)
    labels[:k] = range(k)
    raw = random.normal(size=(n, k)) * 2
    raw[np.arange(n), labels] += 1.5
    p = np.exp(raw) / np.exp(raw).sum(1, keepdims=True)
    rest = p.sum(1, keepdims=True) - p
    scores = np.log(p / rest)
    case = dict(name="three classes", outputs=k, values=p.tolist(), labels=labels.tolist(), expected={})
    for method, fit in [("platt", platt), ("isotonic", isotonic)]:
        out = np.column_stack([fit(scores[:, c], (labels == c).astype(float), np.ones(n), scores[:, c]) for c in range(k)])
        case["expected"][method] = (out / out.sum(1, keepdims=True)).tolist()
    return case


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


n = 60
smooth = random.normal(size=n) * 2
tied = np.round(random.normal(size=n) * 2) / 2
cases = [
    two_classes("overconfident", n, smooth, (random.random(n) < sigmoid(smooth / 2 - 0.5)).astype(float)),
    two_classes("ties", n, tied, (random.random(n) < sigmoid(tied)).astype(float)),
    two_classes("weights", n, smooth, (random.random(n) < sigmoid(smooth)).astype(float), random.integers(1, 9, n) / 4),
    two_classes("falling", n, smooth, (random.random(n) < sigmoid(-np.abs(smooth))).astype(float)),
    two_classes("separated", n, smooth, (smooth > 0.3).astype(float)),
    more_classes(90, 3),
]
path = pathlib.Path(__file__).with_name("calibration.json")
path.write_text(json.dumps(cases, separators=(",", ":")) + "\n")
