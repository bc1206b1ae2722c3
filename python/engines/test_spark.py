"""The estimator on Spark in one process. The ranks are processes of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.evaluation import BinaryClassificationEvaluator
from pyspark.ml.feature import StringIndexer, VectorAssembler
from pyspark.ml.tuning import CrossValidator, CrossValidatorModel, ParamGridBuilder
from pyspark.sql import DataFrame, SparkSession
from sessions import session

import boost_gbt
from boost_gbt.spark import BoostEstimator, BoostModel

SETTINGS = {"rounds": 10, "effort": "quick"}


@pytest.fixture(scope="module")
def spark(program: Path) -> Iterator[SparkSession]:
    started = session("local[4]", program)
    yield started
    started.stop()


@pytest.fixture(scope="module")
def frame(spark: SparkSession, rows: pd.DataFrame) -> DataFrame:
    """The rows in another order, in 3 partitions."""
    return spark.createDataFrame(rows.sample(frac=1, random_state=1)).repartition(3).cache()


@pytest.fixture(scope="module")
def file(frame: DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The rows in their order, in a file that Spark has written."""
    folder = tmp_path_factory.mktemp("rows") / "rows"
    frame.orderBy("id").drop("id").coalesce(1).write.parquet(str(folder))
    return next(folder.glob("*.parquet"))


@pytest.fixture(scope="module")
def trained(frame: DataFrame) -> BoostModel:
    return BoostEstimator(numWorkers=2, orderCols=["id"], settings=SETTINGS).fit(frame)


def test_model_is_that_of_one_process(trained: BoostModel, file: Path, one_process: Callable[..., bytes]) -> None:
    assert bytes(trained.model) == one_process([file], **SETTINGS)
    assert trained.model.report["rounds"] == 10
    assert trained.getFeaturesCols() == ["a", "b", "c", "town", "born", "seen", "paid", "count"]


def test_predictions_are_those_of_the_program(trained: BoostModel, frame: DataFrame, file: Path) -> None:
    found = trained.transform(frame).select("id", "prediction", "probability", "rawPrediction").toPandas()
    found = found.sort_values("id")
    want = trained.model.predict(file)
    np.testing.assert_array_equal(np.stack(found["probability"].map(lambda v: v.toArray()))[:, 1], want)
    np.testing.assert_array_equal(
        np.stack(found["rawPrediction"].map(lambda v: v.toArray()))[:, 1], trained.model.predict(file, "raw")
    )
    np.testing.assert_array_equal(found["prediction"], (want > 0.5).astype(float))


def test_saved_and_loaded(trained: BoostModel, tmp_path: Path) -> None:
    trained.save(str(tmp_path / "model"))
    again = BoostModel.load(str(tmp_path / "model"))
    assert again.model == trained.model
    assert again.uid == trained.uid
    assert again.getFeaturesCols() == trained.getFeaturesCols()
    estimator = BoostEstimator(numWorkers=3, settings={"rounds": np.int64(7)}, orderCols=["id"], weightCol="w")
    estimator.save(str(tmp_path / "estimator"))
    same = BoostEstimator.load(str(tmp_path / "estimator"))
    assert {p.name: v for p, v in same.extractParamMap().items()} == {
        p.name: v for p, v in estimator.extractParamMap().items()
    }
    assert same.getOrDefault("settings") == {"rounds": 7}


@pytest.mark.slow
def test_pipeline_with_vectors(
    frame: DataFrame, rows: pd.DataFrame, one_process: Callable[..., bytes], tmp_path: Path
) -> None:
    pipeline = Pipeline(
        stages=[
            VectorAssembler(inputCols=["b", "c", "count"], outputCol="x"),
            StringIndexer(inputCol="town", outputCol="number", handleInvalid="keep"),
            BoostEstimator(featuresCols=["x", "number"], numWorkers=2, orderCols=["id"], settings=SETTINGS),
        ]
    )
    fitted = pipeline.fit(frame)
    places = fitted.stages[1].labels
    table = rows.rename(columns={"b": "x_0", "c": "x_1", "count": "x_2"})
    table["number"] = [float(places.index(town)) if town is not None else float(len(places)) for town in rows["town"]]
    table[["x_0", "x_1", "x_2", "number", "label"]].to_parquet(tmp_path / "t.parquet")
    assert bytes(fitted.stages[-1].model) == one_process([tmp_path / "t.parquet"], **SETTINGS)
    fitted.save(str(tmp_path / "fitted"))
    predicted = PipelineModel.load(str(tmp_path / "fitted")).transform(frame).select("id", "probability").toPandas()
    np.testing.assert_array_equal(
        np.stack(predicted.sort_values("id")["probability"].map(lambda v: v.toArray()))[:, 1],
        fitted.stages[-1].model.predict(tmp_path / "t.parquet"),
    )


