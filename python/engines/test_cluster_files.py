"""What examples/cluster tells Kubernetes and Slurm: the schemas, and the commands on this machine."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kubernetes_validate
import pandas as pd
import pytest
import yaml

import boost_gbt

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "cluster"


@pytest.fixture(scope="module")
def tables(rows: pd.DataFrame, one_process: Callable[..., bytes], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A folder with four parts of a table, and the model of all."""
    folder = tmp_path_factory.mktemp("tables")
    table = rows.drop(columns="id").rename(columns={"label": "income"})
    parts = [table[:150], table[150:200], table[200:200], table[200:300]]
    files = [folder / f"part-{number}.parquet" for number in range(4)]
    for part, file in zip(parts, files, strict=True):
        part.to_parquet(file)
    return folder, one_process(files, label="income")


def ports(n: int) -> list[int]:
    """Return ports that nothing listens at."""
    opened = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    found = [one.getsockname()[1] for one in opened]
    for one in opened:
        one.close()
    return found


def jobs() -> list[Any]:
    """Return the jobs in the manifests, that of the JobSet too."""
    documents = [one for file in sorted(FOLDER.glob("*.yaml")) for one in yaml.safe_load_all(file.read_text())]
    found = [one for one in documents if one["kind"] == "Job"]
    for one in documents:
        if one["kind"] == "JobSet":
            (replicated,) = one["spec"]["replicatedJobs"]
            named = {"metadata": {"name": f"{one['metadata']['name']}-{replicated['name']}-0"}}
            found.append({"apiVersion": "batch/v1", "kind": "Job", **named, **replicated["template"]})
    assert len(found) == 2
    return found


def test_manifests_have_the_form_that_kubernetes_has() -> None:
    services = [one for one in yaml.safe_load_all((FOLDER / "job.yaml").read_text()) if one["kind"] == "Service"]
    for one in [*services, *jobs()]:
        kubernetes_validate.validate(one, "1.33", strict=True)
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate({**jobs()[0], "spec": {}}, "1.33", strict=True)


@pytest.mark.parametrize("job", jobs(), ids=lambda job: job["metadata"]["name"])
def test_ranks_of_a_job(job: Any, tables: tuple[Path, bytes]) -> None:
    folder, want = tables
    pod = job["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    name, size, free = job["metadata"]["name"], job["spec"]["completions"], ports(4)
    hosts = [f"{name}-{number}.boost:7700" for number in range(size)]
    assert f"--peers={','.join(hosts)}" in container["command"]
    assert pod.get("subdomain", "boost") == "boost"
    ranks = []
    for number in range(size):
        line = " ".join(container["command"][1:]).replace("$(JOB_COMPLETION_INDEX)", str(number))
        for host, port in zip(hosts, free, strict=True):
            line = line.replace(host, f"127.0.0.1:{port}")
        line = line.replace("--listen=:7700", f"--listen=127.0.0.1:{free[number]}").replace("/tables", str(folder))
        ranks.append(
            subprocess.Popen(
                [boost_gbt.program(), *line.split()], env={**os.environ, "BOOST_TOKEN": "0123456789abcdef"}
            )
        )
    assert [rank.wait() for rank in ranks] == [0] * size
    model = folder / "income.boost"
    assert model.read_bytes() == want
    model.unlink()


def test_ranks_of_slurm(tables: tuple[Path, bytes], tmp_path: Path) -> None:
    """With programs in place of Slurm's: machines are addresses of this one."""
    folder, want = tables
    programs = {
        "scontrol": "printf '127.0.0.%s\\n' 1 2 3 4",
        "boost": f'exec {boost_gbt.program()} "$@"',
        "srun": """while [ "${1#--}" != "$1" ]; do shift; done
for rank in 0 1 2 3; do SLURM_PROCID=$rank SLURM_NTASKS=4 "$@" & done
for rank in 0 1 2 3; do wait -n || exit 1; done""",
    }
    for name, text in programs.items():
        (tmp_path / name).write_text(f"#!/bin/bash\n{text}\n")
        (tmp_path / name).chmod(0o755)
    script = (FOLDER / "train.slurm").read_text().replace("7700", str(ports(1)[0]))
    script = script.replace('--listen ":$port"', '--listen "127.0.0.$((SLURM_PROCID + 1)):$port"')
    subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        check=True,
        env={
            **os.environ,
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "SLURM_JOB_NODELIST": "n[1-4]",
            "SLURM_CPUS_PER_TASK": "1",
        },
    )
    assert (folder / "income.boost").read_bytes() == want
