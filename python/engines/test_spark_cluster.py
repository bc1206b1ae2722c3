"""The estimator on a cluster of Spark: two executors, which are processes of their own, with two tasks each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pyspark.sql import SparkSession
from sessions import session

from boost_gbt.spark import BoostEstimator

pytestmark = pytest.mark.slow
SETTINGS = {"rounds": 10, "effort": "quick"}


@pytest.fixture(scope="module")
def spark(program: Path) -> Iterator[SparkSession]:
    started = session("local-cluster[2,2,1024]", program)
    yield started
    started.stop()


def test_model_is_that_of_one_process(
    spark: SparkSession, rows: pd.DataFrame, one_process: Callable[..., bytes], tmp_path: Path
) -> None:
    frame = spark.createDataFrame(rows.sample(frac=1, random_state=2))
    frame.orderBy("id").drop("id").coalesce(1).write.parquet(str(tmp_path / "rows"))
    (file,) = (tmp_path / "rows").glob("*.parquet")
    want = one_process([file], **SETTINGS)
    for ranks in (1, 4):
        model = BoostEstimator(numWorkers=ranks, orderCols=["id"], settings=SETTINGS).fit(frame)
        assert bytes(model.model) == want, f"{ranks} ranks"
    found = model.transform(frame).select("id", "probability").toPandas().sort_values("id")
    np.testing.assert_array_equal([v[1] for v in found["probability"]], model.model.predict(file))


def test_python_process_that_is_killed(spark: SparkSession, rows: pd.DataFrame, program: Path) -> None:
    """The training ends with an error, and so do the programs of all ranks."""
    frame = spark.createDataFrame(rows[["a", "b", "c", "label"]])
    flag = program.with_name("orphan")
    flag.touch()
    endless = {"rounds": 100000, "train.early_stopping": 0, "effort": "quick"}
    with pytest.raises(Exception, match="Python worker exited unexpectedly"):
        BoostEstimator(numWorkers=2, settings=endless).fit(frame)
    flag.unlink()
    end = time.monotonic() + 60
    while left := ranks_that_run():
        assert time.monotonic() < end, left
        time.sleep(0.1)


def ranks_that_run() -> list[str]:
    """Return the command lines of ranks on this machine."""
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = process.read_text("utf-8", "replace").replace("\0", " ")
        except OSError:
            continue  # it has ended
        if "--share-rows=2000 " in command and "--set=train.early_stopping=0" in command:
            found.append(command)
    return found
