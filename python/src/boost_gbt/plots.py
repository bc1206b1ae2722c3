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
        history, kept = model.history, model.judged_rounds
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


def plot_tree(of: Any, tree: int = 0, *, digits: int = 4, most_levels: int = 3, axes: Any = None) -> Any:
    """Draw a tree: its splits as boxes, the way of "yes" on the left, and leaves with what they add to the raw score.

    Parameters
    ----------
    of : Model or estimator
        What was trained.
    tree : int
        Number of the tree, from 0. A model of several outputs has a tree for each of them in a round, one after
        the other.
    digits : int
        Digits of numbers.
    most_levels : int
        Levels of a category that are named in a box.
    axes : matplotlib Axes, optional
        Where to draw; by default new axes, as large as the tree needs.

    Returns
    -------
    Axes
    """
    model = _model(of)
    if not 0 <= tree < model.trees:
        raise ParameterError(f"the model has {model.trees} trees, from 0 on, and no tree {tree}")
    seen = model.inspect(trees=True)
    known, splits, leaves = seen.get("known_levels", {}), seen["dump"][tree]["splits"], seen["dump"][tree]["leaves"]
    places: dict[int, tuple[float, int]] = {}  # of children, as they are referred to

    def place(child: int, depth: int, next_leaf: float) -> float:
        """Place what is below a child, leaves side by side, and return where the next leaf goes."""
        if child < 0:
            places[child] = (next_leaf, -depth)
            return next_leaf + 1
        split = splits[child]
        next_leaf = place(split["right"], depth + 1, place(split["left"], depth + 1, next_leaf))
        places[child] = ((places[split["left"]][0] + places[split["right"]][0]) / 2, -depth)
        return next_leaf

    root = 0 if splits else -1
    width = place(root, 0, 0.0)
    height = 1 - min(y for _, y in places.values())
    if axes is None:
        axes = _axes(None)
        axes.figure.set_size_inches(max(4.0, 1.7 * width), max(2.0, 1.1 * height))
    box = {"boxstyle": "round", "facecolor": "white", "edgecolor": "grey"}
    for number, split in enumerate(splits):
        x, y = places[number]
        for side, word in (("left", "yes"), ("right", "no")):
            to = places[split[side]]
            axes.plot([x, to[0]], [y, to[1]], color="grey", zorder=0)
            axes.text((x + to[0]) / 2, (y + to[1]) / 2, word, color="grey", ha="center", va="center", fontsize="small")
        axes.text(x, y, _question(split, known, digits, most_levels), ha="center", va="center", bbox=box)
    for number, leaf in enumerate(leaves):
        x, y = places[~number]
        axes.text(x, y, _added(leaf, digits), ha="center", va="center", bbox={**box, "facecolor": "#e8f0fa"})
    axes.set_xlim(-0.7, width - 0.3)
    axes.set_ylim(0.5 - height, 0.5)
    axes.set_axis_off()
    return axes


def _added(leaf: dict[str, Any], digits: int) -> str:
    """Return what a leaf adds, of a linear one a line for each feature, and for rows without one of the values."""
    value, linear = format(leaf["value"], f".{digits}g"), leaf.get("linear")
    if not linear:
        return value
    terms = (
        f"{'-' if c < 0 else '+'} {abs(c):.{digits}g}·{feature}"
        for c, feature in zip(linear["coefficients"], linear["features"], strict=True)
    )
    return "\n".join([format(linear["constant"], f".{digits}g"), *terms, f"(missing: {value})"])


def _question(split: dict[str, Any], known: dict[str, Any], digits: int, most_levels: int) -> str:
    """Return what a split asks, in two lines."""
    levels = split["levels"]
    if levels is not None:
        named = levels[:most_levels]
        if len(levels) > most_levels:
            named.append(f"… {len(levels) - most_levels} more")
        if split.get("other_levels"):
            named.append(f"{len(known[split['feature']]['marks'])} known by marks")
        asked = f"in {', '.join(named)}" if named else "is unknown"
    elif split["cut"] is None:
        asked = "is not missing" if not split["missing_left"] else "is anything"
    else:
        asked = f"≤ {split['cut']:.{digits}g}"
    missing = " or missing" if split["missing_left"] and asked != "is anything" else ""
    return f"{split['feature']}\n{asked}{missing}"
