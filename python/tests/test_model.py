"""What a model can do."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boost_gbt import (
    BoostClassifier,
    BoostRegressor,
    BudgetError,
    Model,
    ModelError,
    ParameterError,
    TableError,
    WorkerError,
    _columns,
    cv,
    run,
    train,
)

Data = tuple[np.ndarray, np.ndarray]
SHORT = {"rounds": 10, "early_stopping": 0}


def test_files(model: Model, numbers: Data, tmp_path: Path) -> None:
    path = tmp_path / "m.boost"
    model.save(path)
    assert path.read_bytes() == bytes(model)
    assert [p.name for p in tmp_path.iterdir()] == ["m.boost"]
    loaded = Model.load(path)
    assert loaded == model
    assert np.array_equal(loaded.predict(numbers[0]), model.predict(numbers[0]))
    path.write_bytes(bytes(model)[:-10])
    with pytest.raises(ModelError, match=r"m\.boost"):
        Model.load(path)
    with pytest.raises(ModelError):
        Model.from_bytes(b"nothing")
    with pytest.raises(ModelError, match="absent"):
        Model.load(tmp_path / "absent.boost")


def test_kinds(numbers: Data) -> None:
    x, y = numbers
    classes = np.digitize(y, [-0.5, 0.5])
    model = train(SHORT, x, classes)
    assert model.classes == [0, 1, 2]
    assert model.outputs == 3
    values, raw = model.predict(x), model.predict(x, "raw")
    assert values.shape == raw.shape == (1000, 3)
    exp = np.exp(raw - raw.max(axis=1, keepdims=True))
    assert np.allclose(values, exp / exp.sum(axis=1, keepdims=True), rtol=1e-12)
    assert np.array_equal(model.predict(x, "class"), values.argmax(axis=1))
    assert model.predict(x, "leaf").shape == (1000, model.trees)
    assert np.array_equal(model.predict(x, rounds=0), np.repeat(model.predict(x[:1], rounds=0), 1000, axis=0))
    named = train(SHORT, x, np.array(["low", "mid", "high"])[classes])
    assert named.classes == ["high", "low", "mid"]
    assert set(named.predict(x, "class")) <= set(named.classes)
    two = train(SHORT, x, y > 0)
    assert np.allclose(two.predict(x), 1 / (1 + np.exp(-two.predict(x, "raw"))), rtol=1e-12)
    with pytest.raises(ParameterError, match="rounds must be 0"):
        two.predict(x, rounds=11)
    with pytest.raises(ParameterError, match="kind must be"):
        two.predict(x, "colour")
    with pytest.raises(TableError, match="3 columns"):
        two.predict(x[:, :3], "leaf")


def test_blocks_and_tables_give_the_same(model: Model, numbers: Data) -> None:
    """Few rows, many rows, rows by name: the same numbers."""
    x, _ = numbers
    want = model.predict(x)
    assert np.array_equal(np.concatenate([model.predict(x[i : i + 1]) for i in range(50)]), want[:50])
    assert np.array_equal(model.predict({f"c{j + 1}": x[:, j] for j in range(6)}), want)
    assert np.array_equal(model.predict({f"c{j + 1}": x[:, j] for j in reversed(range(6))}), want)
    assert np.array_equal(model.predict(np.repeat(x, 30, axis=0))[::30], want)
    with pytest.raises(TableError, match="c4"):
        model.predict({"c1": x[:, 0]})


def test_whole_numbers_of_all_kinds(model: Model, numbers: Data) -> None:
    x, y = numbers
    assert np.array_equal(model.predict(x, rounds=np.int64(6), threads=np.int32(1)), model.predict(x, rounds=6))
    assert model.eval(x, y, rounds=np.int16(6)) == model.eval(x, y, rounds=6)
    assert len(list(model.staged(x, every=np.uint8(6)))) == 4
    with pytest.raises(TypeError, match="integer"):
        model.predict(x, rounds=6.0)  # type: ignore[arg-type]


def test_stages(model: Model, numbers: Data) -> None:
    x, _ = numbers
    stages = list(model.staged(x, every=6))
    assert len(stages) == 4
    assert np.array_equal(stages[0], model.predict(x, rounds=6))
    assert np.array_equal(stages[-1], model.predict(x))


def test_the_mean_of_models(numbers: Data) -> None:
    x, y = numbers
    many = train({}, x, y)
    alone = train({"blend": 0}, x, y)
    assert many.judged_rounds == alone.rounds == alone.judged_rounds < many.rounds
    assert many.history == alone.history, "it is that of the first model"
    assert np.mean((many.predict(x) - y) ** 2) != np.mean((alone.predict(x) - y) ** 2)
    with pytest.raises(ParameterError, match="4 models"):
        many.predict(x, rounds=5)
    with pytest.raises(ParameterError, match="2 models or more"):
        train({"blend": 1}, x, y)
    with pytest.raises(ParameterError, match=r"train\.blend"):
        cv({"blend": 2}, x, y)


def test_eval(model: Model, numbers: Data) -> None:
    x, y = numbers
    found = model.eval(x, y, ["rmse", "mae"])
    error = model.predict(x) - y
    assert found == pytest.approx({"rmse": np.sqrt(np.mean(error**2)), "mae": np.mean(abs(error))}, rel=1e-12)
    assert model.eval(x, y, "mse") == {"rmse": found["rmse"]}, "other libraries' names are known"
    with pytest.raises(ParameterError, match="unknown metric"):
        model.eval(x, y, "beauty")
    with pytest.raises(TableError, match="label"):
        model.eval(x)


def test_weights_and_scores_to_start_from(numbers: Data) -> None:
    x, y = numbers
    weight = np.random.default_rng(0).random(len(y))
    model = train(SHORT, x, y, weight=weight)
    error = model.predict(x) - y
    assert model.eval(x, y, "rmse", weight=weight)["rmse"] == pytest.approx(
        np.sqrt(np.average(error**2, weights=weight)), rel=1e-12
    )
    start = x[:, 0].copy()
    start[np.isnan(start)] = 0
    model = train(SHORT, x, y, init_score=start)
    assert np.allclose(model.predict(x, init_score=start) - start, model.predict(x, init_score=np.zeros(len(x))))
    with pytest.warns(UserWarning, match="no init scores"):
        model.predict(x)


def test_validation_sets(numbers: Data) -> None:
    x, y = numbers
    model = train(
        {"rounds": 500, "early_stopping": 5}, x[:600], y[:600], valid=[(x[600:800], y[600:800]), (x[800:], y[800:])]
    )
    assert sorted(model.history) == ["valid", "valid2"]
    curve = model.history["valid"]["rmse"]
    assert model.rounds == int(np.argmin(curve)) + 1
    assert len(curve) == model.rounds + 5
    assert model.report["stopped"] == "early_stopping"
    assert model.eval(x[600:800], y[600:800])["rmse"] == pytest.approx(curve[model.rounds - 1], rel=1e-9)


def test_going_on(numbers: Data, tmp_path: Path) -> None:
    x, y = numbers
    first = train({"effort": "quick", "rounds": 6, "early_stopping": 0}, x, y)
    want = train({"effort": "quick", "rounds": 10, "early_stopping": 0}, x, y)
    more = train({"rounds": 4, "early_stopping": 0}, x, y, init_model=first)
    assert np.array_equal(more.predict(x), want.predict(x))
    first.save(tmp_path / "first.boost")
    assert train({"rounds": 4, "early_stopping": 0}, x, y, init_model=tmp_path / "first.boost") == more


def test_going_on_with_labels_of_another_name(numbers: Data) -> None:
    pd = pytest.importorskip("pandas")
    x, y = numbers
    frame = pd.DataFrame(x, columns=list("abcdef"))
    first = train(SHORT, frame, y)
    want = train(SHORT, frame, y, init_model=first)
    for label in (pd.Series(y, name="target"), pd.DataFrame({"target": y}), y):
        assert train(SHORT, frame, label, init_model=first) == want
    named = train(SHORT, frame.assign(target=y), "target")
    assert named.label == "target"
    assert np.array_equal(train(SHORT, frame, y, init_model=named).predict(frame), want.predict(frame))
    with pytest.raises(ParameterError, match="label has 2 columns, and 1 in training: 'target'"):
        train(SHORT, frame, np.column_stack([y, y]), init_model=named)


def test_going_on_from_a_model_of_the_settings(numbers: Data, tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    x, y = numbers
    frame = pd.DataFrame(x, columns=list("abcdef"))
    first = train(SHORT, frame.assign(price=y), "price")
    path = tmp_path / "first.boost"
    first.save(path)
    want = train(SHORT, frame, y, init_model=first)
    for one in (path, str(path), first):
        for more in ({"init_model": one}, {"train.init_model": one}, {"train": {"init_model": one}}):
            assert train({**SHORT, **more}, frame, y) == want
    assert train(SHORT, frame, y, init_model=path) == want
    with pytest.raises(ParameterError, match="init_model is given twice: leave one out"):
        train({**SHORT, "init_model": path}, frame, y, init_model=first)
    with pytest.raises(ParameterError, match="init_model is of type bytes: "):
        train({**SHORT, "init_model": bytes(first)}, frame, y)


def test_short_lists_of_monotone_constraints(numbers: Data) -> None:
    x, y = numbers
    whole = train({**SHORT, "monotone_constraints": [1, 0, 0, 0, 0, 0]}, x, y)
    assert train({**SHORT, "monotone_constraints": {"c1": 1}}, x, y).predict(x).tolist() == whole.predict(x).tolist()
    says = (
        r"monotone_constraints has 2 numbers, and the table has 6 columns: give one for each, 0 for no constraint, or"
    )
    for short in ([1, 0], (1, 0), np.array([1, 0])):
        with pytest.raises(ParameterError, match=says):
            train({**SHORT, "monotone_constraints": short}, x, y)
        with pytest.raises(ParameterError, match=says):
            cv({**SHORT, "monotone_constraints": short}, x, y)
        with pytest.raises(ParameterError, match="monotone has 2 numbers"):
            train({**SHORT, "constraints": {"monotone": short}}, x, y)
    rest = {"ignore": ["c3", "c4"], "data": {"id": "c6"}, "mc": [1, 0, 0, 0, 0]}
    assert len(train({**SHORT, **rest}, x, y, weight=np.ones(len(y))).features) == 3
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(x, columns=list("abcdef")).assign(y=y, w=1.0)
    roles = {"label": "y", "data": {"weight": "w"}}
    assert len(train({**SHORT, **roles, "monotone_constraints": [1, 0, 0, 0, 0, 0]}, frame).features) == 6


def test_numbers_of_columns() -> None:
    """They count the columns of the table, ignored ones and those of texts that are left out too, without roles."""
    pd = pytest.importorskip("pandas")
    x = np.random.default_rng(3).normal(size=(300, 3))
    names = [f"person {i}" for i in range(300)]  # left out by train
    frame = pd.DataFrame({"w": abs(x[:, 2]), "name": names, "a": x[:, 0], "b": x[:, 1], "k": np.arange(300) % 6})
    frame["y"] = x[:, 0] * x[:, 1] + frame["k"]
    with_roles = {**SHORT, "data.weight": "w"}
    by_name: dict[str, Any]
    for by_number, by_name in (
        ({"monotone_constraints": [0, 1, -1, 0]}, {"monotone_constraints": {"a": 1, "b": -1, "k": 0}}),
        ({"mc": "(0,1,-1,0)"}, {"mc": {"a": 1, "b": -1, "k": 0}}),
        ({"constraints": {"monotone": {"#1": 1}}}, {"constraints": {"monotone": {"a": 1}}}),
        ({"feature_contri": np.array([1, 0.5, 1, 2])}, {"feature_contri": {"a": 0.5, "b": 1, "k": 2}}),
        ({"tree": {"feature_cost": [0, 1, 2, 0]}}, {"tree.feature_cost": {"a": 1, "b": 2, "k": 0}}),
        ({"feature_row_cost": [0, 1, 2, 0]}, {"feature_row_cost": {"a": 1, "b": 2, "k": 0}}),
        ({"col_weights": [1, 1, 0, 1], "col_node": 0.5}, {"col_weights": {"a": 1, "b": 0, "k": 1}, "col_node": 0.5}),
        ({"constraints.last_level": {"#3": 2}}, {"constraints.last_level": {"k": 2}}),
        ({"interaction_constraints": [[1, 2], [3]]}, {"interaction_constraints": [["a", "b"], ["k"]]}),
        ({"interaction_cst": "[1, 2], [3]"}, {"interaction_cst": [["a", "b"], ["k"]]}),
    ):
        want = train({**with_roles, **by_name}, frame, "y")
        assert want != train(with_roles, frame, "y")
        assert train({**with_roles, **by_number}, frame, "y") == want
        assert cv({**with_roles, **by_number}, frame, "y", folds=2).metrics == (
            cv({**with_roles, **by_name}, frame, "y", folds=2).metrics
        )
        rows = frame.drop(columns=["w", "y"])
        ignored = {"rounds": 5, "ignore": ["name"]}
        estimator = BoostRegressor(**ignored, **by_number).fit(rows, frame["y"])
        assert estimator.model_ == BoostRegressor(**ignored, **by_name).fit(rows, frame["y"]).model_
    for wrong, says in (
        ({"feature_contri": [1, 0.5, 2]}, "feature_contri has 3 numbers, and the table has 4 columns"),
        ({"interaction_constraints": [[1, 4]]}, "column number 4, and the table has 4 columns, counted from 0"),
        ({"interaction_constraints": [[0, 1]]}, 'no feature column "name", which constraints.interaction names'),
        ({"monotone_constraints": [1, 0, 0, 0]}, 'no feature column "name", which constraints.monotone names'),
    ):
        with pytest.raises((ParameterError, TableError), match=says):
            train({**with_roles, **wrong}, frame, "y")
    model = train({**SHORT, "monotone_constraints": [1]}, frame[["b", "y"]], "y")  # which does not know the others
    with pytest.warns(UserWarning, match="are not used"):
        longer = train({**SHORT, "monotone_constraints": [0, 0, 0, 1, 0]}, frame, "y", init_model=model)
    assert longer == train({**SHORT, "monotone_constraints": {"b": 1}}, frame[["b", "y"]], "y", init_model=model)


def test_numbers_of_columns_of_a_file(tmp_path: Path) -> None:
    """They cannot count what is left out."""
    path = tmp_path / "t.csv"
    path.write_text("a,b,c,y\n" + "".join(f"{i % 5},{i % 7},{i % 3},{i % 5 + i % 7}\n" for i in range(200)))
    params = {**SHORT, "objective": "regression"}
    by_number = {**params, "monotone_constraints": [0, 1, 0]}
    assert train(by_number, path, "y") == train({**params, "monotone_constraints": {"a": 0, "b": 1, "c": 0}}, path, "y")
    with pytest.raises(ParameterError, match=r'column number 0, and the columns \["a"\] are left out'):
        train({**by_number, "ignore": ["a"]}, path, "y")


def test_going_on_with_what_the_model_does_not_know(numbers: Data) -> None:
    pd = pytest.importorskip("pandas")
    x, y = numbers
    frame = pd.DataFrame(x, columns=list("abcdef"))
    first = train(SHORT, frame, y)
    want = train(SHORT, frame, y, init_model=first)
    more = frame.assign(new=y)
    with pytest.warns(UserWarning, match=r'the columns \["new"\] are not used: the model that training goes on from'):
        assert train(SHORT, more, y, init_model=first) == want
    for role in ("weight", "group", "init_score"):
        for table, given in ((frame, np.arange(1000.0)), (frame.assign(given=1.0), "given")):
            with pytest.raises(ParameterError, match=f"init_model was trained without {role}: leave it out"):
                train(SHORT, table, y, init_model=first, **{role: given})
    weighted = train(SHORT, frame, y, weight=np.arange(1000.0))
    again = train(SHORT, frame, y, weight=pd.Series(np.arange(1000.0), name="w"), init_model=weighted)
    assert again.rounds == 2 * weighted.rounds
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert train({**SHORT, "ignore": ["new"]}, more, y, init_model=first).features == list("abcdef")


def test_mean_of_folds(numbers: Data) -> None:
    x, y = numbers
    settings = {"effort": "best", "rounds": 6, "bag_folds": 3}
    model = train(settings, x, y)
    assert model.rounds == 18
    told: list[int] = []
    assert train(settings, x, y, callback=lambda event: told.append(event["round"])) == model
    assert told == list(range(1, 19))
    assert train({**settings, "threads": 1}, x, y) == model
    assert list(model.report["metrics"]) == ["valid"]
    with pytest.raises(ValueError, match="bag_folds"):
        train(settings, x, y, valid=(x, y))
    with pytest.raises(ValueError, match="bag_folds"):
        train(settings, x, y, init_model=model)


def test_small_models(model: Model, numbers: Data) -> None:
    x, y = numbers
    small = model.quantize(dtype="q4_0")
    assert len(bytes(small)) < len(bytes(model)) / 3
    assert np.corrcoef(small.predict(x), model.predict(x))[0, 1] > 0.99
    rng = np.random.default_rng(5)
    more = rng.normal(size=(2000, 6))
    certified = model.quantize(
        {"label": more[:, 0] + more[:, 1] * more[:, 2], **{f"c{j + 1}": more[:, j] for j in range(6)}}, max_loss="5%"
    )
    assert len(bytes(certified)) < len(bytes(model))
    assert certified.report
    difference = model.compare(small, {**{f"c{j + 1}": x[:, j] for j in range(6)}, "label": y})
    assert difference
    with pytest.raises(ParameterError, match="dtype"):
        model.quantize(dtype="q7")


def test_calibration(numbers: Data) -> None:
    """Held-out rows say how far predictions can be trusted."""
    x, y = numbers
    model = train({"rounds": 60, "early_stopping": 0}, x[:500], y[:500])
    found = model.calibrate(x[500:800], y[500:800], intervals=0.8)
    low, high = found.predict(x[800:], "interval").T
    assert np.array_equal(found.predict(x), model.predict(x))
    assert np.mean((low <= y[800:]) & (y[800:] <= high)) == pytest.approx(0.8, abs=0.12)
    assert found.report["intervals"]["kind"] == "residuals"
    with pytest.raises(ParameterError, match="no intervals"):
        model.predict(x, "interval")
    with pytest.raises(ParameterError, match="predicts numbers"):
        model.calibrate(x[500:], y[500:])
    two = train({"rounds": 60, "early_stopping": 0}, x[:500], y[:500] > 0)
    sure = two.calibrate(x[500:], y[500:] > 0, method="platt", costs=(1, 4), intervals=0.9)
    assert sure.report["threshold"] == 0.2
    values = sure.predict(x)
    assert np.array_equal(sure.predict(x, "class"), np.asarray(two.classes)[(values > 0.2).astype(int)])
    assert sure.eval(x[500:], y[500:] > 0, "logloss")["logloss"] < two.eval(x[500:], y[500:] > 0, "logloss")["logloss"]
    sets = sure.predict(x, "interval")
    assert sets.shape == (1000, 2)
    assert sets.dtype == bool
    with pytest.raises(ParameterError, match="calibrated for all its 60 rounds"):
        sure.eval(x, y > 0, rounds=5)
    with pytest.raises(ParameterError, match="calibrated for all its 60 rounds"):
        sure.predict(x, rounds=5)
    with pytest.raises(ParameterError, match="calibrated for all its 60 rounds"):
        next(sure.staged(x))
    assert sure.predict(x, "raw", rounds=5).shape == (1000,)
    with pytest.raises(ParameterError, match="must be a column"):
        sure.calibrate("rows.csv", y)


def test_contents(model: Model) -> None:
    said = model.inspect()
    assert said["rounds"] == 20
    assert model.features == [f"c{j + 1}" for j in range(6)]
    gain = model.importance()
    assert set(np.argsort(gain)[-3:]) == {0, 1, 2}
    assert (model.importance("split") >= 0).all()
    with pytest.raises(ParameterError):
        model.importance("beauty")
    assert "regression, 20 rounds" in repr(model)


def test_settings(numbers: Data) -> None:
    x, y = numbers
    want = train({"rounds": 5, "early_stopping": 0, "tree.leaves": 7, "learning_rate": 0.3}, x, y)
    assert train({"n_estimators": 5, "early_stopping_rounds": 0, "num_leaves": 7, "eta": 0.3}, x, y) == want
    assert (
        train(
            {"iterations": np.int64(5), "early_stopping": 0, "max_leaf_nodes": 7, "shrinkage_rate": np.float64(0.3)},
            x,
            y,
        )
        == want
    )
    assert (
        train({"n_estimators": 5, "early_stopping": 0, "num_leaves": 7, "eta": 0.3, "threads": 1, "seed": None}, x, y)
        == want
    )
    assert train({**SHORT, "constraints.monotone": {"c1": 1}}, x, y) != train(SHORT, x, y)
    with pytest.raises(ParameterError, match="did you mean"):
        train({"learning_rat": 0.1}, x, y)
    with pytest.raises(ParameterError, match="which column"):
        train(SHORT, x)
    with pytest.raises(ParameterError, match="cannot be set here"):
        train({"output.model": "m.boost"}, x, y)
    with pytest.raises(BudgetError):
        train({**SHORT, "memory_limit": "1KB"}, x, y)


def test_lazy_import() -> None:
    code = "import sys, boost_gbt; assert 'numpy' not in sys.modules; boost_gbt.train; assert 'numpy' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="colour"):
        getattr(__import__("boost_gbt"), "colour")  # noqa: B009
    with pytest.raises(AttributeError, match=r"'Pool': .*train\(params, X, y"):
        getattr(__import__("boost_gbt"), "Pool")  # noqa: B009


def test_other_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOOST_GBT_PROGRAM", "/nowhere/boost")
    with pytest.raises((WorkerError, FileNotFoundError)):
        run("version")


def test_silence(numbers: tuple[np.ndarray, np.ndarray]) -> None:
    """What other libraries are told so that they print nothing is accepted, since nothing is printed here."""
    x, y = numbers
    want = train({"rounds": 2}, x, y)
    for silent in ({"verbose": -1}, {"verbosity": 0}, {"verbose_eval": False}, {"silent": True}):
        assert train({"rounds": 2, **silent}, x, y) == want
    for loud in ({"verbose": 1}, {"silent": False}, {"verbose_eval": 10}):
        with pytest.raises(ParameterError, match="logger boost_gbt"):
            train({"rounds": 2, **loud}, x, y)
    with pytest.raises(ParameterError, match="verbose"):
        train({"rounds": 2, "verbose": "much"}, x, y)


def test_columns_in_place_of_those_of_training() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    y, noise, weight = 2 * x, 100 * rng.normal(size=500), rng.random(500) ** 6
    table = {"a": x, "y": noise, "target": y, "w": weight}
    model = train(SHORT, {"a": x, "y": y}, "y")
    error = model.predict({"a": x}) - y
    assert model.eval(table, "target")["rmse"] == pytest.approx(np.sqrt(np.mean(error**2)), rel=1e-12)
    assert model.eval(table, y) == model.eval(table, "target")
    weighted = np.sqrt(np.average(error**2, weights=weight))
    assert model.eval({"a": x}, y, weight=weight)["rmse"] == pytest.approx(weighted, rel=1e-12)
    assert model.eval(table, "target", weight="w")["rmse"] == pytest.approx(weighted, rel=1e-12)
    with pytest.raises(TableError, match="no column 'absent'"):
        model.eval(table, "absent")
    with pytest.raises(ParameterError, match="without weight"):
        model.calibrate({"a": x}, y, weight=weight, intervals=0.9, allow_train_data=True)
    with pytest.warns(UserWarning, match="the table is the table that the model was trained on"):
        calibrated = model.calibrate(table, "target", intervals=0.9, allow_train_data=True)
    assert calibrated.report["intervals"]["width"] < 10
    history = train(SHORT, {"a": x, "y": y}, "y", valid=(table, "target")).history["valid"]
    assert history["rmse"][-1] < 10
    started = train(SHORT, {"a": x, "y": y, "s": y / 2}, "y", init_score="s")
    assert np.array_equal(started.predict({"a": x, "b": y / 2}, init_score="b"), started.predict({"a": x, "s": y / 2}))


def test_labels_of_files_keep_their_names(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,y,z\n" + "".join(f"{i % 9},{i % 9},{i}\n" for i in range(100)))
    model = train(SHORT, path, "y")
    assert model.eval(path, "y") == model.eval(path)
    with pytest.raises(ParameterError, match="name it so there"):
        model.eval(path, "z")


@pytest.mark.parametrize("form", ["pandas", "polars", "pyarrow"])
def test_frames_of_labels_keep_their_names(numbers: Data, form: str) -> None:
    x, y = numbers
    labels = {"up": y, "down": -2 * y}
    module = pytest.importorskip(form)
    frame = module.table(labels) if form == "pyarrow" else module.DataFrame(labels)
    model = train(SHORT, x, frame)
    assert model.label == "up, down"
    plain = train(SHORT, x, np.column_stack([y, -2 * y]))
    assert plain.label == "label_1, label_2"
    assert np.array_equal(model.predict(x), plain.predict(x))
    table = dict(zip(model.inputs, x.T, strict=True))
    found = model.eval(table | labels)
    assert found == plain.eval(x, np.column_stack([y, -2 * y])) == model.eval(x, frame)
    error = np.sqrt(np.mean((model.predict(x) - np.column_stack([y, -2 * y])) ** 2, axis=0)).mean()
    assert found["rmse"] == pytest.approx(error)


def test_frames_of_labels_whose_names_are_numbers_or_taken(numbers: Data) -> None:
    pd = pytest.importorskip("pandas")
    x, y = numbers
    frame = pd.DataFrame(x[:, :2], columns=["a", "up"])
    assert train(SHORT, frame, pd.DataFrame({0: y, 1: -y})).label == "label_1, label_2"
    with pytest.warns(UserWarning, match="the label and a feature have the name 'up', and other values"):
        model = train(SHORT, frame, pd.DataFrame({"up": y, "down": -y}))
    assert (model.label, model.features) == ("up_, down", ["a", "up"])
    with pytest.raises(TableError, match="more than one column 'up'"):
        train(SHORT, frame, pd.DataFrame(np.column_stack([y, y]), columns=["up", "up"]))


def test_warning_of_a_label_that_is_a_feature(numbers: Data) -> None:
    pd, pl, sp = (pytest.importorskip(name) for name in ("pandas", "polars", "scipy.sparse"))
    x, y = numbers
    frame = pd.DataFrame({"a": x[:, 0], "num": y, "word": np.where(y > 0, "up", "down"), "label": abs(y)})
    words = frame["word"]
    warned = "^the feature '{}' is the label, which it predicts alone: leave the column out$"
    for use, name in (
        (lambda: train(SHORT, frame, frame["num"]), "num"),
        (lambda: train(SHORT, pl.from_pandas(frame), pl.Series("num", y)), "num"),
        (lambda: train(SHORT, dict(frame), frame[["num"]]), "num"),
        (lambda: train(SHORT, frame, abs(y)), "label"),  # an array without a name
        (lambda: train(SHORT, frame, words), "word"),
        (lambda: cv(SHORT, frame, frame["num"], folds=2), "num"),
        (lambda: BoostRegressor(rounds=5).fit(frame, frame["num"]), "num"),
        (lambda: BoostClassifier(rounds=5).fit(frame, words), "word"),
        (lambda: train(SHORT, frame[["a", "num"]].to_numpy(), frame["num"].rename("c2")), "c2"),
        (lambda: train(SHORT, sp.csr_array(frame[["a", "num"]]), frame["num"].rename("c2")), "c2"),
    ):
        with pytest.warns(UserWarning, match=warned.format(name)) as said:
            use()
        assert len(said) == 1
    for use in (
        lambda: train(SHORT, frame, frame["num"].rename("a")),
        lambda: train(SHORT, frame, words.rename("num")),
        lambda: BoostClassifier(rounds=5).fit(frame, words.rename("a")),
    ):
        with pytest.warns(
            UserWarning, match="the label and a feature have the name '.*', and other values: the label is"
        ):
            use()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert train({**SHORT, "ignore": ["num"]}, frame, frame["num"]).features == ["a", "word", "label"]
        train(SHORT, frame, y)
        train(SHORT, frame, "num", valid=(frame, frame["num"])).eval(frame, frame["num"])


@pytest.mark.parametrize("name", ["a,b", '"q"', "'q'", "[a]", ' "a", "b"', "#1"])
def test_a_name_is_one_name(numbers: Data, name: str) -> None:
    """A comma and quotes are parts of it: of a column, and of a Series."""
    pd = pytest.importorskip("pandas")
    x, y = numbers
    frame = pd.DataFrame(x[:, :2], columns=["a", "b"])
    values, weight, start, query = pd.Series(y), pd.Series(abs(y)), pd.Series(y / 2), np.arange(1000) // 10
    want = train(SHORT, frame, y, weight=weight, init_score=start)
    for key, role in (("label", values), ("weight", weight), ("init_score", start)):
        given = {"label": values, "weight": weight, "init_score": start}
        model = train(SHORT, frame, **{**given, key: role.rename(name)})
        assert model.features == ["a", "b"]
        assert np.array_equal(model.predict(frame, init_score=y), want.predict(frame, init_score=y))
        by_name = train(SHORT, frame.assign(**{name: role}), **{**given, key: name})
        assert np.array_equal(by_name.predict(frame, init_score=y), want.predict(frame, init_score=y))
    ranked = {**SHORT, "objective": "lambdarank"}
    asked = train(ranked, frame, pd.Series(x[:, 2] > 0) * 1, group=pd.Series(query, name=name))
    assert np.array_equal(asked.predict(frame), train(ranked, frame, (x[:, 2] > 0) * 1, group=query).predict(frame))
    assert train({**SHORT, "data.weight": f'"{name}"'}, frame.assign(**{name: weight}), y, weight=name).features == [
        "a",
        "b",
    ]
    assert cv(SHORT, frame, values.rename(name), folds=2).models[0].label == name
    assert BoostRegressor(rounds=5).fit(frame, values.rename(name)).model_.label == name


def test_arguments_beside_settings(numbers: Data) -> None:
    """A setting does not take the place of an argument in silence."""
    x, y = numbers
    table = {"a": x[:, 0], "b": abs(y), "y": y}
    want = train(SHORT, table, "y", weight="b")
    assert train({**SHORT, "data.label": "y", "data.weight": "b"}, table, "y", weight="b") == want
    assert train({**SHORT, "data.label": "y", "data.weight": "b"}, table) == want
    for label in ("y", y):
        with pytest.raises(ParameterError, match=r"data\.label is a in the settings"):
            train({**SHORT, "data.label": "a"}, table, label)
    with pytest.raises(ParameterError, match=r"data\.weight is a in the settings"):
        train({**SHORT, "data": {"weight": "a"}}, table, "y", weight=abs(y))
    with pytest.raises(ParameterError, match="1 is no name of a setting"):
        train({1: 2}, table, "y")


def test_dicts_of_sections(numbers: Data) -> None:
    x, y = numbers
    assert train({"train": {"rounds": 10, "early_stopping": 0}, "tree": {"leaves": 4}}, x, y) == train(
        {**SHORT, "leaves": 4}, x, y
    )


def test_labels_beside_a_column_of_their_name_in_every_frame() -> None:
    x = np.arange(90.0) % 9 + 0.25
    model = train(SHORT, {"a": x, "y": x}, "y")
    columns = {"a": x, "y": -x, "target": x}
    want = model.eval(columns, "target")
    assert want["rmse"] < 5
    for library, make in (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table")):
        try:
            frames = importlib.import_module(library)
        except ImportError:
            continue
        assert model.eval(getattr(frames, make)(columns), "target") == want, library


def test_tables_for_commands_of_the_program(tmp_path: Path) -> None:
    """Texts of a frame mean to calibrate, quantize and compare what they mean to predict."""
    words = np.array(["true", "false", "maybe", "1.0"] * 100, object)
    y = np.select([words == "true", words == "1.0"], [3.0, 7.0], 0.0) + np.arange(400) % 7 / 10
    params = {"rounds": 20, "early_stopping": 0, "effort": "quick"}
    model = train(params, {"word": words, "x": y * 0, "y": y}, "y")
    for some in (words == "1.0", (words == "true") | (words == "false")):
        rows = {"word": words[some], "y": y[some] + 0.05, "x": y[some], "unread": y[some] + 1j}
        file = tmp_path / "rows.csv"
        file.write_text(
            "word,x,y\n" + "".join(f"{w},{x},{v}\n" for w, x, v in zip(rows["word"], rows["x"], rows["y"], strict=True))
        )
        assert model.calibrate(rows, intervals=0.9) == model.calibrate(file, intervals=0.9)
        assert model.calibrate([file], intervals=0.9) == model.calibrate(file, intervals=0.9)
        small = model.quantize(dtype="I8")
        assert model.compare(small, rows) == model.compare(small, file)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".* rows certify the loss")
            assert bytes(model.quantize(rows, max_loss=0.5)) == bytes(model.quantize(file, max_loss=0.5))
    with pytest.raises(ParameterError, match="2 files"):
        model.quantize([file, file], max_loss=0.5)


def test_warnings_of_all_that_a_model_does(tmp_path: Path) -> None:
    """What predict warns of, other methods and commands warn of too, in words without the names of passing files."""
    x = np.arange(400.0)
    start = x % 7
    model = train(SHORT, {"x": x}, x + 100 * start, init_score=100 * start)
    rows = {"x": x + 0.25, "label": x + 100 * start}
    small = model.quantize(dtype="I8")
    lacking = "^the table has no init scores, but the model was trained from some"
    for use in (
        lambda: model.predict(rows),
        lambda: model.eval(rows),
        lambda: model.calibrate(rows, intervals=0.9),
        lambda: model.quantize(rows, dtype="I8"),
        lambda: model.compare(small, rows),
    ):
        with pytest.warns(UserWarning, match=lacking) as said:
            use()
        assert [Path(one.filename).name for one in said] == ["test_model.py"]
    started = {**rows, "init_score": 100 * start}
    model.eval(started)
    calibrated = model.calibrate(started, intervals=0.9)
    assert calibrated == model.calibrate(rows, init_score=100 * start, intervals=0.9)
    assert calibrated == model.calibrate({**rows, "s": 100 * start}, init_score="s", intervals=0.9)
    low, high = calibrated.predict(rows, "interval", init_score=100 * start).T
    assert (high - low).mean() < 300  # of residuals without the 600 of the scores
    with pytest.raises(ParameterError, match="init_score must be a column, that of training"):
        model.calibrate("rows.csv", init_score=start)
    with pytest.raises(TableError, match=r'^the table: .* lacks column "x"'):
        model.calibrate({"label": x, "init_score": x}, intervals=0.9)
    days = {**started, "x": np.datetime64("1970-01-01T00:07:00") + np.arange(400).astype("m8[s]")}
    for use in (lambda: model.eval(days), lambda: model.calibrate(days, intervals=0.9)):
        with pytest.warns(UserWarning, match=r'numbers in the columns \["x"\], and here these have dates'):
            use()
    file = tmp_path / "rows.csv"
    file.write_text("x,label\n1,1\n2,2\n")
    model.save(tmp_path / "m.boost")
    with pytest.warns(UserWarning, match=r"rows\.csv has no init scores"):
        run("eval", str(tmp_path / "m.boost"), str(file))


def test_stages_are_predictions() -> None:
    """They have the same kinds, and the same words for what the table lacks."""
    words = np.array(["a", "b"] * 100)
    x = np.arange(200.0)
    params = {"rounds": 6, "early_stopping": 0, "effort": "quick"}
    model = train(params, {"w": words, "x": x}, x + (words == "a"), init_score=x)
    for kind in ("class", "leaf", "interval", "probability"):
        with pytest.raises(ParameterError, match=f'kind must be value or raw .*"{kind}"'):
            list(model.staged({"w": words, "x": x}, kind, every=3))
    unknown = {"w": np.array(["c"] * 200), "x": x}
    with pytest.raises(TableError, match="none of its categories"):
        list(model.staged(unknown, init_score=x))
    stages = list(model.staged(unknown, every=4, on_unseen="missing", init_score=x, threads=1))
    assert np.array_equal(stages[1], model.predict(unknown, on_unseen="missing", init_score=x))
    assert np.array_equal(stages[0], model.predict(unknown, on_unseen="missing", init_score=x, rounds=4))
    with pytest.warns(UserWarning, match="no init scores"):
        list(model.staged({"w": words, "x": x}))


def test_predictions_can_be_changed(model: Model, numbers: Data) -> None:
    x, y = numbers
    for make in (
        lambda: model.predict(x),
        lambda: model.predict(x[:3]),
        lambda: model.predict(dict(zip(model.inputs, x.T, strict=True)), "leaf"),
        lambda: model.contributions(x),
        lambda: next(model.staged(x)),
        model.importance,
        lambda: cv(SHORT, x, y, folds=2).predictions,
    ):
        made, want = make(), make().copy()
        made += 1
        assert np.array_equal(made, want + 1)
        assert np.array_equal(make(), want)


def test_arguments_of_predict_that_do_not_fit(model: Model, numbers: Data, tmp_path: Path) -> None:
    """Arrays are refused what frames are refused."""
    x, y = numbers
    for table in (x, dict(zip(model.inputs, x.T, strict=True))):
        with pytest.raises(ParameterError, match="trained without init_score"):
            model.predict(table, init_score=y)
        for predict in (model.predict, model.contributions, lambda table, **more: list(model.staged(table, **more))):
            with pytest.raises(ParameterError, match="on_unseen must be"):
                predict(table, on_unseen="ignore")
            with pytest.raises(TypeError, match="threads = '2': expected an integer"):
                predict(table, threads="2")
        with pytest.raises(TypeError, match=r"rounds = 2\.0: expected an integer"):
            model.predict(table, rounds=2.0)
    three = train({**SHORT, "objective": "multiclass"}, x, np.digitize(y, [-1, 1]), init_score=np.zeros((len(x), 3)))
    with pytest.raises(ParameterError, match="init_score has 2 columns, and 3 in training"):
        three.predict(x, init_score=np.zeros((len(x), 2)))


@pytest.mark.parametrize("form", ["array", "sparse", "dict", "pandas", "polars", "pyarrow"])
def test_no_rows(numbers: Data, form: str) -> None:
    """Of no rows there are no predictions, of the shape that those of rows have."""
    x, y = numbers
    names = [f"c{j + 1}" for j in range(x.shape[1])]
    none: Any = x[:0]
    if form == "sparse":
        none = pytest.importorskip("scipy.sparse").csr_matrix(none)
    elif form != "array":
        none = dict(zip(names, none.T, strict=True))
    if form in ("pandas", "polars"):
        none = pytest.importorskip(form).DataFrame(none)
    elif form == "pyarrow":
        none = pytest.importorskip("pyarrow").table(none)
    one = train(SHORT, x, y)
    three = train({**SHORT, "objective": "multiclass"}, x, np.digitize(y, [-1, 1]))
    rounds = one.rounds
    shapes = (
        {"value": (0,), "raw": (0,), "leaf": (0, rounds)},
        {"value": (0, 3), "class": (0,), "leaf": (0, 3 * rounds)},
    )
    for model, kinds in zip((one, three), shapes, strict=True):
        for kind, shape in kinds.items():
            got, some = model.predict(none, kind), model.predict(x[:2], kind)
            assert got.shape == shape
            assert (got.dtype, got.shape[1:]) == (some.dtype, some.shape[1:])
    assert one.contributions(none).shape == (0, 7)
    assert three.contributions(none).shape == (0, 3, 7)
    assert [stage.shape for stage in three.staged(none)] == [(0, 3)] * rounds
    with pytest.raises(ParameterError, match="no intervals"):
        one.predict(none, "interval")
    with pytest.raises(TableError, match="no rows"):
        one.eval(none, y[:0])


def test_no_rows_of_columns_of_all_kinds() -> None:
    pd = pytest.importorskip("pandas")
    rows = np.arange(200)
    frame = pd.DataFrame(
        {
            "number": rows * 0.5,
            "text": np.where(rows % 2, "u", "v"),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rows, "D"),
            "level": pd.Categorical(rows % 5),
            "truth": rows % 3 == 0,
            "share": [f"{row % 50} %" for row in rows],
        }
    )
    model = train({**SHORT, "parse": "auto"}, frame, rows * 0.3, init_score=np.zeros(200))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for unseen in ("", "missing", "error"):
            assert model.predict(frame[:0], init_score=np.zeros(0), on_unseen=unseen).shape == (0,)
    with pytest.raises(TableError, match='lacks columns "text", "day"'):
        model.predict(frame.loc[:0, ["number", "truth", "level"]][:0], init_score=np.zeros(0))


def test_dates_for_numbers_and_numbers_for_dates() -> None:
    """Both are seconds since 1970 to the model, which is seldom meant: there is a warning."""
    pd = pytest.importorskip("pandas")
    rows = np.arange(200)
    frame = pd.DataFrame({"day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rows, "D"), "size": rows % 11 * 0.5})
    model = train(SHORT, frame, rows * 0.3)
    swapped = {
        'dates in the columns \\["day"\\], and here these have numbers that.*year 9999': frame.assign(
            day=frame["day"].astype("M8[ms]").astype("int64")
        ),
        'numbers in the columns \\["size"\\], and here these have dates': frame.assign(size=frame["day"]),
    }
    for words, table in swapped.items():
        for use in (model.predict, lambda table: model.eval(table, rows), lambda table: list(model.staged(table))):
            with pytest.warns(UserWarning, match=words):
                use(table)
    seconds = frame.assign(day=(frame["day"] - pd.Timestamp("1970-01-01")) // pd.Timedelta("1s"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for table in (frame.assign(day=frame["day"].astype(str)), seconds):
            assert np.array_equal(model.predict(table), model.predict(frame))
        model.predict(frame.assign(day=pd.NaT, size=None))


def test_columns_that_are_not_named_as_they_must_be(numbers: Data) -> None:
    pd = pytest.importorskip("pandas")
    x, y = numbers
    frame = pd.DataFrame(x)
    with pytest.raises(ParameterError, match="label = 2: expected an array, or the name of a column as a text"):
        train(SHORT, frame, 2)
    assert train(SHORT, frame.fillna(0), "2").label == "2"
    for event in (y > 0, pd.Series(y > 0), (y > 0).tolist()):
        for params in ({"event": event}, {"data.event": event}, {"data": {"event": event}}):
            with pytest.raises(ParameterError, match="event has 1000 values: it must be the name of a column"):
                train({**SHORT, **params}, x, np.abs(y))


@pytest.mark.parametrize("form", [list, tuple, set, np.array, "pandas", ",".join])
def test_columns_to_ignore(numbers: Data, form: Any) -> None:
    if form == "pandas":
        form = pytest.importorskip("pandas").Index
    x, y = numbers
    table = {"a": x[:, 0], "b": x[:, 1], "span": np.arange(len(x)).astype("m8[s]")}
    for params in ({"ignore": form(["b", "span"])}, {"data": {"ignore": form(["b", "span"])}}):
        assert train({**SHORT, **params}, table, y).features == ["a"]


def test_words_of_unseen_categories() -> None:
    rows = np.arange(100)
    model = train(SHORT, {"t": np.array(list("uvwx"))[rows % 4]}, rows % 4 * 0.5)
    with pytest.raises(TableError, match='on_unseen="missing" treats them'):
        model.predict({"t": ["a", "b"]})
    assert np.array_equal(model.predict({"t": ["a"]}, on_unseen="missing"), model.predict({"t": [None]}))


def test_nothing_is_left_where_a_model_cannot_be_saved(model: Model, tmp_path: Path) -> None:
    (tmp_path / "m.boost").mkdir()
    with pytest.raises(OSError, match=r"m\.boost"):
        model.save(tmp_path / "m.boost")
    assert [path.name for path in tmp_path.iterdir()] == ["m.boost"]


def test_names_of_settings_with_columns() -> None:
    """The names that Python knows are those of the document that is made from the program's settings."""
    known: dict[str, set[str]] = {}
    document = (Path(__file__).parents[2] / "docs" / "config.md").read_text(encoding="utf-8")
    for line in document.splitlines():
        if found := re.match(r"\| `(\w+)` \|", line):
            known[found[1]] = {found[1], *re.findall(r"`(\w+)`", line.rpartition(" | ")[2])}
    for keys, names in (
        (("label", "weight", "init_score", "id", "group", "position", "event", "label_upper"), _columns.ROLES),
        (("ignore",), _columns.IGNORED),
        (("monotone",), _columns.MONOTONE),
        (("feature_cost", "feature_row_cost"), _columns.COSTS),
        (("feature_penalty", "col_weights"), _columns.FACTORS),
        (("first_level", "last_level"), _columns.LEVELS),
        (("interaction",), _columns.GROUPS),
    ):
        assert set().union(*(known[key] for key in keys)) == names


