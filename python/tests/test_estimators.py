"""The estimators, by the checks of scikit-learn and beside its own tools."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boost_gbt import BoostClassifier, BoostRanker, BoostRegressor, Model, ParameterError, TableError, run, train

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.calibration import CalibratedClassifierCV  # noqa: E402
from sklearn.compose import ColumnTransformer  # noqa: E402
from sklearn.ensemble import StackingClassifier  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import (  # noqa: E402
    check_sample_weight_equivalence_on_dense_data,
    check_sample_weight_equivalence_on_sparse_data,
    parametrize_with_checks,
)

Data = tuple[np.ndarray, np.ndarray]

# min_data_in_leaf counts rows, and gradients have 16 bits: a weight of 2 is nearly a row that stands twice. Without
# these two it is one: see test_weights_are_repetitions.
EXPECTED = {
    f"check_sample_weight_equivalence_on_{kind}_data": "weights are no repetitions: min_data_in_leaf counts rows"
    for kind in ("dense", "sparse")
}


@parametrize_with_checks(
    [BoostRegressor(rounds=10), BoostClassifier(rounds=10)], expected_failed_checks=lambda _: EXPECTED
)
@pytest.mark.filterwarnings("ignore")
def test_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


EXACT = {"min_data_in_leaf": 1, "train.gradients": "i32"}


@pytest.mark.parametrize("estimator", [BoostRegressor(rounds=10, **EXACT), BoostClassifier(rounds=10, **EXACT)])
@pytest.mark.filterwarnings("ignore")
def test_weights_are_repetitions(estimator: Any) -> None:
    """Where leaves may have one row and gradients are not rounded to 16 bits, the checks of weights pass too."""
    for check in (check_sample_weight_equivalence_on_dense_data, check_sample_weight_equivalence_on_sparse_data):
        check(type(estimator).__name__, estimator)


@pytest.mark.parametrize("kind", ["numpy", "pandas", "polars", "pyarrow", "sparse"])
def test_rows_without_weight(numbers: Data, kind: str) -> None:
    """A weight of 0 leaves a row out, whatever holds the rows."""
    x, y = np.nan_to_num(numbers[0]), numbers[1]
    weight = np.where(np.arange(1000) % 3, 2.0, 0.0)
    table: Any = x
    if kind == "sparse":
        table = pytest.importorskip("scipy.sparse").csr_matrix(x)
    elif kind != "numpy":
        table = pytest.importorskip("pandas").DataFrame(x, columns=list("abcdef"))
        if kind == "polars":
            table = pytest.importorskip("polars").from_pandas(table)
        elif kind == "pyarrow":
            table = pytest.importorskip("pyarrow").Table.from_pandas(table)
    m = BoostRegressor(rounds=10).fit(table, y, weight)
    left = weight > 0
    want = BoostRegressor(rounds=10).fit(x[left], y[left], weight[left])
    assert np.array_equal(m.predict(table), want.predict(x))
    with pytest.raises(ValueError, match="weight"):
        BoostRegressor(rounds=10).fit(table, y, np.zeros(1000))


@pytest.fixture(scope="module")
def classes(numbers: Data) -> np.ndarray:
    return np.array(["low", "mid", "high"])[np.digitize(numbers[1], [-0.5, 0.5])]


def test_same_bytes_as_train(numbers: Data, classes: np.ndarray) -> None:
    x, y = numbers
    params = {"effort": "quick", "rounds": 10, "early_stopping": 0, "leaves": 7}
    assert BoostRegressor(rounds=10, leaves=7).fit(x, y).model_ == train(params, x, y)
    assert BoostRegressor(n_estimators=10, num_leaves=7).fit(x, y).model_ == train(params, x, y)
    assert BoostClassifier(rounds=10, leaves=7).fit(x, classes).model_ == train(params, x, classes)
    incomes = np.where(y > 0, ">50K", "<=50K")
    assert BoostClassifier(rounds=10, leaves=7).fit(x, incomes).model_.classes == ["<=50K", ">50K"]


@pytest.mark.parametrize(
    "labels",
    [
        ["b", "a"],
        [True, False],
        [3, 1],
        [2.0, -1.0],
        ["1", "0"],
        ["10", "9", "x"],
        [10, 9, 100],
        ["yes ", "yes"],
        ["2024-01-02", "2023-05-06"],
    ],
)
def test_labels_of_all_kinds(numbers: Data, labels: list[Any]) -> None:
    x, y = numbers
    target = np.array(labels)[np.digitize(y, [0] if len(labels) == 2 else [-0.5, 0.5])]
    m = BoostClassifier(rounds=20).fit(x, target)
    assert m.classes_.tolist() == sorted(labels)
    assert np.mean(m.predict(x) == target) > 0.85
    probabilities = m.predict_proba(x)
    assert probabilities.shape == (len(x), len(labels))
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert np.array_equal(m.classes_[probabilities.argmax(axis=1)], m.predict(x))


@pytest.mark.parametrize(
    "labels",
    [
        ["1", "2", "3"],
        ["1", "2"],
        ["01", "10", "2"],
        ["10", "9"],
        ["0.5", "1.5", "-2"],
        ["1e3", "20", "+3."],
        ["true", "FALSE"],
        ["2024-01-02", "2023-05-06", "2024-01-02T03:04:05.5+02:00"],
        ["1", "x"],
        ["01", "1", "x"],
        ["2024-01-02", "never"],
        [3, 1],
        [True, False],
        np.array(["2024-01-02", "2023-05-06"], "M8[D]"),
    ],
    ids=str,
)
def test_names_of_classes_in_the_model(numbers: Data, labels: Any, tmp_path: Path) -> None:
    """They are those of the labels, as train has them of the same table, also where most of a column are numbers."""
    pd = pytest.importorskip("pandas")
    x, y = numbers
    labels = np.asarray(labels)
    target = labels[np.digitize(y, np.quantile(y, [0.95] if len(labels) == 2 else [0.4, 0.95]))]
    weights = dict.fromkeys(labels.tolist(), 2.0) if labels.dtype.kind != "M" else "balanced"
    m = BoostClassifier(rounds=20, class_weight=weights).fit(x, target, eval_set=(x[:9], target[:9]))
    m = pickle.loads(pickle.dumps(m))
    each = np.repeat(labels, 20)
    like = train({"rounds": 1, "objective": "multiclass", "early_stopping": 0}, np.arange(len(each))[:, None], each)
    assert m.model_.classes == like.classes
    accuracy = m.score(x, target)
    assert accuracy > 0.9
    assert m.model_.eval(x, target, "accuracy") == {"accuracy": accuracy}
    more = BoostClassifier(rounds=1).fit(x, target, init_model=m.model_)
    assert more.classes_.tolist() == m.classes_.tolist()
    assert more.score(x, target) > 0.9

    frame = pd.DataFrame(x, columns=m.model_.inputs).assign(label=target)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    m.model_.save(tmp_path / "m.boost")
    said = json.loads(run("eval", tmp_path / "m.boost", tmp_path / "rows.csv", "--metric", "accuracy", "--json"))
    assert said["metrics"]["accuracy"] == pytest.approx(accuracy)
    run("predict", tmp_path / "m.boost", tmp_path / "rows.csv", "-o", tmp_path / "out.csv", "--kind", "value")
    found = pd.read_csv(tmp_path / "out.csv")
    assert np.allclose(found.iloc[:, -1], m.predict_proba(x)[:, m._columns().index(len(labels) - 1)])


@pytest.mark.parametrize(
    ("labels", "names", "words"),
    [
        (["NA", "a", "b"], ["'NA'", "a", "b"], "labels such as 'NA' are read as no value"),
        (["", "1", "b"], ["''", "1", "b"], "labels such as '' are read as no value"),
        (["1", "01", "2"], ["'01'", "'1'", "'2'"], "labels such as '01' are read as numbers that are alike"),
        (["9007199254740993", "1"], ["'1'", "'9007199254740993'"], "numbers that are alike or too large"),
        (["NA", "'NA'"], ["\"'NA'\"", "'NA'"], "labels such as 'NA'"),
    ],
)
def test_classes_that_are_not_read_as_they_are(numbers: Data, labels: list[str], names: list[str], words: str) -> None:
    """The model has them in quotes, with a warning: none takes the place of another."""
    x, y = numbers
    target = np.array(labels)[np.digitize(y, [0] if len(labels) == 2 else [-0.5, 0.5])]
    with pytest.warns(UserWarning, match=words):
        m = BoostClassifier(rounds=20).fit(x, target)
    assert m.model_.classes == names
    assert m.score(x, target) > 0.85
    with pytest.raises(TableError, match=r"the cell has no value|is not one of the classes"):
        m.model_.eval(x, target)


@pytest.mark.parametrize(
    ("labels", "params"),
    [
        (["a", "b"], {}),
        (["10", "9"], {}),  # which are the other way round as numbers
        (["a", "b"], {"positive_class": "a"}),
        (["a", "b"], {"objective": "multiclass"}),
        (["10", "9", "2"], {}),
        (["a", "b", "c"], {"objective": "one_vs_all"}),
    ],
)
def test_scores_of_classes(numbers: Data, labels: list[str], params: dict[str, Any]) -> None:
    x, y = numbers
    target = np.array(labels)[np.digitize(y, [0] if len(labels) == 2 else [-0.5, 0.5])]
    m = BoostClassifier(rounds=10, **params).fit(x, target)
    probabilities, scores = m.predict_proba(x), m.decision_function(x)
    assert np.array_equal(m.predict_log_proba(x, rounds=5), np.log(m.predict_proba(x, rounds=5)))
    if len(labels) == 2:
        assert np.allclose(1 / (1 + np.exp(-scores)), probabilities[:, 1])
    else:
        assert scores.shape == (len(x), 3)
        assert np.array_equal(scores.argmax(axis=1), probabilities.argmax(axis=1))
    if "positive_class" in params:
        return  # scikit-learn divides the rows with numbers in the place of labels
    for method in ("predict_log_proba", "decision_function"):
        assert cross_val_predict(m, x, target, cv=2, method=method).shape == getattr(m, method)(x).shape


def test_several_labels(numbers: Data) -> None:
    pd = pytest.importorskip("pandas")
    x, y = numbers
    both = np.column_stack([y, np.where(x[:, 0] > 0, 10.0, 20.0)])
    named = pd.DataFrame(both, columns=["height", "weight"])
    m = BoostRegressor(rounds=20).fit(x, named, eval_set=(x[:99], named[:99]), sample_weight=np.arange(len(x)) % 3)
    assert list(m.model_._head["roles"]["label"]) == ["height", "weight"]
    assert m.predict(x).shape == (len(x), 2)
    assert m.predict(x, "raw", rounds=3).shape == (len(x), 2)
    assert [stage.shape for stage in m.staged_predict(x, every=10)] == [(len(x), 2)] * 2
    assert m.score(x, named) == pytest.approx(sklearn.metrics.r2_score(named, m.predict(x)))
    assert len(m.evals_result_["valid"]["rmse"]) == 20
    assert BoostRegressor(rounds=5).fit(x, named, init_model=m).best_iteration_ == 25
    alone = BoostRegressor(rounds=5).fit(x, both)
    assert np.array_equal(alone.predict(x)[:, 0], BoostRegressor(rounds=5).fit(x, y).predict(x))
    assert cross_val_predict(alone, x, both, cv=2).shape == both.shape
    assert alone.__sklearn_tags__().target_tags.multi_output
    with pytest.raises(ParameterError, match=r"label has 3 columns, and 2 in training"):
        alone.fit(x, both, eval_set=(x, both[:, [0, 0, 1]]))


def test_scores_to_start_from(numbers: Data) -> None:
    x, y = numbers
    start = np.nan_to_num(x[:, 1])
    m = BoostRegressor(rounds=5).fit(x, y, init_score=start, eval_set=(x, y), eval_init_score=start)
    params = {"effort": "quick", "rounds": 5, "early_stopping": 0}
    like = train(params, x, y, init_score=start, valid=(x, y, None, None, start))
    assert m.model_ == like
    assert m.evals_result_ == like.history
    with pytest.warns(UserWarning, match="predictions are what the model adds"):
        added = m.predict(x)
    assert np.allclose(m.model_.predict(x, init_score=start), added + start)
    assert BoostRegressor(rounds=5).fit(x, y, base_margin=start).model_ == train(params, x, y, init_score=start)
    some = x[:, 0] > 0
    few = BoostRegressor(rounds=5).fit(x[some], y[some], np.ones(some.sum()), init_score=start[some])
    assert BoostRegressor(rounds=5).fit(x, y, some, init_score=start).model_ == few.model_
    BoostRanker(rounds=5).fit(x, y > 0, group=[len(x)], init_score=start)
    series = pytest.importorskip("pandas").Series(start)
    frame = series.to_frame("a")
    for scores in ((series[::-1], series), (series, series[::-1])):
        with pytest.warns(UserWarning, match="the index of init_score has the rows of the table in another order"):
            BoostRegressor(rounds=1).fit(
                frame, y, init_score=scores[0], eval_set=(frame, y), eval_init_score=[scores[1]]
            )
    for arguments, words in (
        ({"init_score": start, "base_margin": start}, "init_score and base_margin are the same"),
        ({"init_score": start[:9]}, r"shape \(9,\), and there are 1000 rows"),
        ({"init_score": start, "eval_set": (x, y)}, "give eval_init_score"),
        ({"init_score": start, "eval_set": [(x, y)], "eval_init_score": [start, start]}, "each of 1 sets"),
        ({"eval_set": (x, y), "eval_init_score": start}, "the training rows have none"),
    ):
        with pytest.raises(ValueError, match=words):
            BoostRegressor(rounds=5).fit(x, y, **arguments)


@pytest.mark.parametrize(
    ("labels", "params"),
    [
        (["a", "b"], {}),
        (["10", "9"], {}),
        (["10", "9"], {"positive_class": "10"}),
        (["a", "b", "c"], {}),
        (["10", "9", "2"], {}),
    ],
)
def test_scores_of_classes_to_start_from(numbers: Data, labels: list[str], params: dict[str, Any]) -> None:
    """They are in the order of the classes, which those of the model may not be in."""
    x, y = numbers
    target = np.array(labels)[np.digitize(y, [0] if len(labels) == 2 else [-0.5, 0.5])]
    of_class = np.where(target[:, None] == np.unique(labels), 5.0, -5.0)
    start = of_class if len(labels) > 2 else of_class[:, 0 if params else 1]
    m = BoostClassifier(rounds=1, eval_metric="error" if len(labels) == 2 else "multi_error", **params)
    m.fit(x, target, init_score=start, eval_set=[(x, target)], eval_init_score=[start])
    assert next(iter(m.evals_result_["valid"].values())) == [0.0]


def test_frames(census: Path) -> None:
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame = pd.read_csv(census / "train.csv.gz", nrows=4000)
    x, y = frame.drop(columns="income"), frame["income"]
    m = BoostClassifier(rounds=30).fit(x, y)
    assert m.feature_names_in_.tolist() == list(x)
    assert m.model_.label == "income"
    assert m.score(x, y) > 0.85
    other = BoostClassifier(rounds=30).fit(pl.from_pandas(x), y.to_numpy())
    assert np.array_equal(other.predict_proba(pl.from_pandas(x)), m.predict_proba(x))
    assert m.feature_importances_.sum() == pytest.approx(1)
    with pytest.raises(ValueError, match="feature names"):
        m.predict(x.rename(columns={"age": "years"}))
    unseen = x.assign(occupation="astronaut")
    with pytest.warns(UserWarning, match="training had none of its categories"):
        assert len(m.predict(unseen)) == len(x)


def test_tools_of_scikit_learn(numbers: Data, classes: np.ndarray) -> None:
    x, y = numbers
    filled = np.nan_to_num(x)
    assert cross_val_score(BoostRegressor(rounds=30), x, y, cv=3).min() > 0.6
    pipe = make_pipeline(
        ColumnTransformer([("scale", StandardScaler(), [0, 1])], remainder="passthrough"), BoostClassifier(rounds=10)
    )
    assert pipe.fit(filled, classes).score(filled, classes) > 0.8
    assert CalibratedClassifierCV(BoostClassifier(rounds=10), cv=2).fit(x, classes).predict_proba(x).shape == (1000, 3)
    stack = StackingClassifier(
        [("a", BoostClassifier(rounds=5)), ("b", BoostClassifier(rounds=10))], LogisticRegression(), cv=2
    )
    assert stack.fit(x, classes).score(x, classes) > 0.7


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_search_in_parallel(numbers: Data, backend: str) -> None:
    joblib = pytest.importorskip("joblib")
    x, y = numbers
    with joblib.parallel_backend(backend, n_jobs=2):
        search = GridSearchCV(BoostRegressor(rounds=10), {"leaves": [4, 15], "learning_rate": [0.1, 0.3]}, cv=2).fit(
            x, y
        )
    assert search.best_params_ == {"leaves": 15, "learning_rate": 0.3}


def test_early_stopping(numbers: Data) -> None:
    x, y = numbers
    m = BoostRegressor(rounds=500, early_stopping_rounds=5, eval_metric="mae").fit(
        x[:700], y[:700], eval_set=[(x[700:], y[700:])]
    )
    curve = m.evals_result_["valid"]["mae"]
    assert m.best_iteration_ == int(np.argmin(curve)) + 1 < 500
    held_out = BoostRegressor(rounds=500, early_stopping_rounds=5).fit(x, y)
    assert held_out.model_.report["held_out"] == 100


def test_stages(numbers: Data, classes: np.ndarray) -> None:
    x, y = numbers
    m = BoostRegressor(rounds=5).fit(x, y)
    assert np.array_equal(list(m.staged_predict(x))[-1], m.predict(x))
    c = BoostClassifier(rounds=5).fit(x, classes)
    assert np.array_equal(list(c.staged_predict(x, every=2))[-1], c.predict(x))
    assert len(list(c.staged_predict_proba(x, every=2))) == 3


def test_class_weight(numbers: Data) -> None:
    x, y = numbers
    rare = np.where(y > 1.5, "rare", "usual")
    plain = BoostClassifier(rounds=10).fit(x, rare)
    heavy = BoostClassifier(rounds=10, class_weight={"rare": 20}).fit(x, rare)
    balanced = BoostClassifier(rounds=10, class_weight="balanced").fit(x, rare)
    assert (
        np.mean(plain.predict(x) == "rare")
        < np.mean(balanced.predict(x) == "rare")
        <= np.mean(heavy.predict(x) == "rare")
    )


@pytest.mark.parametrize("absent", [None, np.nan, "NA"])
def test_labels_that_are_missing(numbers: Data, classes: np.ndarray, absent: Any) -> None:
    y = classes.astype(object)
    y[7] = pytest.importorskip("pandas").NA if absent == "NA" else absent
    with pytest.raises(ValueError, match="row 8 has no class"):
        BoostClassifier(rounds=3).fit(numbers[0], y)


def test_words_for_what_does_not_fit(numbers: Data) -> None:
    x, y = numbers
    with pytest.raises(ValueError, match=r"class_weight has \['hgih'\]"):
        BoostClassifier(class_weight={"hgih": 2}).fit(x, np.where(y > 0, "high", "low"))
    folds = BoostClassifier(rounds=3, class_weight={"high": 2, "low": 1, "mid": 1})
    assert len(folds.fit(x, np.where(y > 0, "high", "low")).classes_) == 2, "as in scikit-learn: a part of the rows"
    with pytest.raises(TypeError, match="X is a dict"):
        BoostRegressor().fit({"a": y}, y)
    with pytest.raises(ValueError, match="each of 1 sets"):
        BoostRegressor().fit(x, y, np.ones(1000), eval_set=[(x, y)], eval_sample_weight=np.ones(1000))
    with pytest.raises(ParameterError, match="training rows have none"):
        BoostRegressor().fit(x, y, eval_set=(x, y), eval_sample_weight=[np.ones(1000)])


def test_ranker() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(600, 4))
    qid = np.repeat(np.arange(60), 10)
    y = np.clip(np.round(x[:, 0] + 1.5), 0, 3)
    m = BoostRanker(rounds=20).fit(x, y, qid=qid)
    assert np.corrcoef(m.predict(x), x[:, 0])[0, 1] > 0.8
    assert BoostRanker(rounds=20).fit(x, y, group=[10] * 60).model_ == m.model_
    stopped = BoostRanker(rounds=200, early_stopping_rounds=5).fit(
        x, y, qid=qid, eval_set=[(x.copy(), y)], eval_qid=[qid]
    )
    assert "valid" in stopped.evals_result_
    with pytest.raises(ParameterError, match="qid or group"):
        BoostRanker().fit(x, y)


def test_parameters(numbers: Data) -> None:
    x, y = numbers
    m = BoostRegressor(rounds=3, num_leaves=5)
    assert m.get_params()["num_leaves"] == 5
    assert clone(m).get_params() == m.get_params()
    assert "num_leaves" in repr(m) or m.set_params(num_leaves=4).get_params()["num_leaves"] == 4
    with pytest.raises(ParameterError, match="did you mean"):
        BoostRegressor(num_leafs=5).fit(x, y)
    with pytest.raises(NotFittedError):
        m.predict(x)
    assert (
        BoostRegressor(rounds=3, row_fraction=0.5, random_state=1).fit(x, y).model_
        == BoostRegressor(rounds=3, row_fraction=0.5, random_state=1).fit(x, y).model_
    )
    assert BoostRegressor(objective="huber", rounds=3).fit(x, y).model_.objective == "huber"


def test_pickled_as_bytes(numbers: Data) -> None:
    x, y = numbers
    m = BoostRegressor(rounds=3).fit(x, y)
    again = pickle.loads(pickle.dumps(m))
    assert np.array_equal(again.predict(x), m.predict(x))
    assert pickle.dumps(BoostRegressor(rounds=3).fit(x, y).model_) == pickle.dumps(m.model_)
    assert isinstance(again.model_, Model)


def test_going_on(numbers: Data) -> None:
    x, y = numbers
    first = BoostRegressor(rounds=4).fit(x, y)
    assert np.array_equal(
        BoostRegressor(rounds=6).fit(x, y, init_model=first).predict(x), BoostRegressor(rounds=10).fit(x, y).predict(x)
    )


@pytest.mark.parametrize("framed", [False, True])
def test_no_rows(numbers: Data, framed: bool) -> None:
    x, y = numbers
    names = np.array(["low", "mid", "high"])[np.digitize(y, [-1, 1])]
    rows: Any = pytest.importorskip("pandas").DataFrame(x, columns=list("abcdef")) if framed else x
    assert BoostRegressor(rounds=3).fit(rows, y).predict(rows[:0]).shape == (0,)
    ranker = BoostRanker(rounds=3).fit(rows, np.digitize(y, [-1, 1]), group=[10] * 100)
    assert ranker.predict(rows[:0]).shape == (0,)
    classes = BoostClassifier(rounds=3).fit(rows, names)
    found = classes.predict(rows[:0])
    assert (found.shape, found.dtype) == ((0,), names.dtype)
    assert classes.predict_proba(rows[:0]).shape == (0, 3)
    assert classes.apply(rows[:0]).shape == (0, 9)
    assert [stage.shape for stage in classes.staged_predict(rows[:0])] == [(0,)] * 3
    with pytest.raises(ValueError, match="0 sample"):
        BoostRegressor().fit(rows[:0], y[:0])


def test_importances_of_columns_whose_names_are_no_text() -> None:
    """They were all 0: scikit-learn keeps no names that are numbers or tuples."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 3))
    y = x[:, 0] + 3 * x[:, 2]
    want = BoostRegressor(rounds=5).fit(x, y).feature_importances_
    assert want.argmax() == 2
    for columns in (
        range(3),
        [(1, 1), (1, 2), (2, 1)],
        pd.MultiIndex.from_tuples([("a", "x"), ("a", "y"), ("b", "x")]),
    ):
        frame = pd.DataFrame(x, columns=columns)
        assert np.array_equal(BoostRegressor(rounds=5).fit(frame, y).feature_importances_, want)
    less = BoostRegressor(rounds=5, ignore=["1"]).fit(pd.DataFrame(x), y)
    assert less.feature_importances_[1] == 0 < less.feature_importances_[2]
    assert np.array_equal(less.predict(x), less.predict(pd.DataFrame(x)))


