"""Pictures, and what notebooks show."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from boost_gbt import BoostRegressor, Model, ParameterError, cv, plot_importance, plot_metric, plot_tree, train, tune

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot  # noqa: E402


def test_importance(model: Model) -> None:
    axes = plot_importance(model, "gain", most=4)
    lengths = [bar.get_width() for bar in axes.patches]
    assert lengths == sorted(model.importance("gain"))[-4:]
    assert [text.get_text() for text in axes.get_yticklabels()][-1] in ("c1", "c2", "c3")


def test_metric(model: Model, numbers: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = numbers
    m = BoostRegressor(rounds=8, eval_metric=["mae", "rmse"]).fit(x, y, eval_set=[(x, y), (x[:50], y[:50])])
    axes = plot_metric(m)
    assert axes.get_ylabel() == "mae"
    assert axes.lines[0].get_ydata().tolist() == m.evals_result_["valid"]["mae"]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["valid", "valid2"]
    with pytest.raises(ParameterError, match="there are mae, rmse"):
        plot_metric(m, "auc")
    with pytest.raises(ParameterError, match="no metrics by round"):
        plot_metric(model)
    with pytest.raises(ParameterError, match="not str"):
        plot_importance("model")


def test_metric_of_folds(numbers: tuple[np.ndarray, np.ndarray]) -> None:
    found = cv({"rounds": 8, "early_stopping": 0, "metric": ["mae", "rmse"]}, *numbers, folds=3)
    axes = plot_metric(found, "rmse")
    assert axes.lines[0].get_ydata().tolist() == found.curve["rmse"]["mean"]
    band = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert band.max() == max(np.add(found.curve["rmse"]["mean"], found.curve["rmse"]["sd"]))
    assert axes.lines[1].get_xdata()[0] == found.best_round


def test_tree(census: Path) -> None:
    """Each leaf and split is drawn once, children below their parents, "yes" on the left."""
    pd = pytest.importorskip("pandas")
    frame = pd.read_csv(census / "train.csv.gz", nrows=2000)
    model = train({"effort": "quick", "rounds": 3, "early_stopping": 0, "leaves": 6}, frame, "income")
    for number in range(3):
        grown = model.inspect(trees=True)["dump"][number]
        axes = plot_tree(model, number)
        places = {}
        for text in axes.texts:
            places.setdefault(text.get_text(), []).append(text.get_position())
        for leaf in grown["leaves"]:
            assert f"{leaf['value']:.4g}" in places
        assert len(axes.texts) == len(grown["leaves"]) + 3 * len(grown["splits"])
        asked = [text for text in places if "\n" in text]
        for split in grown["splits"]:
            assert any(text.startswith(split["feature"] + "\n") for text in asked)
        assert len(axes.lines) == 2 * len(grown["splits"])
        for yes, no in zip(axes.lines[::2], axes.lines[1::2], strict=True):
            assert yes.get_xdata()[1] < yes.get_xdata()[0] < no.get_xdata()[1]
            assert yes.get_ydata()[1] == yes.get_ydata()[0] - 1 == no.get_ydata()[1]
        ends = [line.get_xdata()[1] for line in axes.lines if (line.get_xdata()[1] % 1) == 0]
        assert len(ends) >= 2
        matplotlib.pyplot.close("all")
    with pytest.raises(ParameterError, match="has 3 trees, from 0 on, and no tree 3"):
        plot_tree(model, 3)
    with pytest.warns(UserWarning, match="no tree has a split"):
        one = train({"rounds": 1, "early_stopping": 0, "min_data_in_leaf": 5000}, frame, "income")
    assert len(plot_tree(one).texts) == 1


def test_tree_of_lines() -> None:
    """A linear leaf is drawn with all that it adds: here what constant leaves leave of two lines."""
    x = np.linspace(0, 1, 200)[:, None]
    y = np.where(x[:, 0] < 0.5, 1 + 2 * x[:, 0], 9 - 3 * x[:, 0])
    params = {"rounds": 2, "early_stopping": 0, "lambda_l2": 0, "learning_rate": 1, "leaves": 2, "tree.linear": True}
    model = train({**params, "tree.forced_splits": '{"feature": "c1", "threshold": 0.5}'}, x, y)
    drawn = [text.get_text() for text in plot_tree(model, 1, digits=2).texts]
    leaves = model.inspect(trees=True)["dump"][1]["leaves"]
    # The means of x are 0.2487 and 0.7513, which leaves 2x - 0.4975 and 2.2538 - 3x.
    for leaf, constant, slope in zip(leaves, (-0.4975, 2.2538), ("+ 2", "- 3"), strict=True):
        assert leaf["linear"]["constant"] == pytest.approx(constant, abs=0.05)
        assert f"{leaf['linear']['constant']:.2g}\n{slope}·c1\n(missing: {leaf['value']:.2g})" in drawn


def test_tree_of_marks() -> None:
    """A split says how many of its levels the model knows without their names."""
    pd = pytest.importorskip("pandas")
    i = np.arange(600)
    frame = pd.DataFrame({"a": i * 37 % 101, "name": [f"{k} a rather long name" for k in i * 7919 % 60]})
    frame["y"] = i * 7919 % 60 % 5 + frame["a"] // 30
    params = {"effort": "", "rounds": 6, "early_stopping": 0, "min_data_in_leaf": 5, "categorical.min_per_group": 5}
    model = train(params, frame, "y").quantize(frame, max_loss="20%", allow_train_data=True)
    seen = model.inspect(trees=True)
    marks = seen["known_levels"]["name"]["marks"]
    number = next(n for n, t in enumerate(seen["dump"]) if any("other_levels" in s for s in t["splits"]))
    assert any(f"{len(marks)} known by marks" in text.get_text() for text in plot_tree(model, number).texts)


def test_notebooks(numbers: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = numbers
    model = train({"rounds": 3, "early_stopping": 0}, x, np.where(y > 0, "<up>", "down"))
    shown = model._repr_html_()
    assert "&lt;up&gt;" in shown
    assert "<up>" not in shown
    assert "binary" in shown


def test_progress(numbers: tuple[np.ndarray, np.ndarray], capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    params = {"rounds": 30, "early_stopping": 0}
    train(params, *numbers)
    assert capsys.readouterr().err == "", "nobody looks"
    train(params, *numbers, valid=numbers, progress=True)
    shown = capsys.readouterr().err
    assert "30/30" in shown or "1/30" in shown
    assert "valid rmse" in shown
    cv(params, *numbers, folds=2, progress=True)
    assert "/60" in capsys.readouterr().err
    tune(params, *numbers, folds=2, trials=2, progress=True)
    shown = capsys.readouterr().err
    assert "/2 " in shown
    assert "best " in shown
