"""Columns that settings name by number: from 0 on, in the order of the table, without the label and other roles."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ._settings import SECTIONS, flat, key_of
from .errors import ParameterError

ROLES = frozenset(  # names of the settings for columns that are no features, those of peers too
    (
        *("label", "label_column", "weight", "weight_column", "init_score", "id"),
        *("group", "group_column", "group_id", "query", "query_column", "query_id", "qid"),
        *("position", "position_column", "event", "event_column", "label_upper", "label_upper_bound"),
    )
)
LABELS = frozenset(("label", "label_column"))
IGNORED = frozenset(("ignore", "ignore_column", "ignore_feature", "blacklist", "ignored_features"))
CATEGORICAL = frozenset(
    (
        *("categorical", "categorical_feature", "categorical_features", "categorical_column"),
        *("cat_feature", "cat_features", "cat_column"),
    )
)
EXACT = ROLES - {"id"} | CATEGORICAL  # settings for columns whose numbers must not be rounded
UNREAD = IGNORED | {"id"}  # settings for columns that training does not read
MONOTONE = frozenset(
    ("monotone", "monotone_constraints", "monotone_constraint", "monotonic_constraints", "monotonic_cst", "mc")
)
COSTS = frozenset(
    (
        *("feature_cost", "cegb_penalty_feature_coupled", "first_feature_use_penalties"),
        *("feature_row_cost", "cegb_penalty_feature_lazy", "per_object_feature_penalties"),
    )
)
FACTORS = frozenset(("feature_penalty", "feature_contri", "feature_contrib", "fc", "fp", "col_weights"))
EARLY_STOPPING = frozenset(
    ("early_stopping", "early_stopping_round", "early_stopping_rounds", "n_iter_no_change", "od_wait")
)
LEVELS = frozenset(("first_level", "last_level"))
GROUPS = frozenset(("interaction", "interaction_constraints", "interaction_cst"))


def stops_early(params: Mapping[str, Any], effort: str) -> bool:
    """Report whether training stops early by validation sets: where that is said, or by the effort."""
    given = {key_of(name): value for name, value in flat(params) if value is not None}
    if given.get("bag_folds") or given.get("effort", effort) == "best":
        return False  # each fold is judged by its own rows
    said = [
        bool(value) for key, value in given.items() if key in EARLY_STOPPING or key in ("use_best_model", "od_type")
    ]
    if said:
        return any(said)
    return bool(given.get("effort", effort)) and not given.get("preset")


def named(params: Mapping[str, Any], keys: Container[str]) -> set[str]:
    """Return the names of the columns that the settings of some names have."""
    found: set[str] = set()
    for key, given in flat(params):
        value = given.tolist() if hasattr(given, "tolist") else given
        if key_of(key) not in keys:
            continue
        if isinstance(value, str):
            found.update(value.removeprefix("name:").split(","))
        elif isinstance(value, (list, tuple, set, frozenset)):
            found.update(map(str, value))
    return found


def by_name(params: Mapping[str, Any], columns: Sequence[str], unused: Container[str]) -> dict[str, Any]:
    """Return settings with the names of columns in the place of their numbers.

    Parameters
    ----------
    params : mapping
        Settings, by section too.
    columns : sequence of str
        Those of the table that have no role by an argument.
    unused : container of str
        Those among them that do not become features. What a list says of them is left out where it changes nothing.
    """
    roles = named(params, ROLES)
    resolver = _Resolver([name for name in columns if name not in roles], unused)
    return {
        name: {key: resolver.value(f"{name}.{key}", inner) for key, inner in value.items()}
        if name in SECTIONS and isinstance(value, Mapping)
        else resolver.value(name, value)
        for name, value in params.items()
    }


class _Resolver:
    """What finds the columns of numbers."""

    def __init__(self, columns: list[str], unused: Container[str]) -> None:
        self.columns, self.unused = columns, unused

    def value(self, name: str, given: Any) -> Any:
        """Return the value of a setting with the names of columns."""
        key = key_of(name)
        if hasattr(given, "to_dict") and hasattr(given, "index") and set(given.index) <= set(self.columns):
            given = given.to_dict()  # of a Series by name
        value = given.tolist() if hasattr(given, "tolist") else given
        if key in GROUPS:
            return self._groups(name, value)
        if key in CATEGORICAL:
            return self._marked(value)
        if key not in MONOTONE | COSTS | FACTORS | LEVELS:
            return given
        if isinstance(value, Mapping):
            return {self._name(name, str(column)): _whole(key, entry) for column, entry in value.items()}
        value = _parsed(value, "(", ")")
        if key in LEVELS or not isinstance(value, (list, tuple)) or not all(_is_number(entry) for entry in value):
            return given
        nothing = 1 if key in FACTORS else 0  # what says nothing of a column
        if value and len(value) != len(self.columns):
            example = f" like {{{self.columns[0]!r}: 1}}" if self.columns else ""
            raise ParameterError(
                f"{name} has {len(value)} numbers, and the table has {len(self.columns)} columns: give one for each, "
                f"{nothing} for {'no constraint' if key in MONOTONE else 'no change'}, or a dict by name{example}"
            )
        entries = zip(self.columns, value, strict=False)
        return {
            column: _whole(key, entry) for column, entry in entries if entry != nothing or column not in self.unused
        }

    def _marked(self, value: Any) -> Any:
        """Return the names of columns that a list marks, None where frames say which are categories."""
        if isinstance(value, str):
            return None if value in ("auto", "from_dtype") and value not in self.columns else value
        if not isinstance(value, (list, tuple)):
            return value
        if len(value) == len(self.columns) and all(isinstance(entry, bool) for entry in value):  # as in scikit-learn
            return [name for name, marked in zip(self.columns, value, strict=True) if marked]
        return [
            self.columns[entry] if _is_index(entry) and 0 <= entry < len(self.columns) else entry for entry in value
        ]

    def _groups(self, name: str, given: Any) -> Any:
        value = _parsed(given)
        used = [column for column in self.columns if column not in self.unused]
        if isinstance(value, str) and value in ("no_interactions", "pairwise"):  # as in scikit-learn
            return [list(group) for group in combinations(used, 1 if value == "no_interactions" else 2)]
        if not isinstance(value, (list, tuple)) or not all(isinstance(group, (list, tuple)) for group in value):
            return given
        named = [[self._name(name, column) for column in group] for group in value]
        return [[column for column in group if column not in self.unused] for group in named]

    def _name(self, name: str, column: Any) -> Any:
        """Return the name of a column that is given by it, by number or as "#" and a number."""
        if isinstance(column, str) and column not in self.columns and re.fullmatch(r"#\d+", column):
            column = int(column[1:])
        if not _is_index(column):
            return column
        if not 0 <= column < len(self.columns):
            raise ParameterError(
                f"{name} has column number {column}, and the table has {len(self.columns)} columns, counted from 0"
            )
        return self.columns[column]


def _whole(key: str, entry: Any) -> Any:
    """Return what a constraint says of a column as a whole number, where it is one of another type."""
    return int(entry) if key in MONOTONE and isinstance(entry, float) and entry.is_integer() else entry


def _is_index(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number))


def _parsed(value: Any, begin: str = "", end: str = "") -> Any:
    """Return a list that is given as text, all else as it is."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    for one in (text, f"[{text.removeprefix(begin).removesuffix(end)}]"):
        try:
            if isinstance(found := json.loads(one), list):
                return found
        except ValueError:
            pass
    return value
