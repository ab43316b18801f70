"""The Spark session that the engine needs; each setting has its reason in docs/design/engine.md."""

import os
import sys
from typing import TYPE_CHECKING

from firnline_ingest.config import EngineConfig

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = {
    "spark.python.worker.reuse": "true",  # a fresh worker an epoch would open every channel again
    "spark.speculation": "false",  # two tasks on one shard fence each other
    "spark.task.maxFailures": "8",  # a retry is cheap and safe here
    "spark.dynamicAllocation.enabled": "false",  # it would end workers that hold channels
    "spark.python.worker.faulthandler.enabled": "true",  # the SDK is native code
    "spark.driver.extraJavaOptions": "-Xss16m",  # stop() overflows Spark's smaller stack
    "spark.sql.streaming.metricsEnabled": "true",
    "spark.ui.showConsoleProgress": "false",
}
LOCAL_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


def new_session(config: EngineConfig) -> "SparkSession":
    """The configuration's own settings win over ours."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName(f"firnline-{config.application}")
    settings = dict(SETTINGS)
    if config.spark.master:
        builder = builder.master(config.spark.master)
        settings |= LOCAL_SETTINGS if config.spark.master.startswith("local") else {}
    for name, value in (settings | config.spark.conf).items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session
