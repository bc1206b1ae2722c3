"""Training on Dask: a rank on each worker.

    model = boost_gbt.dask.train({"rounds": 500}, frame, "income", client=client)

The model is, byte for byte, that of one process that reads the rows in the frame's order (docs/distributed.md).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _ranks
from ._settings import one_name
from .errors import BoostError
from .model import Model

try:
    import pyarrow as pa
    from distributed import get_client, get_worker, wait
except ImportError as error:
    raise ImportError("boost_gbt.dask needs Dask: pip install 'dask[dataframe,distributed]' pyarrow") from error

_here: dict[tuple[str, int], _ranks.Rank] = {}  # the ranks of this worker, by secret and number


def _start(job: _ranks.Job, number: int, frames: list[Any]) -> _ranks.Said:
    rank = _here[job.token, number] = _ranks.Rank(job, number)
    tables = [pa.Table.from_pandas(frame, preserve_index=False) for frame in frames]
    host = get_worker().address.partition("://")[2].rpartition(":")[0]
    return rank.start(functools.partial(_ranks.write_tables, tables), host, get_worker().state.nthreads)


def _finish(job: _ranks.Job, number: int, said: list[_ranks.Said]) -> _ranks.Said:
    return _here[job.token, number].finish(said)


def _close(job: _ranks.Job) -> None:
    for key in [key for key in _here if key[0] == job.token]:
        _here.pop(key).close()


def train(params: Mapping[str, Any] | None, frame: Any, label: str, *, client: Any = None) -> Model:
    """Train on a ``dask.dataframe`` with a rank on each worker, which has as many threads as the worker.

    ``params`` are those of ``boost_gbt.train``. Partitions are divided among the ranks in their order. An error has
    the words of a rank's program; where a worker is lost, a BoostError says so.
    """
    _ranks.refuse(params or {}, label="label")
    client = client or get_client()
    workers = sorted(client.nthreads())
    parts = client.compute(frame.to_delayed())
    given = {"data.label": one_name("data.label", label), **(params or {})}
    job = _ranks.Job(len(workers), sum(client.gather(client.map(len, parts))), given)

    def everywhere(task: Any, *arguments: Any) -> list[_ranks.Said]:
        calls = zip(workers, range(job.size), *arguments, strict=True)
        asked = [client.submit(task, job, *one, workers=[worker], pure=False) for worker, *one in calls]
        while wait_for := [future for future in asked if not future.done()]:
            if lost := set(workers).difference(client.nthreads()):
                raise BoostError(f"the worker {min(lost)} is lost, and with it a rank")
            try:
                wait(wait_for, timeout=1)
            except TimeoutError:
                pass
        said: list[_ranks.Said] = client.gather(asked)
        _ranks.check(job, said)
        return said

    try:
        shares = [[frame._meta, *(parts[i] for i in share)] for share in np.array_split(range(len(parts)), job.size)]
        said = everywhere(_start, shares)
        return _ranks.model_of(everywhere(_finish, [said] * job.size)[0])
    finally:
        client.run(_close, job)
