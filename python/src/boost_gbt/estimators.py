"""Estimators with the conventions of scikit-learn. They work without scikit-learn too, with fewer checks."""

from __future__ import annotations

import copy
import inspect
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _columns, _settings, _tables
from ._functions import OBJECTIVES
from ._messages import tell
from ._ranks import THREADS
from .errors import ParameterError
from .model import Model, RoundCallback, Rows, train_rows

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.exceptions import NotFittedError
    from sklearn.utils import check_random_state
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import _check_sample_weight, check_array, column_or_1d, validate_data

    HAS_SKLEARN = True
except ImportError:
    HAS_SKLEARN = False

    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """Raised where an estimator is used before fit."""

    class BaseEstimator:  # type: ignore[no-redef]
        """What is needed of scikit-learn's class."""

        @classmethod
        def _get_param_names(cls) -> list[str]:
            parameters = inspect.signature(cls.__init__).parameters.values()
            return sorted(p.name for p in parameters if p.name != "self" and p.kind != p.VAR_KEYWORD)

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            return {name: getattr(self, name) for name in self._get_param_names()}

        def set_params(self, **params: Any) -> Any:
            for name, value in params.items():
                setattr(self, name, value)
            return self

    class ClassifierMixin:  # type: ignore[no-redef]
        """Accuracy as the score."""

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
            return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))  # type: ignore[attr-defined]

    class RegressorMixin:  # type: ignore[no-redef]
        """R² as the score."""

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
            y = np.asarray(y, float)
            error = np.average((y - self.predict(X)) ** 2, 0, sample_weight)  # type: ignore[attr-defined]
            mean = np.average(y, 0, sample_weight)
            return float(np.mean(1 - error / np.average((y - mean) ** 2, 0, sample_weight)))


if TYPE_CHECKING:
    import shap

    from ._functions import OneLoss, OneMetric

SETTINGS = {
    "objective": "train.objective",
    "rounds": "train.rounds",
    "learning_rate": "train.learning_rate",
    "leaves": "tree.leaves",
    "max_depth": "tree.max_depth",
    "min_data_in_leaf": "tree.min_data_in_leaf",
    "lambda_l2": "tree.lambda_l2",
    "row_fraction": "sampling.row_fraction",
    "col_tree": "sampling.col_tree",
    "categorical": "data.categorical",
    "early_stopping_rounds": "train.early_stopping",
    "eval_metric": "metrics.names",
}

PARAMETERS = """
    Parameters
    ----------
    objective : str, function or Objective, optional
        The loss, by a name of docs/objectives.md, or one of your own; by default it follows from the estimator.
    rounds : int, optional
        Rounds of boosting, 100 by default.
    learning_rate, leaves, max_depth, min_data_in_leaf, lambda_l2, row_fraction, col_tree : optional
        As in docs/config.md; None is the default there.
    categorical : list of str, optional
        Names of columns that are categories although they hold numbers.
    early_stopping_rounds : int, optional
        Stop after so many rounds without a better metric on the first set of ``eval_set``, or without such a set on
        a tenth of the rows that is held out. scikit-learn's ``early_stopping=True`` stands for 10 rounds, as there.
    eval_metric : str, function, Metric or list of these, optional
        Names of docs/metrics.md, and metrics of your own. The first one decides early stopping.
    random_state : int, RandomState or None
        Seed; None is the program's own, so that a fit gives the same bytes again.
    n_jobs : int, optional
        Threads. They never change the model.
    importance_type : {"gain", "split", "cover"}
        What ``feature_importances_`` are shares of; XGBoost's "weight", "total_gain" and "total_cover" are these, too.
    **params
        Any other setting, by its name in docs/config.md or in LightGBM, XGBoost, CatBoost or scikit-learn.

    Attributes
    ----------
    model_ : Model
        The trained model.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X had names.
    feature_importances_ : ndarray
        Share of each feature.
    best_iteration_ : int
        Rounds that are kept; of the mean of several models, those of the first.
    evals_result_ : dict
        Metrics by set and name, a value for each round.
"""


MISSING = frozenset(("", "NA", "NaN", "nan", "null", "None", "?", "N/A"))  # what the program reads as no value
NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?)", re.ASCII | re.IGNORECASE)
DATE = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:Z|([+-])(\d\d)(?::?(\d\d))?)?)?", re.ASCII
)
IMPORTANCES = {"weight": "split", "total_gain": "gain", "total_cover": "cover"}  # XGBoost's names


