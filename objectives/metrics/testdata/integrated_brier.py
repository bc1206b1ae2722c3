"""Writes integrated_brier.json: random rows of times, scores of models, and scikit-survival's integrated Brier score of them.

python integrated_brier.py > integrated_brier.json   (scikit-survival 0.28)

Rows have weights 1 to 3: they are repeated as often for scikit-survival. Chances of models of hazards are by Breslow's estimate, written
out here; those of times by scipy's distributions.
"""
import json

import numpy as np
from scipy import stats
from sksurv.metrics import integrated_brier_score
from sksurv.util import Surv


def times_of(time, event, steps):
    last = time[event & (time < time.max())].max()
    at = time[event].min() + (last - time[event].min()) * (np.arange(steps + 1) / steps)
    at[-1] = last
    return at


def breslow(time, event, scores, at):
    """The chance of each row that its event comes after each time."""
    hazard = np.zeros(len(at))
    for t in np.unique(time[event]):
        hazard[at >= t] += np.sum(event & (time == t)) / np.sum(np.exp(scores[time >= t]))
    return np.exp(-np.outer(np.exp(scores), hazard))


def case(rng, n, steps, ties, censoring, model, weighted):
    scores = rng.normal(size=n)
    time = rng.exponential(np.exp(-scores if model == "cox" else scores)) + 0.01
    until = rng.exponential(censoring, size=n) + 0.01
    event, time = time <= until, np.minimum(time, until)
    if ties:
        time = np.ceil(time * 5) / 4
    weights = rng.integers(1, 4, size=n) if weighted else np.ones(n, dtype=int)
    t, e, s = (np.repeat(a, weights) for a in (time, event, scores))
    at = times_of(t, e, steps)
    if model == "cox":
        chances = breslow(t, e, s, at)
    else:
        z = (np.log(at)[None, :] - s[:, None]) / 0.7
        chances = {"normal": stats.norm.sf, "logistic": stats.logistic.sf, "extreme": lambda z: np.exp(-np.exp(z))}[model](z)
    y = Surv.from_arrays(e, t)
    # scikit-survival takes no time beyond those of the rows, and wants strictly ascending ones.
    value = integrated_brier_score(y, y, chances, at)
    return dict(model=model, steps=steps, labels=np.where(event, time, -time).tolist(), scores=scores.tolist(),
                weights=weights.tolist() if weighted else None, want=float(value))


def main():
    rng = np.random.default_rng(1)
    cases = [case(rng, n, steps, ties, censoring, model, weighted)
             for model in ("cox", "normal", "logistic", "extreme")
             for n, steps, ties, censoring, weighted in ((40, 100, False, 2.0, False), (60, 7, True, 1.0, True), (30, 50, True, 0.5, False),
                                                          (25, 1, False, 1e9, False))]
    print(json.dumps(cases))


main()
