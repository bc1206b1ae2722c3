"""Writes tpe.json: log densities of Optuna's Parzen estimators, and what they are of.

    pip install optuna==5.0.0
    python tpe.py
"""

import json
import pathlib

import numpy as np
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers._tpe.parzen_estimator import _ParzenEstimator, _ParzenEstimatorParameters
from optuna.samplers._tpe.sampler import default_weights

argsort = np.argsort
np.argsort = lambda values, kind="stable": argsort(values, kind=kind)  # of equal observations, the order is chance without this
PARAMETERS = _ParzenEstimatorParameters(1.0, True, False, default_weights, False)
SPACES = {
    "sampling.col_node=0.2..1": FloatDistribution(0.2, 1),
    "tree.lambda_l2=0.01..30:log": FloatDistribution(0.01, 30, log=True),
    "tree.max_depth=3..10": IntDistribution(3, 10),
    "tree.leaves=7..255:log": IntDistribution(7, 255, log=True),
    "tree.growth=leaf,depth,symmetric": CategoricalDistribution(("leaf", "depth", "symmetric")),
}


def drawn(random, space, n):
    if isinstance(space, CategoricalDistribution):
        return random.integers(len(space.choices), size=n)
    low, high = (np.log(space.low), np.log(space.high)) if space.log else (space.low, space.high)
    values = random.uniform(low, high, n)
    values = np.exp(values) if space.log else values
    if isinstance(space, IntDistribution):
        return np.clip(np.round(values), space.low, space.high).astype(int)
    return np.array([float(f"{v:.3g}") for v in values])


def texts(space, values):
    if isinstance(space, CategoricalDistribution):
        return [space.choices[v] for v in values]
    return [str(v) for v in values.tolist()]


random = np.random.default_rng(3)
cases = []
for text, space in SPACES.items():
    for good, bad in [(0, 10), (1, 9), (2, 14), (5, 45), (12, 108)]:
        parts = [drawn(random, space, n) for n in (good, bad)]
        at = drawn(random, space, 6)
        logs = [_ParzenEstimator({"x": part}, {"x": space}, PARAMETERS).log_pdf({"x": at}) for part in parts]
        cases.append({
            "space": text, "good": texts(space, parts[0]), "bad": texts(space, parts[1]), "at": texts(space, at),
            "log_ratio": (logs[0] - logs[1]).tolist(),
        })
path = pathlib.Path(__file__).with_name("tpe.json")
path.write_text("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")
