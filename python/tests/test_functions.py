"""Losses and metrics that are functions: they do what the built-in ones of the same kind do."""

from __future__ import annotations

import pickle
import threading
from typing import Any

import numpy as np
import pytest

from boost_gbt import (
    BoostClassifier,
    BoostRanker,
    BoostRegressor,
    Metric,
    Model,
    Objective,
    ParameterError,
    TableError,
    cv,
    train,
    tune,
)

Data = tuple[np.ndarray, np.ndarray]
SHORT = {"rounds": 20, "effort": ""}


def squared(labels: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return scores - labels, np.ones_like(scores)


def squared_weighted(labels: np.ndarray, scores: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return (scores - labels) * weights, weights


def logistic(labels: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    chance = 1 / (1 + np.exp(-scores))
    return chance - labels, chance * (1 - chance)


def softmax(labels: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    chance = np.exp(scores - scores.max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)
    classes = scores.shape[1]
    factor = classes / (classes - 1)
    return chance - np.eye(classes)[labels.astype(int)], factor * chance * (1 - chance)


def near(labels: np.ndarray, predictions: np.ndarray) -> Any:
    return np.mean(abs(labels - predictions) < 0.5)


def same_trees(one: Model, other: Model) -> bool:
    return bool(one.inspect(trees=True)["trees"] == other.inspect(trees=True)["trees"])


@pytest.fixture
def counted(numbers: Data) -> Data:
    """Rows whose label is a multiple of 1/16, so that its mean has one value, however it is added up."""
    return numbers[0][:512], np.round(numbers[1][:512] * 16) / 16


def test_squared_error_is_the_built_in_one(counted: Data) -> None:
    x, y = counted
    want = train({**SHORT, "objective": "regression"}, x, y)
    found = train({**SHORT, "objective": Objective(squared, base_score=y.mean())}, x, y)
    assert same_trees(found, want)
    assert np.array_equal(found.predict(x), want.predict(x))
    assert found.objective == "squared"
    again = Model.from_bytes(bytes(found))
    assert np.array_equal(again.predict(x), want.predict(x))
    for threads in (1, 3):
        other = train({**SHORT, "objective": Objective(squared, base_score=y.mean()), "threads": threads}, x, y)
        assert bytes(other) == bytes(found)


def test_weights_count_once(counted: Data) -> None:
    x, y = counted
    w = np.where(np.arange(len(y)) % 4 == 0, 2.0, 0.5)
    mean = np.average(y, weights=w)
    want = train({**SHORT, "objective": "regression"}, x, y, weight=w)
    for function in (
        squared,
        squared_weighted,
        lambda labels, scores, sample_weight=None: squared_weighted(labels, scores, sample_weight),
    ):
        found = train({**SHORT, "objective": Objective(function, base_score=mean)}, x, y, weight=w)
        assert np.allclose(found.predict(x), want.predict(x), rtol=0, atol=1e-6)


def test_classifiers_get_the_link_of_their_classes(numbers: Data) -> None:
    x, y = numbers[0][:600], numbers[1][:600]
    two = np.where(y > 0, "yes", "no")
    share = np.mean(y > 0)
    want = BoostClassifier(rounds=20).fit(x, two)
    found = BoostClassifier(rounds=20, objective=Objective(logistic, base_score=np.log(share / (1 - share)))).fit(
        x, two
    )
    assert np.allclose(found.predict_proba(x), want.predict_proba(x), rtol=0, atol=1e-6)
    assert np.array_equal(found.predict(x), want.predict(x))
    three = np.digitize(y, [-0.5, 0.5])
    want = BoostClassifier(rounds=20).fit(x, three)
    base = np.log(np.bincount(three) / len(three))
    found = BoostClassifier(rounds=20, objective=Objective(softmax, base_score=base)).fit(x, three)
    assert np.allclose(found.predict_proba(x), want.predict_proba(x), rtol=0, atol=1e-4)
    assert (found.predict(x) == three).mean() > 0.9
    plain = BoostClassifier(rounds=20, objective=softmax).fit(x, three)  # from scores of 0
    assert (plain.predict(x) == three).mean() > 0.9
    assert np.allclose(plain.predict_proba(x).sum(axis=1), 1)


def test_estimators_with_functions_are_cloned_and_pickled(numbers: Data) -> None:
    base = pytest.importorskip("sklearn.base")
    x, y = numbers[0][:300], numbers[1][:300]
    m = BoostRegressor(rounds=5, objective=squared, eval_metric=near)
    again = base.clone(m).fit(x, y, eval_set=(x, y))
    assert next(iter(again.evals_result_["valid"])) == "near"
    assert np.array_equal(pickle.loads(pickle.dumps(again)).predict(x), m.fit(x, y, eval_set=(x, y)).predict(x))


def test_a_loss_of_queries_gets_their_sizes(numbers: Data) -> None:
    x = numbers[0][:300]
    y = np.clip(np.round(numbers[1][:300] + 1), 0, 3)
    sizes = np.tile([10, 20], 10)
    seen: list[tuple[int, ...]] = []

    def centred(labels: np.ndarray, scores: np.ndarray, weights: Any, group: np.ndarray) -> Any:
        """Least squares around the mean of each query."""
        seen.append(tuple(group))
        assert weights is None
        at = np.repeat(np.arange(len(group)), group)
        mean = (np.bincount(at, labels - scores) / group)[at]
        return scores - labels + mean, np.ones_like(scores)

    ranked = BoostRanker(rounds=10, objective=centred, eval_metric="ndcg@5").fit(x, y, group=sizes)
    assert set(seen) == {tuple(sizes)}
    assert ranked.predict(x).std() > 0
    with pytest.raises(TableError, match="there are no queries"):
        train({**SHORT, "objective": centred}, x, y)


def test_a_metric_leads_early_stopping(numbers: Data) -> None:
    x, y = numbers
    sets = x[:800], y[:800]
    valid = x[800:1000], y[800:1000]
    asked = {"rounds": 200, "effort": "", "early_stopping": 15}
    model = train({**asked, "eval_metric": Metric(near, higher_is_better=True)}, *sets, valid=valid)
    values = model.history["valid"]["near"]
    assert next(iter(model.history["valid"])) == "near"
    assert model.rounds == np.argmax(values) + 1
    assert len(values) == min(200, model.rounds + 15)
    assert values[model.rounds - 1] == near(valid[1], model.predict(valid[0]))
    behind = train({**asked, "metrics": ["mae", Metric(near, higher_is_better=True)]}, *sets, valid=valid)
    assert list(behind.history["valid"]) == ["mae", "near"]
    assert behind.rounds == np.argmin(behind.history["valid"]["mae"]) + 1


def test_metrics_of_scikit_learn(numbers: Data) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    x, y = numbers[0][:800], numbers[1][:800]
    w = np.linspace(0.5, 2, 200)
    model = train(
        {**SHORT, "eval_metric": [metrics.mean_absolute_error, "mae"]}, x[:600], y[:600],
        weight=np.ones(600), valid=(x[600:], y[600:], w),
    )  # fmt: skip
    history = model.history["valid"]
    assert np.allclose(history["mean_absolute_error"], history["mae"], rtol=1e-12)
    labels = np.digitize(y, [-0.5, 0.5])
    model = train(
        {**SHORT, "objective": "multiclass", "eval_metric": [metrics.log_loss, "multi_logloss"]},
        x[:600], labels[:600], valid=(x[600:], labels[600:]),
    )  # fmt: skip
    history = model.history["valid"]
    assert np.allclose(history["log_loss"], history["multi_logloss"], rtol=1e-6)


def test_raw_scores_for_a_metric(numbers: Data) -> None:
    x, y = numbers[0][:400], (numbers[1][:400] > 0).astype(int)
    seen = []

    def steepest(labels: np.ndarray, scores: np.ndarray) -> float:
        if len(labels) == 100:
            seen.append(scores)
        return float(abs(scores).max())

    model = train({**SHORT, "eval_metric": Metric(steepest, raw=True)}, x[:300], y[:300], valid=(x[300:], y[300:]))
    assert np.allclose(seen[-1], model.predict(x[300:], "raw"), rtol=0, atol=1e-9)


def test_the_usual_effort_with_functions(numbers: Data) -> None:
    """Rows are held out for stopping, and all are trained on afterwards."""
    x, y = numbers[0][:600], numbers[1][:600]
    rows = []

    def loss(labels: np.ndarray, scores: np.ndarray) -> Any:
        rows.append(len(labels))
        return squared(labels, scores)

    model = train({"objective": loss, "rounds": 60, "learning_rate": 0.1}, x, y)
    assert 500 < rows[0] < 600
    assert rows[-1] == 600
    assert np.mean((model.predict(x) - y) ** 2) < 0.2 * y.var()


def test_training_goes_on_with_the_function(counted: Data) -> None:
    x, y = counted
    own = Objective(squared, base_score=y.mean())
    first = train({**SHORT, "rounds": 10, "objective": own}, x, y)
    whole = train({**SHORT, "rounds": 20, "objective": own}, x, y)
    more = train({**SHORT, "rounds": 10, "objective": own}, x, y, init_model=first)
    assert np.allclose(more.predict(x), whole.predict(x), rtol=0, atol=1e-6)
    with pytest.raises(ParameterError, match="own, 'squared': give the function again"):
        train({**SHORT, "rounds": 10}, x, y, init_model=first)


def test_metrics_have_weights_of_their_own(numbers: Data) -> None:
    """Weights of classes are those of the loss; metrics of the training rows have those of the rows, here none."""
    x, y = numbers[0][:300], (numbers[1][:300] > 0.5).astype(int)
    seen: dict[str, list[Any]] = {"loss": [], "metric": []}

    def loss(labels: np.ndarray, scores: np.ndarray, weights: Any) -> Any:
        seen["loss"].append(weights)
        gradients, hessians = logistic(labels, scores)
        return gradients * weights, hessians * weights

    def metric(labels: np.ndarray, predictions: np.ndarray, weights: Any) -> float:
        seen["metric"].append(weights)
        return float(np.mean(labels))

    params = {**SHORT, "objective": Objective(loss, link="logistic"), "eval_metric": metric, "class_weight": "balanced"}
    train(params, x, y)
    assert all(len(set(weights)) == 2 for weights in seen["loss"])
    assert seen["metric"]
    assert all(weights is None for weights in seen["metric"])


def test_an_exception_ends_training(numbers: Data) -> None:
    x, y = numbers[0][:200], numbers[1][:200]
    calls = []

    def fails(labels: np.ndarray, scores: np.ndarray) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise ZeroDivisionError("here")
        return squared(labels, scores)

    with pytest.raises(ZeroDivisionError, match="here"):
        train({**SHORT, "objective": fails}, x, y)
    assert len(calls) == 3
    assert train({**SHORT, "objective": squared}, x, y).rounds == 20


def test_functions_may_use_models(numbers: Data) -> None:
    x, y = numbers[0][:200], numbers[1][:200]
    teacher = train({**SHORT}, x, y)
    raw = teacher.predict(x)

    def distil(labels: np.ndarray, scores: np.ndarray) -> Any:
        return squared(teacher.predict(x), scores)

    found = train({**SHORT, "rounds": 200, "objective": distil}, x, y)
    assert np.abs(found.predict(x) - raw).max() < 0.5


def test_trainings_with_functions_run_beside_each_other(counted: Data) -> None:
    x, y = counted
    want = bytes(train({**SHORT, "objective": squared}, x, y))
    found: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: found.append(bytes(train({**SHORT, "objective": squared}, x, y))))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [want] * 6


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda labels, scores: scores, "expected two arrays"),
        (lambda labels, scores: (scores[:3], scores[:3]), r"shape \(3,\): expected that of the scores, \(200,\)"),
        (lambda labels, scores: (scores * np.nan, scores * 0 + 1), "gradient NaN"),
        (lambda labels, scores: (scores - labels, scores * 0 - 1), "hessian -1: hessian is negative"),
        (lambda labels: labels, "takes 1 arguments"),
    ],
)
def test_wrong_losses(numbers: Data, function: Any, words: str) -> None:
    x, y = numbers[0][:200], numbers[1][:200]
    with pytest.raises(Exception, match=words):
        train({**SHORT, "objective": function}, x, y)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"objective": squared, "loss": "l1"}, "an objective of your own is given too"),
        ({"objective": squared, "loss": squared}, "two objectives are given"),
        ({"learning_rate": near}, "learning_rate is a function"),
        ({"objective": squared, "learning_rate": near}, "learning_rate is a function"),
        ({"objective": squared, "tree": {"leaves": [near]}}, "tree.leaves is a function"),
        ({"objective": Objective(squared, link="softmax")}, "say how many classes there are"),
        ({"objective": Objective(squared, base_score=[1, 2])}, r"base_score of shape \(2,\)"),
        ({"objective": Objective(squared, name="huber")}, "objective huber: there is a built-in one"),
        ({"eval_metric": [near, Metric(near, raw=True)]}, "two metrics have one name"),
        ({"eval_metric": Metric(near, name="mae")}, "metric mae: there is a built-in one of this name"),
        ({"eval_metric": lambda labels, values: ("near", 1.0, True)}, "metric own returned tuple: expected a number"),
    ],
)
def test_functions_that_are_refused(numbers: Data, params: dict[str, Any], words: str) -> None:
    x, y = numbers[0][:200], numbers[1][:200]
    with pytest.raises(ParameterError, match=words):
        train({"rounds": 3, **params}, x, y)


