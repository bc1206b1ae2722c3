"""The program that the package brings along."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from ._messages import tell
from .errors import BY_EXIT_CODE, BoostError, WorkerError


def program() -> str:
    """Return the path of the program boost.

    It is the one in the package, or the one that the environment variable ``BOOST_GBT_PROGRAM`` names.
    """
    given = os.environ.get("BOOST_GBT_PROGRAM")
    if given:
        return given
    inside = Path(__file__).parent / "bin" / ("boost.exe" if os.name == "nt" else "boost")
    if inside.is_file():
        return str(inside)
    raise WorkerError(
        f"{inside} does not exist: install a wheel of boost-gbt, or set BOOST_GBT_PROGRAM to the path of the program"
    )


def run(*args: str) -> str:
    """Run a command of the program and return what it prints.

    Parameters
    ----------
    *args : str
        The command line, as in ``run("inspect", "census.boost", "--json")``.

    Returns
    -------
    str
        Standard output. The program's warnings become those of Python.

    Raises
    ------
    BoostError
        Of the class that belongs to the exit code, with the program's words.
    """
    return run_on({}, *args)


def run_on(called: Mapping[str, str], *args: str) -> str:
    """Run a command on files that messages call otherwise: names by path."""
    done = subprocess.run(
        [program(), *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", check=False
    )
    said = done.stderr.strip()
    for path, name in called.items():
        said = said.replace(path, name)
    lines = said.splitlines()
    if done.returncode != 0:
        errors = [line for line in lines if line.startswith("error:")]
        text = "\n".join(lines[lines.index(errors[0]) :]) if errors else said
        raise BY_EXIT_CODE.get(done.returncode, BoostError)(text.removeprefix("error:").strip())
    for line in lines:
        text = line.removeprefix("warning: ")
        tell("INFO" if text == line else "WARN", text)
    return done.stdout


def main() -> int:
    """Run the program with the arguments of this process, in its place where the system can do that."""
    command = [program(), *sys.argv[1:]]
    if os.name == "nt":
        return subprocess.run(command, check=False).returncode
    os.execv(command[0], command)
