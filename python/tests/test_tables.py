"""The same table gives the same model, whatever holds it, and the one that the program makes of a file."""

from __future__ import annotations

import gzip
import sys
import warnings
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import boost_gbt
from boost_gbt import Model, TableError, run, train

PARAMS = {"rounds": 10, "leaves": 15, "early_stopping": 0}


def by_program(table: Path, label: str, folder: Path, *more: str) -> bytes:
    out = folder / "program.boost"
    run(
        "train",
        str(table),
        "--label",
        label,
        "-o",
        str(out),
        "-q",
        *more,
        *(word for key, value in PARAMS.items() for word in ("--set", f"{key}={value}")),
    )
    return out.read_bytes()


def test_categorical_of_a_file(tmp_path: Path) -> None:
    pd, _ = (pytest.importorskip(name) for name in ("pandas", "pyarrow"))
    rng = np.random.default_rng(0)
    shop, size, x = rng.integers(0, 30, 600), rng.integers(0, 9, 600), rng.normal(size=600)
    frame = pd.DataFrame({"shop": shop, "size": np.where(size > 7, np.nan, size / 4), "code": shop.astype(str), "x": x})
    for name in ("shop", "size", "code"):
        frame[name] = frame[name].astype("category")
    frame["y"] = x + (shop * 7 % 5) + (size * 5 % 3)
    want = train(PARAMS, frame, "y")
    rows = frame.drop(columns="y")
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_feather(tmp_path / "t.feather")
    for file in (tmp_path / "t.parquet", tmp_path / "t.feather"):
        model = train(PARAMS, file, "y")
        assert bytes(model) == bytes(want) == by_program(file, "y", tmp_path)
        np.testing.assert_array_equal(model.predict(rows), want.predict(file))


def test_census_in_all_forms(census: Path, tmp_path: Path) -> None:
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    table = census / "train.csv.gz"
    frame = pd.read_csv(table, skipinitialspace=True, keep_default_na=False)
    frame = frame.replace({"?": None})
    want = by_program(table, "income", tmp_path)
    assert bytes(train(PARAMS, table, "income")) == want
    assert bytes(train(PARAMS, frame, "income")) == want
    polars = pl.DataFrame({name: frame[name].tolist() for name in frame})
    assert bytes(train(PARAMS, polars, "income")) == want
    arrow = pa.table({name: frame[name].tolist() for name in frame})
    assert bytes(train(PARAMS, arrow, "income")) == want
    chunked = pa.concat_tables([arrow.slice(0, 1000), arrow.slice(1000)])
    assert bytes(train(PARAMS, chunked, "income")) == want
    assert bytes(train(PARAMS, {name: frame[name].tolist() for name in frame}, "income")) == want
    categories = frame.astype({name: "category" for name in frame if frame[name].dtype.kind not in "iuf"})
    assert bytes(train(PARAMS, categories, "income")) == want
    parquet = tmp_path / "t.parquet"
    frame.to_parquet(parquet)
    assert by_program(parquet, "income", tmp_path) == want