class _Boost(BaseEstimator):  # type: ignore[misc]
    """What the estimators share."""

    n_features_in_: int
    feature_names_in_: np.ndarray

    def __init__(
        self,
        *,
        objective: OneLoss | None = None,
        rounds: int | None = None,
        learning_rate: float | None = None,
        leaves: int | None = None,
        max_depth: int | None = None,
        min_data_in_leaf: int | None = None,
        lambda_l2: float | None = None,
        row_fraction: float | None = None,
        col_tree: float | None = None,
        categorical: Sequence[str] | None = None,
        early_stopping_rounds: int | None = None,
        eval_metric: OneMetric | Sequence[OneMetric] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        importance_type: str = "gain",
        **params: Any,
    ) -> None:
        self.objective = objective
        self.rounds = rounds
        self.learning_rate = learning_rate
        self.leaves = leaves
        self.max_depth = max_depth
        self.min_data_in_leaf = min_data_in_leaf
        self.lambda_l2 = lambda_l2
        self.row_fraction = row_fraction
        self.col_tree = col_tree
        self.categorical = categorical
        self.early_stopping_rounds = early_stopping_rounds
        self.eval_metric = eval_metric
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.importance_type = importance_type
        self._more = params

    @classmethod
    def _get_param_names(cls) -> list[str]:
        """Return the names that the signatures of the class and of its base have."""
        found: set[str] = set()
        for one in cls.__mro__:
            if issubclass(one, _Boost) and "__init__" in vars(one):
                parameters = inspect.signature(one.__init__).parameters.values()
                found |= {p.name for p in parameters if p.name != "self" and p.kind != p.VAR_KEYWORD}
        return sorted(found)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return all parameters, those of the program included."""
        return {name: getattr(self, name) for name in self._get_param_names()} | dict(self._more)

    def set_params(self, **params: Any) -> Any:
        """Change parameters. What is no parameter of the estimator is a setting of the program."""
        own = set(self._get_param_names())
        for name, value in params.items():
            if name in own:
                setattr(self, name, value)
            else:
                self._more = {**self._more, name: value}
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _settings(self) -> dict[str, Any]:
        """Return the parameters as settings of the program."""
        given: dict[str, Any] = {key: getattr(self, name) for name, key in SETTINGS.items()}
        if isinstance(self.eval_metric, str):
            given["metrics.names"] = [self.eval_metric]
        if self.n_jobs is not None or not any(
            _settings.key_of(name) in THREADS for name, _ in _settings.flat(self._more)
        ):
            given["train.threads"] = self._threads() or None
        if self.random_state is not None:
            seed = self.random_state
            if not isinstance(seed, (int, np.integer)):
                if not HAS_SKLEARN:
                    raise ParameterError("random_state must be a whole number where scikit-learn is not installed")
                seed = check_random_state(seed).randint(1 << 31)
            given["train.seed"] = int(seed)
        return given | self._more

    def _threads(self) -> int:
        """Return the threads to use, 0 for as many as are of use."""
        if self.n_jobs is not None and not isinstance(self.n_jobs, (int, np.integer)):
            raise ParameterError(f"n_jobs = {self.n_jobs!r}: expected a whole number of threads, or None")
        if self.n_jobs is not None and self.n_jobs > 0:
            return int(self.n_jobs)
        shared = os.environ.get("OMP_NUM_THREADS", "")  # joblib divides the processors among its processes by it
        return int(shared) if self.n_jobs is None and shared.isdigit() else 0

    def _check_rows(self, X: Any, reset: bool) -> Any:
        """Return X as a table: frames as they are, all else as a matrix."""
        if (  # what the checks below let through as it is: for a few rows they take longer than the prediction
            not reset
            and type(X) is np.ndarray
            and X.dtype.kind in "fiub"
            and X.ndim == 2
            and X.shape[1] == self.n_features_in_
            and not hasattr(self, "feature_names_in_")
        ):
            return X
        X = _tables.unmasked(X)
        framed = _tables.column_names(X) is not None
        if framed and not hasattr(X, "shape"):
            how = "; pandas.DataFrame(X) makes a frame of it" if isinstance(X, dict) else ""
            raise TypeError(f"X is a {type(X).__name__}: estimators take frames, arrays and sparse matrices{how}")
        if not HAS_SKLEARN:
            X = X if framed or _tables.is_sparse(X) else np.asarray(X)
            if len(X.shape) != 2:
                raise ValueError(
                    f"X has {len(X.shape)} dimensions, expected 2: reshape(-1, 1) makes a column of an array"
                )
            width = X.shape[1]
            if reset:
                self.n_features_in_ = width
            elif width != (expected := self._less_unused(X).n_features_in_):
                raise ValueError(f"X has {width} features, but {type(self).__name__} is expecting {expected}")
            return X
        if framed:
            validate_data(self if reset else self._less_unused(X), X, reset=reset, skip_check_array=True)
            if reset and X.shape[0] == 0:
                raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
            if reset:
                self._by_place = False
            elif getattr(self, "_by_place", False):
                X = _tables.renamed(X, _tables.numbered(self.n_features_in_))
            return X
        if reset:
            self._by_place = True  # frames that come later have other names
        return validate_data(
            self,
            X,
            reset=reset,
            accept_sparse=("csr", "csc"),
            dtype=None,
            ensure_all_finite=False,
            ensure_min_samples=1 if reset else 0,
        )

    def _less_unused(self, X: Any) -> _Boost:
        """Return the estimator as one that saw no columns that X lacks and the model does not need, such as weights."""
        found = _tables.column_names(X)
        if found is None or not hasattr(self, "model_") or getattr(self, "_by_place", False):
            return self
        needed = {*found, *self.model_.inputs}
        kept = [name for name in self._columns_in if name in needed]
        if len(kept) == len(self._columns_in):
            return self
        less = copy.copy(self)
        less.n_features_in_ = len(kept)
        if hasattr(self, "feature_names_in_"):
            less.feature_names_in_ = np.array(kept, object)
        return less

    def _check_weights(self, weights: Any, X: Any) -> Any:
        weights = _no_times(_tables.unmasked(weights), "sample_weight")
        if weights is None or not HAS_SKLEARN:
            return weights
        return _check_sample_weight(weights, np.empty((X.shape[0], 1)))

    def _check_target(self, y: Any, fit: bool = True) -> np.ndarray:
        """Return the labels as the program is to see them."""
        raise NotImplementedError

    def _defaults(self) -> dict[str, Any]:
        """Return the settings that follow from the estimator and its labels, unless a parameter says otherwise."""
        raise NotImplementedError

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        eval_set: Any = None,
        eval_sample_weight: Any = None,
        init_model: Any = None,
        callback: RoundCallback | None = None,
        queries: Any = None,
        eval_queries: Any = None,
        init_score: Any = None,
        eval_init_score: Any = None,
    ) -> Any:
        if init_model is self:
            init_model = copy.copy(self)
        self.__dict__.pop("model_", None)  # what fails leaves no model beside names and classes of other rows
        for values, name in ((y, "y"), (sample_weight, "sample_weight")):
            _tables.warn_of_order(X, values, name)
        X = self._check_rows(X, reset=True)
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        weights = self._check_weights(sample_weight, X)
        scores = _init_scores(init_score, X)
        labels = y
        if weights is not None:
            weights = np.asarray(weights)
            counts = weights != 0  # a row without weight is none: it has no part in cuts and counts of rows
            if weights.shape == np.asarray(y).shape[:1] == (X.shape[0],) and 0 < counts.sum() < len(counts):
                X, weights = _tables.take(X, counts), weights[counts]
                labels = np.asarray(_tables.unmasked(y))[counts]
                queries = None if queries is None else queries[counts]
                scores = None if scores is None else scores[counts]
        target = self._check_target(labels)
        if len(target) != X.shape[0]:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: {[X.shape[0], len(target)]}")
        base = init_model._model() if isinstance(init_model, _Boost) else init_model
        if base is not None:
            target = self._check_base(init_model, labels, target)
        defaults = self._defaults()
        if base is not None and self._follows(init_model):
            defaults.pop("train.objective", None)
        names = _tables.column_names(X) or _tables.numbered(X.shape[1])
        rows = Rows(X, _named(target, y), weights, queries, self._by_output(scores))
        rows.of_classes = any(isinstance(name, str) and _number(name) is not None for name in self._classes())
        valid = []
        sets = _validation_sets(eval_set)
        if isinstance(eval_set, tuple):  # what belongs to it stands alone too, or in a list
            eval_sample_weight, eval_queries = _alone(eval_sample_weight), _alone(eval_queries)
            eval_init_score = _alone(eval_init_score)
        for name, given in (
            ("eval_sample_weight", eval_sample_weight),
            ("the queries of eval_set", eval_queries),
            ("eval_init_score", eval_init_score),
        ):
            if given is not None and len(given) != len(sets):
                raise ValueError(
                    f"{name}: expected a list with an array for each of {len(sets)} sets, got {len(given)}"
                )
        if scores is not None and sets and eval_init_score is None:
            raise ParameterError("training starts from init scores, and eval_set has to as well: give eval_init_score")
        for k, (table, labels) in enumerate(sets):
            _tables.warn_of_order(table, labels, "the labels of eval_set")
            table = self._check_rows(table, reset=False)
            weights = None if eval_sample_weight is None else eval_sample_weight[k]
            asked = None if eval_queries is None else eval_queries[k]
            scores = self._by_output(_init_scores(None if eval_init_score is None else eval_init_score[k], table))
            valid.append(Rows(table, self._check_target(labels, fit=False), weights, asked, scores, names))
        params = {key: value for key, value in self._settings().items() if value is not None}
        for name, value in _settings.flat(params):
            if value is not None and _settings.key_of(name) in OBJECTIVES:
                defaults.pop("train.objective", None)
        params = defaults | _early_stopping(params, X.shape[0])
        self.model_: Model = train_rows(params, rows, valid, base, callback, classes=len(self._classes()))
        self._columns_in = names  # where they are numbers or tuples, scikit-learn keeps none
        return self

    def _classes(self) -> Sequence[Any]:
        """Return what classes are called in the model, none where it predicts numbers."""
        return ()

    def _by_output(self, scores: np.ndarray | None) -> np.ndarray | None:
        """Return init scores in the order of the model's outputs."""
        return scores

    def _check_base(self, init_model: Any, y: Any, target: np.ndarray) -> np.ndarray:
        """Return the labels as the model has them that training goes on from."""
        return target

    def _follows(self, init_model: Any) -> bool:
        """Report whether the objective is that of the model that training goes on from."""
        return isinstance(init_model, type(self))

    def _model(self) -> Model:
        if not hasattr(self, "model_"):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments first."
            )
        return self.model_

    def _rows(self, X: Any) -> Any:
        """Return rows as the model takes them. It may lack columns, which a parameter such as ignore has named."""
        X = self._check_rows(X, reset=False)
        names: list[str] = self._columns_in
        if len(self._model().inputs) == len(names) or _tables.column_names(X) is not None:
            return X
        if _tables.is_sparse(X):
            return X[:, [names.index(name) for name in self._model().inputs]]
        return {name: X[:, j] for j, name in enumerate(names)}

    def _predict(self, X: Any, kind: str, rounds: int | None = None) -> np.ndarray:
        model = self._model()
        X = self._rows(X)
        return model.predict(X, kind, rounds=rounds, threads=self._threads(), on_unseen="warn")

    def _staged(self, X: Any, every: int) -> Iterator[np.ndarray]:
        return self._model().staged(self._rows(X), every=every, threads=self._threads(), on_unseen="warn")

    @property
    def feature_importances_(self) -> np.ndarray:
        """The share of each feature in ``importance_type``; they add up to 1."""
        model = self._model()
        importance = model.importance(IMPORTANCES.get(self.importance_type, self.importance_type))
        by_name = dict(zip(model.features, importance, strict=True))
        for value, crossed in zip(importance, model._crossed(), strict=True):
            for name in crossed:  # an equal part of what is made of it
                by_name[name] += value / len(crossed)
        values = np.array([by_name.get(name, 0.0) for name in self._columns_in])
        shares: np.ndarray = values / max(values.sum(), np.finfo(float).tiny)
        return shares

    @property
    def best_iteration_(self) -> int:
        """Rounds that are kept; of the mean of several models, those of the first."""
        return self._model().judged_rounds

    @property
    def evals_result_(self) -> dict[str, dict[str, list[float | None]]]:
        """Metrics by set and name, a value for each round."""
        return self._model().history

    def explain(self, X: Any, *, rounds: int | None = None) -> shap.Explanation:
        """Return what each feature contributes to the raw scores of rows, for the plots of shap (``Model.explain``)."""
        model = self._model()
        X = self._rows(X)
        return model.explain(X, rounds=rounds, threads=self._threads(), on_unseen="warn")

    def apply(self, X: Any) -> np.ndarray:
        """Return the number of the leaf of each row in each tree."""
        return self._predict(X, "leaf")


