"""The request that starts the engine on EMR Serverless, judged by the service's own model."""

from dataclasses import replace
from typing import Any

import pytest

from tests.infra.runtimes.environments import RUNTIMES, SERVERLESS, job_on

MADE = RUNTIMES["emr_serverless"]


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
