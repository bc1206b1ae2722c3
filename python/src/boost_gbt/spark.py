"""Training and prediction on Spark: an estimator of ``pyspark.ml`` and its model.

    estimator = BoostEstimator(labelCol="income", numWorkers=4, orderCols=["id"], settings={"rounds": 500})
    model = estimator.fit(train)
    model.transform(test)

Training is one barrier stage with a task for each rank. A task writes its partition to a file and starts the program on
it, and the programs speak with each other (docs/distributed.md). The model is, byte for byte, that of one process that
reads the partitions in their order.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _ranks
from ._settings import one_name
from .errors import BY_EXIT_CODE, BoostError, ParameterError, TableError
from .model import Model

try:
    import pandas as pd
    import pyarrow as pa
    import pyspark
    from pyspark import BarrierTaskContext, TaskContext
    from pyspark.ml import Estimator
    from pyspark.ml import Model as SparkModel
    from pyspark.ml.functions import array_to_vector, vector_to_array
    from pyspark.ml.linalg import VectorUDT
    from pyspark.ml.param import Param, Params, TypeConverters
    from pyspark.ml.param.shared import (
        HasLabelCol,
        HasPredictionCol,
        HasProbabilityCol,
        HasRawPredictionCol,
        HasWeightCol,
    )
    from pyspark.ml.util import (
        DefaultParamsReadable,
        DefaultParamsReader,
        DefaultParamsWritable,
        DefaultParamsWriter,
        MLReadable,
        MLReader,
        MLWritable,
        MLWriter,
    )
    from pyspark.sql import DataFrame
    from pyspark.sql import functions as F
    from pyspark.sql import types as T
except ImportError as error:
    raise ImportError("boost_gbt.spark needs Spark: pip install 'pyspark>=3.5' pandas pyarrow") from error

FOLD = re.compile(r"(CrossValidator|TrainValidationSplit)_[0-9a-f]+_rand")  # columns that these add to what they fit
SAID = "model binary, said string"  # what the training stage returns: one row, of rank 0
PLAIN = {
    T.BooleanType: pa.bool_(),
    T.ByteType: pa.int8(),
    T.ShortType: pa.int16(),
    T.IntegerType: pa.int32(),
    T.LongType: pa.int64(),
    T.FloatType: pa.float32(),
    T.DoubleType: pa.float64(),
    T.StringType: pa.string(),
    T.DateType: pa.date32(),
    T.TimestampType: pa.timestamp("us", "UTC"),
    T.TimestampNTZType: pa.timestamp("us"),
}


class _Column(NamedTuple):
    """A column on its way to the program."""

    name: str
    type: Any  # of Arrow; of a vector that of its values
    size: int  # of a vector, which becomes so many columns; 0 for all else

    def names(self) -> list[str]:
        return [f"{self.name}_{i}" for i in range(self.size)] if self.size else [self.name]

    def spread(self, values: Any) -> list[Any]:
        """Return the columns of Arrow that a column of Spark becomes."""
        if not self.size:
            return [values.cast(self.type)]
        lengths = set(values.value_lengths().to_pylist())
        if lengths - {self.size}:
            wrong = (lengths - {self.size}).pop()
            raise TableError(
                f"column {self.name!r} has a row "
                + (f"with {wrong} values" if wrong is not None else "without a vector")
                + f", and others have {self.size}: all vectors of a column have the same length"
            )
        matrix = values.flatten().to_numpy(zero_copy_only=False).reshape(-1, self.size)
        return [pa.array(np.ascontiguousarray(matrix[:, i])) for i in range(self.size)]


def _quoted(name: str) -> Any:
    return F.col("`" + name.replace("`", "``") + "`")


def _is_vector(kind: T.DataType) -> bool:
    return isinstance(kind, VectorUDT) or (
        isinstance(kind, T.ArrayType) and isinstance(kind.elementType, T.NumericType)
    )


def _numbers(frame: DataFrame, name: str) -> Any:
    """Return a column of vectors as arrays of numbers."""
    vector = isinstance(frame.schema[name].dataType, VectorUDT)
    return vector_to_array(_quoted(name)) if vector else _quoted(name).cast("array<double>")


def _described(frame: DataFrame, names: Sequence[str], sizes: Mapping[str, int]) -> list[_Column]:
    """Return how columns go to the program; ``sizes`` are those of vectors."""
    found = []
    for name in names:
        if name not in frame.columns:
            raise TableError(f"there is no column {name!r}; there are {', '.join(frame.columns)}")
        kind = frame.schema[name].dataType
        if _is_vector(kind):
            found.append(_Column(name, pa.float64(), sizes[name]))
        elif isinstance(kind, T.DecimalType):
            found.append(_Column(name, pa.decimal128(kind.precision, kind.scale), 0))
        elif type(kind) in PLAIN:
            found.append(_Column(name, PLAIN[type(kind)], 0))
        else:
            raise TableError(
                f"column {name!r} is of type {kind.simpleString()}, which is no number, text, date or vector of "
                "numbers: convert it, or leave it out with ignoreCols"
            )
    every = [name for column in found for name in column.names()]
    for name in every:
        if every.count(name) > 1:
            raise TableError(f"there are two columns {name!r}: give one of them another name")
    return found


def _sizes(frame: DataFrame, names: Sequence[str]) -> dict[str, int]:
    """Return the lengths of the vectors in the first row."""
    vectors = [name for name in names if name in frame.columns and _is_vector(frame.schema[name].dataType)]
    if not vectors:
        return {}
    first = frame.select(*(F.size(_numbers(frame, name)) for name in vectors)).first()
    sizes = dict(zip(vectors, first or (), strict=False))
    for name, size in sizes.items():
        if size is None or size < 1:
            raise TableError(
                f"column {name!r} has no values in the first row: all vectors of a column have the same length"
            )
    return sizes


class _HasColumns(HasLabelCol, HasPredictionCol, HasProbabilityCol, HasRawPredictionCol):
    """The parameters that an estimator shares with its model."""

    featuresCols = Param(
        Params._dummy(),
        "featuresCols",
        "columns to learn from; without any, all that have no other use",
        TypeConverters.toListString,
    )

    def getFeaturesCols(self) -> list[str]:
        return list(self.getOrDefault(self.featuresCols))


class BoostEstimator(Estimator, _HasColumns, HasWeightCol, DefaultParamsReadable, DefaultParamsWritable):
    """Trains on the rows of a DataFrame, as ``boost train`` does on a file.

    Parameters
    ----------
    featuresCols : list of str
        Columns to learn from: numbers, texts, dates, and vectors or arrays of numbers of one length, which become
        columns ``NAME_0``, ``NAME_1``, …. Without it all columns that have no other use.
    labelCol, weightCol : str
        The column to predict, and that of the weights of the rows.
    predictionCol, probabilityCol, rawPredictionCol : str
        What ``transform`` adds; "" leaves one out. The last two are for classes, and have vectors.
    numWorkers : int
        Ranks: tasks that run at the same time, each with a part of the rows.
    settings : dict
        Settings by the names of docs/config.md, as ``boost_gbt.train`` takes them. ``train.threads`` is
        ``spark.task.cpus`` unless it is among them.
    orderCols : list of str
        Rows are trained on in the order of these columns, and then of all others. The same rows give the same model,
        however they are spread. These columns are no features unless ``featuresCols`` names them. Without them the
        order is that in which Spark brings the rows, which may differ from run to run, and the model with it.
    ignoreCols : list of str
        Columns that are no features.
    repartition : bool
        Without it the partitions are taken as they are. Then there must be ``numWorkers`` of them.

    Raises
    ------
    ParameterError, TableError, ModelError, BudgetError, BoostError
        By ``fit``, with the words of the program and the number of its rank. Where an executor is lost, Spark's
        exception says so.
    """

    numWorkers = Param(Params._dummy(), "numWorkers", "tasks that train together", TypeConverters.toInt)
    settings = Param(
        Params._dummy(),
        "settings",
        "settings of boost by name",
        lambda value: json.loads(json.dumps(dict(value), default=lambda number: number.tolist())),
    )
    orderCols = Param(Params._dummy(), "orderCols", "columns by which rows are sorted", TypeConverters.toListString)
    ignoreCols = Param(Params._dummy(), "ignoreCols", "columns that are no features", TypeConverters.toListString)
    repartition = Param(
        Params._dummy(), "repartition", "spread the rows over numWorkers partitions", TypeConverters.toBoolean
    )

    def __init__(
        self,
        *,
        featuresCols: Sequence[str] = (),
        labelCol: str = "label",
        weightCol: str | None = None,
        predictionCol: str = "prediction",
        probabilityCol: str = "probability",
        rawPredictionCol: str = "rawPrediction",
        numWorkers: int = 1,
        settings: Mapping[str, Any] | None = None,
        orderCols: Sequence[str] = (),
        ignoreCols: Sequence[str] = (),
        repartition: bool = True,
    ) -> None:
        super().__init__()
        self._setDefault(featuresCols=[], numWorkers=1, settings={}, orderCols=[], ignoreCols=[], repartition=True)
        given = {
            "featuresCols": list(featuresCols),
            "labelCol": labelCol,
            "weightCol": weightCol,
            "predictionCol": predictionCol,
            "probabilityCol": probabilityCol,
            "rawPredictionCol": rawPredictionCol,
            "numWorkers": numWorkers,
            "settings": settings,
            "orderCols": list(orderCols),
            "ignoreCols": list(ignoreCols),
            "repartition": repartition,
        }
        self._set(**{name: value for name, value in given.items() if value is not None})

    def setParams(self, **params: Any) -> BoostEstimator:
        """Set parameters by name."""
        self._set(**params)
        return self

    def _fit(self, dataset: DataFrame) -> BoostModel:
        roles = {"data.label": self.getLabelCol()}
        if self.isDefined(self.weightCol) and self.getWeightCol():
            roles["data.weight"] = self.getWeightCol()
        self._check(dataset)
        order, ranks = self.getOrDefault(self.orderCols), self.getOrDefault(self.numWorkers)
        unused = {*roles.values(), *order, *self.getOrDefault(self.ignoreCols)}
        features = self.getFeaturesCols() or [
            name for name in dataset.columns if name not in unused and not FOLD.fullmatch(name)
        ]
        sizes = _sizes(dataset, features)
        columns = _described(dataset, [*features, *roles.values()], sizes)
        frame = dataset.select(
            *(_numbers(dataset, c.name).alias(c.name) if c.size else _quoted(c.name) for c in columns),
            *(_quoted(name) for name in order if name not in (c.name for c in columns)),
        )
        if order:
            if not self.getOrDefault(self.repartition):
                raise ParameterError("orderCols takes repartition=True: rows of all partitions are sorted")
            by = [_quoted(name) for name in [*order, *(c.name for c in columns if c.name not in order)]]
            frame = frame.repartitionByRange(ranks, *by).sortWithinPartitions(*by)
        elif self.getOrDefault(self.repartition):
            frame = frame.repartition(ranks)
        frame = frame.select(*(_quoted(c.name).alias(f"c{i}") for i, c in enumerate(columns)))  # no dots for mapInArrow
        given = {key: one_name(key, name) for key, name in roles.items()}
        job = _ranks.Job(ranks, dataset.count(), {**given, **self.getOrDefault(self.settings)})
        (answer,) = frame.mapInArrow(_training(job, columns, bool(order)), SAID, barrier=True).collect()
        said = json.loads(answer.said)
        if "error" in said:
            raise BY_EXIT_CODE.get(said["code"], BoostError)(said["error"])
        trained = BoostModel(_ranks.model_of({**said, "model": bytes(answer.model)}))
        self._copyValues(trained)
        trained._set(featuresCols=features, vectorSizes=sizes)
        return trained

    def _check(self, dataset: DataFrame) -> None:
        """Raise an error about parameters that name what is not there, or what another one names."""
        for param in (self.orderCols, self.ignoreCols):
            for name in self.getOrDefault(param):
                if name not in dataset.columns:
                    raise TableError(
                        f"{param.name}: there is no column {name!r}; there are {', '.join(dataset.columns)}"
                    )
        named = self.isDefined(self.weightCol) and self.getWeightCol()
        _ranks.refuse(self.getOrDefault(self.settings), label="labelCol", weight="weightCol" if named else "")


def _training(job: _ranks.Job, columns: list[_Column], sorted_rows: bool) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Return what a task of the training stage runs. Of sorted rows there are fewer partitions where few differ."""

    def write(batches: Iterable[Any], path: str) -> int:
        schema = pa.schema([(name, column.type) for column in columns for name in column.names()])
        rows = 0
        with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, schema) as table:
            for batch in batches:
                spread = [
                    one for column, values in zip(columns, batch.columns, strict=True) for one in column.spread(values)
                ]
                table.write_batch(pa.record_batch(spread, schema=schema))
                rows += batch.num_rows
        return rows

    def train(batches: Iterator[Any]) -> tuple[bytes | None, dict[str, Any]]:
        context = BarrierTaskContext.get()
        tasks = context.getTaskInfos()
        if len(tasks) > job.size or (len(tasks) < job.size and not sorted_rows):
            raise ParameterError(f"the rows have {len(tasks)} partitions, and numWorkers is {job.size}")
        job.size = len(tasks)
        number = context.partitionId()

        def exchange(said: dict[str, Any]) -> list[dict[str, Any]]:
            everything = [json.loads(text) for text in context.allGather(json.dumps(said))]
            _ranks.check(job, everything)
            return everything

        with _ranks.Rank(job, number) as rank:
            host = tasks[number].address.rpartition(":")[0]
            ranks = exchange(rank.start(functools.partial(write, batches), host, context.cpus()))
            said = rank.finish(ranks)
            model = said.pop("model", None)
            exchange({key: said[key] for key in ("rank", "code", "error") if key in said})
            return model, said

    def task(batches: Iterator[Any]) -> Iterator[Any]:
        model: bytes | None = None
        try:
            model, said = train(batches)
        except BoostError as error:  # known to all tasks; Spark would put it into the middle of its own words
            code = next((code for code, kind in BY_EXIT_CODE.items() if isinstance(error, kind)), 1)
            said = {"code": code, "error": str(error)}
        if BarrierTaskContext.get().partitionId() == 0:
            yield pa.record_batch([pa.array([model], pa.binary()), pa.array([json.dumps(said)])], ["model", "said"])

    return task


