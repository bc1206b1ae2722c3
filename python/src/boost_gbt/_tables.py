"""Tables on their way to the worker: arrays as they stand, frames by column, Arrow as a stream."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Container, Sequence
from datetime import timedelta
from typing import Any

import numpy as np

from . import _worker
from ._messages import tell
from .errors import TableError

Table = Any
"""What is taken for a table.

A path or a list of paths, a numpy array, a pandas or polars frame, a pyarrow table, anything with
``__arrow_c_stream__`` (with pyarrow or polars installed) or ``__dataframe__`` (with pyarrow), a scipy sparse
matrix, or a dict of columns.
"""

INLINE = 1 << 16  # bytes up to which an array travels in the pipe
NUMBERS = frozenset(["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"])
UNITS = ("s", "ms", "us", "ns")
INEXACT = "{} holds an integer that float64 cannot hold exactly; give it as text to use it as a category"
SPANS = ("W", "D", "h", "m", *UNITS)


class Parts:
    """The columns of a table, and the buffers that hold them."""

    def __init__(self, memory: bool) -> None:
        self.memory = memory  # the worker reads the memory of this process
        self.parts: list[dict[str, Any]] = []
        self.buffers: list[Any] = []
        self.size = 0
        self.alive: list[np.ndarray] = []  # arrays whose memory is read
        self.names: list[str] = []
        self.categorical: list[str] = []  # columns that their owner declared to be categories
        self.rows: int | None = None
        self.texts: Container[str] | None = None  # columns whose levels are texts in what the table is for, if known
        self.of_texts: list[str] = []  # columns of texts, or of what is to be read as such
        self.booleans: list[str] = []  # columns whose truth values are sent as numbers
        self.exact: set[str] = set()  # columns whose whole numbers are not to be rounded
        self.rounded: dict[str, Any] = {}  # columns whose whole numbers are rounded, and one of these
        self.refused: dict[str, Exception] = {}  # columns that cannot be read, which matters where they are needed

    def is_text(self, name: str) -> bool:
        """Report whether it is known that the levels of a column are texts."""
        return self.texts is not None and name in self.texts

    def as_float64(self, name: str, numbers: np.ndarray) -> bool:
        """Report whether a column is to be sent as float64, which has no such whole numbers."""
        at = None if name in self.exact else inexact(numbers)
        if at is not None:
            self.rounded[name] = numbers[at]
        return at is not None

    def put(self, data: Any) -> int:
        """Add bytes to the body, at a multiple of 8, and return where they begin."""
        at, size = self.size, memoryview(data).nbytes
        self.buffers.append(data)
        if size % 8:
            self.buffers.append(bytes(-size % 8))
        self.size += size + -size % 8
        return at

    def block(self, array: np.ndarray) -> dict[str, Any]:
        """Describe a matrix of numbers."""
        if array.ndim == 1:
            array = array[:, None]
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
        code = f"{array.dtype.kind}{array.dtype.itemsize}"
        if code not in NUMBERS:
            array, code = array.astype(np.float64), "f8"
        block: dict[str, Any] = {"dtype": code, "shape": array.shape}
        span = sum((n - 1) * abs(s) for n, s in zip(array.shape, array.strides, strict=True)) + array.itemsize
        if self.memory and array.nbytes > INLINE and span <= 2 * array.nbytes:
            self.alive.append(array)
            block["address"] = array.__array_interface__["data"][0]
        else:
            if array.flags.f_contiguous:
                data = array.T
            else:
                data = array = np.ascontiguousarray(array)
            block["at"] = self.put(data.reshape(-1)) if array.size else self.size
        block["strides"] = array.strides
        return block

    def add(self, part: dict[str, Any], names: Sequence[str], rows: int) -> None:
        if self.rows is None:
            self.rows = rows
        if self.rows != rows:
            raise TableError(f"column {names[0]!r} has {rows} rows, those before it have {self.rows}")
        for name in names:
            if not _is_unicode(name):
                raise TableError(f"the name of column {name!r} is no Unicode text: rename it")
        self.parts.append(part)
        self.names.extend(names)

    def matrix(self, array: np.ndarray, names: Sequence[str]) -> None:
        """Add a matrix of numbers, or of texts and numbers, whose columns are read one by one."""
        if array.dtype.kind in "fiub" and inexact(array) is None and not any(map(self.is_text, names)):
            if array.dtype.kind == "b":
                self.booleans += names
            self.add({"kind": "numbers", "names": list(names), "block": self.block(array)}, names, len(array))
            return
        for j, name in enumerate(names):
            self.column(name, array[:, j])

    def column(self, name: str, values: np.ndarray) -> None:
        """Add one column of any type that numpy has."""
        if self.is_text(name):  # as beside texts, in a column of objects
            if values.dtype.kind == "f":
                present = ~np.isnan(values)
                codes = np.full(len(values), -1)
                levels, codes[present] = np.unique(values[present], return_inverse=True)
                self.of_texts.append(name)
                self.categories(name, codes, list(levels))
                return
            if values.dtype.kind == "b" or inexact(values) is not None:
                values = values.astype(object)
        kind = values.dtype.kind
        if kind in "fiub":
            if self.as_float64(name, values):
                values = values.astype(np.float64)
            if kind == "b":
                self.booleans.append(name)
            part: dict[str, Any] = {"kind": "numbers", "names": [name], "block": self.block(values)}
        elif kind == "m" and np.datetime_data(values.dtype)[0] not in SPANS:
            self.refused[name] = TableError(
                f"column {name!r} is of type {values.dtype}, whose unit is no fixed time: give it in seconds"
            )
            return
        elif kind in "mM":
            part = self.times(name, values)
        elif kind in "OUST":
            plain = _plain_numbers(values) if kind == "O" and not self.is_text(name) else None
            if plain is not None:
                if any(isinstance(value, (bool, np.bool_)) for value in values):
                    self.booleans.append(name)
                part = {"kind": "numbers", "names": [name], "block": self.block(plain)}
            else:
                try:
                    codes, texts = _factorize(values, self.texts is None or self.is_text(name))
                except (TypeError, TableError) as error:
                    self.refused[name] = type(error)(f"column {name!r}: {error}")
                    return
                self.of_texts.append(name)
                self.categories(name, codes, texts)
                return
        else:
            self.refused[name] = TableError(
                f"column {name!r} is of type {values.dtype}, which is no number, date or text: leave it out"
            )
            return
        self.add(part, [name], len(values))

    def times(self, name: str, values: np.ndarray) -> dict[str, Any]:
        """Return a part of dates, or of spans, which are read as seconds."""
        kind, (unit, step) = values.dtype.kind, np.datetime_data(values.dtype)
        if unit not in UNITS or step != 1:
            unit = "s" if unit in ("Y", "M", "W", "D", "h", "m") else unit if unit in UNITS else "us"
            values = values.astype(f"{kind}8[{unit}]")
        if not values.dtype.isnative:  # before its bytes are those of integers
            values = values.astype(values.dtype.newbyteorder("="))
        name_of_kind = "dates" if kind == "M" else "spans"
        return {"kind": name_of_kind, "names": [name], "unit": unit, "block": self.block(values.view(np.int64))}

    def categories(self, name: str, codes: np.ndarray, levels: Sequence[Any]) -> None:
        """Add a column by the codes of its levels, -1 where it has none."""
        texts: list[str] = []
        beside_texts = self.is_text(name) or any(isinstance(level, str) for level in levels)
        for level in levels:
            try:
                texts.append(_text(level, beside_texts))
            except (TypeError, TableError) as error:
                self.refused[name] = type(error)(f"column {name!r}: {error}")
            else:
                if _is_unicode(texts[-1]):
                    continue
                self.refused[name] = TableError(f"column {name!r} has {level!r}, which is no Unicode text: replace it")
            return
        part = {
            "kind": "categories",
            "names": [name],
            "levels": texts,
            "block": self.block(codes.astype(np.int32, copy=False)),
        }
        self.add(part, [name], len(codes))

    def arrow(self, stream: Any, names: Sequence[str], rows: int) -> None:
        """Add the columns of an Arrow IPC stream."""
        size = memoryview(stream).nbytes
        self.add({"kind": "arrow", "at": self.put(stream), "length": size}, names, rows)

    def sparse(self, matrix: Any, names: Sequence[str]) -> None:
        """Add a matrix of scipy, by rows or by columns."""
        if matrix.ndim != 2:
            raise TableError(f"a table has 2 dimensions, this sparse array has {matrix.ndim}")
        if matrix.format not in ("csr", "csc"):
            matrix = matrix.tocsr()
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        values = matrix.data
        if values.dtype.kind == "c":
            raise TableError(f"a sparse matrix is of type {values.dtype}, which is no number: leave it out")
        if values.dtype not in (np.float32, np.float64):
            if (at := inexact(values)) is not None:
                of = matrix.indices[at] if matrix.format == "csr" else np.searchsorted(matrix.indptr, at, "right") - 1
                self.rounded[names[of]] = values[at]
            values = values.astype(np.float64)
        part = {
            "kind": "csc",
            "names": list(names),
            "rows": matrix.shape[0],
            "by_rows": matrix.format == "csr",
            "values": self.block(values),
            "indices": self.block(matrix.indices.astype(np.int32, copy=False)),
            "starts": self.block(matrix.indptr.astype(np.int64, copy=False)),
        }
        self.add(part, names, matrix.shape[0])


def _text(level: Any, beside_texts: bool = True) -> str:
    """Return a level as text: as a file of pandas has it, but whole numbers without a point.

    Where there are no texts beside it, a float32 is the number that it is: 0.1 of 24 bits is not 0.1 of 53 bits.
    """
    if isinstance(level, (float, np.floating)):
        if float(level).is_integer() and abs(level) < 1e16:  # from where on Python writes an exponent
            return str(int(level))
        return str(level) if beside_texts else repr(float(level))
    if isinstance(level, (dict, list, set, tuple, complex, np.ndarray)):
        raise TypeError(f"argument must be a string or a number, not {type(level).__name__}")
    if isinstance(level, (timedelta, np.timedelta64)):
        raise TypeError("it holds spans of time: give it as a number of seconds")
    try:
        return level.decode() if isinstance(level, bytes) else str(level)
    except UnicodeDecodeError:
        raise TableError(f"{level!r} is no text in UTF-8: decode it") from None


def _is_unicode(text: str) -> bool:
    """Report whether a text can be sent: Python keeps bytes that it could not decode as halves of characters."""
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def is_missing(value: Any) -> bool:
    """Report whether a value stands for none. What pandas has for it cannot be compared."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _plain_numbers(values: np.ndarray) -> np.ndarray | None:
    """Return objects that are numbers, booleans or missing as float64, None where one is something else."""
    numbers = np.empty(len(values), np.float64)
    for i, value in enumerate(values):
        if isinstance(value, (float, int, np.number, np.bool_)):
            try:
                numbers[i] = value
            except OverflowError:
                return None
            if isinstance(value, (int, np.integer)) and int(numbers[i]) != int(value):
                return None
        elif type(value).__name__ in ("NAType", "NaTType", "NoneType"):
            numbers[i] = np.nan
        else:
            return None
    return numbers


