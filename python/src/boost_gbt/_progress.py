"""A progress bar, by tqdm."""

from __future__ import annotations

import sys
import warnings
from typing import Any


class Bar:
    """Shows the rounds of a training run, or the trials of a search.

    It does nothing where there is no tqdm, or nobody to look.
    """

    def __init__(self, wanted: bool | None) -> None:
        self.bar: Any = None
        self.tqdm: Any = None
        notebook = "ipykernel" in sys.modules
        if wanted is False or (wanted is None and not notebook and not sys.stderr.isatty()):
            return
        try:
            if notebook:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # about a bar of text, where there are no widgets
                    from tqdm.auto import tqdm
            else:
                from tqdm import tqdm
        except ImportError:
            if wanted:
                raise ImportError("a progress bar needs tqdm: pip install tqdm") from None
            return
        self.tqdm = tqdm

    def __bool__(self) -> bool:
        return self.tqdm is not None

    def __call__(self, event: dict[str, Any]) -> None:
        """Show a finished round."""
        if self.tqdm is None:
            return
        if self.bar is None:
            self.bar = self.tqdm(total=event["of"], unit="round", leave=False)
        if event["of"] != self.bar.total:  # another training
            self.bar.reset(total=event["of"])
        self.bar.update(event["round"] - self.bar.n)
        if event.get("evals"):
            first = event["evals"][0]
            value = first["value"]
            said = f"{first['set']} {first['metric']} {'undefined' if value is None else format(value, '.5g')}"
            self.bar.set_postfix_str(said + (f", best after {event['best']}" if event["best"] < event["round"] else ""))

    def trial(self, event: dict[str, Any], of: int | None) -> None:
        """Show a finished trial of a search, which has so many where that is known."""
        if self.tqdm is None:
            return
        if self.bar is None:
            self.bar = self.tqdm(total=of, unit="trial", leave=False)
        self.bar.update(1)
        if event["is_best"]:
            self.bar.set_postfix_str(f"best {event['value']:.5g} in trial {event['trial']}")

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