class BoostModel(SparkModel, _HasColumns, MLReadable, MLWritable):
    """A trained model on Spark: ``transform`` adds predictions to a DataFrame."""

    vectorSizes = Param(Params._dummy(), "vectorSizes", "lengths of the vectors by column", TypeConverters.identity)

    def __init__(self, model: Model) -> None:
        super().__init__()
        self._setDefault(featuresCols=[], vectorSizes={})
        self._model = model

    @property
    def model(self) -> Model:
        """The model as the rest of the package has it: ``model.save(path)`` writes its ``.boost`` file."""
        return self._model

    def _transform(self, dataset: DataFrame) -> DataFrame:
        used = set(self._model.inputs)
        sizes = self.getOrDefault(self.vectorSizes)
        names = [
            name
            for name in self.getFeaturesCols()
            if used.intersection(_Column(name, None, sizes.get(name, 0)).names())
        ]
        columns = _described(dataset, names, sizes or _sizes(dataset, names))
        wanted = self._wanted()
        for name in wanted.values():
            if name in dataset.columns:
                raise ParameterError(f"there is a column {name!r} already: drop it, or set predictionCol and the like")
        classes = self._model.classes
        label = "double" if classes is None or _are_numbers(classes) else "string"
        if classes is None and self._model.outputs > 1:
            label = "array<double>"
        types = {"prediction": label, "probability": "array<double>", "rawPrediction": "array<double>"}
        predict = F.pandas_udf(
            _prediction(bytes(self._model), columns, list(wanted)),
            returnType=", ".join(f"{output} {types[output]}" for output in wanted),
        )
        together = f"{self.uid}_predicted"
        frame = dataset.withColumn(together, predict(F.struct(*(_plain(dataset, column) for column in columns))))
        for output, name in wanted.items():
            value = F.col(f"{together}.{output}")
            frame = frame.withColumn(name, array_to_vector(value) if types[output].startswith("array") else value)
        return frame.drop(together)

    def _wanted(self) -> dict[str, str]:
        """Return the names of the new columns by what they have."""
        wanted = {"prediction": self.getPredictionCol()}
        if self._model.classes is not None:
            wanted |= {"probability": self.getProbabilityCol(), "rawPrediction": self.getRawPredictionCol()}
        return {output: name for output, name in wanted.items() if name}

    def write(self) -> MLWriter:
        return _Writer(self)

    @classmethod
    def read(cls) -> MLReader[BoostModel]:
        return _Reader()