def inexact(values: np.ndarray) -> int | None:
    """Return where the first integer stands that float64 cannot hold exactly, None where there is none."""
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or not values.size:
        return None
    if values.min() >= -(1 << 53) and values.max() <= 1 << 53:
        return None
    with np.errstate(invalid="ignore"):  # of 2⁶³, which is no int64
        changed = values.astype(np.float64).astype(values.dtype) != values
    return int(np.argmax(changed)) if changed.any() else None


def unmasked(values: Any) -> Any:
    """Return a masked array as one whose masked cells are missing, all else as it is."""
    if not np.ma.isMaskedArray(values):
        return values
    if not np.ma.is_masked(values):
        return values.data
    if values.dtype.kind in "fM":
        return values.filled(np.datetime64("NaT") if values.dtype.kind == "M" else np.nan)
    objects = values.data.astype(object)
    objects[np.ma.getmaskarray(values)] = None
    return objects


def _factorize(values: np.ndarray, beside_texts: bool = True) -> tuple[np.ndarray, list[str]]:
    """Return the code of each value, -1 where missing, and the texts that the codes stand for.

    Values are told apart by their texts: True and 1 are equal, and a file has two texts for them.
    """
    if values.dtype.kind in "US":
        levels, codes = np.unique(values, return_inverse=True)
        return codes, levels.tolist()
    cells = values.astype(object)
    for at in np.flatnonzero([type(value) is not str for value in cells]):
        value = cells[at]
        if value.__hash__ is None:
            raise TypeError(f"argument must be a string or a number, not {type(value).__name__}")
        cells[at] = None if is_missing(value) else _text(value, beside_texts)
    if "pandas" in sys.modules:
        codes, levels = sys.modules["pandas"].factorize(cells)
        return codes, list(levels)
    known: dict[str, int] = {}
    found = np.empty(len(cells), np.int32)
    for i, cell in enumerate(cells):
        found[i] = -1 if cell is None else known.setdefault(cell, len(known))
    return found, list(known)


