"""From a specification to rows, on the embedded EMR Serverless: the engine's own archive, under its own role's policy."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from firnline_local.aws.identity_policies import statements_of_role
from firnline_local.aws.policy import is_allowed
from firnline_local.demo.deployable import Deployable, deployed_specification
from firnline_local.demo.deployment_story import DeploymentStory
from firnline_local.demo.events import shop_events
from firnline_local.demo.screen import Screen
from firnline_local.running import RunningEnvironment
from tests.iam.call_log import LoggedCall
from tests.iam.callers import UNGUARDED
from tests.iam.running import calls_of

HANGS_S = 1800
KILLS = "FIRNLINE_TEST_KILLS"
pytestmark = [pytest.mark.e2e, pytest.mark.spark, pytest.mark.timeout(HANGS_S)]


@pytest.fixture
def deployable(local_environment: RunningEnvironment, tmp_path: Path) -> Iterator[Deployable]:
    endpoints = local_environment.endpoints
    document = deployed_specification("deployed", endpoints.aws_account, endpoints.region, shards=2)
    made = Deployable(local_environment, tmp_path, document, say=print)
    yield made
    made.destroy()


def test_an_engine_is_deployed_and_rolled_while_records_flow(
    deployable: Deployable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a driver that is killed in between where the variable asks for it."""
    for name, value in deployable.environment.variables.items():
        monkeypatch.setenv(name, value)  # the audit finds AWS as any program does
    kills = KILLS in os.environ
    mark = calls_of(deployable.environment).mark

    told = DeploymentStory(deployable, list(shop_events(3_000)), Screen(), kills=kills).run()

    assert told.report.exit_status == 0
    assert told.attempts == (2 if kills else 1)
    assert told.gap_s > 0
    assert outside_of_its_policy(deployable, mark) == set()


def outside_of_its_policy(deployable: Deployable, mark: Mapping[str, int]) -> set[str]:
    """What the job's sessions asked for and were refused: Spark, its S3A, the engine, and whoever brings logs."""
    seen = calls_of(deployable.environment, mark)
    role = f"firnline-{deployable.name}-engine"
    statements = statements_of_role(deployable.environment.client("iam"), role)
    assert {call.service for call in seen.calls if is_of_a_session(call)} >= {"kinesis", "dynamodb", "s3"}
    return {
        f"{access.action} on {access.resource}"
        for call in seen.calls
        if is_of_a_session(call)
        for access in call.accesses
        if access.action not in UNGUARDED and not is_allowed(statements, access.action, access.resource, access.context)
    }


def is_of_a_session(call: LoggedCall) -> bool:
    return call.access_key.startswith("ASIA")
