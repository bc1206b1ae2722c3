"""Pictures, and what notebooks show."""

from __future__ import annotations

import numpy as np
import pytest

from boost_gbt import BoostRegressor, Model, ParameterError, cv, plot_importance, plot_metric, train, tune

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


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