def _early_stopping(params: dict[str, Any], rows: int) -> dict[str, Any]:
    """Return settings with rounds in the place of scikit-learn's words for early stopping: 10, as there."""
    asked = [name for name in params if _settings.key_of(name) in _columns.EARLY_STOPPING]
    words = [name for name in asked if isinstance(params[name], bool) or params[name] == "auto"]
    if not words:
        return params
    others = {name: value for name, value in params.items() if name not in asked}
    unused = {name: value for name, value in others.items() if name not in ("validation_fraction", "tol")}
    if any(params[name] is False for name in words):
        return unused | {"train.early_stopping": 0}
    if not any(params[name] is True for name in words) and rows <= 10_000:
        return unused
    return others | ({name: params[name] for name in asked if name not in words} or {"train.early_stopping": 10})


def _no_times(values: Any, name: str) -> Any:
    """Return values. As numbers, dates and spans of time would be counts of whatever unit their type has."""
    kind = getattr(getattr(values, "dtype", None), "kind", None) or np.asarray(values).dtype.kind
    if kind in ("M", "m"):
        raise ValueError(f"{name} holds dates or spans of time: give numbers, such as seconds")
    return values


def _init_scores(scores: Any, X: Any) -> np.ndarray | None:
    """Return the scores that training starts from as numbers, checked to be those of the rows."""
    if scores is None:
        return None
    _tables.warn_of_order(X, scores, "init_score")
    found = np.asarray(_tables.unmasked(scores), np.float64)
    if found.shape[:1] != (X.shape[0],):
        raise ValueError(f"init_score has the shape {found.shape}, and there are {X.shape[0]} rows")
    return found


