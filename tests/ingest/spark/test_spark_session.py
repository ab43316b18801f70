"""What Spark is told, and whose word counts."""

from typing import Any

from firnline_ingest.spark.spark_session import settings_of
from tests.fakes.configs import config

JAVA = "spark.driver.extraJavaOptions"


def settings(**spark: Any) -> dict[str, str]:
    return settings_of(config(spark={"checkpoint": "/checkpoint", **spark}))


def test_in_local_mode_the_jvm_compiles_only_what_a_short_start_needs() -> None:
    options = settings(master="local[2]")[JAVA].split()
    assert {"-Xss16m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"} == set(options)


def test_a_clusters_jvm_is_left_alone() -> None:
    for spark in ({}, {"master": "k8s://https://cluster"}):
        assert settings(**spark)[JAVA] == "-Xss16m"


def test_the_users_word_counts() -> None:
    assert settings(master="local[2]", conf={JAVA: "-Xss32m"})[JAVA] == "-Xss32m"
    assert settings(conf={"spark.sql.codegen.wholeStage": "true"})["spark.sql.codegen.wholeStage"] == "true"
