"""Losses and metrics that are functions of Python: the program asks for their values in every round."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _worker
from ._settings import SECTIONS, flat, key_of
from .errors import ParameterError

OBJECTIVES = frozenset(("objective", "objective_type", "application", "app", "loss", "loss_function", "obj", "fobj"))
METRICS = frozenset(
    ("names", "metric", "metrics", "metric_types", "eval_metric", "custom_metric", "custom_loss", "feval")
)
LINKS = ("identity", "exp", "logistic", "softmax", "one_vs_all")


class Objective:
    """A loss of your own, with more to be said of it than a function alone does.

    Parameters
    ----------
    function : callable
        ``function(labels, scores)`` returns the first and the second derivative of the loss of each row by its raw
        score, as two arrays of the shape of ``scores``: a number for each row, or a column for each output. The second
        derivative is 0 or more. A function with a third argument, or with one of the name ``sample_weight``,
        ``weights`` or ``weight``, gets the weights of the rows (None without any) and multiplies by them; else they
        are multiplied in afterwards. One with a fourth argument, or with one of the name ``group``, is a loss of
        queries, and gets the number of rows of each. Labels of classes are their places among the model's ``classes``.
    name : str, optional
        The name that the model keeps; by default that of the function.
    link : str, optional
        What makes predictions of raw scores: ``"identity"``, ``"exp"``, ``"logistic"`` of two classes, or ``"softmax"``
        or ``"one_vs_all"`` of more. By default it is the identity, and in a ``BoostClassifier`` that of the classes.
    outputs : int, optional
        How many raw scores a row has: one for each class with ``"softmax"`` and ``"one_vs_all"``, else 1.
    base_score : float or sequence of float
        The raw score that training starts from, or those of the outputs.

    Examples
    --------
    >>> import numpy as np
    >>> from boost_gbt import Objective, train
    >>> x = np.arange(200.0).reshape(-1, 1)
    >>> def squared(labels, scores):
    ...     return scores - labels, np.ones_like(scores)
    >>> model = train({"rounds": 50, "objective": Objective(squared, base_score=100)}, x, x[:, 0])
    >>> model.objective
    'squared'
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        link: str | None = None,
        outputs: int | None = None,
        base_score: float | Sequence[float] = 0.0,
    ) -> None:
        if link is not None and link not in LINKS:
            raise ParameterError(f"link = {link!r}: must be one of {', '.join(LINKS)}")
        self.function, self.name = function, name or _name_of(function)
        self.link, self.outputs, self.base_score = link, outputs, base_score
        self.call = _Call(function, self.name)

    def head(self, classes: int) -> dict[str, Any]:
        """Return what the program is to know, for a label of so many classes, 0 where that is not known."""
        link = self.link or ("identity" if classes == 0 else "logistic" if classes == 2 else "softmax")
        outputs = self.outputs
        if outputs is None:
            outputs = classes if link in ("softmax", "one_vs_all") else 1
        if outputs < 1:
            raise ParameterError(
                f"objective {self.name}: with the link {link!r} say how many classes there are, as outputs"
            )
        base_score = np.asarray(self.base_score, float)
        if base_score.shape not in ((), (outputs,)):
            raise ParameterError(
                f"base_score of shape {base_score.shape}: expected a number, or one for each of {outputs} outputs"
            )
        base_score = np.broadcast_to(base_score, (outputs,))
        return {
            "name": self.name,
            "link": link,
            "outputs": outputs,
            "base_score": base_score.tolist(),
            "weighed": self.call.takes_weights,
            "queries": self.call.takes_group,
        }