def is_path(table: Any) -> bool:
    """Report whether a table is files: the program reads them."""
    return isinstance(table, (str, os.PathLike)) or (
        isinstance(table, (list, tuple)) and bool(table) and all(isinstance(t, (str, os.PathLike)) for t in table)
    )


def paths(table: Any) -> list[str]:
    """Return whole paths: the worker may have been started in another folder."""
    files = [table] if isinstance(table, (str, os.PathLike)) else table
    return [os.path.abspath(file) for file in files]


def numbered(n: int) -> list[str]:
    """Return the names c1, c2, … that columns without names have in the program."""
    return [f"c{j + 1}" for j in range(n)]


def _module(table: Any) -> str:
    return type(table).__module__.partition(".")[0]


def is_sparse(table: Any) -> bool:
    return _module(table) == "scipy" and hasattr(table, "tocsr")


def _is_interchange(table: Any) -> bool:
    """Report whether a table is a frame of another library, known only by the protocol for exchanging them."""
    return (
        hasattr(table, "__dataframe__")
        and not hasattr(table, "__arrow_c_stream__")
        and _module(table) not in ("pandas", "polars", "pyarrow")
    )


def column_names(table: Any) -> list[str] | None:
    """Return the names of a table's columns, None where it has none. Refuse what looks like a table and is none."""
    if type(table).__name__ == "LazyFrame" and _module(table) == "polars":
        raise TableError("a LazyFrame is a query and no table yet: collect() makes a table of it")
    if isinstance(table, (list, tuple)) and any(isinstance(row, dict) for row in table[:1]):
        raise TableError(
            "a list of dicts is no table: pandas.DataFrame(rows) or polars.DataFrame(rows) makes one of it"
        )
    if is_sparse(table):  # some are dicts
        return None
    if isinstance(table, dict):
        return [str(name) for name in table]
    if hasattr(table, "column_names"):
        return [str(name) for name in table.column_names]
    if _is_interchange(table):
        return [str(name) for name in table.__dataframe__().column_names()]
    columns = getattr(table, "columns", None)
    if columns is not None and not callable(columns) and not isinstance(table, np.ndarray):
        return [str(name) for name in columns]
    return None


