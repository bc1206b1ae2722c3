"""Training, and the model that it returns."""

from __future__ import annotations

import html
import json
import os
import tempfile
import threading
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _columns, _functions, _tables, _worker
from ._messages import tell
from ._program import run_on
from ._progress import Bar
from ._settings import joined, settings, whole_number
from ._tables import Files, Held, Parts, Table
from .errors import ParameterError, TableError

if TYPE_CHECKING:
    import shap

TABLE = "table.parquet"  # rows in memory, for commands of the program
TABLE_ENDS = frozenset(  # of names of files
    (".csv", ".tsv", ".xlsx", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather", ".arrows", ".svm", ".libsvm")
) | {".svmlight"}
EFFORT = "default"  # of training without a config, as boost train

RoundCallback = Callable[[dict[str, Any]], None]
Names = dict[str, list[str]]  # of columns by the setting that names them


class Rows:
    """A table, with what is known of its rows beside it."""

    def __init__(
        self,
        table: Table,
        label: Any = None,
        weight: Any = None,
        group: Any = None,
        init_score: Any = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self.table = table
        if isinstance(label, list) and _lists_columns(label, table):
            label = tuple(label)
        self.roles = {"data.label": label, "data.weight": weight, "data.group": group, "data.init_score": init_score}
        for key, value in self.roles.items():
            if np.isscalar(value) and not isinstance(value, str):
                role = key.removeprefix("data.")
                raise ParameterError(f"{role} = {value!r}: expected an array, or the name of a column as a text")
        self.names = names  # of the columns of a matrix
        self.inputs: list[str] | None = None  # columns without a role, None for those of files
        self.categorical: list[str] = []  # columns that are declared categories
        self.of_classes = False  # the label has texts, although most may look like numbers
        self.of_texts: list[str] = []  # columns of texts
        self.booleans: list[str] = []  # columns whose truth values are sent as numbers
        self.texts: Container[str] | None = None  # columns whose levels are texts, if that is known
        self.rounded: set[str] = set()  # columns of whole numbers that float64 does not have
        self.size: int | None = None  # number of rows, None for those of files
        self.needed: Callable[[str], bool] = lambda name: True  # by the name of a column

    def beside(self, key: str) -> bool:
        """Report whether values of a role are given that are no columns of the table."""
        return self.roles[key] is not None and not _are_names(self.roles[key])

    def hand_over(self, called: Names) -> Held | Files:
        """Hand the table over. Labels and such that are arrays become columns of it.

        ``called`` has the names of columns by role; those that are not known yet are added.
        """
        arrays = {key: value for key, value in self.roles.items() if self.beside(key)}
        for key, value in self.roles.items():
            names = _role_names(value)
            if names and sorted(called.setdefault(key, names)) != sorted(names):
                arrays[key] = self._columns(key, names, called[key])
        if _tables.is_path(self.table):
            if arrays:
                raise ParameterError(f"{min(arrays)} must be the name of a column, because the table is a file")
            return Files(_tables.paths(self.table))
        parts = Parts(_worker.worker().memory)
        parts.texts = self.texts
        parts.exact.update(*called.values())
        replaced = {name for key in arrays for name in called.get(key, ())}
        _tables.add(parts, _tables.without(self.table, replaced), self.names)
        self.categorical = [name for name in parts.categorical if all(name not in names for names in called.values())]
        known = {name for key, names in called.items() if key.startswith("data.") for name in names}
        self.inputs = [name for name in parts.names if name not in known]
        self.of_texts, self.booleans, self.size = parts.of_texts, parts.booleans, parts.rows
        self.rounded = set(parts.rounded)
        self._warn_of_rounded(parts.rounded)
        for key, value in arrays.items():
            _tables.warn_of_order(self.table, value, key.removeprefix("data."))
            own = getattr(value, "name", None)
            theirs = (_tables.column_names(value) or []) if len(getattr(value, "shape", ())) == 2 else []
            columns = value if isinstance(value, _Columns) else [value]
            if theirs:
                if sorted(theirs) == sorted(called.get(key, ())):
                    theirs = called[key]  # in the order of training
                columns = [_tables.column_of(value, name) for name in theirs]
            elif not isinstance(value, _Columns) and np.ndim(value) == 2 and np.shape(value)[1] > 1:
                columns = list(np.asarray(_tables.unmasked(value)).T)
            if len(theirs) > 1 and theirs == list(map(str, range(len(theirs)))):
                theirs = []  # they are numbers in place of names
            if key not in called:
                called[key] = []
                for k in range(len(columns)):
                    name = str(own or key.removeprefix("data."))
                    name += f"_{k + 1}" if len(columns) > 1 else ""
                    name = theirs[k] if theirs else name
                    if key == "data.label" and name in parts.names and self.needed(name):
                        self._warn_of_label(name, parts.names.index(name), columns[k], bool(own or theirs))
                    while name in parts.names or name in called[key]:
                        name += "_"
                    called[key].append(name)
            if len(columns) != len(called[key]):
                role, listed = key.removeprefix("data."), _listed(called[key])
                raise ParameterError(f"{role} has {len(columns)} columns, and {len(called[key])} in training: {listed}")
            parts.exact.update(called[key])
            for name, column in zip(called[key], columns, strict=True):
                _tables.add_column(parts, name, column)
        if self.of_classes:
            self.categorical += called["data.label"]
        for name, error in parts.refused.items():
            if self.needed(name):
                raise error
            _tables.add_column(parts, name, np.full(parts.rows or 0, np.nan))
        return Held(parts)

    def by_name(self, params: dict[str, Any], known: Container[str] | None = None) -> dict[str, Any]:
        """Return settings with the names of columns in the place of their numbers.

        Those of files are found by the program. ``known`` are the columns that a model to go on from has.
        """
        if self.inputs is None:
            return params
        ignored = _columns.named(params, _columns.IGNORED)
        unused = {name for name in self.inputs if name in ignored or (known is not None and name not in known)}
        resolved = _columns.by_name(params, self.inputs, unused)
        if wrong := sorted(self.rounded & _columns.named(resolved, _columns.EXACT)):
            raise TableError(_tables.INEXACT.format(f"column {wrong[0]!r}"))
        return resolved

    def _warn_of_rounded(self, numbers: dict[str, Any]) -> None:
        """Warn of columns of whole numbers that float64 does not have, by one of these."""
        if names := [name for name in numbers if self.needed(name)]:
            tell(
                "WARN",
                f"whole numbers beyond 2⁵³ in column{'s' * (len(names) > 1)} {_listed(names[:10])}, such as "
                f"{numbers[names[0]]}, are rounded to those of float64, so that different ones may become equal: "
                "if they are names, leave the column out, or give it as text and name it in categorical",
            )

    def _warn_of_label(self, name: str, at: int, label: Any, is_named: bool) -> None:
        """Warn of a feature with the name of the label, which may be the label once more."""
        if _tables.are_equal(_tables.column_at(self.table, at), label):
            tell("WARN", f"the feature {name!r} is the label, which it predicts alone: leave the column out")
        elif is_named:
            tell(
                "WARN", f"the label and a feature have the name {name!r}, and other values: the label is {name + '_'!r}"
            )

    def _columns(self, key: str, names: list[str], called: list[str]) -> _Columns:
        """Return columns of the table that take the places of those that training had."""
        role = key.removeprefix("data.")
        if _tables.is_path(self.table):
            raise ParameterError(
                f"{role} {_listed(names)} was {_listed(called)} in training, and the table is a file: name it so there"
            )
        if len(names) != len(called):
            raise ParameterError(
                f"{role} is {len(called)} columns, {_listed(called)} in training, and not {_listed(names)}"
            )
        return _Columns(_tables.column_of(self.table, name) for name in names)


class _Columns(list[Any]):
    """Columns of a table that have a role."""


def _listed(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names)


def _are_names(value: Any) -> bool:
    """Report whether columns are given by name: one, or a tuple of several."""
    return isinstance(value, str) or (isinstance(value, tuple) and all(isinstance(name, str) for name in value))


def _role_names(value: Any) -> list[str]:
    """Return the names of the columns that a role is given by, none where it is given by values."""
    return ([value] if isinstance(value, str) else list(value)) if _are_names(value) else []


def _lists_columns(label: list[Any], table: Table) -> bool:
    """Report whether a list has the names of columns, each once, and not a text for each row."""
    if not label or not all(isinstance(name, str) for name in label) or len(set(label)) < len(label):
        return False
    return _tables.is_path(table) or set(label) <= set(_tables.column_names(table) or ())


def _validation_sets(valid: Any) -> list[Rows]:
    """Return the validation sets: one table, a pair of table and label, or a list of these."""
    if valid is None:
        return []
    if isinstance(valid, Rows):
        return [valid]
    if isinstance(valid, list):
        return [rows for one in valid for rows in _validation_sets(one)]
    return [Rows(*valid)] if isinstance(valid, tuple) else [Rows(valid)]


def train(
    params: Mapping[str, Any] | None,
    table: Table,
    label: Any = None,
    *,
    valid: Any = None,
    weight: Any = None,
    group: Any = None,
    init_score: Any = None,
    init_model: Model | str | os.PathLike[str] | None = None,
    callback: RoundCallback | None = None,
    progress: bool | None = None,
) -> Model:
    """Train a model, as ``boost train TABLE --set key=value …`` does.

    Parameters
    ----------
    params : mapping or None
        Settings by the names of docs/config.md, such as ``learning_rate`` or ``tree.leaves``, or by those of
        LightGBM, XGBoost, CatBoost and scikit-learn. Without ``effort`` it is ``"default"``, as in
        ``boost train TABLE``: training ends when more rounds do not help on the validation set, or on a tenth of
        the rows that is held out and trained on afterwards, and the mean of four such models is one, unless
        ``rounds`` are given. ``"quick"`` is faster and less accurate, ``"best"`` slower: twelve models.
        The objective can be a function or an ``Objective``, and the metrics can have functions and ``Metric``
        objects among their names.
    table : path, list of paths, array, frame, dict of columns or sparse matrix
        Rows to train on. Files are read by the program and need not fit into memory.
    label : str, tuple or list of str, or array
        The column to predict, or several: names, or values.
    valid : table, tuple (table, label, weight, group, init_score) or list of these
        Validation sets; what ends a tuple can be left out. The first one decides early stopping.
    weight, group, init_score : str or array, optional
        Weights of the rows, the queries that they belong to, scores to start from.
    init_model : Model or path, optional
        Training goes on from this model. It can also be one of the settings.
    callback : callable, optional
        Is called after each round with a dict of ``round``, ``of``, ``best`` and ``evals``. An exception that
        it raises ends the training.
    progress : bool, optional
        Show a progress bar, which takes tqdm. By default there is one in notebooks and terminals if tqdm is
        installed.

    Returns
    -------
    Model

    Raises
    ------
    ParameterError, TableError, ModelError, BudgetError
        With the words of the program.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(200.0).reshape(-1, 1)
    >>> model = train({"rounds": 20, "early_stopping": 0}, x, label=np.sin(x[:, 0] / 20))
    >>> model.rounds
    20
    """
    rows = Rows(table, label, weight, group, init_score)
    bar = Bar(progress)
    try:
        return train_rows(dict(params or {}), rows, valid, init_model, callback, EFFORT, bar)
    finally:
        bar.close()


def train_rows(
    params: dict[str, Any],
    rows: Rows,
    valid: Any,
    init_model: Any,
    callback: RoundCallback | None,
    effort: str = "",
    bar: Bar | None = None,
    classes: int = 0,
) -> Model:
    """Train on rows; without ``effort`` the defaults are those of a config. ``classes`` are those of the label."""
    head: dict[str, Any] = {
        "effort": effort,
        "events": callback is not None or bool(bar),
        "every": callback is not None,
    }
    called: Names = {}
    params, init_model = _going_on(params, init_model)
    params, functions = _functions.taken(params, classes)
    head |= functions.head()
    ignored = _columns.named(params, _columns.UNREAD)
    known: set[str] | None = None
    rows.needed = lambda name: name not in ignored
    if init_model is not None:
        known = init_model._columns() | {name for value in rows.roles.values() for name in _role_names(value)}
        rows.needed = lambda name: name in (known or ()) and name not in ignored
        rows.texts = init_model._texts()
        theirs = {f"data.{role}": list(columns) for role, columns in init_model._head["roles"].items()}
        for key, value in rows.roles.items():
            if value is not None and key not in theirs:
                raise ParameterError(f"init_model was trained without {key.removeprefix('data.')}: leave it out")
            if rows.beside(key):  # values have the names of its columns
                called[key] = theirs[key]
    with ExitStack() as stack:
        head["train"] = stack.enter_context(rows.hand_over(called))
        sets = _validation_sets(valid)
        if sets and _tables.same(sets[0].table, rows.table) and _columns.stops_early(params, effort):
            tell(
                "WARN",
                "the first validation set is the rows that are trained on, and early stopping goes by it: "
                "put the set of other rows first",
            )
        for one in sets:
            one.table = _tables.placed(one.table, rows.inputs or [])
            one.needed, one.texts = rows.needed, rows.texts
            if one.texts is None and not _tables.is_path(rows.table):
                one.texts = rows.of_texts
        for key, name in (("data.weight", "weights"), ("data.group", "queries"), ("data.init_score", "init scores")):
            if key not in called and any(one.beside(key) for one in sets):
                raise ParameterError(f"a validation set has {name} and the training rows have none: give both or none")
        head["valid"] = [stack.enter_context(one.hand_over(called)) for one in sets]
        given: dict[str, Any] = {key: names if len(names) > 1 else names[0] for key, names in called.items()}
        if rows.categorical:
            given["data.categorical"] = rows.categorical
        if init_model is not None:
            head["base"] = init_model.number()
        head["settings"] = joined(given, rows.by_name(params, known))

        def on_round(event: dict[str, Any]) -> None:
            if bar is not None:
                bar(event)
            if callback is not None:
                callback(event)

        answer, body = _worker.ask("train", head, on_round=on_round, on_call=functions.answer)
    model = Model(bytes(body), answer)
    model._weight_is_column = not rows.beside("data.weight")
    for one in sets:
        if wrong := sorted(model._texts().intersection(one.booleans)):
            raise TableError(
                f"a validation set has booleans in column {wrong[0]!r}, and the training table has texts there: "
                "give them as the texts that it has"
            )
    return model


def _going_on(params: dict[str, Any], init_model: Any) -> tuple[dict[str, Any], Model | None]:
    """Return the settings without the model to go on from, which may be one of them, and this model."""
    params = dict(params)
    given = [] if init_model is None else [init_model]
    given += [params.pop(name) for name in ("init_model", "train.init_model") if params.get(name) is not None]
    section = params.get("train")
    if isinstance(section, Mapping) and section.get("init_model") is not None:
        given.append(section["init_model"])
        params["train"] = {name: value for name, value in section.items() if name != "init_model"}
    if not given:
        return params, None
    if len(given) > 1:
        raise ParameterError("init_model is given twice: leave one out")
    base = given[0]
    if isinstance(base, (str, os.PathLike)):
        return params, Model.load(base)
    if not isinstance(base, Model):
        how = "Model.from_bytes reads it" if isinstance(base, bytes) else "expected a Model or a path"
        raise ParameterError(f"init_model is of type {type(base).__name__}: {how}")
    return params, base


class Model:
    """A trained model: the bytes of a ``.boost`` file, and the number by which the worker knows it.

    It cannot be changed, may be used from any thread, and is pickled as its bytes.
    """

    def __init__(self, data: bytes, head: dict[str, Any] | None = None) -> None:
        self._data = data
        self._lock = threading.Lock()
        self._worker: _worker.Worker | None = None
        self._head: dict[str, Any] = head or {}
        self._weight_is_column = False  # in training; it is not known of a model that was loaded
        self.report: dict[str, Any] = self._head.pop("report", {})
        """What the training run said: rounds, metrics, seconds, and how many rows of the training table
        ``on_bad_row="skip"`` has ``skipped``. It is empty for a model that was loaded."""
        if head is not None:
            self._worker = _worker.worker()
        else:
            self.number()

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Model:
        """Read a model from a file. A file that is no model is a ModelError."""
        head, data = _worker.ask("load", {"path": os.path.abspath(path)})
        return cls(bytes(data), head)

    @classmethod
    def from_bytes(cls, data: bytes) -> Model:
        """Make a model of what ``bytes(model)`` returned."""
        return cls(bytes(data))

    def number(self) -> int:
        """Return the model's number in the worker, which is given the model where it is a new one."""
        worker = _worker.worker()
        if self._worker is not worker:
            _worker.holding(self._lock, lambda: self._give(worker))
        return int(self._head["model"])

    def _give(self, worker: _worker.Worker) -> None:
        """Give the worker the model, unless it has it."""
        if self._worker is not worker:
            self._head, _ = worker.call("load", {}, [self._data])
            self._worker = worker

    def __del__(self) -> None:
        worker = getattr(self, "_worker", None)
        if worker is not None and "model" in self._head:
            worker.garbage.append(("models", self._head["model"]))

    def __bytes__(self) -> bytes:
        return self._data

    def __reduce__(self) -> tuple[Any, ...]:
        return (Model.from_bytes, (self._data,))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self._data == other._data

    def __hash__(self) -> int:
        return hash(self._data)

    def __repr__(self) -> str:
        return (
            f"<boost_gbt.Model: {self.objective}, {self.rounds} rounds, {len(self.features)} features, "
            f"{len(self._data):,} bytes>"
        )

    def _repr_html_(self) -> str:
        """Return what notebooks show."""
        said = {
            "objective": self.objective,
            "label": self.label,
            "classes": ", ".join(map(str, (self.classes or [])[:8])) + (", …" if len(self.classes or ()) > 8 else ""),
            "features": f"{len(self.features):,}",
            "rounds": f"{self.rounds:,}",
            "trees": f"{self.trees:,}",
            "bytes": f"{len(self._data):,}",
        }
        for name, metrics in self.report.get("metrics", {}).items():
            said[name] = ", ".join(f"{metric} {value:.6g}" for metric, value in metrics.items() if value is not None)
        rows = "".join(f"<tr><th>{key}</th><td>{html.escape(value)}</td></tr>" for key, value in said.items() if value)
        return f"<table><caption>boost_gbt.Model</caption>{rows}</table>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file. What is there is replaced only when the new file is whole.

        The name of a model as text, such as ``m.json``, or of a table is a ParameterError.
        """
        target = Path(path)
        _refuse_name(target)
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
            try:
                file.write(self._data)
                file.flush()
                os.fsync(file.fileno())
                mask = os.umask(0)
                os.umask(mask)
                os.chmod(file.name, 0o666 & ~mask)
                file.close()  # before it is renamed, as Windows wants it
                os.replace(file.name, target)
            except BaseException:
                file.close()
                os.unlink(file.name)
                raise

    @property
    def objective(self) -> str:
        """Name of the loss."""
        return str(self._head["objective"])

    @property
    def label(self) -> str:
        """Name of the column that is predicted."""
        return str(self._head["label"])

    @property
    def features(self) -> list[str]:
        """Names of the features, in their order."""
        return list(self._head["features"] or ())

    @property
    def inputs(self) -> list[str]:
        """Names of the columns that predictions need: the features, less those that are made of two others."""
        return [name for name, of in zip(self.features, self._crossed(), strict=True) if not of]

    def _columns(self) -> set[str]:
        """Return the names of all columns that the model knows, those with roles too."""
        return {*self.inputs, *(name for names in self._head["roles"].values() for name in names)}

    def _texts(self) -> set[str]:
        """Return the names of the features whose levels are texts."""
        texts = self._head["text_levels"] or ()
        return {name for name, is_text in zip(self.features, texts, strict=True) if is_text}

    def _crossed(self) -> list[list[str]]:
        """Return, for each feature, the two columns that it is made of; none for a column of its own."""
        return self._head["crossed"] or [[]] * len(self.features)

    @property
    def classes(self) -> list[Any] | None:
        """The classes, in the order of probabilities; None for a model of numbers."""
        names = self._head["classes"]
        if names is None or not self._head["numeric_classes"]:
            return None if names is None else list(names)
        numbers = [float(name) for name in names]
        return [int(number) if number.is_integer() else number for number in numbers]

    @property
    def outputs(self) -> int:
        """Number of predictions for a row."""
        return int(self._head["outputs"])

    @property
    def rounds(self) -> int:
        """Number of rounds whose trees are kept."""
        return int(self._head["rounds"])

    @property
    def judged_rounds(self) -> int:
        """Rounds kept of the model that ``history`` is of: the first, where this one is the mean of several."""
        return int(self._head["judged_rounds"])

    @property
    def trees(self) -> int:
        """Number of trees."""
        return int(self._head["trees"])

    @property
    def history(self) -> dict[str, dict[str, list[float | None]]]:
        """Metrics by validation set and name, a value for each round."""
        found: dict[str, dict[str, list[float | None]]] = {}
        for line in self._head["history"] or ():
            found.setdefault(line["set"], {})[line["metric"]] = line["values"]
        return found

    def predict(
        self,
        table: Table,
        kind: str = "value",
        *,
        rounds: int | None = None,
        threads: int = 0,
        on_unseen: str = "",
        init_score: Any = None,
        reading: Mapping[str, Any] | None = None,
    ) -> np.ndarray:
        """Predict every row of a table.

        Parameters
        ----------
        table : path, list of paths, array, frame, dict of columns or sparse matrix
            Columns are found by name; those of an array without names by their place.
        kind : {"value", "raw", "class", "leaf", "interval"}
            ``value``: the number; of two classes the probability of the second; of more classes one
            probability each. ``raw``: the sum of the trees. ``class``: the most probable class.
            ``leaf``: the number of the leaf in each tree. ``interval``: of a model with intervals (see
            ``calibrate``) the lower and the upper bound, or for classes which of them are in the row's set.
        rounds : int, optional
            Use only the first rounds.
        threads : int
            0 for as many as are of use.
        on_unseen : {"", "missing", "warn", "error"}
            Categories that training did not have are missing values, unless a column has no others; always; always,
            with a warning where a column has no others; or an error.
        init_score : str or array, optional
            Scores to start from, for a model that was trained so.
        reading : mapping, optional
            Settings that say how the table is written where that is not as in training, such as
            ``{"data.missing": ["-"]}``.

        Returns
        -------
        ndarray
            One number for each row, or one row of numbers where the model has several outputs.
        """
        head: dict[str, Any] = {"model": self.number(), "kind": kind, "threads": whole_number("threads", threads)}
        if rounds is not None:
            head["rounds"] = whole_number("rounds", rounds)
        how = _how(on_unseen, reading)
        if (
            type(table) is np.ndarray
            and init_score is None
            and not reading
            and table.ndim == 2
            and table.dtype.kind in "fiub"
            and _tables.inexact(table) is None
            and self._head["plain"]
            and kind in ("value", "raw")
        ):
            answer, body = self._predict_rows(table, head)
        else:
            with self._hand_over(table, init_score=init_score) as source:
                answer, body = _worker.ask("predict", {**head, **how, **source})
        values = np.frombuffer(body, answer["dtype"]).reshape(answer["shape"])
        if kind == "class":
            values = np.asarray(self.classes)[values]
        one: np.ndarray = values[:, 0] if values.shape[1] == 1 and kind != "leaf" else values
        return one

    def _predict_rows(self, rows: np.ndarray, head: dict[str, Any]) -> tuple[dict[str, Any], bytearray]:
        """Predict a matrix of numbers without making a table of it."""
        if (
            (rows.dtype != np.float32 and rows.dtype != np.float64)
            or not rows.flags.c_contiguous
            or not rows.dtype.isnative
        ):
            rows = np.ascontiguousarray(rows, np.float64)
        height, width = rows.shape
        size = rows.itemsize
        worker = self._worker or _worker.worker()
        head["block"] = block = {
            "dtype": "f4" if size == 4 else "f8",
            "shape": (height, width),
            "strides": (width * size, size),
        }
        if worker.memory and rows.nbytes > _tables.INLINE:
            block["address"] = rows.__array_interface__["data"][0]
            return worker.call("predict", head)
        head["quick"] = rows.nbytes <= _tables.INLINE
        return worker.call("predict", head, [rows])

    def _hand_over(
        self,
        table: Table,
        label: Any = None,
        weight: Any = None,
        group: Any = None,
        init_score: Any = None,
        added: Sequence[str] = (),
    ) -> Held | Files:
        """Hand over a table of the model's columns. It may have the roles ``added`` beyond those of training."""
        names = None
        table = _tables.placed(table, self.inputs)
        if not _tables.is_path(table) and _tables.column_names(table) is None:
            names = self.inputs
            sparse = _tables.is_sparse(table)
            width = np.shape(table)[1] if (table.ndim if sparse else np.ndim(table)) == 2 else None
            if width is not None and width != len(names):
                raise TableError(f"the table has {width} columns, and the model has {len(names)} features")
        rows = Rows(table, label, weight, group, init_score, names)
        known = {f"data.{role}": list(columns) for role, columns in self._head["roles"].items()}
        called = dict(known)
        rows.texts = self._texts()
        rows.needed = self._columns().__contains__
        source = rows.hand_over(called)
        if more := [key.removeprefix("data.") for key in called if key not in known and key not in added]:
            raise ParameterError(f"the model was trained without {more[0]}: leave it out")
        if isinstance(source, Held):
            source.roles = {key.removeprefix("data."): names for key, names in called.items() if key not in known}
        elif len(called) > len(known):
            raise ParameterError(
                "weight must be that of training, because the table is a file: give the rows as a frame"
            )
        return source

    def _warn_of_weight(self, table: Table, weight: Any) -> None:
        """Warn of a column that may have the name of the weights by chance, because these may have been no column."""
        names = self._head["roles"].get("weight")
        if weight is not None or not names or self._weight_is_column or _tables.is_path(table):
            return
        if names[0] in (_tables.column_names(table) or ()):
            tell(
                "WARN",
                f"rows count by column {names[0]!r}, which has the name of the weights in training: leave it out of "
                f"the table if it holds something else, or give weight={names[0]!r} to eval or calibrate",
            )

    def contributions(
        self,
        table: Table,
        *,
        rounds: int | None = None,
        threads: int = 0,
        on_unseen: str = "",
        reading: Mapping[str, Any] | None = None,
    ) -> np.ndarray:
        """Divide the raw score of each row among the columns: exact Shapley values of the trees.

        Where a column is not known, a row goes both ways at its splits, weighted by the training rows' hessians on
        either side (path-dependent TreeSHAP, Lundberg et al. 2018).

        Parameters
        ----------
        table : path, list of paths, array, frame, dict of columns or sparse matrix
            Rows, as of ``predict``.
        rounds : int, optional
            Use only the first rounds.
        threads : int
            0 for as many as are of use.
        on_unseen, reading
            As of ``predict``.

        Returns
        -------
        ndarray
            Rows × (inputs + 1), or rows × outputs × (inputs + 1) where a row has several predictions: what each of
            ``inputs`` contributes and, last, the mean. All together are the raw score, without init scores. A
            feature that is made of two columns contributes half to each.

        Raises
        ------
        ParameterError
            For a compressed model, which does not keep what is needed, and for one with linear leaves.

        Examples
        --------
        >>> import numpy as np
        >>> x = np.array([[1.0, 5], [1, 6], [2, 5], [2, 6]] * 50)
        >>> params = {"effort": "quick", "objective": "regression", "early_stopping": 0}
        >>> params |= {"rounds": 1, "learning_rate": 1}
        >>> model = train(params, x, label=20 * x[:, 0])
        >>> model.contributions(x[:3]).round(3).tolist()
        [[-10.0, 0.0, 30.0], [-10.0, 0.0, 30.0], [10.0, 0.0, 30.0]]
        """
        head: dict[str, Any] = {"model": self.number(), "kind": "contrib", **_how(on_unseen, reading)}
        head["threads"] = whole_number("threads", threads)
        if rounds is not None:
            head["rounds"] = whole_number("rounds", rounds)
        with self._hand_over(table) as source:
            answer, body = _worker.ask("predict", {**head, **source})
        parts = np.frombuffer(body, np.float64).reshape(answer["shape"])
        crossed = self._crossed()
        if any(crossed):
            places = {name: j for j, name in enumerate(self.inputs)}
            whole = np.zeros((*parts.shape[:2], len(places) + 1))
            whole[:, :, -1] = parts[:, :, -1]
            for j, (name, of) in enumerate(zip(self.features, crossed, strict=True)):
                for one in of or [name]:
                    whole[:, :, places[one]] += parts[:, :, j] / (len(of) or 1)
            parts = whole
        divided: np.ndarray = parts[:, 0] if parts.shape[1] == 1 else parts
        return divided

    def explain(
        self,
        table: Table,
        *,
        rounds: int | None = None,
        threads: int = 0,
        on_unseen: str = "",
        reading: Mapping[str, Any] | None = None,
    ) -> shap.Explanation:
        """Return the ``contributions`` of a table for the plots of shap.

        Parameters
        ----------
        table : path, list of paths, array, frame, dict of columns or sparse matrix
            Rows, as of ``predict``. Plots have the values of the columns where the table is in memory.
        rounds, threads, on_unseen, reading
            As of ``contributions``.

        Returns
        -------
        shap.Explanation
            ``shap.plots.beeswarm(model.explain(rows))``. Values are rows × inputs, or rows × inputs × outputs. It takes
            the package shap.
        """
        try:
            import shap
        except ImportError as error:
            raise ImportError(
                "explain needs shap: pip install shap, or use contributions, which are the same numbers"
            ) from error
        parts = self.contributions(table, rounds=rounds, threads=threads, on_unseen=on_unseen, reading=reading)
        values, base = parts[..., :-1], parts[..., -1]
        data, shown = _tables.values(_tables.placed(table, self.inputs), self.inputs)
        names = self._head["output_names"]
        return shap.Explanation(
            np.moveaxis(values, 1, -1) if parts.ndim == 3 else values,
            base_values=base,
            data=data,
            display_data=shown,
            feature_names=self.inputs,
            output_names=list(map(str, names)) if names and parts.ndim == 3 else None,
        )

    def staged(
        self,
        table: Table,
        kind: str = "value",
        *,
        every: int = 1,
        threads: int = 0,
        on_unseen: str = "",
        init_score: Any = None,
        reading: Mapping[str, Any] | None = None,
    ) -> Iterator[np.ndarray]:
        """Predict a table after every so many rounds, and after the last.

        Parameters
        ----------
        table : path, list of paths, array, frame, dict of columns or sparse matrix
            Rows, as of ``predict``.
        kind : {"value", "raw"}
            As of ``predict``.
        every : int
            Rounds between predictions.
        threads, on_unseen, init_score, reading
            As of ``predict``.
        """
        head: dict[str, Any] = {"model": self.number(), "kind": kind, "every": whole_number("every", every)}
        head |= {"threads": whole_number("threads", threads), **_how(on_unseen, reading)}
        with self._hand_over(table, init_score=init_score) as source:
            answer, body = _worker.ask("staged", {**head, **source})
        stages = np.frombuffer(body, answer["dtype"]).reshape(answer["shape"])
        for stage in stages:
            yield stage[:, 0] if stage.shape[1] == 1 else stage

    def eval(
        self,
        table: Table,
        label: Any = None,
        metrics: str | Sequence[str] = (),
        *,
        weight: Any = None,
        group: Any = None,
        init_score: Any = None,
        rounds: int | None = None,
        on_unseen: str = "",
        reading: Mapping[str, Any] | None = None,
    ) -> dict[str, float]:
        """Compare predictions with labels.

        Parameters
        ----------
        table : table
            It has the label under its name in training, unless ``label`` says otherwise.
        label, weight, group, init_score : str or array, optional
            The name of a column that the table has in place of the one of training, or values that are no column.
            Rows count by a column of the table that has the name of the weights in training, with a warning where
            these may have been no column.
        metrics : str or list of str
            Names of docs/metrics.md; without any, those of the objective.
        rounds : int, optional
            Use only the first rounds.
        on_unseen, reading
            As of ``predict``.

        Returns
        -------
        dict
            The metrics by name. What is undefined is NaN.
        """
        head: dict[str, Any] = {
            "model": self.number(),
            "metrics": [metrics] if isinstance(metrics, str) else list(metrics),
            **_how(on_unseen, reading),
        }
        if rounds is not None:
            head["rounds"] = whole_number("rounds", rounds)
        self._warn_of_weight(table, weight)
        with self._hand_over(table, label, weight, group, init_score, added=("data.weight",)) as source:
            answer, _ = _worker.ask("evaluate", {**head, **source})
        return {m["metric"]: float("nan") if m["value"] is None else m["value"] for m in answer["metrics"]}

    def importance(self, kind: str = "") -> np.ndarray:
        """Return the importance of each feature: by gain, split or cover; "" is the most telling that there is."""
        _, body = _worker.ask("importance", {"model": self.number(), "kind": kind})
        return np.frombuffer(body, np.float64)

    def inspect(self, *, trees: bool = False) -> dict[str, Any]:
        """Return what is in the model, as ``boost inspect MODEL --json`` prints it; with ``trees`` all trees too."""
        with self._file() as path:
            return dict(
                json.loads(run_on({path: "the model"}, "inspect", path, "--json", *(["--trees"] if trees else [])))
            )

    def quantize(self, data: Table = None, **options: Any) -> Model:
        """Compress the model.

        Parameters
        ----------
        data : table, optional
            Labelled rows that the search and the certificate use.
        **options
            The flags of ``boost quantize`` with underscores: ``dtype="I8"``, ``max_loss=0.005``,
            ``max_bytes="20KB"``, ``tiers=["warm", "cold"]``, …

        Returns
        -------
        Model
            Its ``report`` is what ``boost quantize --json`` prints.
        """
        with self._file() as path, tempfile.TemporaryDirectory() as folder:
            small = os.path.join(folder, "small.boost")
            command = ["quantize", path, "-o", small, "--json", *_flags(options)]
            if data is not None:
                command += ["--data", self._table_file(data, folder)]
            said = json.loads(run_on(_called(path, folder), *command))
            model = Model.load(small)
        model.report, model._weight_is_column = said, self._weight_is_column
        return model

    def calibrate(
        self, table: Table, label: Any = None, *, weight: Any = None, init_score: Any = None, **options: Any
    ) -> Model:
        """Calibrate probabilities and find intervals on rows that did not train the model.

        Parameters
        ----------
        table : table
            It has the label under its name in training, unless ``label`` says otherwise.
        label, weight, init_score : str or array, optional
            The name of a column that the table has in place of the one of training, or values that are no column.
            Weights and init scores are for models that were trained with some.
        **options
            The flags of ``boost calibrate`` with underscores: ``intervals=0.9``, ``by="region"``, ``costs=(1, 20)``,
            ``threshold=0.2``, ``method="platt"``, ``allow_train_data=True``.

        Returns
        -------
        Model
            The same trees; what it predicts is calibrated, and ``predict(table, "interval")`` has its intervals. Its
            ``report`` is what ``boost calibrate --json`` prints.
        """
        with self._file() as path, tempfile.TemporaryDirectory() as folder:
            calibrated = os.path.join(folder, "calibrated.boost")
            rows = self._table_files(table, folder, label, weight, init_score)
            command = ["calibrate", path, *rows, "-o", calibrated, "--json", *_flags(options)]
            said = json.loads(run_on(_called(path, folder), *command))
            model = Model.load(calibrated)
        model.report, model._weight_is_column = said, self._weight_is_column
        return model

    def compare(self, other: Model, table: Table = None) -> dict[str, Any]:
        """Compare two models, on the rows of a table where one is given, as ``boost compare --json`` does."""
        with self._file() as a, other._file() as b, tempfile.TemporaryDirectory() as folder:
            command = ["compare", a, b] + ([] if table is None else [self._table_file(table, folder)])
            return dict(json.loads(run_on({**_called(a, folder), b: "the other model"}, *command, "--json")))

    def _file(self) -> _ModelFile:
        return _ModelFile(self)

    def _table_file(self, table: Table, folder: str) -> str:
        """Return the name of the one file with the rows of a table."""
        files = self._table_files(table, folder)
        if len(files) > 1:
            raise ParameterError(
                f"the rows are in {len(files)} files: give one, a pattern such as 'part-*.csv', or a frame"
            )
        return files[0]

    def _table_files(
        self, table: Table, folder: str, label: Any = None, weight: Any = None, init_score: Any = None
    ) -> list[str]:
        """Return the names of files with the rows of a table."""
        if _tables.is_path(table):
            for role, given in (("label", label), ("weight", weight), ("init_score", init_score)):
                trained = self._head["roles"].get(role, [])
                if given is not None and not (isinstance(given, str) and [given] == trained):
                    raise ParameterError(f"{role} must be a column, that of training, because the table is a file")
            return [os.fspath(file) for file in ([table] if isinstance(table, (str, os.PathLike)) else table)]
        self._warn_of_weight(table, weight)
        path = os.path.join(folder, TABLE)
        columns = self.inputs + [name for names in self._head["roles"].values() for name in names]
        with self._hand_over(table, label, weight, init_score=init_score) as source:
            head = {"table": source["table"], "columns": columns, "path": path, "model": self.number()}
            _worker.ask("write", head)
        return [path]


class _ModelFile:
    """A model in a file of its own, for commands of the program."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def __enter__(self) -> str:
        self.folder = tempfile.TemporaryDirectory()
        path = os.path.join(self.folder.name, "model.boost")
        Path(path).write_bytes(bytes(self.model))
        return path

    def __exit__(self, *_: object) -> None:
        self.folder.cleanup()


def _called(model: str, folder: str) -> dict[str, str]:
    """Return what messages call the files of a command: its model, and a table in its folder."""
    return {model: "the model", os.path.join(folder, TABLE): "the table", folder + os.sep: ""}


def _how(on_unseen: str, reading: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what a request says of categories that training did not have, and of how its table is written."""
    if on_unseen not in ("", "missing", "warn", "error"):
        raise ParameterError(f'on_unseen must be "", "missing", "warn" or "error", not {on_unseen!r}')
    return {"on_unseen": on_unseen, "reading": settings(reading or {})}


def _flags(options: Mapping[str, Any]) -> list[str]:
    """Return options as flags of a command."""
    flags = []
    for name, given in options.items():
        value = given.tolist() if hasattr(given, "tolist") else given
        flag = "--" + name.replace("_", "-")
        if value is True:
            flags.append(flag)
        elif value is not None and value is not False:
            flags += [flag, ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)]
    return flags


def _refuse_name(path: Path) -> None:
    """Refuse the name of a table, or of a model as text, for a model that is to be written."""
    stem, end = os.path.splitext(path.name)
    if end.lower() in (".gz", ".zst"):
        stem, end = os.path.splitext(stem)
    elif end.lower() == ".json":
        name = str(path.with_suffix(".boost"))
        raise ParameterError(
            f"{path} is the name of a model as text, which only boost convert writes: name it {name} here, then "
            f"boost_gbt.run('convert', {name!r}, {str(path)!r})"
        )
    if end.lower() in TABLE_ENDS:
        name = str(path.with_name(stem + ".boost"))
        raise ParameterError(f"{path} is the name of a table, and what is written to it is a model: name it {name}")