def test_partitions_as_they_are_and_an_empty_one(
    spark: SparkSession, rows: pd.DataFrame, one_process: Callable[..., bytes], tmp_path: Path
) -> None:
    """Rows 0 to 999 are in the first partition, the others in the third. The label is a number."""
    table = rows[["a", "b", "town", "c"]].rename(columns={"c": "label"}).assign(w=1.0 + rows["id"] % 3)
    half = [list(part.itertuples(index=False, name=None)) for part in (table[:1000], table[:0], table[1000:])]
    schema = spark.createDataFrame(table[:1000]).schema
    parts = spark.sparkContext.parallelize(range(3), 3).flatMap(lambda part: half[part])
    estimator = BoostEstimator(
        numWorkers=3, repartition=False, settings={**SETTINGS, "early_stopping": 3}, weightCol="w"
    )
    model = estimator.fit(spark.createDataFrame(parts, schema))
    table.to_parquet(tmp_path / "t.parquet")
    want = one_process([tmp_path / "t.parquet"], **SETTINGS, early_stopping=3, weight="w")
    assert bytes(model.model) == want
    with pytest.raises(boost_gbt.ParameterError, match="3 partitions, and numWorkers is 2"):
        estimator.copy({estimator.numWorkers: 2}).fit(spark.createDataFrame(parts, schema))


@pytest.mark.slow
def test_cross_validation(frame: DataFrame, tmp_path: Path) -> None:
    estimator = BoostEstimator(numWorkers=2, settings=SETTINGS, ignoreCols=["id"], orderCols=["id"])
    grid = (
        ParamGridBuilder().addGrid(estimator.settings, [{**SETTINGS, "rounds": rounds} for rounds in (1, 12)]).build()
    )
    judge = BinaryClassificationEvaluator()
    found = CrossValidator(
        estimator=estimator, estimatorParamMaps=grid, evaluator=judge, numFolds=2, seed=1, parallelism=2
    ).fit(frame)
    assert 0.7 < found.avgMetrics[0] < found.avgMetrics[1]
    assert found.bestModel.model.rounds == 12
    assert "count" in found.bestModel.getFeaturesCols()
    assert not any("rand" in name for name in found.bestModel.getFeaturesCols())
    found.save(str(tmp_path / "found"))
    assert CrossValidatorModel.load(str(tmp_path / "found")).bestModel.model == found.bestModel.model


def test_rows_that_go_missing_are_an_error(frame: DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(frame), "count", lambda self: 2001)
    with pytest.raises(boost_gbt.TableError, match=r"2,000 rows \(\d+, \d+\), and 2,001 were counted"):
        BoostEstimator(numWorkers=2, settings=SETTINGS).fit(frame)


