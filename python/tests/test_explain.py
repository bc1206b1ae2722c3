"""What features contribute, beside shap's own trees, and its plots."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boost_gbt import BoostClassifier, BoostRegressor, Model, ParameterError, run, train

Data = tuple[np.ndarray, np.ndarray]
PARAMS = {"effort": "quick", "early_stopping": 0, "rounds": 15}


def trees_for_shap(model: Model, folder: Path, output: int = 0) -> dict[str, Any]:
    """The trees of an output as shap reads those of its own: from the model as JSON."""
    model.save(folder / "m.boost")
    run("convert", str(folder / "m.boost"), str(folder / "m.json"))
    content = json.loads((folder / "m.json").read_text())
    trees = []
    for tree in content["trees"][output :: content["outputs"]]:
        splits, leaves = len(tree["feature"]), len(tree["leaf"])

        def children(side: str, tree: dict[str, Any] = tree, splits: int = splits, leaves: int = leaves) -> np.ndarray:
            return np.array([c if c >= 0 else splits + ~c for c in tree[side]] + [-1] * leaves)

        cuts = [content["features"][f]["cuts"][s] for f, s in zip(tree["feature"], tree["split"], strict=True)]
        left, right = children("left"), children("right")
        missing = np.array([*tree["missing_left"], *[False] * leaves])
        trees.append(
            {
                "children_left": left,
                "children_right": right,
                "children_default": np.where(missing, left, right),
                "features": np.array([*tree["feature"], *[-2] * leaves]),
                "thresholds": np.array([*cuts, *[0.0] * leaves]),
                "values": np.array([[0.0]] * splits + [[v] for v in tree["leaf"]]),
                "node_sample_weight": np.array([*tree["cover"], *tree["leaf_cover"]]),
            }
        )
    return {"trees": trees, "base_offset": content["base_score"][output]}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("classes", [0, 3])
def test_as_shap_finds_them(numbers: Data, tmp_path: Path, classes: int) -> None:
    """The values of shap's own algorithm on the same trees, which has rounding of its own."""
    shap = pytest.importorskip("shap")
    x, y = numbers
    model = train(PARAMS, x, np.digitize(y, [-0.5, 0.5]) if classes else y)
    got = model.contributions(x)
    assert got.shape == ((1000, classes, 7) if classes else (1000, 7))
    for output in range(classes or 1):
        trees = trees_for_shap(model, tmp_path, output)
        explainer = shap.TreeExplainer(trees, feature_perturbation="tree_path_dependent")
        want = np.asarray(explainer.shap_values(x, check_additivity=False)).reshape(1000, 6)
        ours = got[:, output] if classes else got
        assert np.abs(want).max() > 0.1
        assert np.allclose(ours[:, :-1], want, atol=1e-6)


def test_they_add_up(census: Path) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.read_csv(census / "train.csv.gz", nrows=3000)
    model = train(PARAMS, frame, "income")
    parts = model.contributions(frame)
    assert np.allclose(parts.sum(axis=1), model.predict(frame, "raw"), atol=1e-11)
    assert np.allclose(parts[:, -1], parts[0, -1])
    few = model.contributions(frame[:10], rounds=3, threads=2)
    assert np.allclose(few.sum(axis=1), model.predict(frame[:10], "raw", rounds=3), atol=1e-11)
    everybody = frame.drop(columns="income").rename(columns={"sex": "Sex"})
    with pytest.raises(ValueError, match="sex"):
        model.contributions(everybody)
    with pytest.raises(ParameterError, match="rounds must be 0"):
        model.contributions(frame, rounds=99)


def test_columns_made_of_two() -> None:
    """A column that is made of two others contributes half to each of them."""
    rng = np.random.default_rng(3)
    zone, hour, z = rng.integers(0, 100, 8000), rng.integers(0, 24, 8000), rng.random(8000)
    y = 2.0 * ((zone * 37 + hour * 101) * 2654435761 >> 7 & 1) + 0.1 * z
    crossing = {"categorical.splits": "auto", "categorical.combinations": 2, "categorical": ["c1"]}
    x = np.column_stack([zone, hour, z])
    model = train({**PARAMS, **crossing}, x, y)
    assert len(model.features) > len(model.inputs) == 3
    parts = model.contributions(x)
    assert parts.shape == (8000, 4)
    assert np.allclose(parts.sum(axis=1), model.predict(x, "raw"), atol=1e-11)
    assert np.abs(parts[:, :2]).mean() > 10 * np.abs(parts[:, 2]).mean()