class Metric:
    """A metric of your own, with more to be said of it than a function alone does.

    Parameters
    ----------
    function : callable
        ``function(labels, predictions)`` returns a number. ``predictions`` has one for each row, or a column for each
        class. Weights and the sizes of queries come as for an ``Objective``. Of several labels it is called for each,
        and the mean counts.
    name : str, optional
        By default that of the function.
    higher_is_better : bool
        Which way early stopping looks.
    raw : bool
        Call it with raw scores in place of predictions.

    Examples
    --------
    >>> import numpy as np
    >>> from boost_gbt import Metric, train
    >>> x = np.arange(400.0).reshape(-1, 1)
    >>> def within_one(labels, predictions):
    ...     return np.mean(abs(labels - predictions) <= 1)
    >>> metric = Metric(within_one, higher_is_better=True)
    >>> model = train({"rounds": 50, "eval_metric": metric}, x[::2], x[::2, 0], valid=(x[1::2], x[1::2, 0]))
    >>> list(model.history["valid"])[0]
    'within_one'
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        higher_is_better: bool = False,
        raw: bool = False,
    ) -> None:
        self.function, self.name = function, name or _name_of(function)
        self.higher_is_better, self.raw = bool(higher_is_better), bool(raw)
        self.call = _Call(function, self.name)


OneLoss = str | Callable[..., Any] | Objective
OneMetric = str | Callable[..., Any] | Metric


class Functions:
    """The functions among settings, and what the program knows of the rows that they are called for."""

    def __init__(self, objective: Objective | None, metrics: list[Metric], leads: bool, classes: int) -> None:
        self.objective, self.metrics, self.leads, self.classes = objective, metrics, leads, classes
        self.rows: dict[int, tuple[np.ndarray, np.ndarray | None, np.ndarray | None]] = {}

    def head(self) -> dict[str, Any]:
        """Return what a request to train says of them."""
        head: dict[str, Any] = {}
        if self.objective is not None:
            head["loss"] = self.objective.head(self.classes)
        if self.metrics:
            head["metrics"] = [
                {"name": one.name, "higher": one.higher_is_better, "raw": one.raw} for one in self.metrics
            ]
            head["leads"] = self.leads
        return head

    def among(self, params: dict[str, Any]) -> dict[str, Any]:
        """Return settings with the functions, the metrics in their order."""
        if self.objective is not None:
            params = params | {"train.objective": self.objective}
        if self.metrics:
            names = params.get("metrics.names", [])
            own: list[Any] = list(self.metrics)
            params = params | {"metrics.names": own + names if self.leads else names + own}
        return params

    def answer(self, event: dict[str, Any]) -> None:
        """Call the function that the program asks for, and send what it returns."""
        outputs, n = event["shape"]
        body, at = event["body"], 0
        if event["new"]:
            labels = np.frombuffer(body, np.float64, n)
            weights = np.frombuffer(body, np.float64, event["weights"], 8 * n) if event["weights"] else None
            at = 8 * (n + event["weights"])
            sizes = np.diff(np.frombuffer(body, np.int64, event["queries"], at)) if event["queries"] else None
            at += 8 * event["queries"]
            for array in (labels, weights, sizes):
                if array is not None:
                    array.flags.writeable = False  # it serves all rounds
            rows = labels, weights, sizes
            if event["rows"] >= 0:
                self.rows[event["rows"]] = rows
        else:
            rows = self.rows[event["rows"]]
        scores = np.frombuffer(body, np.float64, outputs * n, at).reshape(outputs, n)
        given = scores[0] if outputs == 1 else np.ascontiguousarray(scores.T)
        if event["loss"]:
            assert self.objective is not None
            result = _derivatives(self.objective, self.objective.call(rows, given), given.shape)
        else:
            metric = self.metrics[event["metric"]]
            result = _figure(metric, metric.call(rows, given))
        _worker.worker().result(event["call"], result)


class _Call:
    """A function with what it takes beside labels and scores."""

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        if not callable(function):
            raise ParameterError(f"{function!r} is no function")
        self.function = function
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except ValueError:  # of a function that is not of Python
            parameters = []
        names = {one.name for one in parameters}
        by_place = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
        needed = sum(one.default is one.empty for one in by_place)
        if len(by_place) > 1 or not parameters or any(one.kind == one.VAR_POSITIONAL for one in parameters):
            needed = max(needed, 2)
        if needed not in (2, 3, 4):
            raise ParameterError(
                f"{name} takes {needed} arguments: expected labels and scores, and, where they are wanted, the weights "
                "of the rows and the sizes of queries"
            )
        self.needed = needed
        self.weights = next((name for name in ("sample_weight", "weights", "weight") if name in names), "")
        self.group = "group" if "group" in names else ""
        self.takes_weights = needed > 2 or bool(self.weights)
        self.takes_group = needed > 3 or bool(self.group)

    def __call__(self, rows: tuple[np.ndarray, np.ndarray | None, np.ndarray | None], scores: np.ndarray) -> Any:
        labels, weights, sizes = rows
        more = (weights, sizes)[: self.needed - 2]
        by_name = {}
        if self.needed < 3 and self.weights and weights is not None:
            by_name[self.weights] = weights
        if self.needed < 4 and self.group and sizes is not None:
            by_name[self.group] = sizes
        return self.function(labels, scores, *more, **by_name)


def _derivatives(objective: Objective, result: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return what a loss has returned as the program takes it."""
    try:
        gradients, hessians = (np.asarray(one, np.float32) for one in result)
    except (TypeError, ValueError):
        raise ParameterError(
            f"objective {objective.name} returned {type(result).__name__}: expected two arrays, the first and the "
            "second derivative of the loss of each row"
        ) from None
    for array in (gradients, hessians):
        if array.shape != shape:
            raise ParameterError(
                f"objective {objective.name} returned an array of shape {array.shape}: "
                f"expected that of the scores, {shape}"
            )
    return np.concatenate([np.ravel(gradients.T), np.ravel(hessians.T)])