@pytest.mark.parametrize(
    ("changes", "error", "text"),
    [
        ({"settings": {"leafs": 3}}, boost_gbt.ParameterError, 'rank 0 of 2: .*unknown key "leafs"'),
        ({"labelCol": "town"}, boost_gbt.TableError, "town"),
        ({"labelCol": "nothing"}, boost_gbt.TableError, "there is no column 'nothing'"),
        ({"featuresCols": ["a", "a"]}, boost_gbt.TableError, "two columns 'a'"),
        ({"repartition": False, "orderCols": ["id"]}, boost_gbt.ParameterError, "repartition=True"),
        ({"orderCols": ["nothing"]}, boost_gbt.TableError, "orderCols: there is no column 'nothing'; there are id, a"),
        ({"ignoreCols": ["nothing"]}, boost_gbt.TableError, "ignoreCols: there is no column 'nothing'"),
        ({"settings": {"data.label": "a"}}, boost_gbt.ParameterError, "'data.label', and labelCol names that"),
        ({"settings": {"data": {"label": "a"}}}, boost_gbt.ParameterError, "'data.label', and labelCol names that"),
        ({"settings": {"weight": "a"}, "weightCol": "b"}, boost_gbt.ParameterError, "'weight', and weightCol names"),
    ],
)
def test_errors_are_those_of_the_program(frame: DataFrame, changes: dict[str, Any], error: type, text: str) -> None:
    with pytest.raises(error, match=text):
        BoostEstimator(**{"numWorkers": 2, "settings": SETTINGS, "ignoreCols": ["id"], **changes}).fit(frame)


def test_names_with_dots(
    spark: SparkSession, rows: pd.DataFrame, one_process: Callable[..., bytes], tmp_path: Path
) -> None:
    table = rows[["id", "a", "town", "seen", "label"]].assign(w=1.0 + rows["id"] % 3)
    table.columns = pd.Index(["the.id", "a.b", "to`wn.x", "seen.at", "label", "my.w"])
    frame = spark.createDataFrame(table.sample(frac=1, random_state=1))
    model = BoostEstimator(
        numWorkers=2, orderCols=["the.id"], weightCol="my.w", predictionCol="p.q", settings=SETTINGS
    ).fit(frame)
    frame.orderBy("`the.id`").drop("the.id").coalesce(1).write.parquet(str(tmp_path / "rows"))
    file = next((tmp_path / "rows").glob("*.parquet"))
    assert bytes(model.model) == one_process([file], **SETTINGS, weight="my.w")
    found = model.transform(frame).orderBy("`the.id`").toPandas()
    np.testing.assert_array_equal(found["p.q"], (model.model.predict(file) > 0.5).astype(float))


@pytest.mark.parametrize("ids", [[1, 2, 3], [1] * 40, [1] * 39 + [2]])
def test_few_rows_that_differ(
    spark: SparkSession, one_process: Callable[..., bytes], tmp_path: Path, ids: list[int]
) -> None:
    table = pd.DataFrame({"id": ids, "a": [float(one) for one in ids], "label": [one % 2 + 0.5 for one in ids]})
    settings = {**SETTINGS, "tree.min_data_in_leaf": 1, "early_stopping": 0}
    model = BoostEstimator(numWorkers=4, orderCols=["id"], settings=settings).fit(spark.createDataFrame(table))
    table.drop(columns="id").to_parquet(tmp_path / "t.parquet")
    assert bytes(model.model) == one_process([tmp_path / "t.parquet"], **settings)


def test_columns_that_cannot_be_used(frame: DataFrame, spark: SparkSession) -> None:
    with pytest.raises(boost_gbt.TableError, match=r"column 'm' is of type map<string,double>.* ignoreCols"):
        BoostEstimator().fit(frame.selectExpr("label", "map('k', a) AS m"))
    ragged = frame.selectExpr("label", "CASE WHEN id < 1000 THEN array(b, c) ELSE array(b) END AS v", "id")
    with pytest.raises(boost_gbt.TableError, match=r"'v' has a row with \d values?, and others have \d"):
        BoostEstimator(numWorkers=2, orderCols=["id"], settings=SETTINGS).fit(ragged)
    with pytest.raises(ValueError, match="no rows"):
        BoostEstimator().fit(frame.filter("id < 0"))


@pytest.mark.slow
def test_rank_that_is_killed(frame: DataFrame, program: Path) -> None:
    flag = program.with_name("kill")
    flag.touch()
    try:
        with pytest.raises(boost_gbt.BoostError, match=r"rank 1 of 2: the program was ended by SIGKILL"):
            BoostEstimator(
                numWorkers=2, ignoreCols=["id"], settings={"rounds": 100000, "early_stopping": 0, "effort": "quick"}
            ).fit(frame)
    finally:
        flag.unlink()