def test_rows_that_are_left_out_are_counted(numbers: Data, tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(numbers[0][:200], columns=list("abcdef")).assign(y=numbers[1][:200])
    bad = frame.copy()
    bad.loc[[3, 10], "y"] = np.nan
    frame.to_csv(tmp_path / "whole.csv", index=False)
    bad.to_csv(tmp_path / "bad.csv", index=False)
    skip = {**SHORT, "on_bad_row": "skip"}
    assert train(skip, frame, "y").report["skipped"] == 0
    assert train(SHORT, tmp_path / "whole.csv", "y").report["skipped"] == 0
    whole = train({**SHORT, "effort": "quick"}, bad.dropna(subset=["y"]), "y")
    for table in (bad, tmp_path / "bad.csv"):
        with pytest.warns(UserWarning, match='^2 bad rows skipped; the first: .*column "y"'):
            model = train({**skip, "effort": "quick"}, table, "y")
        assert model.report["skipped"] == 2
        assert np.array_equal(model.predict(frame), whole.predict(frame))
    for table, valid, count in (
        (frame, bad, 0),
        (bad, bad, 2),
        (bad, frame, 2),
        (frame, tmp_path / "bad.csv", 0),
        (tmp_path / "whole.csv", bad, 0),
        (tmp_path / "bad.csv", tmp_path / "bad.csv", 2),
        (tmp_path / "whole.csv", tmp_path / "bad.csv", 0),
    ):
        with pytest.warns(UserWarning, match="2 bad rows skipped"):
            assert train(skip, table, "y", valid=valid).report["skipped"] == count
    x, y = bad.drop(columns="y").to_numpy(), bad["y"].to_numpy()
    with pytest.warns(UserWarning, match="2 bad rows skipped"):
        assert train(skip, x, y, valid=(x, y)).report["skipped"] == 2


def test_unlabelled_rows_cannot_be_judged(model: Model, numbers: Data, tmp_path: Path) -> None:
    x, y = numbers[0][:50], numbers[1][:50].copy()
    y[[3, 7]] = np.nan
    with pytest.raises(TableError, match=r"row 4: column \"label\": the cell has no value"):
        model.eval(x, y)
    with pytest.raises(TableError, match="row 4"):
        train(SHORT, *numbers, valid=(x, y))
    with pytest.raises(ParameterError, match=r"output\.predictions cannot be set here"):
        train({**SHORT, "output.predictions": str(tmp_path / "p.csv")}, *numbers)
    assert np.isfinite(model.predict(x)).all()


def test_labels_in_another_order() -> None:
    """Where they are those of the model, they go by name; others go by place."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(5)
    rows = pd.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300)})
    rows = rows.assign(u=(rows.a > 0) * 1, v=(rows.a < 0.5) * 1)
    x, turned = rows[["a", "b"]], ["v", "u"]
    params = {**SHORT, "objective": "multi_label"}
    model = train(params, rows, ["u", "v"])
    want = model.eval(rows, ["u", "v"])
    assert model.eval(rows, turned) == model.eval(x, rows[turned]) == want
    assert model.eval(rows.rename(columns={"u": "s", "v": "t"}), ["s", "t"]) == want
    for valid in ((rows, turned), (x, rows[turned])):
        history = train(params, rows, ["u", "v"], valid=valid).history
        assert history == train(params, rows, ["u", "v"], valid=(rows, ["u", "v"])).history


def test_column_with_the_name_of_weights() -> None:
    """Weights of an array are no column, and a table may have another of their name."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(6)
    x, weight = rng.normal(size=300), rng.random(300)
    rows = pd.DataFrame({"a": x, "y": x**2})
    heavy = rows.assign(weight=100 * weight**4)
    model = train(SHORT, rows, "y", weight=weight)
    for one in (model, Model.from_bytes(bytes(model)), model.quantize(dtype="I8")):
        with pytest.warns(UserWarning, match="rows count by column 'weight'"):
            found = one.eval(heavy)
        assert found == one.eval(heavy, weight="weight")
        assert one.eval(heavy, weight=np.ones(300)) == pytest.approx(one.eval(rows), rel=1e-12)
    assert train(SHORT, heavy, "y", weight="weight").eval(heavy)["rmse"] > 0  # the column that it was trained with


def test_unseen_in_eval() -> None:
    table = {"c": np.array(["x", "y"] * 50), "y": np.arange(100.0)}
    model = train(SHORT, table, "y")
    other = {**table, "c": np.array(["z"] * 100)}
    with pytest.raises(TableError, match=r'on_unseen="missing" treats'):
        model.eval(other)
    assert model.eval(other, on_unseen="missing") == model.eval({**table, "c": np.array([None] * 100, object)})
    with pytest.warns(UserWarning, match="none of its categories"):
        model.eval(other, on_unseen="warn")
    with pytest.raises(ParameterError, match="on_unseen must be"):
        model.eval(other, on_unseen="ignore")


def test_frames_with_numbers_in_place_of_names(numbers: Data) -> None:
    pd = pytest.importorskip("pandas")
    x, y = numbers
    model = train(SHORT, x, y, valid=(pd.DataFrame(x), y))
    frame = pd.DataFrame(x)
    assert np.array_equal(model.predict(frame), model.predict(x))
    assert np.array_equal(model.contributions(frame), model.contributions(x))
    assert model.eval(frame, y) == model.eval(x, y)
    assert model.history == train(SHORT, x, y, valid=(x, y)).history
    with pytest.raises(TableError, match="columns without names"):
        model.predict(frame[[1, 0, 2, 3, 4, 5]])


def test_names_of_files_that_are_no_models(model: Model, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"m\.JSON is the name of a model as text.* name it .*m\.boost here"):
        model.save(tmp_path / "m.JSON")
    for name in ("m.csv", "m.parquet", "m.csv.gz", "m.TSV.zst"):
        with pytest.raises(ParameterError, match=r"is the name of a table.* name it .*/m\.boost"):
            model.save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_tables_that_are_written_in_another_way(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(7)
    rows = pd.DataFrame({"a": rng.normal(size=300), "b": rng.integers(0, 2000, 300).astype(float)})
    rows["y"] = rows.a + rows.b / 1000
    model = train(SHORT, rows, "y")
    dollars = rows.assign(b=[f"${value:,.0f}" for value in rows.b])
    dashes = rows.assign(b=["-" if value < 500 else str(value) for value in rows.b])
    gaps = rows.assign(b=rows.b.where(rows.b >= 500))
    for written, meant, reading in (
        (dollars, rows, {"data.parse": {"b": "1,234.5 $"}}),
        (dashes, gaps, {"missing": ["-"]}),
        (dashes, gaps, {"data": {"missing": ["-"]}}),
    ):
        written.to_csv(tmp_path / "t.csv", index=False)
        for table in (written, tmp_path / "t.csv"):
            with pytest.raises(TableError, match='column "b"'):
                model.predict(table)
            want = model.predict(meant)
            assert np.array_equal(model.predict(table, reading=reading), want)
            assert np.array_equal([*model.staged(table, reading=reading)][-1], want)
            assert np.array_equal(model.contributions(table, reading=reading), model.contributions(meant))
            assert model.eval(table, reading=reading) == model.eval(meant)
    numbers = np.nan_to_num(gaps[["a", "b"]], nan=-99)
    plain = train(SHORT, rows[["a", "b"]].to_numpy(), rows.y)
    assert np.array_equal(plain.predict(numbers, reading={"missing": [-99]}), model.predict(gaps))
    with pytest.raises(TableError, match=r"""give reading=\{"data.parse": '\{b="1,234.5 \$"\}'\} if"""):
        model.predict(dollars)
    for wrong in ({"rounds": 3}, {"data.label": "y"}):
        with pytest.raises(ParameterError, match=r"reading takes data\.format"):
            model.predict(rows, reading=wrong)
