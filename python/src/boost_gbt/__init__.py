"""Gradient-boosted trees: tables in, one small model out, the same bytes on every machine.

>>> import numpy as np
>>> from boost_gbt import train
>>> x = np.random.default_rng(0).normal(size=(500, 3))
>>> model = train({"rounds": 50, "early_stopping": 0}, x, label=x[:, 0] > 0)
>>> model.classes
[0, 1]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._program import program, run
from .errors import (
    BoostError,
    BudgetError,
    InterruptionError,
    ModelError,
    ParameterError,
    TableError,
    WorkerError,
)

if TYPE_CHECKING:
    from ._functions import Metric, Objective
    from .estimators import BoostClassifier, BoostRanker, BoostRegressor
    from .model import Model, train
    from .plots import plot_importance, plot_metric, plot_tree
    from .search import CrossValidation, Tuning, cv, tune

__version__ = "0.1.0"

__all__ = [
    "BoostClassifier",
    "BoostError",
    "BoostRanker",
    "BoostRegressor",
    "BudgetError",
    "CrossValidation",
    "InterruptionError",
    "Metric",
    "Model",
    "ModelError",
    "Objective",
    "ParameterError",
    "TableError",
    "Tuning",
    "WorkerError",
    "cv",
    "plot_importance",
    "plot_metric",
    "plot_tree",
    "program",
    "run",
    "train",
    "tune",
]

_LATER = {
    "BoostClassifier": "estimators",
    "BoostRanker": "estimators",
    "BoostRegressor": "estimators",
    "CrossValidation": "search",
    "Metric": "_functions",
    "Model": "model",
    "Objective": "_functions",
    "Tuning": "search",
    "cv": "search",
    "plot_importance": "plots",
    "plot_metric": "plots",
    "plot_tree": "plots",
    "train": "model",
    "tune": "search",
}  # with numpy: the program boost, started through Python, needs none

_TABLE = "train, cv and tune take the table and its label: train(params, X, y, weight=…, group=…)"
_OF_OTHERS = {
    **dict.fromkeys(("Dataset", "DMatrix", "QuantileDMatrix", "Pool"), _TABLE),
    **dict.fromkeys(("Booster", "CatBoost"), "train(params, X, y) returns a Model, and Model.load(FILE) reads one"),
    **{
        who + what: f"it is called Boost{what} here"
        for who in ("LGBM", "XGB", "CatBoost", "HistGradientBoosting")
        for what in ("Classifier", "Ranker", "Regressor")
    },
}  # what other libraries have, and what stands for it here


def __getattr__(name: str) -> Any:
    """Import what needs numpy when it is first used."""
    if name not in _LATER:
        hint = f": {_OF_OTHERS[name]}" if name in _OF_OTHERS else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
    from importlib import import_module

    value = getattr(import_module(f".{_LATER[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