def test_classes_that_do_not_fit(numbers: Data) -> None:
    x, y = numbers[0][:200], np.digitize(numbers[1][:200], [-0.5, 0.5])
    for outputs in (2, 4):
        with pytest.raises(
            ParameterError, match=f"objective softmax is your own, and has {outputs} outputs for 3 classes"
        ):
            train({**SHORT, "objective": Objective(softmax, link="softmax", outputs=outputs)}, x, y)
    with pytest.raises(ParameterError, match="objective logistic is your own, and has 1 outputs for 3 classes"):
        train({**SHORT, "objective": Objective(logistic, link="logistic")}, x, y)


def test_folds_take_functions(counted: Data) -> None:
    x, y = counted
    far = Metric(lambda labels, predictions: np.mean((labels - predictions) ** 2) ** 0.5, name="far")
    asked = {**SHORT, "learning_rate": 0.2}
    want = cv({**asked, "objective": "regression", "metrics": ["rmse", "mae"]}, x, y, folds=3, bootstrap=50)
    own = Objective(squared, base_score=0.0)
    found = cv({**asked, "objective": own, "metrics": [far, "rmse"]}, x, y, folds=3, bootstrap=50)
    assert list(found.metrics) == ["far", "rmse"]
    for name in ("mean", "sd", "folds", "pooled", "low", "high"):
        assert np.allclose(found.metrics["far"][name], found.metrics["rmse"][name], rtol=1e-9)
    assert np.allclose(found.curve["far"]["mean"], found.curve["rmse"]["mean"], rtol=1e-9)
    assert np.array_equal(found.fold, want.fold)
    assert found.metrics["far"]["mean"] < 1.1 * want.metrics["rmse"]["mean"]
    assert found.models[0].objective == "squared"
    assert train(found.params, x, y).rounds == found.best_round
    assert np.isfinite(found.average().predict(x)).all()


