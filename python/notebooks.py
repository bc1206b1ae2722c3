"""Runs the notebooks in examples/notebooks and keeps what they show. `make notebooks` does it.

What changes from run to run, such as times, is left out.
"""

from __future__ import annotations

import os
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parents[1] / "examples" / "notebooks"


def main() -> None:
    os.environ["TQDM_DISABLE"] = "1"  # a bar is for whoever waits
    for path in sorted(FOLDER.glob("*.ipynb")):
        book = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
        NotebookClient(
            book, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}
        ).execute()
        book.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
        for number, cell in enumerate(book.cells, 1):
            cell["id"] = f"cell-{number}"
            cell.metadata = {}
        nbformat.write(book, path)  # type: ignore[no-untyped-call]
        print(path.relative_to(FOLDER.parents[1]))


if __name__ == "__main__":
    main()