def _either(init_score: Any, base_margin: Any) -> Any:
    """Return scores to start from by either name."""
    if init_score is not None and base_margin is not None:
        raise ParameterError("init_score and base_margin are the same: give one")
    return base_margin if init_score is None else init_score


def _validation_sets(eval_set: Any) -> list[tuple[Any, Any]]:
    """Return the validation sets of fit: rows and labels of each."""
    sets = [] if eval_set is None else eval_set
    if isinstance(sets, tuple) and not all(isinstance(one, tuple) for one in sets):
        sets = [sets]
    if not isinstance(sets, (list, tuple)) or any(not isinstance(one, (list, tuple)) or len(one) != 2 for one in sets):
        raise ParameterError("eval_set must be a tuple (X, y) or a list of these")
    return [(X, y) for X, y in sets]


def _named(values: np.ndarray, y: Any) -> Any:
    """Return values under the name that y has, or its columns have."""
    if values.ndim == 2 and (names := _tables.column_names(y)):
        return _NamedColumns(values, names)
    name = getattr(y, "name", None)
    return _Named(values, name) if isinstance(name, str) and name else values


class _Named:
    """An array with the name of a column."""

    def __init__(self, values: np.ndarray, name: str) -> None:
        self.values = values
        self.name = name

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self.values, dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    @property
    def ndim(self) -> int:
        return self.values.ndim


class _NamedColumns:
    """A matrix with the names of its columns."""

    def __init__(self, values: np.ndarray, columns: list[str]) -> None:
        self.shape = values.shape
        self.columns = columns
        self.by_name: dict[str, np.ndarray] = dict(zip(columns, values.T, strict=True))

    def __getitem__(self, name: str) -> np.ndarray:
        return self.by_name[name]


