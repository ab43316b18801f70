"""What Spark is told, and whose word counts."""

import json
from typing import Any

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.spark.spark_session import settings_of
from tests.ingest.spark.test_assignment import CONFIG

JAVA = "spark.driver.extraJavaOptions"


def settings(**spark: Any) -> dict[str, str]:
    document = CONFIG.model_dump(mode="json", by_alias=True)
    document["spark"] = {"checkpoint": "/checkpoint", **spark}
    return settings_of(EngineConfig.model_validate_json(json.dumps(document)))


def test_in_local_mode_the_jvm_compiles_only_what_a_short_start_needs() -> None:
    options = settings(master="local[2]")[JAVA].split()
    assert {"-Xss16m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"} == set(options)


def test_a_clusters_jvm_is_left_alone() -> None:
    for spark in ({}, {"master": "k8s://https://cluster"}):
        assert settings(**spark)[JAVA] == "-Xss16m"


def test_the_users_word_counts() -> None:
    assert settings(master="local[2]", conf={JAVA: "-Xss32m"})[JAVA] == "-Xss32m"
    assert settings(conf={"spark.sql.codegen.wholeStage": "true"})["spark.sql.codegen.wholeStage"] == "true"
