"""Cross-validation, and the search for better settings."""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _columns, _functions, _tables, _worker
from ._messages import tell
from ._progress import Bar
from ._settings import joined, text, whole_number
from ._tables import Table, column_of
from .errors import ParameterError
from .model import EFFORT, Model, Names, RoundCallback, Rows

TrialCallback = Callable[[dict[str, Any]], None]
FOLD_COLUMNS = ("group_by", "time")  # what rows are divided by: columns, or arrays beside the table


class _Folds:
    """Rows that are divided into folds, and the settings of what is trained on them."""

    def __init__(self, params: Mapping[str, Any] | None, rows: Rows, division: dict[str, Any]) -> None:
        self.params = dict(params or {})
        self.rows = rows
        unread = _columns.named(self.params, _columns.UNREAD)
        rows.needed = lambda name: name not in unread
        self.division = division
        for key in FOLD_COLUMNS:
            rows.roles[key] = division.pop(key)
        self.given: dict[str, Any] = {}  # settings that say what columns are for
        self.beside: list[str] = []  # columns that rows are divided by and that are no features
        self.functions = _functions.Functions(None, [], False, 0)  # among the settings

    def ask(self, op: str, head: dict[str, Any], on_event: RoundCallback | None) -> tuple[dict[str, Any], bytearray]:
        """Hand the table over, ask for something that is judged on folds, and return the answer."""
        called: Names = {}
        with self.rows.hand_over(called) as source:
            for key in FOLD_COLUMNS:
                names = called.pop(key, [])
                if len(names) > 1:
                    raise ParameterError(f"{key} must be one column, not {len(names)}")
                self.division[key] = names[0] if names else ""
                if self.rows.beside(key):
                    self.beside += names
            self.given = {key: names if len(names) > 1 else names[0] for key, names in called.items()}
            if self.rows.categorical:
                self.given["data.categorical"] = self.rows.categorical
            params, self.functions = _functions.taken(self.params)
            pairs = joined(self.given, self.rows.by_name(params))
            if self.beside:
                pairs.append(["data.id", text(self.beside)])  # joined with those of params
            head |= self.functions.head() | {
                "train": source,
                "effort": EFFORT,
                "settings": pairs,
                "events": on_event is not None,
                "every": on_event is not None,
            }
            return _worker.ask(op, head | self.division, on_round=on_event, on_call=self.functions.answer)


def cv(
    params: Mapping[str, Any] | None,
    table: Table,
    label: Any = None,
    *,
    folds: Any = 5,
    repeats: int = 1,
    stratify: bool = True,
    group_by: Any = None,
    time: Any = None,
    sliding: bool = False,
    strict: bool = False,
    bootstrap: int = 0,
    confidence: float = 0.95,
    weight: Any = None,
    group: Any = None,
    init_score: Any = None,
    callback: RoundCallback | None = None,
    progress: bool | None = None,
) -> CrossValidation:
    """Cross-validate: train on parts of the rows and judge on the others, as ``boost cv`` does.

    The same table, settings and seed give the same figures, folds and models as the command.

    Parameters
    ----------
    params : mapping or None
        Settings, as of ``train``. With early stopping, which ``effort`` has, all folds stop together, by the mean.
    table : path, list of paths, array, frame, dict of columns or sparse matrix
        Rows to divide. They have to fit into memory.
    label : str, tuple or list of str, or array
        The column to predict, or several: names, or values.
    folds : int, array or splitter
        Parts that the rows are divided into. Or the parts: an array with the number of its fold for each row, a
        splitter of scikit-learn, or pairs (train, test) of row numbers, of which each row is judged by one.
    repeats : int
        Divide so often, each time anew.
    stratify : bool
        Spread the rows of each class evenly over the folds.
    group_by : str or array, optional
        Rows of one value stay together. Those of a query do so by themselves.
    time : str or array, optional
        Train on earlier and judge on later rows in the order of these values.
    sliding : bool
        With ``time``: train on the block of rows before alone, not on all before.
    strict : bool
        Find cuts and categories from each fold's own rows, not once from all rows, without their labels.
    bootstrap : int
        Resamples that intervals come from; 0 is by the number of rows, 100 to 1,000.
    confidence : float
        Share of the intervals, above 0 and below 1.
    weight, group, init_score : str or array, optional
        Weights of the rows, the queries that they belong to, scores to start from.
    callback : callable, optional
        Is called after each round of a fold with a dict: ``round`` counts those of all folds together, ``of`` is how
        many there can be. An exception that it raises ends the run.
    progress : bool, optional
        Show a progress bar, as of ``train``.

    Returns
    -------
    CrossValidation

    Raises
    ------
    ParameterError, TableError, BudgetError
        With the words of the program.

    Examples
    --------
    >>> import numpy as np
    >>> from boost_gbt import train
    >>> x = np.random.default_rng(0).normal(size=(400, 3))
    >>> y = x[:, 0] + x[:, 1] > 0
    >>> found = cv({"rounds": 50}, x, y)
    >>> found.metrics["auc"]["mean"] > 0.9
    True
    >>> train(found.params, x, y).rounds == found.best_round
    True
    """
    rows = Rows(table, label, weight, group, init_score)
    run = _Folds(params, rows, _division(rows, folds, repeats, stratify, group_by, time, sliding))
    bar = Bar(progress)

    def on_round(event: dict[str, Any]) -> None:
        bar(event)
        if callback is not None:
            callback(event)

    try:
        answer, body = run.ask(
            "cv",
            {
                "strict": bool(strict),
                "resamples": whole_number("bootstrap", bootstrap),
                "confidence": float(confidence),
            },
            on_round if bar or callback is not None else None,
        )
    finally:
        bar.close()
    found = CrossValidation(run.params, answer, body)
    found._place(rows.size)
    return found


