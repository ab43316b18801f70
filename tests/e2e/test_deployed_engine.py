"""From a specification to rows, on the embedded EMR Serverless: the engine's own archive, under its own role's policy, deployed
under the policies of CI's role."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firnline_infra.artefact import BuiltArtefact, build_cached, target_of_specification
from firnline_infra.blueprint import blueprint_of
from firnline_infra.cli.main import firnline
from firnline_infra.render.bootstrap.roll_out import roll_out_statements
from firnline_infra.rollout.bucket import BucketObjects
from firnline_infra.rollout.environment import EngineEnvironment
from firnline_infra.rollout.jobs import job_document
from firnline_infra.rollout.loop import Deployed
from firnline_infra.rollout.records import Deployments, Outcome
from firnline_infra.specification import EnvironmentSpec
from firnline_local.aws.policy import Statement, statements_of_role
from firnline_local.demo.deployable import Deployable, deployed_specification
from firnline_local.demo.deployment_story import DeploymentStory
from firnline_local.demo.events import shop_events
from firnline_local.demo.screen import Screen
from firnline_local.running import RunningEnvironment
from tests.iam.call_log import LoggedCall
from tests.iam.ci import KEY, DeployersAccounts, let_in, not_allowed, not_used, statements_of
from tests.iam.running import calls_of

HANGS_S = 1800
KILLS = "FIRNLINE_TEST_KILLS"
BESIDE = {"FindApplication", "HandOverEngineRole", "SeeRun"}
"""Statements that a roll-out uses whole, beside its own."""
EARLIER = {"emr-serverless:CancelJobRun by CancelRuns"}
"""A run that is over before it has to be cancelled needs none; tests/iam/test_ci.py cancels one."""
pytestmark = [pytest.mark.e2e, pytest.mark.spark, pytest.mark.timeout(HANGS_S), pytest.mark.slow]


class DeployedByCi(Deployable):
    engine: EngineEnvironment

    def up(self) -> EngineEnvironment:
        """The stack is the administrator's, as ever here; what its engine is asked for is asked by CI."""
        made = super().up()
        let_in(self.environment, made.spec)
        self.engine = replace(made, accounts=DeployersAccounts(self.environment))
        return self.engine


@pytest.fixture
def deployable(local_environment: RunningEnvironment, tmp_path: Path) -> Iterator[DeployedByCi]:
    endpoints = local_environment.endpoints
    document = deployed_specification("deployed", endpoints.aws_account, endpoints.region, shards=2)
    made = DeployedByCi(local_environment, tmp_path, document, say=print)
    yield made
    made.destroy()


class RollsBack(DeploymentStory):
    """Another content was deployed before the one that runs, as the records have it: two deployments are written, and not
    carried out, so that one start of Spark is enough. Going back to it is a roll-out like any other, and typed.
    """

    typed: Result

    def _roll(self, engine: EngineEnvironment) -> tuple[EngineEnvironment, Deployed]:
        self.screen.step("firnline deploy --rollback, while records flow")
        running = engine.job(lambda: built_for(engine))
        engine = self._with_another_configuration()
        before = engine.job(lambda: built_for(engine))
        records = Deployments(BucketObjects.of(engine.accounts.aws("s3"), engine.spec))
        for job in (before, running):
            records.begin(job.hash, job_document(job)).end(Outcome.GOOD, "written by a test")
        self.typed = CliRunner().invoke(firnline, ["deploy", engine.env_argument, "--rollback"])
        assert self.typed.exit_code == 0, self.typed.output
        (run,) = engine.runtime.runs(engine.application)
        assert run.is_of(before.hash)
        return engine, Deployed(run=run, number=4, gap_s=gap_in(self.typed.output))


def built_for(engine: EngineEnvironment) -> BuiltArtefact:
    return build_cached(target_of_specification(engine.spec))


def gap_in(output: str) -> float:
    found = re.search(r"nothing was read for at most (\d+) s", output)
    assert found, output
    return float(found[1])


def test_an_engine_is_deployed_and_rolled_back_while_records_flow(
    deployable: DeployedByCi, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a driver that is killed in between where the variable asks for it. The new engine stands by beside the old one."""
    for name, value in deployable.environment.variables.items():
        monkeypatch.setenv(name, value)  # the audit finds AWS as any program does
    kills = KILLS in os.environ
    mark = calls_of(deployable.environment).mark

    monkeypatch.setattr("firnline_infra.cli.rollout.engine_of", lambda *_, **__: deployable.engine)  # CI's accounts
    story = RollsBack(deployable, list(shop_events(3_000)), Screen(), kills=kills)
    told = story.run()

    assert told.report.exit_status == 0
    assert told.attempts == (2 if kills else 1)
    assert told.gap_s > 0
    assert "Going back to deployment 2" in story.typed.output
    assert "stands by, and takes over as soon as the application is free" in story.typed.output
    stopped, deployment = islice(deployable.engine.records.newest_first(), 2)
    assert (deployment.number, deployment.went_back_to, deployment.outcome) == (4, 2, Outcome.GOOD)
    assert (stopped.number, stopped.outcome) == (5, Outcome.STOPPED)
    assert list(deployable.engine.log_lines())
    calls = calls_of(deployable.environment, mark).calls
    assert outside_of_its_policy(deployable, calls) == set()
    by_ci = [call for call in calls if call.access_key == KEY]
    allowed = statements_of(deployable.engine.spec)
    assert not_allowed(by_ci, allowed) == set()
    assert not_used(by_ci, of_a_roll_out(deployable.engine.spec)) <= EARLIER


def of_a_roll_out(spec: EnvironmentSpec) -> list[Statement]:
    own = {each.sid for each in roll_out_statements(blueprint_of(spec))}
    found = [each for each in statements_of(spec) if each["Sid"] in own | BESIDE]
    assert {each["Sid"] for each in found} == own | BESIDE
    return found


def outside_of_its_policy(deployable: Deployable, calls: Sequence[LoggedCall]) -> set[str]:
    """Returns what the job's sessions asked for and were refused: Spark, its S3A, the engine, and whoever brings logs."""
    role = f"firnline-{deployable.name}-engine"
    statements = statements_of_role(deployable.environment.client("iam"), role)
    of_sessions = [call for call in calls if is_of_a_session(call)]
    assert {call.service for call in of_sessions} >= {"kinesis", "dynamodb", "s3"}
    return not_allowed(of_sessions, statements)


def is_of_a_session(call: LoggedCall) -> bool:
    return call.access_key.startswith("ASIA")
