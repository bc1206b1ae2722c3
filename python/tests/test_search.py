"""Cross-validation and the search for settings, beside the commands of the program."""

from __future__ import annotations

import csv
import json
import math
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boost_gbt import BudgetError, Model, ParameterError, TableError, cv, run, train, tune

Data = tuple[np.ndarray, np.ndarray]
PARAMS = {"effort": "quick", "rounds": 25, "leaves": 7}
FLAGS = ["--effort", "quick", "--rounds", "25", "--leaves", "7"]


@pytest.fixture(scope="module")
def people(census: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first 2,000 people of the census, as a file."""
    pd = pytest.importorskip("pandas")
    path = tmp_path_factory.mktemp("people") / "people.csv"
    pd.read_csv(census / "train.csv.gz", nrows=2000).to_csv(path, index=False)
    return path


def without(report: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in report.items() if name not in names}


def test_folds_that_are_given(numbers: Data) -> None:
    """As numbers, as pairs and as a splitter: each fold is judged by a model of all others."""
    splits = pytest.importorskip("sklearn.model_selection")
    x, y = numbers
    of = np.random.default_rng(5).integers(0, 4, len(y))
    params = {"rounds": 8, "early_stopping": 0, "leaves": 7}
    want = cv(params, x, y, folds=of, strict=True)
    assert len(want.models) == 4
    for k in range(4):
        (number,) = np.unique(want.fold[of == k])
        assert np.array_equal(want.fold == number, of == k)
        model = train({**params, "effort": "default"}, x[of != k], y[of != k])
        assert np.array_equal(want.predictions[of == k], model.predict(x[of == k]))
    pairs = list(splits.PredefinedSplit(of).split())
    for folds in (list(of), of.astype(np.uint8), pairs, iter(pairs), splits.PredefinedSplit(of)):
        assert np.array_equal(cv(params, x, y, folds=folds, strict=True).predictions, want.predictions)
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(x).assign(y=y)
    assert np.array_equal(cv(params, frame, "y", folds=pd.Series(of), strict=True).predictions, want.predictions)
    again = cv(params, frame, "y", folds=splits.KFold(3))
    assert np.array_equal(again.fold != again.fold[0], np.arange(len(y)) >= np.sum(again.fold == again.fold[0]))
    found = tune(params, x, y, trials=1, folds=of)
    assert len(found.trials[0]["folds"]) == 4


def test_folds_that_are_none(numbers: Data, people: Path) -> None:
    x, y = numbers
    half = np.arange(len(y)) % 2
    for folds, says in (
        ([(np.flatnonzero(half), np.flatnonzero(half == 0))], "each row must be judged once"),
        ([(np.arange(10), np.arange(1, len(y)))], "each row must be judged once"),
        (half - 1, "expected a number of folds, an array"),
        (half / 2, "expected a number of folds, an array"),
        ([[1, 2, 3]], "expected a number of folds, an array"),
    ):
        with pytest.raises(ParameterError, match=says):
            cv(PARAMS, x, y, folds=folds)
    with pytest.raises(ParameterError, match="leave group_by, time and repeats out"):
        cv(PARAMS, x, y, folds=half, group_by=half)
    with pytest.raises(ParameterError, match="group_by names a column of folds"):
        cv(PARAMS, people, "income", folds=half)
    with pytest.raises(TypeError, match="expected an integer"):
        cv(PARAMS, x, y, folds=2.5)


def test_cv_is_that_of_the_program(people: Path, tmp_path: Path) -> None:
    """Figures, predictions, folds and the bytes of the averaged model, from a file and from a frame."""
    pd = pytest.importorskip("pandas")
    average, oof = tmp_path / "average.boost", tmp_path / "oof.csv"
    options = ["--folds", "3", "--repeats", "2", "--bootstrap", "50", "--confidence", "0.9"]
    command = [
        "cv",
        str(people),
        "--label",
        "income",
        *FLAGS,
        *options,
        "--json",
        "-o",
        str(average),
        "--oof",
        str(oof),
    ]
    want = json.loads(run(*command))
    with open(oof) as lines:
        unseen = list(csv.DictReader(lines))
    for table in (people, pd.read_csv(people)):
        found = cv(PARAMS, table, "income", folds=3, repeats=2, bootstrap=50, confidence=0.9)
        files = "seconds", "command", "predictions", "model"
        assert without(found.report, "seconds") == without(want, *files)
        assert bytes(found.average()) == average.read_bytes()
        assert found.fold.tolist() == [int(row["fold"]) - 1 for row in unseen]
        assert np.allclose(found.predictions, [float(list(row.values())[-1]) for row in unseen], rtol=1e-15)
        assert len(found.models) == 6
        assert all(model.rounds == found.best_round for model in found.models)
    assert found.metrics["auc"]["low"] < found.metrics["auc"]["pooled"] < found.metrics["auc"]["high"]
    assert found.curve["auc"]["mean"][found.best_round - 1] == found.metrics["auc"]["mean"]
    for text in (repr(found), found._repr_html_()):
        assert "auc" in text


@pytest.mark.parametrize("params", [{"rounds": 60}, PARAMS, {"n_estimators": 30, "num_leaves": 5, "effort": ""}])
def test_params_after_cv_train_what_the_command_says(people: Path, tmp_path: Path, params: dict[str, Any]) -> None:
    """``params`` is the command that the program prints: the same model."""
    model = tmp_path / "all.boost"
    found = cv(params, people, "income", folds=3)
    # the same command, but "" for the effort, which is that of a config
    sets = [word for name, value in params.items() for word in ("--set", f"{name}={value}")]
    said = json.loads(run("cv", str(people), "--label", "income", *sets, "--folds", "3", "--json"))
    assert said["best_round"] == found.best_round
    words = said["command"].split()
    assert words[:2] == ["boost", "train"]
    run(*words[1:], "-o", str(model))
    assert bytes(train(found.params, people, "income")) == model.read_bytes()


def test_cv_judges_rows_that_did_not_train(numbers: Data) -> None:
    x, y = numbers
    found = cv({"rounds": 20, "early_stopping": 0}, x, y, folds=4)
    assert found.predictions.shape == y.shape
    for k, model in enumerate(found.models):
        rows = found.fold == k
        assert 200 < rows.sum() < 300
        assert np.array_equal(model.predict(x[rows]), found.predictions[rows])
    rmse = math.sqrt(np.mean((found.predictions - y) ** 2))
    assert found.metrics["rmse"]["pooled"] == pytest.approx(rmse, rel=1e-12)
    folds = [math.sqrt(np.mean((found.predictions - y)[found.fold == k] ** 2)) for k in range(4)]
    assert found.metrics["rmse"]["folds"] == pytest.approx(folds, rel=1e-12)
    assert found.metrics["rmse"]["mean"] == pytest.approx(np.mean(folds), rel=1e-12)
    assert found.metrics["rmse"]["sd"] == pytest.approx(np.std(folds), rel=1e-12)


def test_cv_of_several_classes(numbers: Data) -> None:
    x, y = numbers
    found = cv(PARAMS, x, np.digitize(y, [-0.5, 0.5]), folds=3)
    assert found.predictions.shape == (1000, 3)
    assert np.allclose(found.predictions.sum(axis=1), 1)


@pytest.mark.parametrize("kind", ["column", "array", "texts"])
def test_rows_that_stay_together(numbers: Data, kind: str) -> None:
    x, y = numbers
    group = np.repeat(np.arange(50), 20)
    if kind == "texts":
        group = np.array([f"p{k}" for k in group])
    table: Any = {**{f"x{j}": x[:, j] for j in range(6)}, **({"who": group} if kind == "column" else {})}
    found = cv(PARAMS, table, y, folds=5, group_by="who" if kind == "column" else group)
    assert found.report["by"] == "grouped"
    for one in np.unique(group):
        assert len(set(found.fold[group == one])) == 1
    assert ("who" in found.models[0].features) == (kind == "column"), "an array beside the table is no feature"
    assert train(found.params, table, y).features == found.models[0].features
    assert np.array_equal(found.models[0].predict(table), found.models[0].predict(table))
    if kind != "column":
        ids = {**PARAMS, "id": ["x5"]}
        assert "x5" not in cv(ids, table, y, group_by=group).models[0].features


@pytest.mark.parametrize("kind", ["numbers", "dates", "texts"])
def test_later_rows_judge(numbers: Data, kind: str) -> None:
    x, y = numbers
    order = np.random.default_rng(0).permutation(1000)
    time: Any = np.datetime64("2024-01-01") + order if kind == "dates" else order * 1.5
    if kind == "texts":
        time = [str(day) for day in np.datetime64("2024-01-01") + order]
    found = cv(PARAMS, x, y, folds=4, time=time)
    assert found.report["by"] == "expanding"
    assert [fold["train"] for fold in found.report["folds"]] == [200, 400, 600, 800]
    first = order < 200
    assert np.array_equal(found.fold == -1, first)
    assert np.array_equal(np.isnan(found.predictions), first)
    for k in range(4):
        assert sorted(order[found.fold == k]) == list(range(200 * (k + 1), 200 * (k + 2)))
    sliding = cv(PARAMS, x, y, folds=4, time=time, sliding=True)
    assert [fold["train"] for fold in sliding.report["folds"]] == [200] * 4


def test_cv_of_queries() -> None:
    rng = np.random.default_rng(0)
    x, qid = rng.normal(size=(600, 4)), rng.permutation(np.repeat(np.arange(60), 10))
    y = np.clip(np.round(x[:, 0] + 1.5), 0, 3)
    found = cv({"objective": "lambdarank", "rounds": 10, "early_stopping": 0}, x, y, group=qid, folds=3)
    for query in range(60):
        assert len(set(found.fold[qid == query])) == 1
    for k, model in enumerate(found.models):
        assert np.array_equal(model.predict(x[found.fold == k]), found.predictions[found.fold == k])


def test_callback_and_interruption_of_cv(numbers: Data) -> None:
    seen: list[dict[str, Any]] = []
    cv({"rounds": 5, "early_stopping": 0}, *numbers, folds=3, callback=seen.append)
    assert [event["round"] for event in seen] == list(range(1, 16))
    assert {event["of"] for event in seen} == {15}

    def stop(event: dict[str, Any]) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        cv({"rounds": 10_000_000, "early_stopping": 0}, *numbers, callback=stop)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"folds": 1}, ParameterError, "2 folds or more"),
        ({"group_by": "nobody"}, TableError, 'no column "nobody"'),
        ({"group_by": ("c1", "c2")}, ParameterError, "group_by must be one column"),
        ({"sliding": True}, ParameterError, "sliding window is of time"),
        ({"confidence": 2}, ParameterError, "confidence 2"),
    ],
)
def test_words_of_cv(numbers: Data, arguments: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        cv(PARAMS, *numbers, **arguments)


def test_words_of_settings(numbers: Data, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,y\n1,2\n")
    for params, words in (
        ({"budget": 10}, "tune has a budget of its own"),
        ({"init_model": "m.boost"}, "has seen the rows"),
        ({"data.valid": "v.csv"}, "cannot be set here"),
        ({"leavs": 3}, "did you mean"),
    ):
        with pytest.raises(ParameterError, match=words):
            cv(params, *numbers)
        with pytest.raises(ParameterError, match=words):
            tune(params, *numbers)
    with pytest.raises(ParameterError, match="group_by must be the name of a column"):
        cv(None, tmp_path / "t.csv", "y", group_by=[1])


def test_init_scores_are_not_averaged(numbers: Data) -> None:
    x, y = numbers
    found = cv({"rounds": 5, "early_stopping": 0}, x, y, init_score=y / 2)
    with pytest.raises(ParameterError, match="init scores cannot be averaged"):
        found.average()


def test_tune_is_that_of_the_program(people: Path, tmp_path: Path) -> None:
    """Trials, the check on rows held out, and the bytes of the model that the best settings train."""
    pd = pytest.importorskip("pandas")
    config, model = tmp_path / "best.toml", tmp_path / "best.boost"
    spaces = ["--try", "tree.leaves=4..31:log", "--try", "tree.growth=leaf,symmetric", "--try", "tree.lambda_l1=0..2"]
    options = ["--trials", "4", "--folds", "3", "--held-out", "20%", "--no-study"]
    run_of = ["tune", str(people), "--label", "income", "--effort", "quick", "--rounds", "25"]
    want = json.loads(run(*run_of, *spaces, *options, "--json", "-o", str(config)))
    run("train", str(config), "-o", str(model))
    seen: list[dict[str, Any]] = []
    space = {
        "tree.leaves": (4, 31, "log"),
        "tree.growth": ["leaf", "symmetric"],
        "reg_alpha": (0, 2),
    }
    for table in (people, pd.read_csv(people)):
        found = tune(
            {"effort": "quick", "rounds": 25},
            table,
            "income",
            trials=4,
            folds=3,
            held_out=0.2,
            space=space,
            callback=seen.append,
        )
        names = "seconds", "config", "command", "trials"
        assert without(found.report, *names) == without(want, *names)
        assert [without(trial, "seconds") for trial in found.report["trials"]] == [
            without(trial, "seconds") for trial in want["trials"]
        ]
        assert bytes(train(found.params, table, "income")) == model.read_bytes()
    assert [event["trial"] for event in seen] == [0, 1, 2, 3] * 2
    assert [event["trial"] for event in seen if event["is_best"]][-1] == found.best_trial
    assert found.best_value == want["trials"][found.best_trial]["value"]
    assert "data.label" not in found.params
    for text in (repr(found), found._repr_html_()):
        assert "best trial" in text


def test_tune_with_what_a_file_cannot_say(numbers: Data) -> None:
    """Labels and groups that are arrays, and settings of every kind, come back as they were."""
    pd = pytest.importorskip("pandas")
    x, y = numbers
    frame = pd.DataFrame(x, columns=list("abcdef")).assign(kind=pd.Categorical(np.arange(1000) % 7))
    params = {
        "rounds": 15,
        "early_stopping": 3,
        "monotone": {"a": 1},
        "interaction": [["a", "b"], ["c", "d", "e", "f", "kind"]],
        "eval_metric": ["mae", "rmse"],
        "missing": ["?"],
        "threads": 2,
        "seed": 7,
        "time_limit": None,
        "memory_limit": "2GB",
        "col_weights": {"a": 2.5},
        "objective": "huber",
    }
    group = np.repeat(np.arange(100), 10)
    found = tune(params, frame, y, trials=3, only=True, space={"tree.leaves": (4, 9)}, group_by=group, weight=group + 1)
    assert found.metric == "mae"
    assert found.params["constraints.monotone"] == {"a": 1}
    assert found.params["train.seed"] == 7
    assert not {"data.label", "data.weight", "data.id", "data.categorical"} & set(found.params)
    model = train(found.params, frame, y, weight=group + 1)
    same = {**params, "tree.leaves": int(found.trials[found.best_trial]["values"]["tree.leaves"])}
    same |= {"rounds": model.rounds, "early_stopping": 0, "effort": "default", "retrain": False}
    assert model.rounds == found.trials[found.best_trial]["best_round"]
    assert model.objective == "huber"
    assert np.array_equal(train(same, frame, y, weight=group + 1).predict(frame), model.predict(frame))


def test_study_goes_on(numbers: Data, tmp_path: Path) -> None:
    """A search that is stopped and goes on from its study has the trials of one that was not stopped."""
    study = tmp_path / "s.study"
    arguments: dict[str, Any] = {"folds": 2, "space": {"tree.leaves": (4, 31)}, "only": True}
    params = {"rounds": 20}
    whole = tune(params, *numbers, trials=6, **arguments)

    def stop(event: dict[str, Any]) -> None:
        if event["trial"] == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune(params, *numbers, trials=6, study=study, callback=stop, **arguments)
    assert len(study.read_text().splitlines()) >= 4
    again = tune(params, *numbers, trials=6, study=study, **arguments)
    assert [without(t, "seconds") for t in again.trials] == [without(t, "seconds") for t in whole.trials]
    assert again.params == whole.params
    with pytest.raises(ParameterError, match="study is of another search"):
        tune({**params, "leaves": 5}, *numbers, trials=6, study=study, **arguments)


def test_budget(numbers: Data) -> None:
    found = tune({"rounds": 10}, *numbers, budget=1.5, space={"tree.lambda_l2": (0.1, 9.0)}, only=True, folds=2)
    assert found.report["stopped"] == "budget"
    with pytest.raises(BudgetError, match="before the first trial"):
        tune({"rounds": 10_000_000, "early_stopping": 0}, *numbers, budget="200ms")
    with pytest.raises(ParameterError, match='budget = "soon"'):
        tune(None, *numbers, budget="soon")


@pytest.mark.parametrize(
    ("space", "words"),
    [
        ({"tree.leaves": (3,)}, r"\(3,\) is no space"),
        ({"tree.leaves": (3, 4, "exp")}, "is no space"),
        ({"tree.leaves": 5}, "5 is no space"),
        ({"tree.leaves": (9, 3)}, "first bound must be less"),
        ({"rounds": (9, 30)}, "best number of rounds is found in each trial"),
        ({"leavs": (9, 30)}, "leavs"),
        ({}, "name them"),
    ],
)
def test_words_of_spaces(numbers: Data, space: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        tune(PARAMS, *numbers, space=space, only=True)


def test_folds_from_many_threads(numbers: Data) -> None:
    """Calls that run at the same time do not disturb each other."""
    x, y = numbers
    found: list[Any] = [None] * 4

    def one(k: int) -> None:
        found[k] = cv({"rounds": 10, "seed": k % 2}, x, y, folds=3)

    threads = [threading.Thread(target=one, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0].metrics == found[2].metrics
    assert found[1].models == found[3].models
    assert found[0].models != found[1].models
    assert all(isinstance(model, Model) for one in found for model in one.models)


def test_numbers_of_numpy(numbers: Data) -> None:
    x, y = numbers
    want = cv({"rounds": 3}, x, y, folds=2, repeats=2)
    assert cv({"rounds": 3}, x, y, folds=np.int64(2), repeats=np.int8(2), strict=np.False_).metrics == want.metrics
    with pytest.raises(TypeError, match=r"folds = 2\.5: expected an integer"):
        cv({"rounds": 3}, x, y, folds=2.5)
    with pytest.raises(TypeError, match="trials = '3'"):
        tune({"rounds": 3}, x, y, trials="3")


def test_rows_that_are_left_out_have_no_prediction(numbers: Data, tmp_path: Path) -> None:
    """Predictions have the places of their rows: those of a frame without these rows, and NaN between."""
    pd = pytest.importorskip("pandas")
    x, y = numbers[0][:200], numbers[1][:200]
    frame = pd.DataFrame(x, columns=list("abcdef")).assign(y=y)
    frame.loc[[3, 10, 199], "y"] = np.nan
    frame = frame.set_axis(np.arange(200)[::-1])
    bad = frame["y"].isna().to_numpy()
    want = cv(PARAMS, frame[~bad], "y", folds=3)
    assert want.skipped == 0
    skip = {**PARAMS, "on_bad_row": "skip"}
    for table, label in ((frame, "y"), (frame, None), (frame.drop(columns="y"), frame["y"]), (dict(frame), "y")):
        with pytest.warns(UserWarning, match="^3 bad rows skipped; the first: row 4: "):
            found = cv(skip if label is not None else {**skip, "label": "y"}, table, label, folds=3)
        assert found.skipped == 3
        for values, others in ((found.predictions, want.predictions), (found.raw, want.raw)):
            assert np.array_equal(values[~bad], others)
            assert np.isnan(values[bad]).all()
        assert np.array_equal(found.fold[~bad], want.fold)
        assert found.fold[bad].tolist() == [-1, -1, -1]
        assert found.metrics == want.metrics
    with pytest.warns(UserWarning, match="3 bad rows skipped"):
        assert tune(skip, frame, "y", trials=1, folds=3).skipped == 3
    frame.to_csv(tmp_path / "t.csv", index=False)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = cv(skip, tmp_path / "t.csv", "y", folds=3)
    assert [str(one.message).partition(":")[0] for one in said] == [
        "3 bad rows skipped; the first",
        "which 3 rows were left out is not known here",
    ]
    assert found.skipped == 3
    assert np.array_equal(found.predictions, want.predictions)


def test_rows_with_texts_among_numbers_are_left_out_too(numbers: Data) -> None:
    pd = pytest.importorskip("pandas")
    x, y = numbers[0][:200], numbers[1][:200]
    frame = pd.DataFrame(x, columns=list("abcdef")).assign(y=y, t=["u", "v"] * 100)
    frame["b"] = frame["b"].astype(object)
    frame.loc[[5, 7], "b"] = "broken"
    frame.loc[[7, 9], "y"] = np.nan
    bad = np.isin(np.arange(200), [5, 7, 9])
    with pytest.warns(UserWarning, match="3 bad rows skipped"):
        found = cv({**PARAMS, "on_bad_row": "skip"}, frame, "y", folds=3)
    assert found.skipped == 3
    assert np.array_equal(np.isnan(found.predictions), bad)
    want = cv(PARAMS, frame[~bad].astype({"b": float}), "y", folds=3)
    assert np.array_equal(found.predictions[~bad], want.predictions)


def test_classes_of_rows_that_are_left_out(numbers: Data) -> None:
    x, y = numbers[0][:300], np.digitize(numbers[1][:300], [-0.5, 0.5]).astype(float)
    y[[0, 299]] = np.nan
    with pytest.warns(UserWarning, match="2 bad rows skipped"):
        found = cv({**PARAMS, "on_bad_row": "skip", "objective": "multiclass"}, x, y, folds=3)
    assert found.predictions.shape == found.raw.shape == (300, 3)
    assert np.isnan(found.predictions[[0, 299]]).all()
    assert np.allclose(found.predictions[1:299].sum(axis=1), 1)