def _division(
    rows: Rows, folds: Any, repeats: int, stratify: bool, group_by: Any, time: Any, sliding: bool
) -> dict[str, Any]:
    if not np.isscalar(folds):
        if group_by is not None or time is not None or repeats != 1:
            raise ParameterError("folds says which rows are judged together: leave group_by, time and repeats out")
        if _tables.is_path(rows.table):
            raise ParameterError(
                "folds must be a number, because the table is a file: group_by names a column of folds"
            )
        _tables.warn_of_order(rows.table, folds, "folds")
        group_by = _fold_numbers(rows, folds)
        folds = len(np.unique(group_by))  # each of them becomes a fold of its own
    return {
        "folds": whole_number("folds", folds),
        "repeats": whole_number("repeats", repeats),
        "plain": not stratify,
        "group_by": group_by,
        "time": time,
        "sliding": bool(sliding),
    }


def _fold_numbers(rows: Rows, folds: Any) -> np.ndarray:
    """Return the fold that judges each row, of an array of them, of a splitter of scikit-learn or of pairs of rows."""
    if hasattr(folds, "split"):
        label, groups = rows.roles["data.label"], rows.roles["data.group"]
        label = label[0] if isinstance(label, tuple) and label else label
        if label is None:
            raise ParameterError("folds: a splitter takes the labels: give label=NAME")
        y, of = (column_of(rows.table, role) if isinstance(role, str) else role for role in (label, groups))
        folds = list(folds.split(np.zeros((len(y), 1)), y, of))
    elif not hasattr(folds, "dtype"):
        folds = list(folds)
    if not isinstance(folds, list) or not all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in folds):
        numbers = np.asarray(folds)
        if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or not len(numbers) or numbers.min() < 0:
            raise ParameterError(
                "folds: expected a number of folds, an array with the number of its fold for each row, from 0 on, "
                "a splitter of scikit-learn or pairs (train, test) of row numbers"
            )
        return numbers
    judged = [np.asarray(test) for _, test in folds]
    size = sum(map(len, judged))
    numbers = np.full(size, -1)
    for k, (train, test) in enumerate(folds):
        if len(train) + len(test) != size or not np.array_equal(np.union1d(train, test), np.arange(size)):
            break
        numbers[test] = k
    else:
        if size and numbers.min() >= 0:
            return numbers
    raise ParameterError(
        "folds: each row must be judged once, by a model of all rows of the other folds; "
        "cross_validate of scikit-learn takes estimators such as BoostRegressor and any pairs"
    )


