"""The Spark session that the engine needs; each setting has its reason in docs/design/engine.md."""

import os
import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from firnline_ingest.config.model import EngineConfig

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = {
    "spark.python.worker.reuse": "true",  # a fresh worker an epoch would open every channel again
    "spark.speculation": "false",  # two tasks on one shard fence each other
    "spark.task.maxFailures": "8",  # a retry is cheap and safe here
    "spark.dynamicAllocation.enabled": "false",  # it would end workers that hold channels
    "spark.python.worker.faulthandler.enabled": "true",  # the SDK is native code
    "spark.python.authenticate.socketTimeout": "120s",  # 15 s by default: too short where the machine is busy
    "spark.driver.extraJavaOptions": "-Xss16m",  # stop() overflows Spark's smaller stack
    "spark.sql.codegen.wholeStage": "false",  # a plan of some hundred rows is interpreted before it is compiled
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.streaming.metricsEnabled": "true",
    "spark.sql.streaming.stopTimeout": "60s",  # else stop() waits for ever for a query that hangs
    "spark.ui.showConsoleProgress": "false",
}
LOCAL_SETTINGS = {
    # Rows never cross the JVM, so nothing in it runs hot: the first compiler is enough, and one collector's thread.
    "spark.driver.extraJavaOptions": "-Xss16m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


def new_session(config: EngineConfig, heard: Callable[[int], None] = lambda _: None) -> "SparkSession":
    """The configuration's own settings win over ours. `heard` gets the signals that the JVM got in our place."""
    from pyspark.sql import SparkSession

    from firnline_ingest.spark.jvm import launch_jvm

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = settings_of(config)
    launch_jvm(settings, heard)
    builder = SparkSession.builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def settings_of(config: EngineConfig) -> dict[str, str]:
    """Spark's settings for the engine."""
    settings = {"spark.app.name": f"firnline-{config.application}"} | SETTINGS
    if config.spark.master:
        settings["spark.master"] = forgiving(config.spark.master)
        settings |= LOCAL_SETTINGS if config.spark.master.startswith("local") else {}
    return settings | config.spark.conf


def forgiving(master: str) -> str:
    """Local mode with as many tries of a task as on a cluster: it has one, whatever spark.task.maxFailures says."""
    local = re.fullmatch(r"local(?:\[(\d+|\*)\])?", master)
    return f"local[{local[1] or 1},{SETTINGS['spark.task.maxFailures']}]" if local else master