def without(table: Any, names: set[str]) -> Any:
    """Return a table less some of its columns, those that others take the places of."""
    if not names & set(column_names(table) or ()):
        return table
    if isinstance(table, dict):
        return {name: values for name, values in table.items() if str(name) not in names}
    if _is_interchange(table):
        table = _exchanged(table)
    if _module(table) == "pandas":
        return table.loc[:, [str(name) not in names for name in table.columns]]
    return table.select([name for name in column_names(table) or () if name not in names])


def renamed(table: Any, names: list[str]) -> Any:
    """Return a frame whose columns have other names."""
    if _is_interchange(table):
        table = _exchanged(table)
    if hasattr(table, "set_axis"):
        return table.set_axis(names, axis=1)
    if hasattr(table, "rename_columns"):
        return table.rename_columns(names)
    table = table.clone()
    table.columns = names
    return table


def placed(table: Any, names: list[str]) -> Any:
    """Return a frame whose columns are numbers in place of names with the names of an array's, if these are needed."""
    if is_path(table) or names != numbered(len(names)) or column_names(table) != list(map(str, range(len(names)))):
        return table
    return renamed(table, names)


def column_of(table: Any, name: str) -> Any:
    """Return a column of a table by its name."""
    known = column_names(table) or []
    if known.count(name) != 1:
        how = "no" if name not in known else "more than one"
        raise TableError(f"the table has {how} column {name!r}")
    if _is_interchange(table):
        table = _exchanged(table)
    if hasattr(table, "iloc"):
        return table.iloc[:, known.index(name)]
    return table[name]


