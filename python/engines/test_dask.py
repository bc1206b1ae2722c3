"""Training on Dask on this machine: workers are processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import dask.dataframe as dd
import pandas as pd
import pytest
from distributed import Client, LocalCluster

import boost_gbt
import boost_gbt.dask

SETTINGS = {"rounds": 10, "effort": "quick"}
ENDLESS = {"rounds": 100000, "early_stopping": 0, "effort": "quick"}
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def client(program: Path) -> Iterator[Client]:
    with (
        LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=None, host="127.0.0.1") as cluster,
        Client(cluster) as started,
    ):
        started.run(_use, str(program))
        yield started


def _use(program: str) -> None:
    import os

    os.environ["BOOST_GBT_PROGRAM"] = program


@pytest.mark.parametrize("partitions", [7, 2])
def test_model_is_that_of_one_process(
    client: Client, rows: pd.DataFrame, one_process: Callable[..., bytes], tmp_path: Path, partitions: int
) -> None:
    """Of three ranks one has no rows where there are two partitions."""
    table = rows.drop(columns="id")
    table.to_parquet(tmp_path / "t.parquet")
    frame = dd.from_pandas(table, npartitions=partitions)
    model = boost_gbt.dask.train(SETTINGS, frame, "label", client=client)
    assert bytes(model) == one_process([tmp_path / "t.parquet"], **SETTINGS)
    assert model.report["rounds"] == 10


def test_label_among_the_settings() -> None:
    with pytest.raises(boost_gbt.ParameterError, match="and label names that column"):
        boost_gbt.dask.train({"data": {"label": "a"}}, None, "label")


def test_errors(client: Client, rows: pd.DataFrame, program: Path) -> None:
    frame = dd.from_pandas(rows[["a", "b", "c", "label"]], npartitions=3)
    with pytest.raises(boost_gbt.ParameterError, match='unknown key "leafs"'):
        boost_gbt.dask.train({"leafs": 3}, frame, "label", client=client)
    flag = program.with_name("kill")
    flag.touch()
    with pytest.raises(boost_gbt.BoostError, match="rank 1 of 3: the program was ended by SIGKILL"):
        boost_gbt.dask.train(ENDLESS, frame, "label", client=client)
    flag.rename(program.with_name("orphan"))
    with pytest.raises(boost_gbt.BoostError, match=r"the worker .* is lost"):
        boost_gbt.dask.train(ENDLESS, frame, "label", client=client)
    program.with_name("orphan").unlink()