@pytest.mark.parametrize(
    "dtype", ["f4", "f8", "f2", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", ">f8", ">i4", "O"]
)
def test_types_of_numbers(dtype: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2 if dtype == "?" else 100, (400, 4)).astype(dtype)
    y = x.astype(float) @ [1, 2, -1, 0.5]
    np.savetxt(
        tmp_path / "t.csv",
        np.column_stack([x.astype(float), y]),
        delimiter=",",
        header="c1,c2,c3,c4,label",
        comments="",
        fmt="%.17g",
    )
    assert bytes(train(PARAMS, x, y)) == by_program(tmp_path / "t.csv", "label", tmp_path)


@pytest.mark.parametrize("rows", [300, 30_000])
def test_strides(rows: int) -> None:
    """Arrays are read as they lie in memory: from the pipe, or from the memory of this process."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rows, 6)).astype(np.float32)
    y = x[:, 0] - x[:, 5] ** 2
    want = bytes(train(PARAMS, x, y))
    padded = np.zeros((rows, 9), np.float32)
    padded[:, 2:8] = x
    twice = np.repeat(x, 2, axis=0)
    sparse = np.zeros((rows * 5, 6), np.float32)
    sparse[::5] = x
    unaligned = np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(np.float32).reshape(x.shape)
    for name, other in {
        "column by column": np.asfortranarray(x),
        "a part of the columns": padded[:, 2:8],
        "every second row": twice[::2],
        "backwards": x[::-1].copy()[::-1],
        "columns backwards": x[:, ::-1].copy()[:, ::-1],
        "few rows of many": sparse[::5],
        "big endian": x.astype(">f4"),
        "not aligned": unaligned,
        "double": x.astype(np.float64),
        "column by column, turned": np.asfortranarray(x[::-1])[::-1],
    }.items():
        assert np.array_equal(other, x)
        assert bytes(train(PARAMS, other, y)) == want, name
        assert np.array_equal(Model.from_bytes(want).predict(other), Model.from_bytes(want).predict(x)), name


def test_without_shared_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20_000, 7))
    want = train(PARAMS, x, x[:, 0])
    predicted = want.predict(x)
    monkeypatch.setattr(boost_gbt._worker.worker(), "memory", False)
    assert train(PARAMS, x, x[:, 0]) == want
    assert train(PARAMS, np.asfortranarray(x), x[:, 0]) == want
    assert np.array_equal(want.predict(x), predicted)


def test_sparse(tmp_path: Path) -> None:
    sp = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(0)
    x = np.where(rng.random((500, 20)) < 0.1, rng.normal(size=(500, 20)), 0)
    y = x.sum(axis=1)
    np.savetxt(
        tmp_path / "t.csv",
        np.column_stack([x, y]),
        delimiter=",",
        header=",".join([f"c{i + 1}" for i in range(20)] + ["label"]),
        comments="",
        fmt="%.17g",
    )
    want = by_program(tmp_path / "t.csv", "label", tmp_path)
    for form in (sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.csr_array):
        assert bytes(train(PARAMS, form(x), y)) == want
    twice = sp.csr_matrix((np.r_[1.0, 2.0, 3.0], np.r_[1, 0, 1], np.r_[0, 3]), shape=(1, 20))
    dense = np.zeros((1, 20))
    dense[0, :2] = [2, 4]
    model = Model.from_bytes(want)
    assert np.array_equal(model.predict(twice), model.predict(dense))


def test_dates_booleans_and_missing_values(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    n = 600
    frame = pd.DataFrame(
        {
            "day": pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 500, n), "D"),
            "yes": rng.random(n) < 0.5,
            "whole": pd.array(np.where(rng.random(n) < 0.1, None, rng.integers(0, 9, n)), dtype="Int64"),
            "truth": pd.array(np.where(rng.random(n) < 0.1, None, rng.random(n) < 0.5), dtype="boolean"),
            "text": pd.array(rng.choice(["a", "b", None], n), dtype="string"),
            "real": rng.normal(size=n),
        }
    )
    frame.loc[3, "day"] = pd.NaT
    frame["y"] = frame["day"].dt.month.fillna(0) + frame["yes"] + frame["real"]
    frame.to_csv(tmp_path / "t.csv", index=False)
    want = by_program(tmp_path / "t.csv", "y", tmp_path)
    assert bytes(train(PARAMS, frame, "y")) == want
    model = Model.from_bytes(want)
    assert np.array_equal(model.predict(frame), model.predict(tmp_path / "t.csv"))
    zoned = frame.assign(day=frame["day"].dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"))
    assert bytes(train(PARAMS, zoned, "y")) == want


def test_what_is_no_number_in_an_array() -> None:
    """Dates and objects in an array mean to a model of numbers what they mean in a table."""
    day = np.datetime64("2024-01-01", "D") + np.random.default_rng(0).integers(0, 900, (400, 2))
    seconds = day.astype("M8[s]").astype(np.int64)
    model = train(PARAMS, day, seconds[:, 0] / 86400)
    assert np.ptp(model.predict(day)) > 400
    assert np.array_equal(model.predict(day), model.predict(seconds))
    objects = seconds.astype(object)
    objects[0, 0], objects[1, 0], objects[2, 0] = None, "NA", np.nan
    missing = seconds.astype(float)
    missing[:3, 0] = np.nan
    assert np.array_equal(model.predict(objects), model.predict(missing))
    assert np.array_equal(model.predict(day - np.datetime64(0, "s")), model.predict(seconds))
    with pytest.raises(TableError, match="complex"):
        model.predict(seconds + 1j)
    with pytest.raises(TableError, match='"abc" is not a number'):
        model.predict(np.array([["abc", 1]], object))


def test_categories_by_type_and_by_name() -> None:
    """Columns that a frame declares and those that settings name are categories, whatever the setting is called."""
    pd = pytest.importorskip("pandas")
    k, b, y = np.arange(300) % 7, np.arange(300) % 5, np.arange(300.0) % 35
    frame, plain = pd.DataFrame({"k": pd.Categorical(k), "b": b}), {"k": k, "b": b}
    want = train({**PARAMS, "categorical": ["k", "b"]}, plain, y)
    for name in ("categorical", "data.categorical", "cat_features"):
        assert train({**PARAMS, name: ["b"]}, frame, y) == want
    both = boost_gbt.BoostRegressor(rounds=10, categorical=["k", "b"]).fit(pd.DataFrame(plain), y)
    for given in (["b"], pd.Index(["b"]), np.array([False, True]), [1]):
        estimator = boost_gbt.BoostRegressor(rounds=10, categorical=given).fit(frame, y)
        assert np.array_equal(estimator.predict(frame), both.predict(frame))
    params = boost_gbt.tune({**PARAMS, "data.categorical": ["b"]}, frame, y, trials=1, folds=2).params
    assert params["data.categorical"] == ["b"]
    large = pd.DataFrame({"k": pd.Categorical(k + 2**60)})
    model = train({**PARAMS, "min_data_in_leaf": 5}, large, k)
    assert np.array_equal(model.predict({"k": k + 2**60}), model.predict(large))


def test_numbers_that_are_categories() -> None:
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 30, 800)
    y = np.isin(codes, [3, 7, 19]) * 1.0
    model = train(PARAMS, pd.DataFrame({"c": pd.Categorical(codes)}), y)
    assert model == train({**PARAMS, "categorical": ["c"]}, pd.DataFrame({"c": codes}), y)
    assert model != train(PARAMS, pd.DataFrame({"c": codes}), y)
    assert model.eval(pd.DataFrame({"c": codes}), y, "auc")["auc"] > 0.99
    pl = pytest.importorskip("polars")
    texts = pl.Series(codes.astype(str))
    for kind in (pl.Categorical, pl.Enum(sorted(set(texts)))):
        assert train(PARAMS, pl.DataFrame({"c": texts.cast(kind)}), y) == model
        assert train(PARAMS, {"c": texts.cast(kind)}, y) == model
    assert train(PARAMS, pl.DataFrame({"c": texts}), y) != model


def test_files(census: Path, tmp_path: Path) -> None:
    model = train({**PARAMS, "early_stopping": 5}, census / "train.csv.gz", "income", valid=str(census / "test.csv.gz"))
    assert list(model.history) == ["valid"]
    scores = model.predict(census / "test.csv.gz")
    with gzip.open(census / "test.csv.gz", "rt") as lines:
        assert len(scores) == sum(1 for _ in lines) - 1
    program = run("predict", save(model, tmp_path), str(census / "test.csv.gz")).splitlines()[1:]
    assert np.allclose(scores, np.array(program, float), rtol=1e-15)
    with pytest.raises(TableError, match=r"nowhere\.csv"):
        train(PARAMS, "nowhere.csv", "y")


def save(model: Model, folder: Path) -> str:
    path = folder / "m.boost"
    model.save(path)
    assert path.read_bytes() == bytes(model)
    return str(path)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (np.zeros((0, 3)), "no rows"),
        (np.zeros(5), "2 dimensions"),
        ({"a": [1.0, 2], "b": [1.0]}, "1 rows"),
        (object(), "object is no table"),
        ({"t": np.array([1, 2], "m8[Y]")}, "no fixed time"),
        ({"t": np.array([1, 2], "m8[ps]")}, "no fixed time"),
    ],
)
def test_refused_tables(table: Any, words: str) -> None:
    rows = 3 if not isinstance(table, dict) else 2
    with pytest.raises(TableError, match=words):
        train(PARAMS, table, np.arange(float(rows if not isinstance(table, np.ndarray) or len(table) else 0)))


@pytest.mark.filterwarnings("ignore")
def test_arrow_in_memory_and_in_a_file(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    texts = [f"level {i % 3} of a text" for i in range(120)]
    columns = {
        "views": pa.array(texts, pa.string_view()),
        "bytes": pa.array([text.encode() for text in texts]),
        "fixed": pa.array([text[:7].encode() for text in texts], pa.binary(7)),
        "clocks": pa.array([i % 5 * 1_500_000 for i in range(120)], pa.time64("us")),
        "seconds": pa.array([i % 7 * 60 for i in range(120)], pa.time32("s")),
        "y": pa.array([i % 3 + i % 5 + i % 7 + i / 100 for i in range(120)]),
    }
    table = pa.table(columns)
    file = tmp_path / "t.arrow"
    with pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    want = by_program(file, "y", tmp_path)
    assert bytes(train(PARAMS, table, "y")) == want
    assert bytes(train(PARAMS, pa.concat_tables([table.slice(0, 50), table.slice(50)]), "y")) == want


def test_masked_cells_are_missing() -> None:
    rng = np.random.default_rng(3)
    x, mask = rng.normal(size=(300, 2)), rng.random((300, 2)) < 0.3
    y = np.where(mask[:, 0], 2.0, x[:, 1])
    holes = np.where(mask, np.nan, x)
    want = train(PARAMS, holes, y)
    masked = np.ma.masked_array(x, mask)
    assert train(PARAMS, masked, y) == want
    assert np.array_equal(want.predict(masked), want.predict(holes))
    assert train(PARAMS, {"c1": masked[:, 0], "c2": masked[:, 1]}, y) == want
    estimator = boost_gbt.BoostRegressor(rounds=10).fit(masked, y)
    assert np.array_equal(estimator.predict(masked), estimator.fit(holes, y).predict(holes))
    whole, times = np.arange(300), np.arange(300).astype("M8[D]")
    days = {"n": np.where(mask[:, 0], np.nan, whole), "t": np.where(mask[:, 1], np.datetime64("NaT"), times)}
    hidden = {"n": np.ma.masked_array(whole, mask[:, 0]), "t": np.ma.masked_array(times, mask[:, 1])}
    assert train(PARAMS, hidden, y) == train(PARAMS, days, y)
    with pytest.raises(TableError, match="the cell has no value"):
        train(PARAMS, x, np.ma.masked_array(y, mask[:, 0]))


def test_lists_of_labels(tmp_path: Path) -> None:
    x = np.random.default_rng(4).normal(size=(200, 3))
    table = {"a": x[:, 0], "b": x[:, 1], "y": x[:, 0] + x[:, 2], "z": x[:, 1]}
    want = train(PARAMS, table, ("y", "z"))
    assert want.outputs == 2
    assert train(PARAMS, table, ["y", "z"]) == want
    assert want.eval(table, ["y", "z"]) == want.eval(table)
    file = tmp_path / "t.csv"
    file.write_text(
        "a,b,y,z\n" + "".join(f"{','.join(map(repr, row))}\n" for row in np.column_stack(list(table.values())).tolist())
    )
    assert bytes(train(PARAMS, file, ["y", "z"])) == by_program(file, "y,z", tmp_path)
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    alone = train(PARAMS, x, pd.Series(x[:, 0], name="z"))
    for frame in (pd.DataFrame, pl.DataFrame, pa.table):
        assert train(PARAMS, x, frame({"z": x[:, 0]})) == alone
    rows = {"yes": x[:, 0], "no": x[:, 1]}  # texts of rows, though they are names of columns too
    assert train(PARAMS, rows, ["yes", "no"] * 100).classes == ["no", "yes"]


@pytest.mark.filterwarnings("ignore:every row:UserWarning", "ignore:no tree:UserWarning")
def test_one_row_and_odd_values() -> None:
    x = np.array([[np.inf, np.nan, -np.inf, 0.0]])
    model = train(PARAMS, x, np.array([2.0]))
    assert model.predict(x) == [2.0]
    assert model.predict(np.full((3, 4), np.nan)).tolist() == [2.0] * 3
    assert model.predict(np.zeros((0, 4))).shape == (0,)


def test_another_folder(census: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths belong to the folder that Python is in, wherever the worker was started."""
    boost_gbt._worker.worker()
    (tmp_path / "t.csv").write_text("a,y\n" + "".join(f"{i},{i * i}\n" for i in range(50)))
    monkeypatch.chdir(tmp_path)
    model = train(PARAMS, "t.csv", "y")
    model.save("m.boost")
    assert Model.load("m.boost") == train({**PARAMS, "data.cache": "t.cache"}, ["t.csv"], "y")
    assert (tmp_path / "t.cache").exists()


class Exchanged:
    """A frame of a library that nobody here knows: it has the protocol for exchanging frames alone."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> Any:
        return self.frame.__dataframe__(nan_as_null, allow_copy)


@pytest.mark.filterwarnings("ignore")
def test_exchanged_frames(numbers: tuple[np.ndarray, np.ndarray]) -> None:
    pa, pd = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    x, y = numbers
    frame = pd.DataFrame(x, columns=list("abcdef")).assign(kind=np.where(x[:, 0] > 0, "up", "down"), y=y)
    table = pa.Table.from_pandas(frame)
    want = train(PARAMS, table, "y")
    assert train(PARAMS, Exchanged(table), "y") == want
    rows = table.drop_columns("y")
    assert np.array_equal(want.predict(Exchanged(rows)), want.predict(rows))
    with pytest.raises(TableError, match="kind"):
        want.predict(Exchanged(rows.drop_columns("kind")))


def test_frames_that_are_known_as_arrays_only(numbers: tuple[np.ndarray, np.ndarray]) -> None:
    """Such as those of dask: their columns have names."""
    x, y = numbers

    class Frame:
        def __init__(self, columns: list[str]) -> None:
            self.columns = columns

        def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
            return np.column_stack([x[:, "abcdef".index(name)] for name in self.columns])

    model = train(PARAMS, Frame(list("abcdef")), y)
    assert model == train(PARAMS, dict(zip("abcdef", x.T, strict=True)), y)
    assert np.array_equal(model.predict(Frame(list("fedcba"))), model.predict(x))


def test_unreadable_columns_matter_where_they_are_needed() -> None:
    x = np.arange(50.0)
    spans, lists = np.arange(50).astype("m8"), np.empty(50, object)
    lists[:] = [[1]] * 50
    deltas, complexes = np.arange(50).astype("m8[s]").astype(object), (x + 1j).astype(object)
    model = train(PARAMS, {"a": x, "y": x}, "y")
    for unread in (spans, deltas, lists, x + 1j, complexes):
        assert np.array_equal(model.predict({"a": x, "q": unread}), model.predict({"a": x}))
        assert train({**PARAMS, "ignore": ["q"]}, {"a": x, "q": unread, "y": x}, "y").features == ["a"]
        with pytest.warns(UserWarning, match=r'the columns \["q"\] are not used'):
            longer = train(PARAMS, {"a": x, "q": unread, "y": x}, "y", init_model=model)
        assert longer == train(PARAMS, {"a": x, "y": x}, "y", init_model=model)
        with pytest.raises((TableError, TypeError), match="column 'a'"):
            model.predict({"a": unread})
        with pytest.raises((TableError, TypeError), match="column 'a'"):
            train(PARAMS, {"a": unread, "y": x}, "y", init_model=model)
        with pytest.raises((TableError, TypeError), match="column 'y'"):
            train(PARAMS, {"a": x, "y": unread}, "y", init_model=model)


def test_integers_that_are_no_float64() -> None:
    """An integer beyond all floats is a level, like others that float64 cannot hold."""
    x = np.arange(60) % 3
    large, small = np.array([10**400, 1, 7], object)[x], np.array(["a", "b", "c"])[x]
    got = train({**PARAMS, "categorical": ["t"]}, {"t": large}, x * 1.0).predict({"t": large})
    assert np.array_equal(got, train({**PARAMS, "categorical": ["t"]}, {"t": small}, x * 1.0).predict({"t": small}))


def test_numbers_for_written_ones(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("share,y\n" + "".join(f"{i % 90} %,{i % 90}\n" for i in range(400)))
    model = train({**PARAMS, "parse": "auto"}, path, "y")
    assert model.predict({"share": ["12 %"]})[0] == model.predict({"share": ["12.0 %"]})[0]
    assert np.isfinite(model.predict({"share": [float("nan")]})[0])
    with pytest.raises(TableError, match="holds plain numbers"):
        model.predict({"share": [0.12]})


def test_a_row_does_not_depend_on_others() -> None:
    for first, second in ((True, False), (2**60, 2**60 + 1), (1.5, 2)):
        cells = np.array([first, second, "maybe"] * 100, object)
        model = train({**PARAMS, "min_data_in_leaf": 5}, {"c": cells}, np.array([5.5, -5.5, 0.25] * 100))
        beside = model.predict({"c": np.array([first, second, "maybe"], object)})
        assert len(set(beside)) == 3
        for cell, value in zip((first, second, "maybe"), beside, strict=True):
            assert model.predict({"c": np.array([cell], object)})[0] == value
        if first is True:
            booleans = {"c": np.array([True, False] * 50)}
            assert model.predict(booleans)[:2].tolist() == beside[:2].tolist()
            y = np.array([5.0, -5.0] * 50)
            watched = train(PARAMS, {"c": cells}, np.array([5.5, -5.5, 0.25] * 100), valid=(booleans, y))
            error = watched.predict(booleans) - y
            assert watched.report["metrics"]["valid"]["rmse"] == pytest.approx(np.sqrt(np.mean(error**2)), rel=1e-9)
            longer = train(PARAMS, booleans, y, init_model=model)
            assert longer == train(PARAMS, {"c": booleans["c"].astype(str)}, y, init_model=model)


@pytest.mark.parametrize("with_pandas", [True, False])
def test_equal_values_of_other_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_pandas: bool) -> None:
    """True, 1 and decimals are equal in Python, and each is the text that a file of the frame has."""
    pd = pytest.importorskip("pandas")
    if not with_pandas:
        monkeypatch.delitem(sys.modules, "pandas")
    cells = np.empty(9, object)
    cells[:] = ["a", 1, True, Decimal("1.0"), np.bool_(False), 0, Decimal("0.00"), np.float32(0.1), np.int8(7)]
    texts = ["a", "1", "True", "1.0", "False", "0", "0.00", "0.1", "7"]
    y, params = np.arange(9) * 10.0, {**PARAMS, "objective": "regression", "rounds": 60, "min_data_in_leaf": 1}
    frame = pd.DataFrame({"c": np.tile(cells, 50), "y": np.tile(y, 50)})
    frame.to_csv(tmp_path / "t.csv", index=False)
    model = train({**params, "categorical": ["c"]}, tmp_path / "t.csv", "y")
    want = model.predict({"c": texts})
    assert np.abs(want - y).max() < 2
    both = [model, train(params, {"c": frame["c"].to_numpy()}, frame["y"].to_numpy())]
    for one in both:
        for order in (np.arange(9), np.arange(9)[::-1]):
            assert np.array_equal(one.predict({"c": cells[order]}), want[order])
        for k in range(9):
            assert one.predict({"c": cells[k : k + 1]}) == want[k]
    zeros = np.array([-0.0, "a", 0.0, 1.0], object)  # whole numbers without a point, as in a column of numbers
    assert np.array_equal(both[1].predict({"c": zeros}), want[[5, 0, 5, 1]])
    assert np.array_equal(both[1].predict({"c": np.array([-0.0, 0.0, 1.0])}), want[[5, 5, 1]])


def test_parts_of_a_table_for_ranks(tmp_path: Path) -> None:
    """A part that lacks a column would train its rows without; one of other types is brought to the others'."""
    pa = pytest.importorskip("pyarrow")
    from boost_gbt import _ranks

    whole, part = pa.table({"x": [1, 2], "y": [0.5, 1.5]}), pa.table({"y": [2.5]})
    for tables in ([whole, part], [part, whole]):
        with pytest.raises(TableError, match="lacks columns that another has: 'x'"):
            _ranks.write_tables(tables, str(tmp_path / "t.arrow"))
    assert _ranks.write_tables([whole, pa.table({"y": [1], "x": [3.5]})], str(tmp_path / "t.arrow")) == 3


def test_texts_that_are_not_unicode() -> None:
    """They would become one level: JSON has no halves of characters."""
    texts = np.array(["\udc80", "\udc81"] * 50, object)
    y = np.array([0.0, 1.0] * 50)
    with pytest.raises(TableError, match=r"column 'a' has '\\udc80', which is no Unicode text"):
        train(PARAMS, {"a": texts, "b": y}, y)
    with pytest.raises(TableError, match="name of column"):
        train(PARAMS, {"\udc80": y}, y)
    with pytest.raises(TableError, match="no text in UTF-8"):
        train(PARAMS, {"a": np.array([b"\xff", b"a"] * 50), "b": y}, y)
    assert train({**PARAMS, "ignore": ["a"]}, {"a": texts, "b": y}, y).features == ["b"]


def test_whole_numbers_beyond_float64(tmp_path: Path) -> None:
    """They are rounded as those of a file, which is said."""
    pd, pl, pa, sp = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow", "scipy.sparse"))
    y = np.arange(90.0)
    for last, kind in ((2**60 + 1, "Int64"), (2**63 + 1, "UInt64"), (2**60 + 1, "int64[pyarrow]")):
        frame = pd.DataFrame({"a": pd.array([None, 5, last] * 30, dtype=kind), "y": y})
        frame.to_parquet(tmp_path / "t.parquet")
        want = train(PARAMS, tmp_path / "t.parquet", "y")
        for table in (frame, pl.from_pandas(frame), pa.table(frame)):
            with pytest.warns(UserWarning, match=f"beyond 2⁵³ in column 'a', such as {last}, are rounded"):
                assert train(PARAMS, table, "y") == want
            with pytest.warns(UserWarning, match="column 'a'"):
                assert np.array_equal(want.predict(table), want.predict(tmp_path / "t.parquet"))
        fits = pd.array([None, 5, last - 1] * 30, dtype=kind)
        assert train(PARAMS, pd.DataFrame({"a": fits, "y": y}), "y") == want
    whole = np.array([[3, 5], [3, 2**60 + 1]] * 45)
    want = train(PARAMS, whole.astype(float), y)
    for table in (whole, sp.csr_matrix(whole), sp.csc_matrix(whole)):
        with pytest.warns(UserWarning, match="column 'c2'"):
            assert train(PARAMS, table, y) == want
        with pytest.warns(UserWarning, match="column 'c2'"):
            assert np.array_equal(want.predict(table), want.predict(whole.astype(float)))


@pytest.mark.filterwarnings("ignore:whole numbers")
def test_whole_numbers_that_are_not_rounded() -> None:
    """Names are not told apart once they are rounded."""
    pd = pytest.importorskip("pandas")
    y = np.arange(60.0)
    for last, kind in ((2**60 + 1, "int64"), (2**60 + 1, "Int64"), (2**63 + 1, "UInt64")):
        table = pd.DataFrame({"a": pd.array([4, 5, last] * 20, dtype=kind), "b": y})
        for params in ({"categorical": ["a"]}, {"categorical": [0]}, {"data.group": "a"}):
            with pytest.raises(TableError, match="cannot hold exactly"):
                train({**PARAMS, **params}, table, y)
        for roles in ({"group": "a"}, {"weight": "a"}, {"group": table["a"]}):
            with pytest.raises(TableError, match="cannot hold exactly"):
                train(PARAMS, table, y, **roles)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert train({**PARAMS, "ignore": ["a"]}, table, y) == train(PARAMS, table[["b"]], y)
        assert train({**PARAMS, "data.id": ["a"]}, table, y).features == ["b"]
        assert boost_gbt.cv({**PARAMS, "ignore": ["a"]}, table, y, folds=2).models[0].features == ["b"]


def test_what_a_sparse_matrix_cannot_be() -> None:
    sp = pytest.importorskip("scipy.sparse")
    x = np.repeat(np.eye(2), 30, axis=0)
    model = train(PARAMS, sp.csr_matrix(x), np.arange(60.0))
    with pytest.raises(TableError, match="complex128"):
        model.predict(sp.csr_matrix(x + 1j))
    with pytest.raises(TableError, match="2 dimensions"):
        model.predict(sp.coo_array(x[:, 0]))
    assert model.predict(sp.csr_matrix((0, 2))).shape == (0,)
    with pytest.raises(TableError, match="the table has no rows"):
        train(PARAMS, sp.csr_matrix((0, 2)), np.zeros(0))


def test_what_is_a_column_and_no_table() -> None:
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    y = np.arange(60.0)
    for column in (pd.Series(y), pl.Series(y), pa.array(y), pa.chunked_array([y])):
        with pytest.raises(TableError, match=r"is a column and no table|2 dimensions"):
            train(PARAMS, column, y)
    with pytest.raises(TableError, match="named fields"):
        train(PARAMS, np.zeros(60, [("a", "f8"), ("b", "f8")]), y)


def test_what_is_a_row_and_no_table() -> None:
    pd = pytest.importorskip("pandas")
    x = np.arange(60.0)
    frame = pd.DataFrame({"a": x, "b": x % 7})
    model = train(PARAMS, frame, x)
    want = model.predict(frame)[7]
    with pytest.raises(TableError, match=r"to_frame\(\)\.T if it is a row"):
        model.predict(frame.iloc[7])
    assert model.predict(frame.iloc[7].to_frame().T) == want
    with pytest.raises(TableError, match=r"reshape\(1, -1\) a row"):
        model.predict(frame.to_numpy()[7])
    assert model.predict(frame.to_numpy()[7].reshape(1, -1)) == want
    with pytest.raises(TableError, match="column 'a' is one value: give a list of them"):
        model.predict({"a": 7.0, "b": 0.0})
    assert model.predict({"a": [7.0], "b": [0.0]}) == want


def test_what_looks_like_a_table() -> None:
    pd, pl = (pytest.importorskip(name) for name in ("pandas", "polars"))
    frame = pd.DataFrame({"a": np.arange(60.0), "b": np.arange(60.0) % 7})
    label = frame["b"].rename("label")
    model = train(PARAMS, frame, label)
    fitted = boost_gbt.BoostRegressor(rounds=2).fit(frame, label)
    uses: list[Any] = [
        lambda table: train(PARAMS, table, label),
        lambda table: boost_gbt.BoostRegressor(rounds=2).fit(table, label),
        model.predict,
        fitted.predict,
    ]
    for table, words in (
        (pl.from_pandas(frame).lazy(), r"a LazyFrame is a query and no table yet: collect\(\) makes a table of it"),
        (frame.to_dict("records"), r"a list of dicts is no table: pandas\.DataFrame\(rows\) or"),
    ):
        for use in uses:
            with pytest.raises(TableError, match=words):
                use(table)


def test_names_on_one_side_only() -> None:
    """The model or the table has columns without names: the error says which."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": np.arange(60.0), "c": np.arange(60.0) % 7})
    x, y = frame.to_numpy(), frame["c"].to_numpy()
    unnamed, named = train(PARAMS, x, y), train(PARAMS, frame, y)
    for use in (lambda: train(PARAMS, frame, y, init_model=unnamed), lambda: unnamed.predict(frame)):
        with pytest.raises(TableError, match=r'trained on columns without names.* and this table has names: "a", "c"'):
            use()
    with pytest.raises(TableError, match=r'the table has columns without names.* columns with names: "a", "c"$'):
        train(PARAMS, x, y, init_model=named)


def test_types_of_frames_that_arrow_has_not() -> None:
    pl, pa = (pytest.importorskip(name) for name in ("polars", "pyarrow"))
    y = np.arange(60.0) % 7
    want = train(PARAMS, {"a": y, "b": y > 3}, y)
    assert train(PARAMS, pl.DataFrame({"a": pl.Series(y.tolist()).cast(pl.Int128), "b": y > 3}), y) == want
    words = np.array([1, "x", None] * 20, object)
    objects = pl.DataFrame({"a": pl.Series(words, dtype=pl.Object), "b": y})
    assert train(PARAMS, objects, y) == train(PARAMS, {"a": words, "b": y}, y)
    if hasattr(pa, "decimal32"):
        wide = train(PARAMS, pa.table({"a": pa.array(y).cast(pa.decimal128(5, 2)), "b": y}), y)
        for kind in (pa.decimal32(5, 2), pa.decimal64(5, 2)):
            narrow = pa.array(y).cast(pa.decimal128(5, 2)).cast(kind)
            assert train(PARAMS, pa.table({"a": narrow, "b": y}), y) == wide


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_spans_are_seconds(unit: str, tmp_path: Path) -> None:
    pd, pl, pa, pq = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow", "pyarrow.parquet"))
    counts = np.arange(400) * 37 % 500 - 120
    spans = counts.astype(f"m8[{unit}]")
    seconds = counts / {"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9}[unit]
    y = seconds**2
    want = train(PARAMS, {"a": seconds}, y)
    arrow = pa.table({"a": pa.array(spans)})
    pq.write_table(arrow, tmp_path / "a.parquet")
    for table in (
        {"a": spans},
        pd.DataFrame({"a": spans}),
        pd.DataFrame({"a": pd.Series(arrow["a"], dtype=pd.ArrowDtype(pa.duration(unit)))}),
        arrow,
        pl.from_arrow(arrow),
        tmp_path / "a.parquet",
    ):
        assert np.array_equal(want.predict(table), want.predict({"a": seconds}))
    assert train(PARAMS, {"a": spans}, y) == want
    spans[3] = "NaT"
    seconds[3] = np.nan
    assert np.array_equal(want.predict({"a": spans}), want.predict({"a": seconds}))


def test_dates_that_are_all_missing(tmp_path: Path) -> None:
    """Without a cell nothing says in a file that a column has dates."""
    pd, pa = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    y = np.arange(60.0) % 7
    frame = pd.DataFrame({"day": pd.Series([pd.NaT] * 60, dtype="M8[us]"), "x": y, "y": y})
    frame.to_csv(tmp_path / "t.csv", index=False)
    want = by_program(tmp_path / "t.csv", "y", tmp_path)
    assert bytes(train(PARAMS, frame, "y")) == want
    assert bytes(train(PARAMS, pa.Table.from_pandas(frame), "y")) == want


MIXED = ["abc", "x", True, 1, 1.5, 0.1, 1e16, 1.5e16, 1e20, 1e22, 1e-5, 1e-7, 2.0**53, 0.5]


@pytest.fixture(scope="module")
def of_mixed() -> Model:
    """A model of texts, a boolean and numbers in one column: the label is the number of the level, from 1 on."""
    cells = np.empty(len(MIXED), object)
    cells[:] = MIXED
    label = np.arange(1.0, len(MIXED) + 1)
    params = {**PARAMS, "rounds": 60, "learning_rate": 0.5, "min_data_in_leaf": 1, "objective": "regression"}
    return train({**params, "effort": "quick"}, {"c": np.tile(cells, 40)}, np.tile(label, 40))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_numbers_are_the_levels_that_they_are_among_texts(of_mixed: Model, dtype: Any, tmp_path: Path) -> None:
    """A float has one text in columns of any kind, that of a file of pandas. Whole numbers have no point."""
    pd, pa, pl = (pytest.importorskip(name) for name in ("pandas", "pyarrow", "polars"))
    plain = [0.1, 1e16, 1.5e16, 1e20, 1e22, 1e-5, 1e-7, 0.5, 1.5]
    want = [MIXED.index(value) + 1.0 for value in plain]
    array = np.array(plain, dtype)
    objects = np.empty(len(plain), object)
    objects[:] = list(array)
    pd.DataFrame({"c": array}).to_csv(tmp_path / "numbers.csv", index=False)
    pd.DataFrame({"c": [*objects, "abc"]}).to_csv(tmp_path / "mixed.csv", index=False)
    nullable = pd.array(array, dtype="Float64" if dtype is np.float64 else "Float32")
    tables = {
        "numbers": array[:, None],
        "dict": {"c": array},
        "objects": {"c": objects},
        "frame": pd.DataFrame({"c": array}),
        "frame of objects": pd.DataFrame({"c": objects}),
        "nullable": pd.DataFrame({"c": nullable}),
        "arrow in pandas": pd.DataFrame(
            {"c": pd.Series(pa.array(array), dtype=pd.ArrowDtype(pa.from_numpy_dtype(dtype)))}
        ),
        "categories": pd.DataFrame({"c": pd.Categorical(array)}),
        "arrow": pa.table({"c": array}),
        "arrow by codes": pa.table({"c": pa.array(array).dictionary_encode()}),
        "polars": pl.DataFrame({"c": array}),
        "file": tmp_path / "numbers.csv",
    }
    for name, table in tables.items():
        assert of_mixed.predict(table).round().tolist() == want, name
    assert of_mixed.predict(tmp_path / "mixed.csv").round().tolist() == [*want, 1.0]
    missing = of_mixed.predict({"c": [None, "abc"]})[0]
    gaps = [*array, None]
    for table in (
        pd.DataFrame({"c": pd.array(gaps, dtype=nullable.dtype)}),
        pa.table({"c": pa.array(gaps, pa.from_numpy_dtype(dtype))}),
    ):
        found = of_mixed.predict(table)
        assert found[:-1].round().tolist() == want
        assert found[-1] == missing
    whole = np.array([1.0, 2.0**53], np.float64)
    for table in (whole[:, None], {"c": whole.astype(object)}, pa.table({"c": whole}), pa.table({"c": [1, 2**53]})):
        assert of_mixed.predict(table).round().tolist() == [4.0, MIXED.index(2.0**53) + 1.0]


def test_decimals_among_texts_have_their_digits(tmp_path: Path) -> None:
    pd, pa = (pytest.importorskip(name) for name in ("pandas", "pyarrow"))
    cells = np.array(["abc", Decimal("1.50"), Decimal("0.0000001"), Decimal("2.00")], object)
    params = {"effort": "quick", "rounds": 60, "learning_rate": 0.5, "min_data_in_leaf": 1, "objective": "regression"}
    model = train(params, {"c": np.tile(cells, 40)}, np.tile([1.0, 2, 3, 4], 40))
    for scale, rows in ((2, [1, 3]), (7, [2])):
        column = pa.array(cells[rows].tolist(), pa.decimal128(20, scale))
        pd.DataFrame({"c": cells[rows]}).to_csv(tmp_path / "t.csv", index=False)
        of_pandas = pd.DataFrame({"c": pd.Series(column, dtype=pd.ArrowDtype(column.type))})
        for table in ({"c": cells[rows]}, pa.table({"c": column}), of_pandas, tmp_path / "t.csv"):
            assert model.predict(table).round().tolist() == [row + 1.0 for row in rows]


def test_booleans_are_the_levels_that_they_are_among_texts(of_mixed: Model, tmp_path: Path) -> None:
    pd, pa, pl = (pytest.importorskip(name) for name in ("pandas", "pyarrow", "polars"))
    pd.DataFrame({"c": [True, None, True]}).to_csv(tmp_path / "t.csv", index=False)
    cells = [True, None, True]
    want = of_mixed.predict(tmp_path / "t.csv")
    assert want[0].round() == want[2].round() == MIXED.index(True) + 1
    for table in (
        {"c": cells},
        pd.DataFrame({"c": cells}),
        pd.DataFrame({"c": pd.array(cells, dtype="boolean")}),
        pd.DataFrame({"c": pd.Series(cells, dtype="bool[pyarrow]")}),
        pd.DataFrame({"c": pd.Categorical(cells)}),
        pa.table({"c": cells}),
        pa.table({"c": pa.array(cells).dictionary_encode()}),
        pl.DataFrame({"c": cells}),
    ):
        assert np.array_equal(of_mixed.predict(table), want)


def test_validation_sets_have_the_levels_of_training(tmp_path: Path) -> None:
    """What a label is predicted by exactly has no error on a validation set either."""
    pd, pa = (pytest.importorskip(name) for name in ("pandas", "pyarrow"))
    texts, label = np.tile(["True", "False", "x"], 40), np.tile([1.0, 2, 5], 40)
    frame = pd.DataFrame({"c": texts, "y": label})
    frame.to_csv(tmp_path / "t.csv", index=False)
    held_out = pd.DataFrame({"c": [True, False] * 10, "y": [1.0, 2.0] * 10})
    params = {"effort": "quick", "rounds": 60, "learning_rate": 0.5, "early_stopping": 0, "objective": "regression"}
    for table in (
        frame,
        frame.astype({"c": "category"}),
        pd.DataFrame({"c": np.tile(np.array([True, False, "x"], object), 40), "y": label}),
        pa.table({"c": texts, "y": label}),
        pa.table({"c": pa.array(texts).dictionary_encode(), "y": label}),
    ):
        for valid in (held_out, pa.Table.from_pandas(held_out)):
            assert train(params, table, "y", valid=valid).report["metrics"]["valid"]["rmse"] < 0.01
    for valid in (held_out, held_out.astype({"c": object}), pa.Table.from_pandas(held_out)):
        with pytest.raises(TableError, match=r"a validation set has booleans in column 'c'.* texts there"):
            train(params, tmp_path / "t.csv", "y", valid=valid)
    assert train(params, tmp_path / "t.csv", "y", valid=frame).report["metrics"]["valid"]["rmse"] < 0.01


@pytest.mark.parametrize(
    "values",
    [
        [3, 1, 2],
        [1.5, 0.1, 1e16],
        np.array([1.5, 0.1, 1e16], np.float32),
        [True, False],
        np.array(["2020-01-01", "2021-05-01"], "M8[s]"),
    ],
)
def test_codes_of_numbers_are_the_numbers(values: Any) -> None:
    """Whether a frame has categories or Arrow has codes, a model predicts the same for all that holds the values."""
    pd, pa = (pytest.importorskip(name) for name in ("pandas", "pyarrow"))
    array = np.asarray(values)
    makers = {
        "frame": lambda cells: pd.DataFrame({"c": cells}),
        "categories": lambda cells: pd.DataFrame({"c": pd.Categorical(cells)}),
        "arrow": lambda cells: pa.table({"c": cells}),
        "codes": lambda cells: pa.table({"c": pa.array(cells).dictionary_encode()}),
        "of categories": lambda cells: pa.Table.from_pandas(pd.DataFrame({"c": pd.Categorical(cells)})),
        "codes in pandas": lambda cells: pd.DataFrame(
            {
                "c": pd.Series(
                    pa.array(cells).dictionary_encode(), dtype=pd.ArrowDtype(pa.array(cells).dictionary_encode().type)
                )
            }
        ),
    }
    label = np.arange(len(array)) * 10.0
    params = {"effort": "quick", "rounds": 60, "learning_rate": 0.5, "min_data_in_leaf": 1, "objective": "regression"}
    for one, make in makers.items():
        model = train(params, make(np.tile(array, 40)), np.tile(label, 40))
        for other, same in makers.items():
            assert np.abs(model.predict(same(array)) - label).max() < 0.1, (one, other)


def test_rows_of_another_order(recwarn: pytest.WarningsRecorder) -> None:
    """As in scikit-learn, rows are told by place. That an index says otherwise is a warning."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=100)})
    label = frame["a"].rename("y")
    mixed = label.sample(frac=1, random_state=1)
    whole = train(PARAMS, frame, label)
    assert not recwarn.list
    with pytest.warns(UserWarning, match="index of label has the rows of the table in another order"):
        by_place = train(PARAMS, frame, mixed)
    assert np.array_equal(by_place.predict(frame), train(PARAMS, frame, mixed.to_numpy()).predict(frame))
    assert train(PARAMS, frame, mixed.reindex(frame.index)) == whole
    with pytest.warns(UserWarning, match="index of weight"):
        train(PARAMS, frame, label, weight=mixed.abs())
    with pytest.warns(UserWarning, match="index of folds"):
        boost_gbt.cv(PARAMS, frame, label, folds=pd.Series(np.arange(100) % 3, index=mixed.index))
    estimator = boost_gbt.BoostRegressor(rounds=5)
    with pytest.warns(UserWarning, match="index of y"):
        estimator.fit(frame, mixed)
    with pytest.warns(UserWarning, match="index of sample_weight"):
        estimator.fit(frame, label, sample_weight=mixed.abs())
    with pytest.warns(UserWarning, match="the labels of eval_set"):
        estimator.fit(frame, label, eval_set=(frame, mixed))
    recwarn.clear()
    estimator.fit(frame.set_axis([0] * 100), mixed)  # equal or other names of rows say nothing
    estimator.fit(frame, label.set_axis(range(100, 200)))
    train(PARAMS, frame.set_axis(range(7, 107)), mixed.reset_index(drop=True))
    assert not recwarn.list


@pytest.mark.parametrize("setting", ["effort=default", "effort=quick", "preset=catboost"])
def test_going_on_is_that_of_the_program(tmp_path: Path, setting: str) -> None:
    """What an effort or a preset chooses for a table is chosen where training goes on from a model, too."""
    rng = np.random.default_rng(0)
    x, level = rng.normal(size=3000), rng.integers(0, 150, 3000)
    file = tmp_path / "t.csv"
    lines = [f"{v:.4f},k{k},{v + k % 7:.4f}" for v, k in zip(x, level, strict=False)]
    file.write_text("\n".join(["x,level,y", *lines]))
    by_program(file, "y", tmp_path)
    base = (tmp_path / "program.boost").rename(tmp_path / "base.boost")
    want = by_program(file, "y", tmp_path, "--init-model", str(base), "--set", "train." + setting)
    key, _, value = setting.partition("=")
    assert bytes(train({**PARAMS, key: value}, file, "y", init_model=base)) == want


@pytest.mark.parametrize("kind", ["M8[ns]", "M8[s]", "M8[D]", "m8[us]", "m8[h]"])
def test_times_of_another_byte_order(kind: str) -> None:
    """They are the seconds that they stand for: a day has 86,400, an hour 3,600."""
    rng = np.random.default_rng(0)
    days = rng.integers(-5000, 5000, 300)
    spans = days.astype("m8[D]") if kind[0] == "m" else days.astype("M8[D]")
    table = {"a": spans.astype(kind).astype(f">{kind}")}
    seconds = {"a": days * 86_400.0}
    model = train(PARAMS, table, days / 100)
    assert model.inspect(trees=True)["dump"] == train(PARAMS, seconds, days / 100).inspect(trees=True)["dump"]
    assert np.array_equal(model.predict(table), model.predict(seconds))
