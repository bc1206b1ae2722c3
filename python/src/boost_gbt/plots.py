"""Pictures of models, by matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import ParameterError
from .model import Model
from .search import CrossValidation


def _model(of: Any) -> Model:
    """Return the model of an estimator, or the model itself."""
    model = getattr(of, "model_", of)
    if not isinstance(model, Model):
        raise ParameterError(f"expected a model or a fitted estimator, not {type(of).__name__}")
    return model


def _axes(axes: Any) -> Any:
    if axes is not None:
        return axes
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install matplotlib") from error
    return plt.subplots()[1]


def plot_importance(of: Any, kind: str = "", *, most: int = 20, axes: Any = None) -> Any:
    """Draw the most important features as bars.

    Parameters
    ----------
    of : Model or estimator
        What was trained.
    kind : {"", "gain", "split", "cover"}
        Kind of importance; "" is the most telling one that the model has.
    most : int
        Number of features to draw.
    axes : matplotlib Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    Axes
    """
    model = _model(of)
    values = model.importance(kind)
    order = np.argsort(-values, kind="stable")[:most][::-1]
    axes = _axes(axes)
    axes.barh([model.features[i] for i in order], values[order])
    axes.set_xlabel(kind or "importance")
    return axes


def plot_metric(of: Any, metric: str | None = None, *, axes: Any = None) -> Any:
    """Draw a metric on the validation sets through the rounds, and the round that is kept.

    Of a cross-validation that is the mean over the folds, in a band of one standard deviation.

    Parameters
    ----------
    of : Model, estimator or CrossValidation
        What was trained with validation sets or early stopping, or cross-validated.
    metric : str, optional
        Name of the metric; the first one by default.
    axes : matplotlib Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    Axes
    """
    if isinstance(of, CrossValidation):
        history = {"mean of the folds": {name: curve["mean"] for name, curve in of.curve.items()}}
        kept = of.best_round
    else:
        model = _model(of)
        history, kept = model.history, model.rounds
    known = list(dict.fromkeys(name for lines in history.values() for name in lines))
    metric = metric or (known[0] if known else None)
    if metric is None:
        raise ParameterError("the model has no metrics by round: train with a validation set or with early stopping")
    if metric not in known:
        raise ParameterError(f"the model has no metric {metric!r} by round: there are {', '.join(known)}")
    axes = _axes(axes)
    for name, lines in history.items():
        values = np.array([np.nan if value is None else value for value in lines[metric]], np.float64)
        rounds = np.arange(1, len(values) + 1)
        axes.plot(rounds, values, label=name)
        if isinstance(of, CrossValidation):
            spread = np.array(of.curve[metric]["sd"])
            axes.fill_between(rounds, values - spread, values + spread, alpha=0.2)
    axes.axvline(kept, color="grey", linestyle=":")
    axes.set_xlabel("round")
    axes.set_ylabel(metric)
    axes.legend()
    return axes