class CrossValidation:
    """What cross-validation found. It is returned by ``cv``.

    Attributes
    ----------
    metrics : dict
        By name of the metric a dict of ``mean`` and ``sd`` over the folds after the best round, ``folds`` with the
        value of each, ``pooled`` for all rows together, each predicted by the fold that did not see it, and ``low``
        and ``high``, an interval of that from a bootstrap. What is undefined is NaN.
    curve : dict
        By name of the metric a dict of ``mean`` and ``sd``, a value for each round: ``DataFrame(found.curve["auc"])``.
    best_round, rounds : int
        The round after which the mean of the first metric is best, and how many there were.
    predictions, raw : ndarray
        Of each row, by folds that did not see it, in the order of the table; NaN where no fold did not, and for rows
        that ``on_bad_row="skip"`` leaves out. Where it is not known which these are, as in files, they are no part
        of the arrays, with a warning.
    fold : ndarray of int
        The fold that predicts each row, -1 for none. Folds that were given have other numbers here.
    skipped : int
        How many rows were left out.
    models : list of Model
        Those of the folds, after the best round.
    params : dict
        Settings that train on all rows for the best number of rounds: ``train(found.params, table, label)``.
    report : dict
        What ``boost cv --json`` prints.
    """

    def __init__(self, params: dict[str, Any], answer: dict[str, Any], body: bytearray) -> None:
        self.report: dict[str, Any] = answer["report"]
        self.skipped: int = answer["skipped"]
        self.metrics: dict[str, dict[str, Any]] = _numbers(self.report["metrics"])
        self.curve: dict[str, dict[str, Any]] = _numbers(self.report["curve"])
        self.best_round: int = self.report["best_round"]
        self.rounds: int = self.report["rounds"]
        self.params = {name: value for name, value in params.items() if name not in answer["drop"]} | answer["add"]
        rows, outputs = answer["shape"]
        size = rows * outputs
        values = np.frombuffer(body, np.float64, 2 * size).reshape(2, rows, outputs)
        self.predictions, self.raw = values[:, :, 0] if outputs == 1 else values
        at = 16 * size
        self.fold = np.frombuffer(body, np.int32, rows, at)
        at += 4 * rows
        self._kept: np.ndarray | None = None  # numbers of the rows that are left, where some are left out
        if answer["kept"]:
            self._kept = np.frombuffer(body, np.int32, rows, at)
            at += 4 * rows
        self.models: list[Model] = []
        for head, length in zip(answer["models"], answer["sizes"], strict=True):
            self.models.append(Model(bytes(body[at : at + length]), head))
            at += length

    def _place(self, size: int | None) -> None:
        """Give the rows that are left their places in a table of so many, and no prediction to the others."""
        if not self.skipped:
            return
        kept = self._kept
        if kept is None or size is None:
            tell(
                "WARN",
                f"which {self.skipped:,} rows were left out is not known here: predictions, raw and fold are those of "
                "the other rows, in their order; give a frame without such rows to match them",
            )
            return
        values = np.full((2, size, *self.raw.shape[1:]), np.nan)
        values[:, kept] = self.predictions, self.raw
        self.predictions, self.raw = values
        fold = np.full(size, -1, np.int32)
        fold[kept] = self.fold
        self.fold = fold

    def average(self) -> Model:
        """Return the model of ``boost cv -o``: its raw scores are the mean of those of the folds' models."""
        head, data = _worker.ask("average", {"models": [model.number() for model in self.models]})
        return Model(bytes(data), head)

    def _lines(self) -> list[tuple[str, str]]:
        lines = [("folds", str(len(self.models))), ("best round", f"{self.best_round:,} of {self.rounds:,}")]
        for name, metric in self.metrics.items():
            lines.append((name, f"{metric['mean']:.6g} ± {metric['sd']:.2g}"))
        return lines

    def __repr__(self) -> str:
        return "<boost_gbt.CrossValidation: " + ", ".join(f"{name} {value}" for name, value in self._lines()) + ">"

    def _repr_html_(self) -> str:
        """Return what notebooks show."""
        return _html("boost_gbt.CrossValidation", self._lines())