def test_labels_and_weights_that_are_times(numbers: Data) -> None:
    """As numbers they would be counts of the unit of their type, and sets of rows may have another one."""
    pd, pl = (pytest.importorskip(name) for name in ("pandas", "polars"))
    x, y = numbers
    spans = np.arange(len(x)).astype("m8[D]")
    days = np.datetime64("2024-01-01") + spans
    for times in (spans, days, pd.Series(spans), pd.Series(days).dt.tz_localize("UTC"), pl.Series(days)):
        for fit in (
            lambda times: BoostRegressor(rounds=2).fit(x, times),
            lambda times: BoostRegressor(rounds=2).fit(x, y, sample_weight=times),
            lambda times: BoostRegressor(rounds=2).fit(x, y, eval_set=(x, times)),
            lambda times: BoostRanker(rounds=2).fit(x, times, group=[len(x)]),
        ):
            with pytest.raises(ValueError, match="holds dates or spans of time: give numbers"):
                fit(times)


def test_metadata_routing(numbers: Data) -> None:
    x, y = numbers
    weight = np.random.default_rng(0).random(len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        m = BoostRegressor(rounds=5).set_fit_request(sample_weight=True)
        scores = cross_val_score(m.set_score_request(sample_weight=True), x, y, params={"sample_weight": weight}, cv=2)
    assert len(scores) == 2


def test_without_scikit_learn() -> None:
    code = """
import sys
sys.modules["sklearn"] = None
import numpy as np
from boost_gbt import BoostClassifier, BoostRegressor
x = np.linspace(0, 6, 300).reshape(-1, 1)
assert BoostRegressor(rounds=30).fit(x, np.sin(x[:, 0])).score(x, np.sin(x[:, 0])) > 0.9
m = BoostClassifier(rounds=30, num_leaves=7).fit(x, np.sin(x[:, 0]) > 0)
assert m.score(x, np.sin(x[:, 0]) > 0) > 0.95
assert m.get_params()["num_leaves"] == 7
try:
    import pandas as pd
except ImportError:
    pass
else:
    frame = pd.DataFrame({"x": x[:, 0], "w": 1.0})
    m = BoostRegressor(rounds=5, weight="w").fit(frame, x[:, 0])
    assert np.array_equal(m.predict(frame[["x"]]), m.predict(frame))
both = np.column_stack([np.sin(x[:, 0]), np.cos(x[:, 0])])
m = BoostRegressor(rounds=30).fit(x, both)
alone = [BoostRegressor(rounds=30).fit(x, y).score(x, y) for y in both.T]
assert abs(m.score(x, both) - np.mean(alone)) < 1e-6
try:
    BoostRegressor().predict(x)
except ValueError as error:
    assert "not fitted" in str(error)
"""
    with warnings.catch_warnings():
        subprocess.run([sys.executable, "-c", code], check=True)


def test_queries_that_stand_apart() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(600, 4))
    y = np.clip(np.round(x[:, 0] + rng.normal(size=600) + 1.5), 0, 3)
    qid = np.repeat(np.arange(60), 10)
    mixed = rng.permutation(600)
    m = BoostRanker(rounds=20).fit(x[mixed], y[mixed], qid=qid[mixed])
    together, apart = (m.model_.eval(x[rows], y[rows], "ndcg@5", group=qid[rows]) for rows in (np.arange(600), mixed))
    assert together == pytest.approx(apart, rel=1e-12)


