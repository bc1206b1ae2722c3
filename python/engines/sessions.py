"""Sessions of Spark for tests."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession


def session(master: str, program: Path) -> SparkSession:
    """Start Spark with the program of the tests."""
    builder = SparkSession.builder.master(master).appName("boost")
    for name, value in {
        "spark.executorEnv.BOOST_GBT_PROGRAM": str(program),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "3",
        "spark.sql.session.timeZone": "Europe/Berlin",  # what days and seconds mean must not follow from it
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
    }.items():
        builder = builder.config(name, value)
    started = builder.getOrCreate()
    started.sparkContext.setLogLevel("OFF")
    return started