def tune(
    params: Mapping[str, Any] | None,
    table: Table,
    label: Any = None,
    *,
    trials: int | None = None,
    budget: float | str | None = None,
    space: Mapping[str, Any] | None = None,
    only: bool = False,
    sampler: str = "tpe",
    prune: bool = True,
    judge: int = 0,
    held_out: float | str | None = None,
    study: str | os.PathLike[str] | None = None,
    folds: Any = 5,
    repeats: int = 1,
    stratify: bool = True,
    group_by: Any = None,
    time: Any = None,
    sliding: bool = False,
    weight: Any = None,
    group: Any = None,
    init_score: Any = None,
    callback: TrialCallback | None = None,
    progress: bool | None = None,
) -> Tuning:
    """Tuning for better settings on folds of the table, as ``boost tune`` does.

    The first trial has the settings that are given. The trials follow from the seed, not from threads or time, and are
    those of the command.

    Parameters
    ----------
    params : mapping or None
        Settings to begin with, as of ``train``.
    table : path, list of paths, array, frame, dict of columns or sparse matrix
        Rows to judge on. They have to fit into memory.
    label : str, tuple or list of str, or array
        The column to predict, or several: names, or values.
    trials : int, optional
        Stop after so many trials, those of ``study`` counted; 50 by default where there is no budget.
    budget : float or str, optional
        Stop after so many seconds, or after a time such as ``"10m"``.
    space : mapping, optional
        Settings to search beside the usual ones that ``params`` does not have: ``(low, high)``,
        ``(low, high, "log")`` or a list of choices.
    only : bool
        Tuning those of ``space`` alone.
    sampler : {"tpe", "random"}
        How trials are drawn.
    prune : bool
        Give up a trial that others are ahead of.
    judge : int
        Judge on the first so many folds; 0 is all, from 100,000 rows on one.
    held_out : float or str, optional
        Share of the rows, such as ``0.2``, that the search does not see, for a last check.
    study : path, optional
        File that keeps the trials. The same call goes on from there after an interruption, or with more trials.
    folds : int, array or splitter
        Parts that the rows are divided into. Or the parts: an array with the number of its fold for each row, a
        splitter of scikit-learn, or pairs (train, test) of row numbers, of which each row is judged by one.
    repeats : int
        Divide so often, each time anew.
    stratify : bool
        Spread the rows of each class evenly over the folds.
    group_by : str or array, optional
        Rows of one value stay together. Those of a query do so by themselves.
    time : str or array, optional
        Train on earlier and judge on later rows in the order of these values.
    sliding : bool
        With ``time``: train on the block of rows before alone, not on all before.
    weight, group, init_score : str or array, optional
        Weights of the rows, the queries that they belong to, scores to start from.
    callback : callable, optional
        Is called after each trial, those of the study included, with a dict of ``trial``, ``state``, ``value``,
        ``best_round``, ``rounds``, ``values`` and ``is_best``. An exception that it raises ends the search.
    progress : bool, optional
        Show a progress bar, as of ``train``.

    Returns
    -------
    Tuning

    Raises
    ------
    ParameterError, TableError, BudgetError
        With the words of the program.

    Examples
    --------
    >>> import numpy as np
    >>> from boost_gbt import train
    >>> x = np.random.default_rng(0).normal(size=(300, 3))
    >>> y = x[:, 0] * x[:, 1]
    >>> found = tune({"rounds": 30}, x, y, trials=3, space={"tree.leaves": (4, 31, "log")}, only=True)
    >>> len(found.trials)
    3
    >>> model = train(found.params, x, y)
    >>> model.rounds == found.trials[found.best_trial]["best_round"]
    True
    """
    rows = Rows(table, label, weight, group, init_score)
    run = _Folds(params, rows, _division(rows, folds, repeats, stratify, group_by, time, sliding))
    bar = Bar(progress)
    of = trials or (None if budget is not None else 50)

    def on_trial(event: dict[str, Any]) -> None:
        bar.trial(event, of)
        if callback is not None:
            callback({name: value for name, value in event.items() if name != "event"})

    head = {
        "trials": whole_number("trials", trials or 0),
        "budget": "" if budget is None else budget if isinstance(budget, str) else f"{budget}s",
        "try": [[name, _range(values)] for name, values in (space or {}).items()],
        "only": bool(only),
        "sampler": sampler,
        "no_prune": not prune,
        "judge": whole_number("judge", judge),
        "held_out": "" if held_out is None else str(held_out),
        "study": "" if study is None else os.path.abspath(study),
    }
    try:
        answer, _ = run.ask("tune", head, on_trial if bar or callback is not None else None)
    finally:
        bar.close()
    return Tuning(run, answer)