def test_crossed_columns_count_for_their_sources() -> None:
    rng = np.random.default_rng(3)
    zone, hour, x = rng.integers(0, 100, 8000), rng.integers(0, 24, 8000), rng.random(8000)
    y = 2.0 * ((zone * 37 + hour * 101) * 2654435761 >> 7 & 1) + 0.1 * x
    X = np.column_stack([zone, hour, x])
    settings = {"categorical.splits": "auto", "categorical.combinations": 2, "categorical.counts": True}
    model = BoostRegressor(rounds=30, categorical=["c1"]).set_params(**settings).fit(X, y)
    assert model.n_features_in_ == 3
    assert len(model.model_.features) > 3
    shares = model.feature_importances_
    assert shares.shape == (3,)
    assert abs(shares.sum() - 1) < 1e-12
    assert shares[:2].min() > 0.2
    assert np.corrcoef(model.predict(X), y)[0, 1] > 0.9


def test_fitted_on_an_array_and_given_a_frame(numbers: Data) -> None:
    pd = pytest.importorskip("pandas")
    x, y = numbers
    fitted = BoostRegressor(rounds=5).fit(x, y)
    with pytest.warns(UserWarning, match="feature names"):
        found = fitted.predict(pd.DataFrame(x, columns=list("abcdef")))
    assert np.array_equal(found, fitted.predict(x))


