"""Settings as the program reads them: the text that stands after ``--set key=``."""

from __future__ import annotations

import json
import math
import os
import reprlib
from collections.abc import Iterator, Mapping
from operator import index
from typing import Any

from .errors import ParameterError

SECTIONS = frozenset(  # of a config; a dict of one has keys of it
    ("data", "binning", "categorical", "train", "dart", "objective", "gradients", "tree", "sampling", "constraints")
) | {"metrics", "output", "quantize", "registry"}
FILES = frozenset(("cache", "forced_cuts_file", "init_model"))  # settings that are names of files

COLUMNS = frozenset(("label", "label_upper", "weight", "group", "position", "event", "init_score"))  # each is named


def text(value: Any) -> str:
    """Return a value of Python as text: strings as they are, lists and dicts as TOML."""
    return value if isinstance(value, str) else _toml(value)


def _toml(value: Any) -> str:
    if hasattr(value, "tolist"):  # of numpy and pandas
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isnan(value):
            return "nan"
        if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        return repr(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_quoted(str(k))} = {_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple, set, frozenset)):
        values = sorted(value, key=str) if isinstance(value, (set, frozenset)) else value
        return "[" + ", ".join(_toml(v) for v in values) + "]"
    return _quoted(str(value))


def _quoted(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def flat(params: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Return settings and their values, those of sections too."""
    for name, value in params.items():
        if name in SECTIONS and isinstance(value, Mapping):
            yield from ((f"{name}.{key}", inner) for key, inner in value.items())
        else:
            yield name, value


def key_of(name: str) -> str:
    """Return the name of a setting without its section."""
    return str(name).rpartition(".")[2].lower()


def settings(params: Mapping[str, Any]) -> list[list[str]]:
    """Return parameters as pairs of texts, those of a section too. None stands for the default."""
    pairs: list[list[str]] = []
    plain = _starts_without_stopping(params)
    for name, value in flat(params):
        if not isinstance(name, str):
            raise ParameterError(f"{name!r} is no name of a setting: expected a text")
        if any(callable(one) for one in (value if isinstance(value, (list, tuple)) else [value])):
            raise ParameterError(
                f"{name} is a function: some are taken as objective and as eval_metric, not by Spark, Ray and Dask"
            )
        if name.removeprefix("data.") in COLUMNS and _are_values(value):
            raise ParameterError(
                f"{name} has {len(value)} values: it must be the name of a column; add them to the table as one"
            )
        if plain and value is True and name.rpartition(".")[2] == "early_stopping":
            pairs.append([name, "10"])  # as in scikit-learn
        elif value is not None and not _asks_for_silence(name, value) and not _asks_for_usual(name, value):
            off = value is False and name.rpartition(".")[2] == "early_stopping"
            pairs.append([name, "0" if off else text(_whole(name, value))])
    return pairs


def _are_values(value: Any) -> bool:
    """Report whether a value is an array and no list of names."""
    if isinstance(value, (str, Mapping)) or not hasattr(value, "__len__") or not hasattr(value, "__iter__"):
        return False
    return not all(isinstance(one, str) for one in value)


def whole_number(name: str, value: Any) -> int:
    """Return a whole number, of any type."""
    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{name} = {reprlib.repr(value)}: expected an integer") from None


def one_name(key: str, name: Any) -> Any:
    """Return the name of a column as a setting that has a comma and quotes as parts of it."""
    if not isinstance(name, str):
        return name
    return [name] if key in ("data.label", "data.init_score") else f'"{name}"'


def joined(given: Mapping[str, Any], params: Mapping[str, Any]) -> list[list[str]]:
    """Return what arguments and a frame say, with the settings. Categorical columns are those of both."""
    known = settings(given)
    pairs = settings({name: one_name(name, value) for name, value in given.items()})
    for name, value in settings(params):
        if name in given and name != "data.categorical":
            if [name, value] not in known + pairs:
                raise ParameterError(f"{name} is {value} in the settings, and the argument is another: leave one out")
        else:
            pairs.append([name, value])
    return pairs


def _starts_without_stopping(params: Mapping[str, Any]) -> bool:
    """Report whether training starts from values without early stopping: those of a preset, or of no effort."""
    given = {key_of(name): value for name, value in flat(params)}
    return bool(given.get("preset")) or given.get("effort") == ""


def _asks_for_usual(name: str, value: Any) -> bool:
    """Report whether a parameter of another library asks for what is done as it is."""
    key = name.rpartition(".")[2]
    if key in ("categorical_feature", "categorical_features") and isinstance(value, str):
        return value == "auto"
    return key == "early_stopping" and (value is True or (isinstance(value, str) and value == "auto"))


def _asks_for_silence(name: str, value: Any) -> bool:
    """Report whether a parameter of another library asks for no messages. There are none unless logging shows them."""
    if name not in ("verbose", "verbosity", "verbose_eval", "silent"):
        return False
    if value is False or value is True or isinstance(value, int):
        if (value > 0) == (name == "silent"):
            return True
        raise ParameterError(
            f"{name} = {value!r}: messages go to the logger boost_gbt, which logging.basicConfig(level=logging.INFO) "
            "shows, and callback is called after each round: leave the parameter out"
        )
    return False


def _whole(name: str, value: Any) -> Any:
    """Return the names of files with their folders: the worker may have been started in another one."""
    if isinstance(value, os.PathLike) or (isinstance(value, str) and name.rpartition(".")[2] in FILES):
        return os.path.abspath(value)
    return value
