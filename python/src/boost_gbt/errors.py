"""The exceptions of the package: one class for each kind of error that the program reports."""

from __future__ import annotations


class BoostError(Exception):
    """Base class of all errors of this package. The text is the program's."""


class ParameterError(BoostError, ValueError):
    """A setting is unknown, has a wrong value, or contradicts another one (exit code 2 of the program)."""


class TableError(BoostError, ValueError):
    """A table cannot be read, lacks a column, or has bad cells (exit code 3)."""


class ModelError(BoostError, ValueError):
    """A model is absent, damaged or unknown (exit code 4)."""


class BudgetError(BoostError):
    """Nothing could be made within the time or memory limit (exit code 5)."""


class InterruptionError(BoostError):
    """The program was told to stop before the end (exit code 130)."""


class WorkerError(BoostError):
    """The worker process ended or does not speak this library's protocol. The next call starts a new one."""


BY_CLASS: dict[str, type[BoostError]] = {
    "parameter": ParameterError,
    "table": TableError,
    "model": ModelError,
    "budget": BudgetError,
    "interrupted": InterruptionError,
    "protocol": WorkerError,
}

BY_EXIT_CODE: dict[int, type[BoostError]] = {
    2: ParameterError,
    3: TableError,
    4: ModelError,
    5: BudgetError,
    130: InterruptionError,
}