class BoostRegressor(RegressorMixin, _Boost):  # type: ignore[misc]
    """Gradient-boosted trees that predict a number, or several.

    Examples
    --------
    >>> import numpy as np
    >>> from boost_gbt import BoostRegressor
    >>> x = np.linspace(0, 6, 300).reshape(-1, 1)
    >>> BoostRegressor(rounds=50).fit(x, np.sin(x[:, 0])).score(x, np.sin(x[:, 0])) > 0.99
    True
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _check_target(self, y: Any, fit: bool = True) -> np.ndarray:
        y = _no_times(_tables.unmasked(y), "y")
        if HAS_SKLEARN:
            y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        labels = np.asarray(y, np.float64)
        if labels.ndim == 2 and labels.shape[1] > 1:
            return labels
        return np.asarray(column_or_1d(labels, warn=True)) if HAS_SKLEARN else labels.reshape(-1)

    def _defaults(self) -> dict[str, Any]:
        return {"train.objective": "regression"}

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        eval_set: Any = None,
        eval_sample_weight: Any = None,
        init_score: Any = None,
        base_margin: Any = None,
        eval_init_score: Any = None,
        init_model: Any = None,
        callback: RoundCallback | None = None,
        verbose: Any = None,
    ) -> BoostRegressor:
        """Train.

        Parameters
        ----------
        X : array, frame or sparse matrix
            Rows to train on: strings, categories, dates and missing values as they are.
        y : array or frame
            What is to be predicted: a number for each row, or of several labels a column for each.
        sample_weight : array, optional
            Weights of the rows.
        eval_set : tuple (X, y) or list of these, optional
            Validation sets. The first one decides early stopping.
        eval_sample_weight : list of arrays, optional
            Weights of their rows.
        init_score : array, optional
            Raw scores that training starts from: one for each row, or for each label of a row. The model
            predicts what it adds to them; ``model_.predict(X, init_score=…)`` predicts both together.
        base_margin : array, optional
            XGBoost's name for ``init_score``.
        eval_init_score : list of arrays, optional
            Those of ``eval_set``, which then needs them.
        init_model : Model, estimator or path, optional
            Training goes on from it.
        callback : callable, optional
            Is called after each round with a dict.
        verbose : bool, optional
            False, as other libraries take it: messages go to the logger ``boost_gbt``.
        """
        _settings.settings({"verbose": verbose})
        scores = _either(init_score, base_margin), eval_init_score
        self._fit(X, y, sample_weight, eval_set, eval_sample_weight, init_model, callback, None, None, *scores)
        return self

    def predict(self, X: Any, kind: str = "value", *, rounds: int | None = None) -> np.ndarray:
        """Predict a number for each row, or one for each label; other kinds are ``raw`` and ``leaf``."""
        return self._predict(X, kind, rounds)

    def staged_predict(self, X: Any, every: int = 1) -> Iterator[np.ndarray]:
        """Predict after every so many rounds, and after the last."""
        return self._staged(X, every)


class BoostClassifier(ClassifierMixin, _Boost):  # type: ignore[misc]
    """Gradient-boosted trees that predict a class.

    Examples
    --------
    >>> import numpy as np
    >>> from boost_gbt import BoostClassifier
    >>> x = np.linspace(0, 6, 300).reshape(-1, 1)
    >>> y = np.where(np.sin(x[:, 0]) > 0, "up", "down")
    >>> BoostClassifier(rounds=50).fit(x, y).predict([[1.0], [4.0]]).tolist()
    ['up', 'down']
    """

    def __init__(
        self,
        *,
        objective: OneLoss | None = None,
        rounds: int | None = None,
        learning_rate: float | None = None,
        leaves: int | None = None,
        max_depth: int | None = None,
        min_data_in_leaf: int | None = None,
        lambda_l2: float | None = None,
        row_fraction: float | None = None,
        col_tree: float | None = None,
        categorical: Sequence[str] | None = None,
        class_weight: str | Mapping[Any, float] | None = None,
        early_stopping_rounds: int | None = None,
        eval_metric: OneMetric | Sequence[OneMetric] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        importance_type: str = "gain",
        **params: Any,
    ) -> None:
        super().__init__(
            objective=objective,
            rounds=rounds,
            learning_rate=learning_rate,
            leaves=leaves,
            max_depth=max_depth,
            min_data_in_leaf=min_data_in_leaf,
            lambda_l2=lambda_l2,
            row_fraction=row_fraction,
            col_tree=col_tree,
            categorical=categorical,
            early_stopping_rounds=early_stopping_rounds,
            eval_metric=eval_metric,
            random_state=random_state,
            n_jobs=n_jobs,
            importance_type=importance_type,
            **params,
        )
        self.class_weight = class_weight

    def _check_target(self, y: Any, fit: bool = True) -> np.ndarray:
        y = _tables.unmasked(y)
        y = np.asarray(column_or_1d(y, warn=True) if HAS_SKLEARN else y)
        if y.ndim == 2 and y.shape[1] == 1:
            y = y[:, 0]
        if y.ndim != 1:
            raise ValueError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
        if y.dtype.kind in "fMO":
            absent = [_tables.is_missing(label) for label in y] if y.dtype.kind == "O" else np.isnan(y)
            if np.any(absent):
                raise ValueError(
                    f"Input y contains NaN or None: row {np.argmax(absent) + 1} has no class; leave it out."
                )
        if fit:
            if HAS_SKLEARN:
                check_classification_targets(y)
            self.classes_, codes = np.unique(y, return_inverse=True)
            self._names = _class_names(self.classes_)
        else:
            codes = np.minimum(np.searchsorted(self.classes_, y), len(self.classes_) - 1)
            if not np.array_equal(self.classes_[codes], y):
                raise ValueError(f"y has a class that training did not have: the classes are {self.classes_.tolist()}")
        names: np.ndarray = self._names[codes]
        return names

    def _classes(self) -> Sequence[Any]:
        names: list[Any] = self._names.tolist()
        return names

    def _by_output(self, scores: np.ndarray | None) -> np.ndarray | None:
        order = np.argsort(self._names)
        if scores is None or np.array_equal(order, np.arange(len(order))):
            return scores
        if scores.ndim == 2 and scores.shape[1] == len(order):
            return scores[:, order]
        is_named = any(_settings.key_of(name) == "positive_class" for name, _ in _settings.flat(self._more))
        return scores if is_named else -scores  # of two classes, as the second one is the first in the model

    def _check_base(self, init_model: Any, y: Any, target: np.ndarray) -> np.ndarray:
        """Return the labels as the model has them that training goes on from. They may lack some of its classes."""
        if isinstance(init_model, BoostClassifier):
            self.classes_, self._names = init_model.classes_, init_model._names
        elif isinstance(init_model, _Boost):
            raise ParameterError(f"init_model is a {type(init_model).__name__}, which predicts no classes")
        else:
            model = init_model if isinstance(init_model, Model) else Model.load(init_model)
            if model.classes is None:
                raise ParameterError("init_model predicts numbers, and no classes")
            labels = {_plain_name(name): label for name, label in zip(self._names, self.classes_, strict=True)}
            classes = [labels.get(str(name), _label(name, self.classes_)) for name in model.classes]
            kind = object if self.classes_.dtype.kind == "O" else None
            self.classes_, places = np.unique(np.array(classes, kind), return_index=True)
            self._names = np.array(model.classes)[places]
        return self._check_target(y, fit=False)

    def _settings(self) -> dict[str, Any]:
        """Return the parameters as settings of the program, where scikit-learn's loss for any classes has no name.

        Weights by CatBoost's name may be a list, in the order of the classes.
        """
        given = super()._settings()
        if (weights := given.pop("class_weights", None)) is not None:
            given["class_weight"] = self._by_class(weights)
        return {
            name: value
            for name, value in given.items()
            if not (_settings.key_of(name) in OBJECTIVES and isinstance(value, str) and value == "log_loss")
        }

    def _by_class(self, weights: Any) -> Any:
        """Return weights of classes as a setting: a table by their names."""
        if isinstance(weights, str):
            return weights
        classes = self.classes_.tolist()
        if not isinstance(weights, Mapping):
            if len(weights) != len(classes):
                raise ParameterError(f"class_weights has {len(weights)} weights for {len(classes)} classes: {classes}")
            weights = dict(zip(classes, weights, strict=True))
        unknown = [label for label in weights if label not in classes]
        if unknown and any(label not in weights for label in classes):  # else a part of the rows lacks a class
            raise ValueError(f"class_weight has {unknown}, which y has not: the classes are {classes}")
        return {
            _plain_name(name): float(weights.get(label, 1.0)) for name, label in zip(self._names, classes, strict=True)
        }

    def _defaults(self) -> dict[str, Any]:
        classes = self.classes_.tolist()
        if len(classes) < 2:
            raise ValueError(f"{type(self).__name__} needs 2 classes, and y has only one class: {classes}")
        settings: dict[str, Any] = {"train.objective": "binary" if len(classes) == 2 else "multiclass"}
        if self.class_weight is not None:
            settings["objective.class_weight"] = self._by_class(self.class_weight)
        return settings

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        eval_set: Any = None,
        eval_sample_weight: Any = None,
        init_score: Any = None,
        base_margin: Any = None,
        eval_init_score: Any = None,
        init_model: Any = None,
        callback: RoundCallback | None = None,
        verbose: Any = None,
    ) -> BoostClassifier:
        """Train.

        Parameters
        ----------
        X : array, frame or sparse matrix
            Rows to train on: strings, categories, dates and missing values as they are.
        y : array
            The class of each row: numbers, strings or booleans.
        sample_weight : array, optional
            Weights of the rows.
        eval_set : tuple (X, y) or list of these, optional
            Validation sets. The first one decides early stopping.
        eval_sample_weight : list of arrays, optional
            Weights of their rows.
        init_score : array, optional
            Raw scores that training starts from: of two classes that of the second one (or of the one that
            is ``positive_class``), else a column for each in the order of ``classes_``. The model predicts what it adds
            to them; ``model_.predict(X, init_score=…)`` predicts both together, in the order of ``model_.classes``.
        base_margin : array, optional
            XGBoost's name for ``init_score``.
        eval_init_score : list of arrays, optional
            Those of ``eval_set``, which then needs them.
        init_model : Model, estimator or path, optional
            Training goes on from it.
        callback : callable, optional
            Is called after each round with a dict.
        verbose : bool, optional
            False, as other libraries take it: messages go to the logger ``boost_gbt``.
        """
        _settings.settings({"verbose": verbose})
        scores = _either(init_score, base_margin), eval_init_score
        self._fit(X, y, sample_weight, eval_set, eval_sample_weight, init_model, callback, None, None, *scores)
        if self.model_.classes is None:
            objective = self.model_.objective
            del self.model_
            raise ParameterError(
                f"objective {objective} predicts numbers, and {type(self).__name__} the probability of each class: "
                "leave the objective out, or take BoostRegressor"
            )
        self.n_classes_ = len(self.classes_)
        return self

    def _columns(self) -> list[int]:
        """Return, for each class, the column of its probability in the model."""
        names = [str(name) for name in self._model().classes or ()]
        return [names.index(_plain_name(name)) for name in self._names]

    def predict_proba(self, X: Any, *, rounds: int | None = None) -> np.ndarray:
        """Return the probability of each class, in the order of ``classes_``."""
        return self._probabilities(self._predict(X, "value", rounds))

    def _probabilities(self, values: np.ndarray) -> np.ndarray:
        if values.ndim == 1:
            values = np.column_stack([1 - values, values])
        return values[:, self._columns()]

    def predict_log_proba(self, X: Any, *, rounds: int | None = None) -> np.ndarray:
        """Return the logarithm of the probability of each class, in the order of ``classes_``."""
        with np.errstate(divide="ignore"):
            logarithms: np.ndarray = np.log(self.predict_proba(X, rounds=rounds))
        return logarithms

    def decision_function(self, X: Any, *, rounds: int | None = None) -> np.ndarray:
        """Return the raw score of each class, in the order of ``classes_``; of two classes that of the second alone."""
        scores, columns = self._predict(X, "raw", rounds), self._columns()
        if scores.ndim == 1:
            return scores if columns == [0, 1] else -scores
        scores = scores[:, columns]
        return scores if len(columns) > 2 else np.subtract(scores[:, 1], scores[:, 0])

    def predict(self, X: Any, kind: str = "class", *, rounds: int | None = None) -> np.ndarray:
        """Predict the class of each row; other kinds are ``value``, ``raw`` and ``leaf``."""
        if kind != "class":
            return self._predict(X, kind, rounds)
        probabilities = self.predict_proba(X, rounds=rounds)
        found: np.ndarray = self.classes_[probabilities.argmax(axis=1)]
        return found

    def staged_predict_proba(self, X: Any, every: int = 1) -> Iterator[np.ndarray]:
        """Return probabilities after every so many rounds, and after the last."""
        for values in self._staged(X, every):
            yield self._probabilities(values)

    def staged_predict(self, X: Any, every: int = 1) -> Iterator[np.ndarray]:
        """Predict classes after every so many rounds, and after the last."""
        for probabilities in self.staged_predict_proba(X, every):
            yield self.classes_[probabilities.argmax(axis=1)]


def _class_names(classes: np.ndarray) -> np.ndarray:
    """Return what classes are called in the model: as ``train`` reads them, numbers where all of them are numbers.

    Texts that it would take for no value, and those that it would not tell apart, stand in quotes.
    """
    if classes.dtype.kind in "iub":
        return classes.astype(np.int64) if classes.dtype.kind == "b" else classes
    if classes.dtype.kind == "f" and np.isfinite(classes).all():
        return classes.astype(np.float64)
    if classes.dtype.kind in "mM":
        return classes.astype(f"{classes.dtype.kind}8[us]").astype(np.int64) / 1e6
    texts = [_tables._text(label) for label in classes.tolist()]
    numbers = [_number(text) for text in texts]
    values = {number for number in numbers if number is not None and abs(number) < 2**53}
    if len(values) == len(texts):
        return np.array(numbers, np.float64)
    unread = [text for text in texts if text.strip(" \t") in MISSING or None not in numbers]
    names = [repr(text) if text in unread else text for text in texts]
    if len(set(names)) < len(names):
        names = [repr(text) for text in texts]
    if unread:
        why = "no value" if None in numbers else "numbers that are alike or too large"
        tell("WARN", f"labels such as {unread[0]!r} are read as {why}: model_ has this class in quotes, {unread[0]!r}")
    return np.array(names, object)


def _number(text: str) -> float | None:
    """Return the number, truth value or seconds since 1970 that the program reads in a text, None for others."""
    text = text.strip(" \t")
    if NUMBER.fullmatch(text):
        return float(text)
    if text.lower() in ("true", "false"):
        return float(text.lower() == "true")
    if not (found := DATE.fullmatch(text)):
        return None
    day, clock, second, fraction, sign, hours, minutes = found.groups()
    try:
        moment = datetime.fromisoformat(f"{day}T{clock or '00:00'}:{second or '00'}+00:00").timestamp()
    except ValueError:
        return None
    zone = int(hours or 0) * 3600 + int(minutes or 0) * 60
    return moment - (-zone if sign == "-" else zone) + float(f"0.{fraction or 0}")


def _label(name: Any, labels: np.ndarray) -> Any:
    """Return a class of a model as a label of the type that others have."""
    if labels.dtype.kind in "mM":
        return np.array(int(name * 1e6), f"{labels.dtype.kind}8[us]").astype(labels.dtype)[()]
    return str(name) if all(isinstance(label, str) for label in labels.tolist()) else name


def _plain_name(name: Any) -> str:
    number = isinstance(name, (int, float, np.number))
    return str(int(name)) if number and float(name).is_integer() else str(name)


class BoostRanker(_Boost):
    """Gradient-boosted trees that rank the rows of queries."""

    def _check_target(self, y: Any, fit: bool = True) -> np.ndarray:
        return np.asarray(_no_times(_tables.unmasked(y), "y"), np.float64).reshape(-1)

    def _defaults(self) -> dict[str, Any]:
        return {"train.objective": "lambdarank"}

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        qid: Any = None,
        group: Any = None,
        eval_set: Any = None,
        eval_qid: Any = None,
        eval_group: Any = None,
        eval_sample_weight: Any = None,
        init_score: Any = None,
        base_margin: Any = None,
        eval_init_score: Any = None,
        init_model: Any = None,
        callback: RoundCallback | None = None,
        verbose: Any = None,
    ) -> BoostRanker:
        """Train.

        Parameters
        ----------
        X : array, frame or sparse matrix
            Rows to train on. Those of a query may stand apart.
        y : array
            Relevance of each row: 0, 1, 2, …
        sample_weight : array, optional
            Weights of the rows.
        qid : array, optional
            The query of each row.
        group : array, optional
            In place of ``qid``: the number of rows of each query, in order.
        eval_set : tuple (X, y) or list of these, optional
            Validation sets. The first one decides early stopping.
        eval_qid, eval_group : list of arrays, optional
            Their queries.
        eval_sample_weight : list of arrays, optional
            Weights of their rows.
        init_score : array, optional
            Raw scores that training starts from: one for each row. The model predicts what it adds to
            them; ``model_.predict(X, init_score=…)`` predicts both together.
        base_margin : array, optional
            XGBoost's name for ``init_score``.
        eval_init_score : list of arrays, optional
            Those of ``eval_set``, which then needs them.
        init_model : Model, estimator or path, optional
            Training goes on from it.
        callback : callable, optional
            Is called after each round with a dict.
        verbose : bool, optional
            False, as other libraries take it: messages go to the logger ``boost_gbt``.
        """
        _settings.settings({"verbose": verbose})
        if qid is None and group is None:
            raise ParameterError("ranking needs the queries of the rows: give qid or group")
        _tables.warn_of_order(X, qid, "qid")
        queries = _queries(qid, group)
        if len(queries) != len(y):
            raise ParameterError(f"{'group' if qid is None else 'qid'} has {len(queries)} rows, and y has {len(y)}")
        theirs = None
        if eval_qid is not None or eval_group is not None:
            given = eval_group if eval_qid is None else eval_qid
            if eval_qid is not None and eval_group is not None:
                raise ParameterError("eval_qid and eval_group both say which queries the rows belong to: give one")
            given = _alone(given) if isinstance(eval_set, tuple) else given
            theirs = [_queries(None, one) if eval_qid is None else _queries(one, None) for one in given]
        elif eval_set:
            raise ParameterError("ranking needs the queries of eval_set too: give eval_qid or eval_group")
        scores = _either(init_score, base_margin), eval_init_score
        self._fit(X, y, sample_weight, eval_set, eval_sample_weight, init_model, callback, queries, theirs, *scores)
        return self

    def predict(self, X: Any, kind: str = "value", *, rounds: int | None = None) -> np.ndarray:
        """Return a score for each row: within a query, the higher the better."""
        return self._predict(X, kind, rounds)


def _alone(given: Any) -> Any:
    """Return a list for one validation set from what is given for it: an array, or a list of one."""
    return given if given is None or (len(given) == 1 and np.ndim(given[0]) > 0) else [given]


def _queries(qid: Any, group: Any) -> np.ndarray:
    """Return the query of each row, from these or from the number of rows of each."""
    if qid is not None and group is not None:
        raise ParameterError("qid and group both say which queries the rows belong to: give one")
    if qid is not None:
        queries = np.asarray(_tables.unmasked(qid))
        if queries.ndim != 1:
            raise ParameterError(f"qid must be an array with the query of each row, and has {queries.ndim} dimensions")
        return queries
    sizes = np.asarray(group)
    if sizes.ndim != 1:
        raise ParameterError(
            f"group must be an array with the number of rows of each query, and has {sizes.ndim} dimensions"
        )
    if sizes.dtype.kind not in "iuf" or (sizes < 0).any() or (sizes != np.floor(sizes)).any():
        raise ParameterError("group must have the number of rows of each query, in order: whole numbers")
    return np.repeat(np.arange(len(sizes)), sizes.astype(np.int64))


for _estimator in (BoostRegressor, BoostClassifier, BoostRanker):
    _first, _, _rest = (_estimator.__doc__ or "").partition("\n")
    _estimator.__doc__ = f"{_first}\n{PARAMETERS}{_rest}"
