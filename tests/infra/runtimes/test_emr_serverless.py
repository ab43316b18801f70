"""The request that starts the engine on EMR Serverless, judged by the service's own model."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.registry import render
from firnline_infra.specification import EnvironmentSpec
from tests.infra.runtimes.conftest import SERVERLESS, Job
from tests.infra.runtimes.models import faults

Spec = Callable[..., EnvironmentSpec]


def request(job: EngineJob) -> dict[str, Any]:
    return render(job, token="f" * 64)


def test_the_services_model_takes_it(spec: Spec, job: Job) -> None:
    assert faults("emr-serverless", "StartJobRun", request(job(spec()))) == []


def test_it_streams_without_a_timeout_and_is_started_again(spec: Spec, job: Job) -> None:
    started = request(job(spec()))
    assert started["mode"] == "STREAMING"
    assert started["retryPolicy"] == {"maxFailedAttemptsPerHour": 5}
    assert "executionTimeoutMinutes" not in started
    assert started["clientToken"] == "f" * 64


def test_the_driver_gets_the_configuration_and_nothing_else(spec: Spec, job: Job) -> None:
    submit = request(job(spec()))["jobDriver"]["sparkSubmit"]
    assert submit["entryPointArguments"] == [job(spec()).configuration]
    assert set(submit) == {"entryPoint", "entryPointArguments"}


def test_spark_is_told_what_keeps_channels_open_and_single(spec: Spec, job: Job) -> None:
    (defaults,) = request(job(spec()))["configurationOverrides"]["applicationConfiguration"]
    settings = defaults["properties"]
    assert settings["spark.dynamicAllocation.enabled"] == settings["spark.speculation"] == "false"
    assert settings["spark.task.maxFailures"] == "8"
    assert "-Xss16m" in settings["spark.driver.extraJavaOptions"]
    assert settings["spark.executor.instances"] == "1"


def test_the_run_says_whose_and_what_it_is(spec: Spec, job: Job) -> None:
    made = job(spec())
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
def test_the_hash_changes_with_what_runs(spec: Spec, job: Job, changes: dict[str, Any]) -> None:
    assert job(spec(), **changes).hash != job(spec()).hash


def test_the_hash_is_of_what_runs_and_not_of_where_or_what_it_may_cost(spec: Spec, job: Job) -> None:
    first = job(spec())
    assert len(first.hash) == 64
    assert job(spec(), place="00fother").hash == first.hash
    section = SERVERLESS["emr_serverless"] | {"maximum_vcpus": 400, "idle_minutes": 60}  # type: ignore[operator] # a dict
    assert job(spec(**SERVERLESS | {"emr_serverless": section})).hash == first.hash
    assert job(spec(**SERVERLESS | {"size": {"executors": 2}})).hash != first.hash
    assert job(spec(**SERVERLESS | {"spark_conf": {"spark.app.color": "blue"}})).hash != first.hash
    assert replace(first, place="") != first