def column_at(table: Any, at: int) -> Any:
    """Return a column of a table by its place."""
    known = column_names(table)
    if known is not None and known.count(known[at]) == 1:
        return column_of(table, known[at])
    return table[:, [at]].toarray() if is_sparse(table) else np.asarray(unmasked(table))[:, at]


def are_equal(one: Any, other: Any) -> bool:
    """Report whether two columns have the same values."""
    arrays = [np.asarray(unmasked(values)) for values in (one, other)]
    arrays = [array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array for array in arrays]
    if arrays[0].shape != arrays[1].shape or arrays[0].ndim != 1:
        return False
    if all(array.dtype.kind in "fiub" for array in arrays):
        return np.array_equal(arrays[0].astype(np.float64), arrays[1].astype(np.float64), equal_nan=True)
    try:
        texts = [[None if is_missing(value) else _text(value) for value in array.tolist()] for array in arrays]
    except (TypeError, TableError):
        return False
    return texts[0] == texts[1]


def same(table: Any, other: Any) -> bool:
    """Report whether two tables are one in memory."""
    if isinstance(table, np.ndarray) and isinstance(other, np.ndarray):
        alike = table.shape == other.shape and table.strides == other.strides and table.dtype == other.dtype
        return bool(alike and table.ctypes.data == other.ctypes.data)
    return table is other and not is_path(table)


def warn_of_order(table: Any, values: Any, called: str) -> None:
    """Warn of values whose index is that of the frame in another order: rows are told by their place."""
    if _module(table) != "pandas" or _module(values) != "pandas" or not hasattr(values, "index"):
        return
    index, other = table.index, values.index
    if len(index) != len(other) or index.equals(other) or not (index.is_unique and other.is_unique):
        return
    if index.isin(other).all():
        tell(
            "WARN",
            f"the index of {called} has the rows of the table in another order, and rows are told by their place: "
            f"reindex(table.index) brings {called} into its order, reset_index(drop=True) says that it has this order",
        )


