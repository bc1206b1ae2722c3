"""The estimator through Spark Connect, in a Python of its own: one process has classic sessions or those of Connect."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

SETTINGS = {"rounds": 5, "effort": "quick"}
SCRIPT = f"""
import sys
import numpy as np, pandas as pd
from pyspark.sql import SparkSession
from boost_gbt.spark import BoostEstimator, BoostModel

spark = SparkSession.builder.remote("local[2]").config("spark.ui.enabled", "false").getOrCreate()
rows = pd.read_parquet(sys.argv[1])
frame = spark.createDataFrame(rows.sample(frac=1, random_state=3))
model = BoostEstimator(numWorkers=2, orderCols=["id"], settings={SETTINGS}).fit(frame)
model.save(sys.argv[2])
loaded = BoostModel.load(sys.argv[2])
found = loaded.transform(frame).select("id", "probability").toPandas().sort_values("id")
np.testing.assert_array_equal([v[1] for v in found["probability"]], model.model.predict(rows))
model.model.save(sys.argv[3])
"""


@pytest.mark.slow
def test_connect(rows: pd.DataFrame, one_process: Callable[..., bytes], tmp_path: Path) -> None:
    table = rows[["id", "a", "b", "town", "label"]]
    table.to_parquet(tmp_path / "t.parquet")
    table.drop(columns="id").to_parquet(tmp_path / "rows.parquet")
    names = ["t.parquet", "saved", "model.boost"]
    subprocess.run([sys.executable, "-c", SCRIPT, *(str(tmp_path / name) for name in names)], check=True)
    assert (tmp_path / "model.boost").read_bytes() == one_process([tmp_path / "rows.parquet"], **SETTINGS)