def _are_numbers(classes: Sequence[Any]) -> bool:
    return all(isinstance(one, (bool, int, float)) for one in classes)


def _plain(frame: DataFrame, column: _Column) -> Any:
    """Return a column as pandas keeps it without loss: times as whole numbers."""
    value = _quoted(column.name)
    if column.size:
        value = _numbers(frame, column.name)
    elif pa.types.is_date32(column.type):
        value = F.unix_date(value)
    elif pa.types.is_timestamp(column.type):
        epoch = "timestamp_ntz'1970-01-01 00:00:00', `" + column.name.replace("`", "``") + "`"
        value = F.unix_micros(value) if column.type.tz else F.expr(f"timestampdiff(MICROSECOND, {epoch})")
    return value.alias(column.name)


def _prediction(data: bytes, columns: list[_Column], outputs: list[str]) -> Any:
    """Return a function that predicts the rows of frames of pandas."""

    def table(frame: pd.DataFrame) -> Any:
        arrays = []
        for column, (_, values) in zip(columns, frame.items(), strict=True):
            if column.size:
                lists = pa.array(values, pa.list_(pa.float64()))
                arrays += column.spread(lists)
            elif pa.types.is_temporal(column.type):
                whole = pa.int32() if pa.types.is_date32(column.type) else pa.int64()
                arrays.append(pa.array(values, whole, from_pandas=True).cast(column.type))
            else:
                arrays.append(pa.array(values, column.type, from_pandas=True))
        return pa.table(arrays, [name for column in columns for name in column.names()])

    def predict(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        model = _kept(data)
        context = TaskContext.get()
        threads = context.cpus() if context else 1
        for frame in frames:
            rows = table(frame)
            predicted = {output: _values(model, rows, output, threads) for output in outputs}
            yield pd.DataFrame({k: list(v) if v.ndim == 2 else v for k, v in predicted.items()})

    return predict


def _values(model: Model, rows: Any, output: str, threads: int) -> np.ndarray:
    """Return what a new column has: numbers, texts, or vectors of numbers."""
    if output == "prediction":
        kind = "value" if model.classes is None else "class"
        values = model.predict(rows, kind, on_unseen="missing", threads=threads)
        return values if model.classes is not None and not _are_numbers(model.classes) else values.astype(np.float64)
    kind = "value" if output == "probability" else "raw"
    values = model.predict(rows, kind, on_unseen="missing", threads=threads).astype(np.float64)
    if values.ndim == 2:
        return values
    return np.column_stack([1 - values if kind == "value" else -values, values])


@functools.lru_cache(maxsize=2)
def _kept(data: bytes) -> Model:
    """Return the model, which is kept with its worker as long as the Python process of an executor lives."""
    return Model.from_bytes(data)


def _context(one: MLWriter | MLReader[Any]) -> Any:
    """Return what Spark's functions for metadata take."""
    return one.sparkSession if int(pyspark.__version__.partition(".")[0]) >= 4 else one.sc


class _Writer(MLWriter):
    """Writes the parameters as Spark does, and the model's bytes beside them."""

    def __init__(self, instance: BoostModel) -> None:
        super().__init__()
        self.instance = instance

    def saveImpl(self, path: str) -> None:
        DefaultParamsWriter.saveMetadata(self.instance, path, _context(self))
        row = [(bytearray(bytes(self.instance.model)),)]
        self.sparkSession.createDataFrame(row, "model binary").coalesce(1).write.parquet(f"{path}/model")


class _Reader(MLReader[BoostModel]):
    """Reads what ``_Writer`` writes."""

    def load(self, path: str) -> BoostModel:
        described = DefaultParamsReader.loadMetadata(path, _context(self), f"{BoostModel.__module__}.BoostModel")
        (row,) = self.sparkSession.read.parquet(f"{path}/model").collect()
        loaded = BoostModel(Model.from_bytes(bytes(row.model)))
        loaded._resetUid(described["uid"])
        DefaultParamsReader.getAndSetParams(loaded, described)
        return loaded