def test_what_belongs_to_one_validation_set(numbers: Data) -> None:
    x, y = numbers
    weights = np.linspace(0, 1, len(y))
    alone = BoostRegressor(rounds=5).fit(x, y, weights, eval_set=(x, y), eval_sample_weight=weights)
    listed = BoostRegressor(rounds=5).fit(x, y, weights, eval_set=[(x, y)], eval_sample_weight=[weights])
    assert bytes(alone.model_) == bytes(listed.model_)


def test_usual_values_of_peers(numbers: Data) -> None:
    x, y = numbers
    plain = bytes(BoostRegressor(rounds=5).fit(x, y).model_)
    for name, value in {
        "early_stopping": "auto",
        "categorical_features": "from_dtype",
        "leaf_estimation_iterations": 1,
        "gamma": 0,
        "scale_pos_weight": 1,
    }.items():
        given = BoostRegressor(rounds=5, **{name: value}).fit(x, y).model_
        assert np.array_equal(given.predict(x), Model.from_bytes(plain).predict(x)), name
    assert BoostRegressor(rounds=5, cat_features=[0]).fit(np.round(x), y).n_features_in_ == 6


def test_masked_labels_and_weights(numbers: Data) -> None:
    x, y = numbers
    hidden = x[:, 3] > 1
    with pytest.raises(ValueError, match="NaN"):
        BoostRegressor().fit(x, np.ma.masked_array(y, hidden))
    with pytest.raises(ValueError, match="NaN"):
        BoostRegressor().fit(x, y, np.ma.masked_array(np.ones(len(y)), hidden))
    for classes in (np.where(y > 0, "yes", "no"), (y > 0).astype(int)):
        with pytest.raises(ValueError, match=f"row {np.argmax(hidden) + 1} has no class"):
            BoostClassifier().fit(x, np.ma.masked_array(classes, hidden))
        plain = BoostClassifier(rounds=3).fit(x, classes)
        shown = BoostClassifier(rounds=3).fit(
            x, np.ma.masked_array(classes, False), np.ma.masked_array(np.ones(len(y)))
        )
        assert np.array_equal(shown.classes_, plain.classes_)
        assert shown.model_.classes == plain.model_.classes
    with pytest.raises(TableError, match="the cell has no value"):
        BoostRanker().fit(x, np.ma.masked_array(np.zeros(len(y)), hidden), qid=np.arange(len(y)) // 10)


def test_arrays_whose_columns_are_not_all_features(numbers: Data) -> None:
    """Rows to predict have all columns that the rows of fit had."""
    sp = pytest.importorskip("scipy.sparse")
    x, y = numbers
    x = np.nan_to_num(x)
    few = BoostRegressor(rounds=5).fit(x[:, 1:], y)
    for estimator, rows in (
        (BoostRegressor(rounds=5, ignore=["c1"]).fit(x, y), x),
        (BoostRegressor(rounds=5, ignore=["c1"]).fit(sp.csr_matrix(x), y), sp.csr_matrix(x)),
    ):
        assert np.array_equal(estimator.predict(rows), few.predict(x[:, 1:]))
        assert np.array_equal(estimator.predict(x[:3].tolist()), few.predict(x[:3, 1:]))
        assert np.array_equal(list(estimator.staged_predict(rows))[-1], few.predict(x[:, 1:]))
        assert np.array_equal(estimator.apply(rows), few.apply(x[:, 1:]))
        assert estimator.feature_importances_[0] == 0
        with pytest.raises(ValueError, match="5 features"):
            estimator.predict(x[:, 1:])
    weighted = BoostClassifier(rounds=5, weight="c1").fit(abs(x), y > 0)
    assert np.array_equal(pickle.loads(pickle.dumps(weighted)).predict_proba(abs(x)), weighted.predict_proba(abs(x)))


def test_frames_without_columns_that_are_no_features(numbers: Data) -> None:
    """Rows to predict need no column that a parameter gives a role or leaves out, and all others."""
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    x, y = numbers
    frame = pd.DataFrame(np.nan_to_num(abs(x)), columns=["a", "b", "c", "d", "event", "w"])
    frame["event"] = frame["event"] > 0.5
    few = frame.drop(columns=["event", "w"])
    aft = {"objective": "aft", "event": "event"}
    for params, rest in ((aft, few.assign(w=frame["w"])), ({**aft, "weight": "w"}, few), ({"ignore": "event,w"}, few)):
        m = BoostRegressor(rounds=5, **params).fit(frame, abs(y))
        want = m.predict(frame)
        assert np.array_equal(m.predict(rest), want)
        assert np.array_equal(m.predict(pl.from_pandas(rest)), want)
        assert np.array_equal(list(m.staged_predict(rest))[-1], want)
        assert np.array_equal(m.apply(rest), m.apply(frame))
        for other, words in (
            (rest.drop(columns="b"), "now missing:\n- b\n$"),
            (rest.assign(more=1), "unseen at fit time:\n- more\n"),
            (rest[rest.columns[::-1]], "same order"),
        ):
            with pytest.raises(ValueError, match=words):
                m.predict(other)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_forms_of_validation_sets(numbers: Data) -> None:
    pd = pytest.importorskip("pandas")
    x, y = numbers
    m = BoostRegressor(rounds=3)
    for sets in ([x, y], x, (x, y, y), [(x,)], {"valid": (x, y)}):
        with pytest.raises(ParameterError, match=r"eval_set must be a tuple \(X, y\) or a list"):
            m.fit(x, y, eval_set=sets)
    assert list(m.fit(x, y, eval_set=((x, y), (x, y))).evals_result_) == ["valid", "valid2"]
    frame = pd.DataFrame(x, columns=list("abcdef"))
    want = m.fit(frame, y, eval_set=(frame, y)).evals_result_
    assert m.fit(frame, y, eval_set=(x, y)).evals_result_ == want


def test_queries_that_do_not_fit(numbers: Data) -> None:
    x, y = numbers
    y, qid = np.abs(np.round(y)), np.repeat(np.arange(100), 10)
    m = BoostRanker(rounds=3)
    for arguments, words in (
        ({"qid": qid, "group": [10] * 100}, "qid and group both"),
        ({"group": [10] * 99}, "group has 990 rows, and y has 1000"),
        ({"group": [-10] * 100}, "whole numbers"),
        ({"group": [2.5] * 400}, "whole numbers"),
        ({"qid": "query"}, "0 dimensions"),
        ({"qid": qid, "eval_set": (x, y)}, "give eval_qid or eval_group"),
        ({"qid": qid, "eval_set": (x, y), "eval_qid": qid, "eval_group": [10] * 100}, "eval_qid and eval_group both"),
    ):
        with pytest.raises(ParameterError, match=words):
            m.fit(x, y, **arguments)
    assert m.fit(x, y, group=np.full(100, 10.0)).model_ == m.fit(x, y, qid=qid).model_


def test_going_on_without_some_classes(numbers: Data) -> None:
    """Rows that lack classes of the first model train those that they have; no class takes another's place."""
    x, y = numbers
    three = np.digitize(y, [-0.5, 0.5])
    some = three != 1
    for names in (np.array(["a", "b", "c"]), np.array(["1", "2", "10"]), np.array([0, 5, 7])):
        first = BoostClassifier(rounds=3).fit(x, names[three])
        more = BoostClassifier(rounds=3).fit(x[some], names[three[some]], init_model=first)
        assert more.best_iteration_ == 6
        assert more.classes_.tolist() == sorted(names.tolist())
        assert np.allclose(more.predict_proba(x).sum(axis=1), 1)
        assert more.score(x[some], names[three[some]]) > 0.9
        with pytest.raises(ValueError, match="a class that training did not have"):
            BoostClassifier().fit(x, np.where(some, "new", "a"), init_model=first)
    plain = BoostClassifier(rounds=3).fit(x, three)
    assert BoostClassifier(rounds=3).fit(x[some], three[some], init_model=plain.model_).classes_.tolist() == [0, 1, 2]
    texts = BoostClassifier(rounds=3).fit(x[some], three[some].astype(str), init_model=plain.model_)
    assert texts.classes_.tolist() == ["0", "1", "2"]
    days = np.array(["2024-01-02", "2024-01-03", "2024-01-04"], "M8[D]")
    dated = BoostClassifier(rounds=3).fit(x, days[three]).model_
    assert np.array_equal(BoostClassifier(rounds=3).fit(x[some], days[three[some]], init_model=dated).classes_, days)
    with pytest.raises(ValueError, match="a class that training did not have"):
        BoostClassifier().fit(x, np.where(y > 0, "a", "b"), init_model=plain.model_)
    followed = BoostRegressor(objective="huber", rounds=3).fit(x, y)
    assert BoostRegressor(rounds=3).fit(x, y, init_model=followed).model_.objective == "huber"
    with pytest.raises(ParameterError, match="predicts no classes"):
        BoostClassifier().fit(x, three, init_model=followed)
    with pytest.raises(NotFittedError, match="not fitted"):
        BoostRegressor().fit(x, y, init_model=BoostRegressor())
    with pytest.raises(ParameterError, match=r"Model\.from_bytes"):
        BoostRegressor().fit(x, y, init_model=bytes(followed.model_))
    with pytest.raises(ParameterError, match="n_jobs = '2'"):
        BoostRegressor(n_jobs="2").fit(x, y)


@pytest.mark.parametrize("rounds", [1, 9, 10, 20])
def test_warning_of_trees_without_a_split(rounds: int) -> None:
    """Of 30 rows, no split leaves 20 on both sides: the prediction is a constant."""
    x = np.arange(30.0).reshape(-1, 1)
    with pytest.warns(UserWarning, match=r"no tree has a split \(rounds .*30 rows are fewer than twice"):
        constant = BoostRegressor(rounds=rounds).fit(x, x[:, 0])
    assert set(constant.predict(x)) == {14.5}


def test_short_list_of_monotone_constraints(numbers: tuple[np.ndarray, np.ndarray]) -> None:
    with pytest.raises(ParameterError, match="monotone_constraints has 2 numbers, and the table has 6 columns"):
        BoostRegressor(rounds=3, monotone_constraints=[1, 0]).fit(*numbers)


def test_fit_that_fails_leaves_no_model() -> None:
    """The model before would be asked for the classes and columns of other rows."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 3))
    model = BoostClassifier(rounds=5).fit(x, x[:, 0] > 0)
    with pytest.raises(ParameterError):
        model.set_params(rounds=-1).fit(x, np.where(x[:, 0] > 0, "false", "true"))
    with pytest.raises(NotFittedError):
        model.predict(x)
    assert model.set_params(rounds=5).fit(x, x[:, 0] > 0).score(x, x[:, 0] > 0) > 0.9


def test_going_on_from_itself() -> None:
    """Labels may lack some classes of the model, which is the same object or a copy."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 3))
    y = np.digitize(x[:, 0], [-0.5, 0.5]) * 10
    few = y > 0
    first = BoostClassifier(rounds=5).fit(x, y)
    want = BoostClassifier(rounds=5).fit(x[few], y[few], init_model=first)
    found = first.fit(x[few], y[few], init_model=first)
    assert found.classes_.tolist() == want.classes_.tolist() == [0, 10, 20]
    assert found.model_ == want.model_
    assert np.array_equal(found.predict_proba(x), want.predict_proba(x))


def test_names_of_losses(numbers: Data) -> None:
    """A loss under the name of another library takes the place of the usual one, as an objective does."""
    x, y = numbers
    for name, loss, want in (
        ("loss", "focal", "focal"),
        ("loss_function", "MultiClassOneVsAll", "one_vs_all"),
        ("train", {"objective": "focal"}, "focal"),
        ("loss", "log_loss", "binary"),
        ("objective", "log_loss", "binary"),
    ):
        assert BoostClassifier(rounds=3, **{name: loss}).fit(x, y > 0).model_.objective == want
    many = np.digitize(y, [-1, 1])
    assert BoostClassifier(rounds=3, loss="log_loss").fit(x, many).model_.objective == "multiclass"
    queries = np.arange(len(y)) // 10
    ranker = BoostRanker(rounds=3, loss_function="PairLogit").fit(x, many, qid=queries)
    assert ranker.model_.objective == "pairwise"
    assert BoostRegressor(rounds=3, app="mae").fit(x, y).model_.objective == "l1"
    with pytest.raises(ParameterError, match=r"train.objective has two values"):
        BoostClassifier(rounds=3, objective="binary", loss="focal").fit(x, y > 0)


@pytest.mark.parametrize("objective", ["regression", "poisson", "cross_entropy"])
def test_classes_by_a_loss_of_numbers(numbers: Data, objective: str) -> None:
    """Its model knows no classes, so there are no probabilities of them."""
    x, y = numbers
    model = BoostClassifier(rounds=3, objective=objective)
    with pytest.raises(ParameterError, match=f"objective {objective} predicts numbers, and BoostClassifier the prob"):
        model.fit(x, (y > 0).astype(int))
    with pytest.raises(NotFittedError):
        model.predict(x)


def test_warning_of_a_column_of_new_categories_alone() -> None:
    """Codes in place of the texts of training are likely a mistake; one row says too little."""
    codes = np.arange(200) % 4
    x = np.array(["r0", "r1", "r2", "r3"], object)[codes].reshape(-1, 1)
    model = BoostRegressor(rounds=5).fit(x, codes)
    missing = model.predict(np.full((200, 1), None))
    for call in (model.predict, lambda rows: list(model.staged_predict(rows))[-1]):
        with pytest.warns(UserWarning, match='training had none of its categories: here "0", "1", "2", …; in training'):
            assert np.array_equal(call(codes.reshape(-1, 1).astype(object)), missing)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(np.array([["r4"]], object))
        model.predict(np.array([["r4"], ["r5"], ["r1"]], object))


def paths_of(splits: list[dict[str, Any]], child: int = 0, path: frozenset[str] = frozenset()) -> list[frozenset[str]]:
    """Return the features on the way to each leaf."""
    if child < 0 or not splits:
        return [path]
    split = splits[child]
    return [way for side in ("left", "right") for way in paths_of(splits, split[side], path | {split["feature"]})]


def test_constraints_of_peers(numbers: Data) -> None:
    """What pandas, numpy and scikit-learn have for the columns that a constraint names."""
    pd = pytest.importorskip("pandas")
    x, y = numbers
    frame = pd.DataFrame(x, columns=list("abcdef"))

    def trees(**constraints: Any) -> Any:
        return BoostRegressor(rounds=10, **constraints).fit(frame, y).model_.inspect(trees=True)["dump"]

    want = trees(monotone_constraints={"a": 1, "b": -1})
    assert want != trees()
    for given in (pd.Series({"b": -1, "a": 1}), {"a": 1.0, "b": -1.0}, np.array([1.0, -1, 0, 0, 0, 0])):
        assert trees(monotonic_cst=given) == want
    backwards = pd.Series([0, 0, 0, 0, -1, 1], index=list("fedcba"))
    assert trees(monotonic_cst=backwards) == want
    for groups, most in (("no_interactions", 1), ("pairwise", 2)):
        paths = [path for tree in trees(interaction_cst=groups) for path in paths_of(tree["splits"])]
        assert max(map(len, paths)) == most


def test_group_of_two_dimensions(numbers: Data) -> None:
    x, y = numbers
    with pytest.raises(ParameterError, match=r"group must be an array .*, and has 2 dimensions"):
        BoostRanker(rounds=3).fit(x, (y > 0) * 1, group=np.full((100, 1), 10))


@pytest.mark.filterwarnings("ignore")
def test_words_for_early_stopping() -> None:
    """Those of HistGradientBoosting mean what they mean there, where auto is for more than 10,000 rows."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(12_000, 2))
    y = x[:, 0] + rng.normal(size=len(x))
    for rows, words, rounds in (
        (1000, {"early_stopping": True}, 10),
        (1000, {"early_stopping_rounds": True}, 10),
        (1000, {"early_stopping": True, "n_iter_no_change": 3}, 3),
        (1000, {"early_stopping": False, "n_iter_no_change": 3}, 0),
        (1000, {"early_stopping": False, "validation_fraction": 0.1, "tol": 1e-7}, 0),
        (1000, {"early_stopping": "auto", "validation_fraction": 0.1, "n_iter_no_change": 3}, 0),
        (12_000, {"early_stopping": "auto"}, 10),
    ):
        model = BoostRegressor(rounds=100, **words).fit(x[:rows], y[:rows])
        history = model.evals_result_.get("valid", {"rmse": []})["rmse"]
        assert len(history) == (model.best_iteration_ + rounds if rounds else 0), words
        assert (model.best_iteration_ < 100) == (rounds > 0), words


def test_threads_by_another_name(numbers: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process of joblib they count, and not the share of the processors that joblib leaves to it."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    for name in ("nthread", "num_threads", "train.threads"):
        assert BoostRegressor(rounds=3, **{name: 2}).fit(*numbers).model_.rounds == 3
