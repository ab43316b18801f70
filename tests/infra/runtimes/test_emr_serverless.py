"""The request that starts the engine on EMR Serverless, judged by the service's own model."""

from dataclasses import replace
from typing import Any

import pytest

from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.registry import render
from tests.infra.runtimes.environments import RUNTIMES, SERVERLESS, job_on

MADE = RUNTIMES["emr_serverless"]


def request(job: EngineJob) -> dict[str, Any]:
    return render(job, token="f" * 64)


def test_it_streams_without_a_timeout_and_is_started_again() -> None:
    started = request(job_on())
    assert started["mode"] == "STREAMING"
    assert started["retryPolicy"] == {"maxFailedAttemptsPerHour": 5}
    assert started["executionTimeoutMinutes"] == 0, "without one AWS cancels the run after 12 hours"
    assert started["clientToken"] == "f" * 64


def test_the_driver_gets_the_configuration_and_nothing_else() -> None:
    submit = request(job_on())["jobDriver"]["sparkSubmit"]
    assert submit["entryPointArguments"] == [job_on().configuration]
    assert set(submit) == {"entryPoint", "entryPointArguments"}


def test_spark_is_told_what_keeps_channels_open_and_single() -> None:
    (defaults,) = request(job_on())["configurationOverrides"]["applicationConfiguration"]
    settings = defaults["properties"]
    assert settings["spark.dynamicAllocation.enabled"] == settings["spark.speculation"] == "false"
    assert settings["spark.task.maxFailures"] == "8"
    assert "-Xss16m" in settings["spark.driver.extraJavaOptions"]
    assert settings["spark.executor.instances"] == "1"


def test_the_run_says_whose_and_what_it_is() -> None:
    made = job_on()
    tags = render(made, token="1", tags={"firnline:generation": "7"})["tags"]
    assert tags == {
        "firnline:application": "firnline-dev",
        "firnline:environment": "dev",
        "firnline:hash": made.hash,
        "firnline:generation": "7",
    }


@pytest.mark.parametrize(
    "changes",
    [
        {"configuration": "s3://b/configuration/other.json"},
        {"configuration_hash": "ee" * 32},
        {"role_arn": "arn:aws:iam::123456789012:role/other"},
        {"endpoints": {"s3": "https://s3.internal"}},
    ],
)
def test_the_hash_changes_with_what_runs(changes: dict[str, Any]) -> None:
    assert job_on(**changes).hash != job_on().hash


def test_the_hash_is_of_what_runs_and_not_of_where_or_what_it_may_cost() -> None:
    first = job_on()
    assert len(first.hash) == 64
    assert job_on(place="00fother").hash == first.hash
    section = MADE["emr_serverless"] | {"maximum_vcpus": 400, "idle_minutes": 60}  # type: ignore[operator] # a dict
    assert job_on(MADE | {"emr_serverless": section}).hash == job_on(MADE).hash
    assert job_on(SERVERLESS | {"size": {"executors": 2}}).hash != first.hash
    assert job_on(SERVERLESS | {"spark_conf": {"spark.app.color": "blue"}}).hash != first.hash
    assert replace(first, place="") != first
