"""Tests of what Spark is told, and whose word counts."""

from typing import Any

import pytest

from firnline_ingest.spark.query import query_failure
from firnline_ingest.spark.spark_session import settings_of
from tests.fakes.configs import config

JAVA = "spark.driver.extraJavaOptions"


def settings(**spark: Any) -> dict[str, str]:
    return settings_of(config(spark={"checkpoint": "/checkpoint", **spark}))


def test_in_local_mode_the_jvm_compiles_only_what_a_short_start_needs() -> None:
    options = settings(master="local[2]")[JAVA].split()
    small = {"-Xms48m", "-Xmn24m", "-XX:MetaspaceSize=192m"}
    assert {"-Xss16m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"} | small == set(options)


def test_a_clusters_jvm_is_left_alone() -> None:
    for spark in ({}, {"master": "k8s://https://cluster"}):
        assert settings(**spark)[JAVA] == "-Xss16m"


def test_the_users_word_counts() -> None:
    assert settings(master="local[2]", conf={JAVA: "-Xss32m"})[JAVA] == "-Xss32m"
    assert settings(conf={"spark.sql.codegen.wholeStage": "true"})["spark.sql.codegen.wholeStage"] == "true"


def test_a_python_process_of_a_busy_machine_has_two_minutes_to_take_up_its_connection() -> None:
    for master in ({}, {"master": "local[2]"}):
        assert settings(**master)["spark.python.authenticate.socketTimeout"] == "120s"


@pytest.mark.parametrize(
    "words",
    ["Python worker failed to connect back.", "Timed out while waiting for the Python worker to connect back after 1"],
)
def test_a_process_that_did_not_start_in_time_is_not_blamed_on_the_checkpoint(words: str) -> None:
    error = query_failure(f"org.apache.spark.SparkException: {words}\n\tat org.apache.spark.api.python")
    assert error.is_retryable
    assert "CPU" in error.next_step
    assert "checkpoint" not in error.next_step
    assert "checkpoint" in query_failure("java.io.IOException: No space left on device").next_step
