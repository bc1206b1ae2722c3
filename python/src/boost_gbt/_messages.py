"""What the program says: warnings go to the module warnings, all else to logging."""

from __future__ import annotations

import logging
import os
import sys
import warnings

LEVELS = {"DEBUG": logging.DEBUG, "INFO": logging.INFO, "WARN": logging.WARNING, "ERROR": logging.ERROR}

log = logging.getLogger("boost_gbt")


def tell(level: str, text: str) -> None:
    """Pass on a message of the program."""
    if level == "WARN":
        warnings.warn(text, UserWarning, stacklevel=_depth())
    else:
        log.log(LEVELS.get(level, logging.INFO), text)


def _depth() -> int:
    """Return the stacklevel of the first frame that is not of this package."""
    folder, level = os.path.dirname(__file__), 1
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(folder):
        frame, level = frame.f_back, level + 1
    return level
