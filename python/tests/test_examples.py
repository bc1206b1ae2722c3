"""The examples in docstrings, and that of the README."""

from __future__ import annotations

import doctest
import importlib
import re
import runpy
from pathlib import Path

import pytest


@pytest.mark.parametrize("name", ["boost_gbt", "boost_gbt.model", "boost_gbt.estimators", "boost_gbt.search"])
def test_docstrings(name: str) -> None:
    done = doctest.testmod(importlib.import_module(name))
    assert done.attempted > 0
    assert done.failed == 0


@pytest.mark.parametrize("document", ["README.md", "docs/python.md"])
def test_documents(census: Path, tmp_path: Path, document: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of Python run, in order, in the folder of the tree; what they write goes elsewhere."""
    root = census.parents[1]
    pytest.importorskip("sklearn")
    pytest.importorskip("pandas")
    blocks = re.findall(r"^```python\n(.*?)^```$", (root / document).read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert blocks
    (tmp_path / "examples").symlink_to(root / "examples")
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, document, "exec"), scope)


def test_measurements(census: Path) -> None:
    """What `make python-peers` runs, on few rows and of this package alone, without processes of their own."""
    script = runpy.run_path(str(census.parents[1] / "benchmarks" / "python" / "packages.py"))
    seconds = {}
    apart = script["measure"]("boost", "beside", 300, 5, 1, 20)
    assert list(apart) == ["hand over", "train in Python", "boost train"]
    for stage in ("import", "fit", "predict"):
        seconds |= script["measure"]("boost", stage, 300, 5, 1, 20)
    assert list(seconds) == ["import", "fit 300", "predict 1", "predict 100"]
    assert all(0 < value < 60 for value in seconds.values())
    installed = script["installed"]("boost")
    assert installed["packages"] == ["boost-gbt"]
    assert installed["bytes"] > 5e6
    boost = {"version": "1.2.3", "seconds": seconds, "installed": installed, "wheel": script["wheel"]("boost")}
    apart = {"rows": 300, "seconds": {kind: [value] for kind, value in apart.items()}}
    head, _, row, _, handed = script["table"]({"packages": {"boost": boost}, "beside": apart}).splitlines()
    assert "28 float32 are handed over in 0." in handed
    assert head.split(" | ")[1:3] == ["import", "fit of 300 rows"]
    assert row.startswith("| boost 1.2.3 | ")
    assert row.count("|") == head.count("|")


def test_script(census: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("pandas")
    root = census.parents[1]
    monkeypatch.chdir(root)
    runpy.run_path(str(root / "examples" / "python" / "census.py"))
    said = capsys.readouterr().out
    assert float(re.findall(r"AUC ([0-9.]+)", said)[0]) > 0.92
    assert "compressed" in said
