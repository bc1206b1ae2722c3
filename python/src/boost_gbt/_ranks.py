"""A rank of a training over several processes: what Spark, Ray and Dask share.

A rank writes its rows to a file, starts the program on it and learns the program's address. The engine carries what
each rank says to the others. docs/distributed.md says how the programs go on from there.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ._messages import tell
from ._program import program
from ._settings import settings
from .errors import BY_EXIT_CODE, BoostError, ParameterError, TableError
from .model import Model

THREADS = frozenset(
    ["threads", "train.threads", "num_threads", "num_thread", "nthread", "nthreads", "n_jobs", "thread_count"]
)  # all names of the setting

Said = dict[str, Any]  # what a rank tells the others: JSON


class Job:
    """What all ranks of a training know: how many they are, how many rows they have together, settings and a secret."""

    def __init__(self, size: int, rows: int, params: Mapping[str, Any]) -> None:
        if size < 1:
            raise ValueError(f"a training has 1 rank or more, not {size}")
        if rows < 1:
            raise ValueError("there are no rows to train on")
        self.size, self.rows = size, rows
        self.settings = settings(params)
        self.token = secrets.token_hex(32)


class Rank:
    """One rank on this machine. When the object is closed, or its process ends, its program ends too."""

    def __init__(self, job: Job, number: int) -> None:
        self.job, self.number = job, number
        self._folder = tempfile.TemporaryDirectory(prefix="boost-")
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Rank:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self, write: Callable[[str], int], host: str = "", threads: int = 0) -> Said:
        """Write the rows and start the program.

        Parameters
        ----------
        write : callable
            Writes the rank's rows to the path that it is given, and returns how many there are.
        host : str
            The name or address by which other ranks reach this machine; without it the program finds one.
        threads : int
            Threads to train with unless the settings say it; 0 for all cores.

        Returns
        -------
        dict
            What the other ranks have to know: rows and address, or an error.
        """
        said: Said = {"rank": self.number}
        try:
            said["rows"] = write(self._path("rows.arrow"))
            line = self._launch(threads)
            if not line.startswith("address "):
                return said | self._failure()
            said["address"] = line.split()[1]
            if host:
                said["address"] = f"{host}:{said['address'].rpartition(':')[2]}"
        except Exception as error:
            said["code"] = next((code for code, kind in BY_EXIT_CODE.items() if isinstance(error, kind)), 0)
            said["error"] = str(error) if said["code"] else f"{type(error).__name__}: {error}"
        return said

    def finish(self, ranks: Sequence[Said]) -> Said:
        """Train, with what ``start`` returned for all ranks, in their order. Rank 0 has the model in ``model``."""
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write("".join(f"{one['address']}\n" for one in ranks))
            process.stdin.flush()
        except OSError:
            pass  # it has ended, and says why
        report = process.stdout.read()
        said: Said = {"rank": self.number}
        if process.wait() != 0:
            return said | self._failure()
        said["notes"] = [note for note in self._notes() if note[0] != "ERROR"]
        if self.number == 0:
            said["report"] = {key: value for key, value in json.loads(report).items() if key != "model"}  # its path
            said["model"] = Path(self._path("model.boost")).read_bytes()
        return said

    def close(self) -> None:
        """End the program and remove the files."""
        process = self._process
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()
        self._folder.cleanup()

    def _path(self, name: str) -> str:
        return os.path.join(self._folder.name, name)

    def _launch(self, threads: int) -> str:
        """Start the program and return the first line that it prints."""
        job = self.job
        command = [program(), "train", self._path("rows.arrow"), f"--rank={self.number}/{job.size}"]
        command += ["--share", f"--share-rows={job.rows}", "--json", "--log-format=json"]
        command += ["-o", self._path("model.boost")]
        command += [f"--set={name}={text}" for name, text in job.settings]
        if threads and not any(name in THREADS for name, _ in job.settings):
            command.append(f"--threads={threads}")
        with open(self._path("messages"), "wb") as messages:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=messages,
                text=True,
                encoding="utf-8",
                env={**os.environ, "BOOST_TOKEN": job.token, "BOOST_RANK_PARENT": "1"},  # it ends when its input ends
            )
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def _notes(self) -> list[tuple[str, str]]:
        """Return the messages of the program: level and text."""
        notes = []
        for line in Path(self._path("messages")).read_text("utf-8", "replace").splitlines():
            try:
                note = json.loads(line)
                notes.append((str(note["level"]), str(note["msg"])))
            except (ValueError, TypeError, KeyError):
                notes.append(("ERROR", line))  # of the runtime, where the program broke
        return notes

    def _failure(self) -> Said:
        """Return why the program has ended."""
        assert self._process is not None
        code = self._process.wait()
        errors = [text for level, text in self._notes() if level == "ERROR"]
        if code < 0:
            reason = " (the system sends it where memory runs out)" if code == -signal.SIGKILL else ""
            errors.append(f"the program was ended by {signal.Signals(-code).name}{reason}")
        return {"code": code, "error": "\n".join(errors)}


def refuse(params: Mapping[str, Any], **arguments: str) -> None:
    """Raise an error about a column that settings name, and an argument too: ``refuse(params, label="labelCol")``."""
    for name, _ in settings(params):
        argument = arguments.get(name.removeprefix("data.").removesuffix("_column"))
        if argument:
            raise ParameterError(f"the settings have {name!r}, and {argument} names that column: leave it out of them")


def write_tables(tables: Sequence[Any], path: str) -> int:
    """Write tables of pyarrow as one file, and return the number of rows. Types may differ where values are missing."""
    import pyarrow as pa

    for other in tables[1:]:
        for one, all_of in ((other, tables[0]), (tables[0], other)):
            if lacking := sorted(set(all_of.column_names) - set(one.column_names)):
                raise TableError(f"a part of the table lacks columns that another has: {', '.join(map(repr, lacking))}")
    table = pa.concat_tables(tables, promote_options="permissive").unify_dictionaries()
    with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    return int(table.num_rows)


def check(job: Job, ranks: Sequence[Said]) -> None:
    """Raise an error where what all ranks have said, in their order, is no reason to go on.

    Of several errors it is that of the rank that knows the reason: the others only miss it.

    Raises
    ------
    BoostError
        With the words of the rank's program. It is ParameterError, TableError, ModelError or BudgetError where all
        would fail again.
    """
    failed = [one for one in ranks if "error" in one]
    if failed:
        first = min(failed, key=lambda one: (one["error"] == "", one["code"] == 1, one["code"] < 0))
        kind = BY_EXIT_CODE.get(first["code"], BoostError)
        said = first["error"] or f"the program ended with status {first['code']}"
        raise kind(f"rank {first['rank']} of {job.size}: {said}")
    rows = [one["rows"] for one in ranks if "rows" in one]
    if rows and sum(rows) != job.rows:
        raise TableError(
            f"the ranks have {sum(rows):,} rows ({', '.join(map(str, rows))}), and {job.rows:,} were counted before: "
            "the rows have changed meanwhile, and nothing was trained"
        )


def model_of(said: Said) -> Model:
    """Return the model that rank 0 has made, and tell what its program told."""
    for level, text in said["notes"]:
        tell(level, text)
    model = Model.from_bytes(said["model"])
    model.report = said["report"]
    return model