def _figure(metric: Metric, result: Any) -> np.ndarray:
    """Return what a metric has returned as the program takes it."""
    try:
        return np.asarray(float(result), np.float64).reshape(1)
    except (TypeError, ValueError):
        raise ParameterError(
            f"metric {metric.name} returned {type(result).__name__}: expected a number; its name and whether higher "
            "is better are said by boost_gbt.Metric"
        ) from None


def _name_of(function: Any) -> str:
    name = getattr(function, "__name__", None) or getattr(getattr(function, "func", None), "__name__", None)
    name = name or type(function).__name__
    return "own" if name == "<lambda>" else str(name)


def taken(params: Mapping[str, Any], classes: int = 0) -> tuple[dict[str, Any], Functions]:
    """Return settings without functions, and these. ``classes`` are those of the label, 0 if they are not known."""
    objectives: list[Objective] = []
    metrics: list[Metric] = []
    named = False  # metrics by name come first
    for key, value in flat(params):
        last = key_of(key)
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if last in OBJECTIVES and (callable(one) or isinstance(one, Objective)):
                objectives.append(one if isinstance(one, Objective) else Objective(one))
            elif last in METRICS and (callable(one) or isinstance(one, Metric)):
                metrics.append(one if isinstance(one, Metric) else Metric(one))
            elif last in METRICS and isinstance(one, str):
                named = named or not metrics
    if len(objectives) > 1:
        raise ParameterError("two objectives are given: leave one of them out")
    if len({one.name for one in metrics}) < len(metrics):
        raise ParameterError("two metrics have one name: give them others, Metric(function, name=...)")
    functions = Functions(objectives[0] if objectives else None, metrics, bool(metrics) and not named, classes)
    return (_without(params) if objectives or metrics else dict(params)), functions


def _without(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings without the functions that are objectives and metrics. Others are refused later on."""
    left: dict[str, Any] = {}
    for key, value in params.items():
        if key in SECTIONS and isinstance(value, Mapping):
            left[key] = _without(value)
        elif key_of(key) not in OBJECTIVES | METRICS:
            left[key] = value
        elif isinstance(value, (list, tuple)):
            if kept := [one for one in value if not _is_function(one)]:
                left[key] = kept
        elif not _is_function(value):
            left[key] = value
    return left


def _is_function(value: Any) -> bool:
    return callable(value) or isinstance(value, (Objective, Metric))