def test_a_metric_for_which_more_is_better_leads_folds(numbers: Data) -> None:
    x, y = numbers[0][:600], numbers[1][:600]
    found = cv({"rounds": 60, "eval_metric": Metric(near, higher_is_better=True)}, x, y, folds=3)
    assert found.best_round == np.argmax(found.curve["near"]["mean"]) + 1


def test_searches_take_functions(numbers: Data) -> None:
    x, y = numbers[0][:400], numbers[1][:400]
    params = {"rounds": 40, "effort": "quick", "objective": squared, "eval_metric": Metric(near, higher_is_better=True)}
    found = tune(params, x, y, trials=4, folds=3)
    assert found.metric == "near"
    assert found.best_value == max(trial["value"] for trial in found.trials if trial["state"] == "complete")
    model = train(found.params, x, y)
    assert model.objective == "squared"
    with pytest.raises(ParameterError, match="a study does not know which functions"):
        tune(params, x, y, trials=1, folds=2, study="never.json")


def test_averages_take_functions(numbers: Data) -> None:
    x, y = numbers[0][:400], numbers[1][:400]
    metric = Metric(near, higher_is_better=True)
    params = {
        "rounds": 60,
        "effort": "best",
        "bag_folds": 3,
        "learning_rate": 0.1,
        "objective": squared,
        "eval_metric": metric,
    }
    model = train(params, x, y)
    assert model.objective == "squared"
    assert np.mean((model.predict(x) - y) ** 2) < 0.2 * y.var()
    assert "near" in model.report["metrics"]["valid"]
    short = train({"budget": "3s", "objective": squared, "eval_metric": metric}, x, y)
    assert np.mean((short.predict(x) - y) ** 2) < 0.5 * y.var()
