"""Training on Ray: a rank in each bundle of a placement group.

    model = boost_gbt.ray.train({"rounds": 500}, dataset.sort("id"), "income", ranks=4, cpus=8)

The model is, byte for byte, that of one process that reads the rows in the dataset's order (docs/distributed.md).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from . import _ranks
from ._settings import one_name
from .model import Model

try:
    import ray
    from ray.util import get_node_ip_address, placement_group, remove_placement_group
    from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy
except ImportError as error:
    raise ImportError("boost_gbt.ray needs Ray: pip install 'ray[data]'") from error


class _Rank(_ranks.Rank):
    """A rank that is an actor."""

    def begin(self, shard: Any, empty: Any, cpus: int) -> _ranks.Said:
        tables = [empty, *ray.get(shard.to_arrow_refs())]
        return self.start(functools.partial(_ranks.write_tables, tables), get_node_ip_address(), cpus)


def train(
    params: Mapping[str, Any] | None, dataset: Any, label: str, *, ranks: int, cpus: int = 1, strategy: str = "PACK"
) -> Model:
    """Train on a ``ray.data.Dataset`` of columns of numbers, texts and dates.

    ``params`` are those of ``boost_gbt.train``. Each rank has ``cpus`` processors and threads. The ``strategy`` of
    their placement group is ``"PACK"``, or ``"STRICT_SPREAD"`` for one on each machine. An error has the words of a
    rank's program; where an actor is lost, it is Ray's.
    """
    _ranks.refuse(params or {}, label="label")
    dataset = dataset.materialize()
    job = _ranks.Job(ranks, dataset.count(), {"data.label": one_name("data.label", label), **(params or {})})
    empty = ray.get(dataset.limit(1).to_arrow_refs())[0].slice(0, 0)
    group = placement_group([{"CPU": cpus}] * ranks, strategy=strategy)
    actors: list[Any] = []
    try:
        for number in range(ranks):
            place = PlacementGroupSchedulingStrategy(group, placement_group_bundle_index=number)
            kind = ray.remote(num_cpus=cpus, scheduling_strategy=place)(_Rank)
            actors.append(kind.remote(job, number))
        shards = dataset.split(ranks)
        said = ray.get([actors[i].begin.remote(shards[i], empty, cpus) for i in range(ranks)])
        _ranks.check(job, said)
        ended = ray.get([actor.finish.remote(said) for actor in actors])
        _ranks.check(job, ended)
        return _ranks.model_of(ended[0])
    finally:
        closed = [actor.close.remote() for actor in actors]
        ray.wait(closed, num_returns=len(closed), timeout=30)
        remove_placement_group(group)