def add(parts: Parts, table: Any, names: Sequence[str] | None = None) -> None:
    """Add the columns of a table in memory. ``names`` are for what has none of its own."""
    if is_sparse(table):
        if table.ndim == 2 and table.shape[0] == 0:
            table = np.empty(table.shape)
            add(parts, table, names)
        else:
            parts.sparse(table, names or numbered(table.shape[-1]))
    elif isinstance(table, dict):
        for name, values in table.items():
            add_column(parts, str(name), values)
    elif _module(table) == "pandas" and hasattr(table, "columns"):
        _add_pandas(parts, table)
    elif isinstance(table, np.ndarray):
        if table.dtype.names:
            raise TableError("an array with named fields is no matrix: give a dict of its columns")
        if table.ndim != 2:
            raise TableError(
                f"a table has 2 dimensions, this array has {table.ndim}: "
                "reshape(-1, 1) makes a column of it, reshape(1, -1) a row"
            )
        parts.matrix(unmasked(table), names or numbered(table.shape[1]))
    elif hasattr(table, "write_ipc_stream"):
        _add_polars(parts, table)
    elif _module(table) in ("pandas", "polars") and hasattr(table, "to_frame"):
        row = ", and to_frame().T if it is a row" if _module(table) == "pandas" else ""
        raise TableError(f"a {type(table).__name__} is a column and no table: to_frame() makes a table of it{row}")
    elif hasattr(table, "__arrow_c_stream__"):
        _add_arrow(parts, table)
    elif _is_interchange(table):
        _add_arrow(parts, _exchanged(table))
    elif isinstance(table, (list, tuple)) or hasattr(table, "__array__"):
        add(parts, np.asarray(table), names or column_names(table))
    else:
        raise TableError(
            f"{type(table).__name__} is no table: expected a path, numpy, pandas, polars, pyarrow or scipy.sparse"
        )


def _exchanged(table: Any) -> Any:
    """Return a frame that has ``__dataframe__`` alone as a table of pyarrow."""
    try:
        from pyarrow.interchange import from_dataframe
    except ImportError:
        raise TableError(
            f"{type(table).__name__} gives its columns by __dataframe__, which takes pyarrow to read: install it"
        ) from None
    return from_dataframe(table)


def _add_pandas(parts: Parts, frame: Any) -> None:
    kinds = {dtype for dtype in frame.dtypes}
    if (
        len(kinds) == 1
        and getattr(next(iter(kinds)), "kind", "") in tuple("fiub")
        and isinstance(next(iter(kinds)), np.dtype)
        and not any(parts.is_text(str(name)) for name in frame.columns)
    ):
        parts.matrix(frame.to_numpy(), [str(name) for name in frame.columns])
        return
    for name, values in frame.items():
        add_column(parts, str(name), values)


def _add_polars(parts: Parts, frame: Any) -> None:
    pl = sys.modules["polars"]
    whole = [
        series.name
        for series in frame
        if series.dtype in (pl.Int64, pl.UInt64)
        and not parts.is_text(series.name)
        and parts.as_float64(series.name, series.drop_nulls().to_numpy())
    ]
    frame = frame.with_columns([frame[name].cast(pl.Float64) for name in whole]) if whole else frame
    # Arrow has no such type, or the program cannot read it.
    foreign = [getattr(pl, kind) for kind in ("Object", "Int128", "UInt128") if hasattr(pl, kind)]
    written = (pl.Boolean, pl.Float32, pl.Float64, pl.Decimal)  # which have other texts in Arrow
    as_text = [series.name for series in frame if series.dtype in written and parts.is_text(series.name)]
    if as_text or any(dtype in foreign for dtype in frame.dtypes):
        for series in frame:
            if series.dtype in foreign or series.name in as_text:
                if series.dtype in (pl.Float32, pl.Float64):
                    parts.column(series.name, series.to_numpy())
                    continue
                cells = np.empty(len(series), object)
                cells[:] = series.to_list()
                parts.column(series.name, cells)
            else:
                _add_polars(parts, series.to_frame())
        return
    parts.categorical += [series.name for series in frame if series.dtype in (pl.Categorical, pl.Enum)]
    parts.of_texts += [series.name for series in frame if series.dtype in (pl.String, pl.Categorical, pl.Enum)]
    parts.booleans += [series.name for series in frame if series.dtype == pl.Boolean]
    stream = io.BytesIO()
    frame.write_ipc_stream(stream, compat_level=pl.CompatLevel.oldest())
    parts.arrow(stream.getbuffer(), [str(name) for name in frame.columns], frame.height)


