"""Training on Ray on this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest
import ray

import boost_gbt
import boost_gbt.ray

SETTINGS = {"rounds": 10, "effort": "quick"}
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def cluster(program: Path) -> Iterator[None]:
    ray.init(
        num_cpus=4,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env={"env_vars": {"BOOST_GBT_PROGRAM": str(program)}},
    )
    yield
    ray.shutdown()


@pytest.mark.parametrize("blocks", [5, 2])
def test_model_is_that_of_one_process(
    rows: pd.DataFrame, one_process: Callable[..., bytes], tmp_path: Path, blocks: int
) -> None:
    """Of three ranks one has no rows where there are two blocks."""
    table = rows.drop(columns="id")
    table.to_parquet(tmp_path / "t.parquet")
    dataset = ray.data.from_pandas(table).repartition(blocks)
    model = boost_gbt.ray.train(SETTINGS, dataset, "label", ranks=3)
    assert bytes(model) == one_process([tmp_path / "t.parquet"], **SETTINGS)
    assert model.report["rounds"] == 10


def test_label_among_the_settings() -> None:
    with pytest.raises(boost_gbt.ParameterError, match="'label_column', and label names that column"):
        boost_gbt.ray.train({"label_column": "a"}, None, "label", ranks=2)


def test_errors(rows: pd.DataFrame, program: Path) -> None:
    dataset = ray.data.from_pandas(rows[["a", "b", "c", "label"]])
    with pytest.raises(boost_gbt.ParameterError, match='unknown key "leafs"'):
        boost_gbt.ray.train({"leafs": 3}, dataset, "label", ranks=2)
    flag = program.with_name("kill")
    flag.touch()
    endless = {"rounds": 100000, "early_stopping": 0, "effort": "quick"}
    with pytest.raises(boost_gbt.BoostError, match="rank 1 of 2: the program was ended by SIGKILL"):
        boost_gbt.ray.train(endless, dataset, "label", ranks=2)
    flag.rename(program.with_name("orphan"))
    with pytest.raises(ray.exceptions.RayActorError):
        boost_gbt.ray.train(endless, dataset, "label", ranks=2)
    program.with_name("orphan").unlink()
