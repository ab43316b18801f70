"""The Spark session that the engine needs; each setting has its reason in docs/design/engine.md."""

import os
import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.environment_proxy import login_of, proxy_for
from firnline_ingest.proxy import host_asked
from firnline_ingest.spark import python_daemon

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = {
    "spark.python.worker.reuse": "true",  # a fresh worker an epoch would open every channel again
    "spark.speculation": "false",  # two tasks on one shard fence each other
    "spark.task.maxFailures": "8",  # a retry is cheap and safe here
    "spark.dynamicAllocation.enabled": "false",  # it would end workers that hold channels
    "spark.python.worker.faulthandler.enabled": "true",  # the SDK is native code
    "spark.python.daemon.module": python_daemon.__name__,  # Spark's own stay for good
    "spark.python.authenticate.socketTimeout": "120s",  # 15 s by default: too short where the machine is busy
    "spark.driver.extraJavaOptions": "-Xss16m",  # stop() overflows Spark's smaller stack
    "spark.sql.codegen.wholeStage": "false",  # a plan of some hundred rows is interpreted before it is compiled
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.streaming.metricsEnabled": "true",
    "spark.sql.streaming.stopTimeout": "60s",  # else stop() waits for ever for a query that hangs
    "spark.ui.showConsoleProgress": "false",
}
LOGGERS_OF_ERRORS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
"""Those of PySpark 4.0 to 4.3 (pyspark/errors/exceptions): an error that names a place in a query logs itself when it is made."""
S3A_PROXY = "spark.hadoop.fs.s3a.proxy."
LOCAL_SETTINGS = {
    # Rows never cross the JVM, so nothing in it runs hot: the first compiler is enough, one collector's thread, and a heap that
    # begins small, and not with a sixty-fourth of the machine. Classes take 130 MB: at less it collects in vain.
    "spark.driver.extraJavaOptions": "-Xss16m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xms48m -Xmn24m -XX:MetaspaceSize=192m",
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


def new_session(config: EngineConfig, heard: Callable[[int], None] = lambda _: None) -> "SparkSession":
    """The configuration's own settings win over ours. `heard` gets the signals that the JVM got in our place."""
    from pyspark.sql import SparkSession

    from firnline_ingest.spark.jvm import launch_jvm

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ["PYSPARK_PIN_THREAD"] = (
        "true"  # Spark's default: a job has the local properties of the thread that asks for it
    )
    settings = settings_of(config)
    launch_jvm(settings, heard)
    builder = SparkSession.builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    _silence_errors()
    _give_s3a_its_login(session, config)
    return session


def _silence_errors() -> None:
    """Keeps PySpark's errors, which are raised all the same, from logging themselves with the JVM's whole stack."""
    from pyspark.logger import PySparkLogger

    for name in LOGGERS_OF_ERRORS:
        PySparkLogger.getLogger(name).disabled = True


def settings_of(config: EngineConfig) -> dict[str, str]:
    """Spark's settings for the engine."""
    settings = {"spark.app.name": f"firnline-{config.application}"} | SETTINGS
    if config.spark.master:
        settings["spark.master"] = forgiving(config.spark.master)
        settings |= LOCAL_SETTINGS if config.spark.master.startswith("local") else {}
    return settings | s3a_proxy_settings(config) | config.spark.conf


def s3a_proxy_settings(config: EngineConfig) -> dict[str, str]:
    """S3A's proxy, without its login: these settings are on the command line of the JVM. S3A knows no NO_PROXY, so it has none
    where S3 is asked without it."""
    if config.proxy is None or _s3_proxy(config) is None:
        return {}
    return {f"{S3A_PROXY}host": config.proxy.host, f"{S3A_PROXY}port": str(config.proxy.port)}


def _s3_proxy(config: EngineConfig) -> str | None:
    endpoint = config.spark.conf.get("spark.hadoop.fs.s3a.endpoint")
    return proxy_for(f"https://{urlsplit(endpoint).netloc if endpoint else host_asked(config, 's3')}")


def _give_s3a_its_login(session: "SparkSession", config: EngineConfig) -> None:
    """By the JVM's own configuration of Hadoop, which no command line and no page of Spark's shows."""
    proxy = _s3_proxy(config) if config.proxy is not None else None
    login = login_of(proxy) if proxy is not None else None
    if login is not None:
        hadoop: Any = session.sparkContext._jsc  # the public API of PySpark has no way to it
        for name, value in zip(("username", "password"), login, strict=True):
            hadoop.hadoopConfiguration().set(f"{S3A_PROXY.removeprefix('spark.hadoop.')}{name}", value)


def forgiving(master: str) -> str:
    """Local mode with as many tries of a task as on a cluster: it has one, whatever spark.task.maxFailures says."""
    local = re.fullmatch(r"local(?:\[(\d+|\*)\])?", master)
    return f"local[{local[1] or 1},{SETTINGS['spark.task.maxFailures']}]" if local else master