def add_column(parts: Parts, name: str, values: Any) -> None:
    """Add one column: a Series, an Arrow array, a list or an array."""
    dtype = getattr(values, "dtype", None)
    if _module(values) == "pandas":
        if hasattr(values, "cat"):
            parts.categorical.append(name)
            if any(isinstance(level, str) for level in values.cat.categories):
                parts.of_texts.append(name)
            levels = values.cat.categories
            if getattr(levels.dtype, "kind", "O") == "f":
                levels = levels.to_numpy()  # a list of them would be of Python's floats
            parts.categories(name, values.cat.codes.to_numpy(), list(levels))
            return
        if not isinstance(dtype, np.dtype):
            kind = getattr(dtype, "kind", "O")
            if kind in "fiub":
                of = getattr(dtype, "numpy_dtype", None)
                present = ~np.asarray(values.isna(), bool)
                if present.all():
                    values = values.to_numpy(of)
                else:
                    whole = values[present].to_numpy(of)
                    if kind == "b" or (parts.is_text(name) and inexact(whole) is not None):
                        values = values.to_numpy(object)
                    elif not parts.as_float64(name, whole) and (at := inexact(whole)) is not None:
                        row = f"row {np.flatnonzero(present)[at] + 1}"
                        parts.refused[name] = TableError(f"{row}: " + INEXACT.format(f"column {name!r}"))
                        return
                    else:
                        numbers = np.full(len(values), np.nan, of if kind == "f" else np.float64)
                        numbers[present] = whole
                        values = numbers
            elif kind in "mM":
                if getattr(dtype, "tz", None):
                    values = values.dt.tz_convert("UTC").dt.tz_localize(None)
                unit = getattr(getattr(dtype, "pyarrow_dtype", dtype), "unit", "us")
                values = values.to_numpy(f"{kind}8[{unit}]")
            else:
                values = values.to_numpy(object)
        parts.column(name, np.asarray(values))
        return
    if _module(values) == "polars":
        frame = values.to_frame(name)
        add(parts, frame)
        return
    if hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__"):
        import pyarrow as pa

        add(
            parts,
            pa.table(
                {name: pa.chunked_array(values) if not hasattr(values, "__arrow_c_array__") else pa.array(values)}
            ),
        )
        return
    array = np.asarray(unmasked(values))
    if array.dtype.kind == "U" and not isinstance(values, np.ndarray):
        array = np.asarray(values, object)  # numbers among texts stay what they are
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim == 0:
        raise TableError(f"column {name!r} is one value: give a list of them, one for each row")
    if array.ndim != 1:
        raise TableError(f"column {name!r} has {array.ndim} dimensions, expected 1")
    parts.column(name, array)


