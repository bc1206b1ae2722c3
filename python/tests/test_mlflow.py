"""Models in MLflow."""

from __future__ import annotations

import doctest
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boost_gbt import BoostClassifier, Model, TableError, train

mlflow = pytest.importorskip("mlflow")
pd = pytest.importorskip("pandas")

import boost_gbt.mlflow as flavour  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def rows(census: Path) -> Any:
    return pd.read_csv(census / "train.csv.gz", nrows=1000)


@pytest.fixture(scope="module")
def people(rows: Any) -> Model:
    return train({"effort": "quick", "rounds": 5, "early_stopping": 0}, rows, "income")


def test_folder(people: Model, rows: Any, tmp_path: Path) -> None:
    flavour.save_model(people, tmp_path / "m", metadata={"team": "risk"})
    assert flavour.load_model(str(tmp_path / "m")) == people
    loaded = mlflow.pyfunc.load_model(str(tmp_path / "m"))
    assert np.array_equal(loaded.predict(rows), people.predict(rows))
    assert loaded.metadata.metadata == {"team": "risk"}
    assert loaded.get_raw_model() == people
    unseen = rows.assign(workclass="astronaut")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert np.array_equal(loaded.predict(unseen), people.predict(unseen, on_unseen="missing"))
    assert any("none of its categories" in str(one.message) for one in told)
    assert (tmp_path / "m" / "requirements.txt").read_text().startswith("boost-gbt==")
    with pytest.raises(FileExistsError, match="name another folder"):
        flavour.save_model(people, tmp_path / "m")
    with pytest.raises(TypeError, match="not dict"):
        flavour.save_model({}, tmp_path / "n")  # type: ignore[arg-type]


def test_signature(people: Model, rows: Any, tmp_path: Path) -> None:
    given = rows.drop(columns="income")
    flavour.save_model(people, tmp_path / "m", input_example=given[:5])
    loaded = mlflow.pyfunc.load_model(str(tmp_path / "m"))
    assert loaded.metadata.signature.inputs.input_names() == list(given)
    with pytest.raises(Exception, match="age"):
        loaded.predict(given[:5].drop(columns="age"))


def test_parameters(people: Model, rows: Any, tmp_path: Path) -> None:
    given = rows.drop(columns="income")[:5]
    for name, example in (("m", None), ("n", given)):
        flavour.save_model(people, tmp_path / name, input_example=example)
        loaded = mlflow.pyfunc.load_model(str(tmp_path / name))
        assert np.array_equal(loaded.predict(given, params={"kind": "class"}), people.predict(given, "class"))
        assert np.array_equal(loaded.predict(given, params={"rounds": 2}), people.predict(given, rounds=2))
        with pytest.raises(TableError, match="astronaut"):
            loaded.predict(given.assign(workclass="astronaut"), params={"on_unseen": "error"})


def test_run(rows: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that is logged is loaded from its run, in this process and in one that has not imported boost_gbt."""
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    x, y = rows.drop(columns="income"), rows["income"]
    classifier = BoostClassifier(rounds=5).fit(x, y)
    store = (tmp_path / "runs").as_uri()
    mlflow.set_tracking_uri(store)
    with mlflow.start_run():
        info = flavour.log_model(classifier, "census", input_example=x[:5])
    assert flavour.load_model(info.model_uri) == classifier.model_
    x.to_parquet(tmp_path / "x.parquet")
    code = f"""
import mlflow, pandas
mlflow.set_tracking_uri({store!r})
print(*mlflow.pyfunc.load_model({info.model_uri!r}).predict(pandas.read_parquet({str(tmp_path / "x.parquet")!r})))
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    said = np.array(done.stdout.split(), float)
    assert np.array_equal(said, classifier.predict(x, "value"))


def test_docstring() -> None:
    done = doctest.testmod(flavour)
    assert done.attempted > 0
    assert done.failed == 0


def test_what_is_no_model(tmp_path: Path) -> None:
    described = mlflow.models.Model()
    described.add_flavor("other", data="x")
    described.save(tmp_path / "MLmodel")
    with pytest.raises(ValueError, match="it has other"):
        flavour.load_model(str(tmp_path))
