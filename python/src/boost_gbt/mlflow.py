"""Models in MLflow: a flavour of their own, and ``pyfunc``.

>>> import tempfile, numpy as np, boost_gbt.mlflow
>>> x = np.arange(200.0).reshape(-1, 1)
>>> model = boost_gbt.train({"rounds": 5}, x, label=x[:, 0])
>>> with tempfile.TemporaryDirectory() as folder:
...     boost_gbt.mlflow.save_model(model, folder + "/model")
...     boost_gbt.mlflow.load_model(folder + "/model") == model
True

A model is stored as its ``.boost`` file, which holds numbers and texts only: to load one runs no code of its own.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import __version__
from .estimators import BoostClassifier, BoostRanker, BoostRegressor
from .model import Model

try:
    from mlflow import artifacts, models, pyfunc
except ImportError as error:
    raise ImportError("boost_gbt.mlflow needs MLflow: pip install mlflow, or mlflow-skinny") from error

FLAVOR = "boost_gbt"
DATA = "model.boost"

Trained = Model | BoostRegressor | BoostClassifier | BoostRanker


class PyFunc:
    """What ``mlflow.pyfunc.load_model`` returns inside: it predicts with a model."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def get_raw_model(self) -> Model:
        """Return the model."""
        return self.model

    def predict(self, model_input: Any, params: dict[str, Any] | None = None) -> np.ndarray:
        """Predict rows; ``params`` may have ``kind``, ``rounds`` and ``on_unseen``, as of ``Model.predict``.

        Categories that training did not have are missing values, with a warning where a column has no others, unless
        ``on_unseen`` says otherwise.
        """
        return self.model.predict(model_input, **{"on_unseen": "warn", **(params or {})})


def get_default_pip_requirements() -> list[str]:
    """Return what an environment needs to predict with a model."""
    return [f"boost-gbt=={__version__}"]


def save_model(
    model: Trained,
    path: str | os.PathLike[str],
    mlflow_model: models.Model | None = None,
    *,
    signature: Any = None,
    input_example: Any = None,
    pip_requirements: Sequence[str] | None = None,
    metadata: dict[str, Any] | None = None,
) -> None:
    """Write a model as a folder of MLflow.

    Parameters
    ----------
    model : Model or fitted estimator
        What was trained. Of an estimator its ``model_`` is stored.
    path : path
        A folder that does not exist or is empty.
    mlflow_model : mlflow.models.Model, optional
        The description that the flavours are added to.
    signature : mlflow.models.ModelSignature, optional
        What goes in and comes out, and which parameters there are: without it ``kind``, ``rounds`` and
        ``on_unseen``. The rest is found from ``input_example`` if that is given.
    input_example : array or frame, optional
        Rows that the signature is found from.
    pip_requirements : list of str, optional
        What an environment needs; this version of boost-gbt by default.
    metadata : dict, optional
        Anything to be stored beside the model.
    """
    trained = getattr(model, "model_", model)
    if not isinstance(trained, Model):
        raise TypeError(f"expected a model or a fitted estimator, not {type(model).__name__}")
    folder = Path(path)
    if folder.exists() and any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty: name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    described = mlflow_model if mlflow_model is not None else models.Model()
    if signature is None and described.signature is None:
        params = {"kind": "value", "rounds": trained.rounds, "on_unseen": "warn"}
        shown = None if input_example is None else PyFunc(trained).predict(input_example)
        signature = models.infer_signature(input_example, shown, params=params)
    if signature is not None:
        described.signature = signature
    if metadata is not None:
        described.metadata = metadata
    trained.save(folder / DATA)
    needs = list(pip_requirements or get_default_pip_requirements())
    (folder / "requirements.txt").write_text("\n".join(needs) + "\n", "utf-8")
    (folder / "python_env.yaml").write_text(
        f"python: {platform.python_version()}\nbuild_dependencies:\n- pip\ndependencies:\n- -r requirements.txt\n",
        "utf-8",
    )
    pyfunc.add_to_model(described, loader_module=__name__, data=DATA, python_env="python_env.yaml")
    described.add_flavor(FLAVOR, boost_gbt_version=__version__, data=DATA)
    described.save(os.path.join(folder, "MLmodel"))


def log_model(model: Trained, name: str, *, registered_model_name: str | None = None, **kwargs: Any) -> Any:
    """Store a model in the run that is under way, or in a new one.

    Parameters
    ----------
    model : Model or fitted estimator
        What was trained.
    name : str
        What it is called in the run.
    registered_model_name : str, optional
        The name under which it is put into the registry.
    **kwargs
        Arguments of ``save_model``, or of ``mlflow.models.Model.log``.

    Returns
    -------
    mlflow.models.model.ModelInfo
        Its ``model_uri`` is what ``load_model`` and ``mlflow.pyfunc.load_model`` take.
    """
    flavor = sys.modules[__name__]
    return models.Model.log(
        artifact_path=None, name=name, flavor=flavor, registered_model_name=registered_model_name, model=model, **kwargs
    )


def load_model(model_uri: str) -> Model:
    """Return a stored model: ``model_uri`` is a folder, or what MLflow has as addresses, such as ``runs:/…``."""
    folder = artifacts.download_artifacts(artifact_uri=str(model_uri))
    described = models.Model.load(os.path.join(folder, "MLmodel"))
    if FLAVOR not in described.flavors:
        raise ValueError(f"{model_uri} is no model of boost_gbt: it has {', '.join(described.flavors)}")
    return Model.load(os.path.join(folder, described.flavors[FLAVOR]["data"]))


def _load_pyfunc(path: str) -> PyFunc:
    """Return what predicts; MLflow calls it."""
    return PyFunc(Model.load(path))