def _add_arrow(parts: Parts, table: Any) -> None:
    try:
        import pyarrow as pa
    except ImportError:
        if "polars" not in sys.modules:
            raise TableError(
                f"{type(table).__name__} gives Arrow data, which takes pyarrow or polars to read: install one of them"
            ) from None
        add(parts, sys.modules["polars"].DataFrame(table))
        return
    if isinstance(table, (pa.Array, pa.ChunkedArray)):
        raise TableError(
            f"a {type(table).__name__} is a column and no table: pyarrow.table({{name: column}}) makes one of it"
        )
    if not isinstance(table, pa.Table):
        table = pa.RecordBatchReader.from_stream(table).read_all()
    as_text: list[str] = []  # columns of which Arrow has other texts
    for j, field in enumerate(table.schema):
        if str(field.type).startswith(("decimal32(", "decimal64(")):  # which the program cannot read
            wide = pa.decimal128(field.type.precision, field.type.scale)
            table = table.set_column(j, field.name, table.column(j).cast(wide))
        elif str(field.type) in ("int64", "uint64") and not parts.is_text(field.name):
            column = table.column(j)
            if parts.as_float64(field.name, column.drop_null().to_numpy()):
                table = table.set_column(j, field.name, column.cast(pa.float64(), safe=False))
        of = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if parts.is_text(field.name) and (
            pa.types.is_boolean(of) or pa.types.is_floating(of) or pa.types.is_decimal(of)
        ):
            as_text.append(field.name)
        elif pa.types.is_boolean(of):
            parts.booleans.append(field.name)
        elif str(of) in ("string", "large_string", "string_view"):
            parts.of_texts.append(field.name)
    for name in as_text:
        column = table.column(name).combine_chunks()
        column = column.dictionary_decode() if hasattr(column, "dictionary_decode") else column
        if pa.types.is_floating(column.type):
            parts.column(name, column.to_numpy(zero_copy_only=False))
        else:
            cells = np.empty(len(column), object)
            cells[:] = column.to_pylist()
            parts.column(name, cells)
    if as_text:
        table = table.drop_columns(as_text)
        if not table.column_names:
            return
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    parts.arrow(memoryview(sink.getvalue()), [str(name) for name in table.column_names], table.num_rows)


def take(table: Any, rows: np.ndarray) -> Any:
    """Return the rows of a frame or matrix that are marked."""
    if _module(table) == "pandas":
        return table.iloc[np.flatnonzero(rows)]
    if _module(table) == "polars":
        return table[np.flatnonzero(rows)]
    if hasattr(table, "take") and column_names(table) is not None:  # of pyarrow
        return table.take(np.flatnonzero(rows))
    return table[rows]


def values(table: Any, names: Sequence[str]) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Return the values of columns for pictures: as numbers, which texts are in their order, and as they are.

    Both are None for files, and the second where all columns are numbers.
    """
    if is_path(table):
        return None, None
    if is_sparse(table):
        return table.toarray(), None
    known = column_names(table)
    if _is_interchange(table):
        table = _exchanged(table)
    if known is None:
        shown = np.asarray(table)
        columns = list(shown.T)
    else:
        if hasattr(table, "__arrow_c_stream__") and not hasattr(table, "columns"):
            import pyarrow as pa

            table = pa.table(table)
        columns = [np.asarray(table[name if name in table else known.index(name)]) for name in names]
    numbers = [column.astype(np.float64) if column.dtype.kind in "fiub" else _codes(column) for column in columns]
    data = np.column_stack(numbers) if numbers else np.empty((0, 0))
    if all(column.dtype.kind in "fiub" for column in columns):
        return data, None
    return data, np.column_stack([column.astype(object) for column in columns])


def _codes(column: np.ndarray) -> np.ndarray:
    """Return numbers in the order of what a column holds, NaN for what is missing."""
    absent = np.array([is_missing(value) for value in column], bool)
    codes = np.full(len(column), np.nan)
    texts = column[~absent]
    codes[~absent] = np.unique(texts if texts.dtype.kind == "M" else texts.astype(str), return_inverse=True)[1]
    return codes


class Held:
    """A table that the worker keeps as long as this object lives, in the worker that it was given to."""

    def __init__(self, parts: Parts) -> None:
        self.worker = _worker.worker()
        head, _ = self.worker.call("table", {"parts": parts.parts}, parts.buffers)
        self.number: int = head["table"]
        self.roles: dict[str, list[str]] = {}  # of its columns that the model does not know

    def __enter__(self) -> dict[str, Any]:
        return {"table": self.number, "roles": self.roles} if self.roles else {"table": self.number}

    def __exit__(self, *_: object) -> None:
        self.worker.garbage.append(("tables", self.number))


class Files:
    """A table in files, which the program reads."""

    def __init__(self, files: list[str]) -> None:
        self.source = {"files": files}

    def __enter__(self) -> dict[str, Any]:
        return dict(self.source)

    def __exit__(self, *_: object) -> None:
        pass
