"""What scripts for other libraries ask for."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from boost_gbt import BoostClassifier, BoostRegressor, ParameterError, train

rng = np.random.default_rng(5)
X = rng.normal(size=(600, 4))
Y = (X[:, 0] + rng.normal(size=600) > 0).astype(int)
PLAIN = {"preset": "lightgbm", "rounds": 60, "learning_rate": 0.5}


def test_best_model() -> None:
    valid = (X[400:], Y[400:])
    model = BoostClassifier(iterations=60, learning_rate=0.5, preset="catboost", use_best_model=True)
    model.fit(X[:400], Y[:400], eval_set=valid)
    curve = model.evals_result_["valid"]["logloss"]
    assert len(curve) == 60
    assert model.best_iteration_ == 1 + int(np.argmin(curve)) < 60
    model = BoostClassifier(iterations=60, learning_rate=0.5, preset="catboost", od_type="Iter")
    model.fit(X[:400], Y[:400], eval_set=valid)
    assert model.best_iteration_ < 40


def test_early_stopping_words() -> None:
    model = train({**PLAIN, "early_stopping": True}, X[:400], Y[:400], valid=(X[400:], Y[400:]))
    assert model.rounds < 50
    assert train({**PLAIN, "early_stopping": False}, X[:400], Y[:400]).rounds == 60
    for nested in (
        {"preset": "lightgbm", "train": {"rounds": 60, "learning_rate": 0.5, "early_stopping": True}},
        {"train": {"preset": "lightgbm", "rounds": 60, "learning_rate": 0.5}, "early_stopping": True},
    ):
        assert train(nested, X[:400], Y[:400], valid=(X[400:], Y[400:])).rounds == model.rounds


def test_training_rows_first() -> None:
    sets = [(X[:400], Y[:400]), (X[400:], Y[400:])]
    model = BoostClassifier(**PLAIN, early_stopping_rounds=5)
    with pytest.warns(UserWarning, match="the first validation set is the rows that are trained on"):
        model.fit(X[:400], Y[:400], eval_set=[(X[:400], Y[:400]), sets[1]])
    with pytest.warns(UserWarning, match="the first validation set is the rows that are trained on"):
        train({**PLAIN, "early_stopping_rounds": 5}, X[:400], Y[:400], valid=sets)
    with pytest.warns(UserWarning, match="the first validation set is the rows that are trained on"):
        train({"effort": "quick", "rounds": 5}, X[:400], Y[:400], valid=sets)
    train({"effort": "quick", "rounds": 5, "early_stopping": 0}, X[:400], Y[:400], valid=sets)
    model.fit(X[:400], Y[:400], eval_set=sets[::-1])
    assert model.best_iteration_ < 50


def test_class_weights_of_any_type() -> None:
    want = BoostClassifier(**PLAIN, class_weight={0: 1, 1: 3}).fit(X, Y).predict_proba(X)
    for labels in (Y.astype(float), Y.astype(np.int8), Y.astype(np.float32)):
        got = BoostClassifier(**PLAIN, class_weight={0: 1, 1: 3}).fit(X, labels).predict_proba(X)
        assert np.array_equal(got, want)
    for weights in ([1, 3], np.array([1, 3]), {0: 1, 1: 3}):
        got = BoostClassifier(**PLAIN, class_weights=weights).fit(X, Y.astype(float)).predict_proba(X)
        assert np.array_equal(got, want)
    with pytest.raises(ParameterError, match="3 weights for 2 classes"):
        BoostClassifier(**PLAIN, class_weights=[1, 3, 2]).fit(X, Y)


def test_categories_by_number() -> None:
    levels = np.column_stack([X[:, 0], rng.integers(0, 5, 600)])
    want = train({**PLAIN, "categorical": ["c2"]}, levels, Y).predict(levels)
    for name in ("categorical_feature", "cat_features"):
        for value in ([1], np.array([1]), [False, True], ["c2"]):
            assert np.array_equal(train({**PLAIN, name: value}, levels, Y).predict(levels), want)
        assert np.array_equal(
            BoostRegressor(**PLAIN, **{name: [1]}, objective="binary").fit(levels, Y).predict(levels), want
        )
    with pytest.raises(ParameterError, match="by their names"):
        train({**PLAIN, "cat_features": [2]}, levels, Y)


def test_needless_parameters() -> None:
    want = BoostClassifier(**PLAIN).fit(X, Y).predict_proba(X)
    for more in ({"num_class": 2}, {"gamma": 0.0}, {"enable_categorical": False}, {"categorical_feature": "auto"}):
        assert np.array_equal(BoostClassifier(**PLAIN, **more).fit(X, Y, verbose=False).predict_proba(X), want)
        assert np.array_equal(train({**PLAIN, **more}, X, Y).predict(X), want[:, 1])
    with pytest.raises(ParameterError, match="logging"):
        BoostRegressor(**PLAIN).fit(X, Y, verbose=True)


def test_importance_types() -> None:
    for theirs, ours in {"weight": "split", "total_gain": "gain", "total_cover": "cover"}.items():
        shares = [
            BoostClassifier(**PLAIN, importance_type=kind).fit(X, Y).feature_importances_ for kind in (theirs, ours)
        ]
        assert np.array_equal(*shares)


def test_notes_without_text(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    train({**PLAIN, "min_data_in_bin": 3}, X, Y)
    assert all(record.getMessage() for record in caplog.records)