def test_importance_of_columns_made_of_one() -> None:
    """A column that is made of one other, such as its counts, counts as that one, in whole."""
    rng = np.random.default_rng(3)
    zone, z = rng.integers(0, 400, 8000), rng.random(8000)
    y = 2.0 * (zone * 2654435761 >> 7 & 1) + 0.1 * z
    crossing: dict[str, Any] = {"categorical.splits": "auto", "categorical.counts": True, "categorical": ["c1"]}
    fitted = BoostRegressor(rounds=20, **crossing).fit(np.column_stack([zone, z]), y)
    model = fitted.model_
    importance = model.importance("gain")
    assert len(model.features) > len(model.inputs) == 2
    own = importance[model.features.index("c2")]
    assert np.allclose(fitted.feature_importances_, [1 - own / importance.sum(), own / importance.sum()])


def test_models_that_cannot_be_divided(numbers: Data) -> None:
    x, y = numbers
    with pytest.raises(ParameterError, match="linear leaves"):
        train({**PARAMS, "tree.linear": True}, x, y).contributions(x)
    small = train(PARAMS, x, y).quantize(dtype="I8")
    with pytest.raises(ParameterError, match="compressed"):
        small.contributions(x)


@pytest.mark.filterwarnings("ignore")
def test_explanations_and_plots(census: Path) -> None:
    shap = pytest.importorskip("shap")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    pd, pl, pa = pytest.importorskip("pandas"), pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    frame = pd.read_csv(census / "train.csv.gz", nrows=1000)
    model = train(PARAMS, frame, "income")
    rows = frame[:200].drop(columns="income")
    found = model.explain(rows)
    assert isinstance(found, shap.Explanation)
    assert found.values.shape == (200, len(model.inputs))
    assert list(found.feature_names) == model.inputs
    assert np.array_equal(found.values, model.contributions(rows)[:, :-1])
    age = model.inputs.index("age")
    assert found.data[:, age].tolist() == rows["age"].tolist()
    work = model.inputs.index("workclass")
    assert found.display_data[:, work].tolist()[:5] == rows["workclass"].tolist()[:5]
    assert np.isnan(found.data[:, work]).tolist() == rows["workclass"].isna().tolist()
    for other in (pl.from_pandas(rows), pa.Table.from_pandas(rows), {name: rows[name] for name in rows}):
        again = model.explain(other)
        assert np.array_equal(again.values, found.values)
        assert np.array_equal(again.data, found.data, equal_nan=True)
    for plot in (shap.plots.beeswarm, shap.plots.bar):
        plot(found, show=False)
        matplotlib.pyplot.close("all")
    shap.plots.waterfall(found[0], show=False)
    matplotlib.pyplot.close("all")
    assert model.explain(census / "test.csv.gz").data is None

    classes = BoostClassifier(rounds=5).fit(rows, rows["relationship"]).explain(rows)
    assert classes.values.shape == (200, len(rows.columns), rows["relationship"].nunique())
    shap.plots.beeswarm(classes[:, :, 0], show=False)
    matplotlib.pyplot.close("all")


def test_explanations_of_arrays(numbers: Data) -> None:
    pytest.importorskip("shap")
    sparse = pytest.importorskip("scipy.sparse")
    x, y = numbers
    m = BoostRegressor(rounds=5).fit(np.nan_to_num(x), y)
    found = m.explain(np.nan_to_num(x))
    assert found.display_data is None
    assert np.array_equal(found.data, np.nan_to_num(x))
    again = m.explain(sparse.csr_matrix(np.nan_to_num(x)))
    assert np.array_equal(again.values, found.values)
    assert np.array_equal(again.data, found.data)


def test_without_shap(model: Model, numbers: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "shap", None)
    with pytest.raises(ImportError, match="pip install shap"):
        model.explain(numbers[0])
    assert model.contributions(numbers[0]).shape == (1000, 7)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_interrupt() -> None:
    """A row takes a hundred times as long as its prediction, and Ctrl-C is as fast."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(2000, 12))
    model = train({"rounds": 400, "leaves": 63, "early_stopping": 0}, x, rng.normal(size=2000))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has it ignored in the background
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        model.contributions(np.tile(x, (10, 1)))
    assert time.perf_counter() - start < 3