def _range(values: Any) -> str:
    """Return what is searched as the program reads it."""
    if isinstance(values, str):
        return values
    if isinstance(values, tuple) and len(values) in (2, 3) and values[2:] in ((), ("log",)):
        return f"{text(values[0])}..{text(values[1])}" + (":log" if len(values) == 3 else "")
    if isinstance(values, Sequence) and not isinstance(values, tuple):
        return ",".join(text(value) for value in values)
    raise ParameterError(f'{values!r} is no space: expected (low, high), (low, high, "log") or a list of choices')


class Tuning:
    """What a search for settings found. It is returned by ``tune``.

    Attributes
    ----------
    params : dict
        The best settings, with their number of rounds: ``train(found.params, table, label)``.
    trials : list of dict
        Each has ``trial``, ``values``, ``state``, ``value``, ``sd``, ``folds``, ``best_round``, ``rounds`` and
        ``seconds``: ``DataFrame(found.trials)``. A failed one has an ``error``.
    best_trial : int
        Number of the best one.
    best_value : float
        Mean of ``metric`` over its folds.
    metric : str
        What decides.
    report : dict
        What ``boost tune --json`` prints; ``held_out`` has the last check.
    skipped : int
        How many rows ``on_bad_row="skip"`` left out.
    """

    def __init__(self, run: _Folds, answer: dict[str, Any]) -> None:
        self.report: dict[str, Any] = answer["report"]
        self.skipped: int = answer["skipped"]
        self.trials: list[dict[str, Any]] = [
            {**trial, "value": _numbers(trial["value"]), "sd": _numbers(trial["sd"]), "folds": _numbers(trial["folds"])}
            for trial in self.report["trials"]
        ]
        self.best_trial: int = self.report["best_trial"]
        self.metric: str = self.report["metric"]
        self.params: dict[str, Any] = {name: v for name, v in answer["settings"].items() if name not in run.given}
        declared = run.given.get("data.categorical", ())  # by the frame: the others are by settings
        if marked := [name for name in answer["settings"].get("data.categorical", ()) if name not in declared]:
            self.params["data.categorical"] = marked
        self.params = run.functions.among(self.params)
        if run.beside:
            ids = [name for name in self.params.pop("data.id", []) if name not in run.beside]
            self.params |= {"data.id": ids} if ids else {}

    @property
    def best_value(self) -> float:
        """Mean of ``metric`` over the folds of the best trial."""
        return float(self.trials[self.best_trial]["value"])

    def _lines(self) -> list[tuple[str, str]]:
        best = self.trials[self.best_trial]
        lines = [
            ("trials", f"{len(self.trials):,}"),
            ("best trial", str(self.best_trial)),
            (self.metric, f"{self.best_value:.6g}"),
            ("rounds", f"{best['best_round']:,}"),
        ]
        return lines + [(name, str(value)) for name, value in best["values"].items()]

    def __repr__(self) -> str:
        return "<boost_gbt.Tuning: " + ", ".join(f"{name} {value}" for name, value in self._lines()) + ">"

    def _repr_html_(self) -> str:
        """Return what notebooks show."""
        return _html("boost_gbt.Tuning", self._lines())


def _html(title: str, lines: list[tuple[str, str]]) -> str:
    rows = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>" for name, value in lines)
    return f"<table><caption>{title}</caption>{rows}</table>"


def _numbers(value: Any) -> Any:
    """Return values of JSON with NaN for what is undefined."""
    if isinstance(value, dict):
        return {key: _numbers(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_numbers(one) for one in value]
    return float("nan") if value is None else value
