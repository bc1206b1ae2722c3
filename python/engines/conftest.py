"""What the tests of the engines share."""

from __future__ import annotations

import datetime
import decimal
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import boost_gbt

os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable


@pytest.fixture(scope="session")
def rows() -> pd.DataFrame:
    """2,000 rows with an id, which is their order, columns of all types and a label of 0 and 1."""
    rng = np.random.default_rng(1)
    n = 2000
    x = rng.normal(size=(n, 3))
    town = rng.choice(["Bonn", "Köln", "Ulm"], n)
    frame = pd.DataFrame({"id": np.arange(n), "a": x[:, 0], "b": x[:, 1], "c": x[:, 2]})
    frame["town"] = np.where(rng.random(n) < 0.1, None, town)
    frame["born"] = [datetime.date(1990, 1, 1) + datetime.timedelta(days=int(day)) for day in rng.integers(0, 9000, n)]
    frame["seen"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 10**8, n), unit="s")
    frame["paid"] = [decimal.Decimal(int(cents)).scaleb(-2) for cents in rng.integers(0, 10**6, n)]
    frame["count"] = rng.integers(0, 5, n).astype(np.int32)
    frame.loc[rng.random(n) < 0.1, "a"] = None
    late = (frame["seen"] > pd.Timestamp("2021-06-01")).to_numpy()
    frame["label"] = ((x[:, 0] + x[:, 1] * x[:, 2] + (town == "Ulm") + late) > 0.5).astype(float)
    return frame


@pytest.fixture(scope="session")
def one_process(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., bytes]:
    """A function that returns what ``boost train`` makes of files in one process."""

    def train(files: Any, **settings: Any) -> bytes:
        out = tmp_path_factory.mktemp("model") / "one.boost"
        sets = [
            f"--set={name}={value}"
            for name, value in {"label": "label", "data.out_of_core": "true", **settings}.items()
        ]
        boost_gbt.run("train", *map(str, files), *sets, "-q", "-o", str(out))
        return out.read_bytes()

    return train


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program. Beside it, a file ``kill`` has rank 1 killed after 2 seconds, and a file ``orphan`` its parent."""
    path = tmp_path_factory.mktemp("program") / "boost"
    path.write_text(
        f"""#!/bin/sh
case "$*" in *--rank=1/*)
    if [ -e {path.parent}/kill ]; then (sleep 2; kill -9 $$) & fi
    if [ -e {path.parent}/orphan ]; then (sleep 2; kill -9 $PPID) & fi
esac
exec {boost_gbt.program()} "$@"
"""
    )
    path.chmod(0o755)
    subprocess.run([path, "version"], check=True, stdout=subprocess.DEVNULL)
    return path
