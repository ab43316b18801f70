"""From a specification to proven rows on the embedded EMR on EKS: the engine's own archive, as a job run under its own role; and
rolled to another configuration while records flow."""

import subprocess
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.artefact import build_cached, target_of_specification
from firnline_infra.rollout.records import Outcome
from firnline_infra.runtimes.service import RunState
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.ledger.provision import open_ledger
from firnline_local.demo.deployable import Deployable, deployed_specification
from firnline_local.demo.deployment_story import DeploymentStory
from firnline_local.demo.events import shop_events
from firnline_local.demo.screen import Screen
from firnline_local.machine import ARCHITECTURE
from firnline_local.running import RunningEnvironment

HANGS_S = 1800
ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.e2e, pytest.mark.spark, pytest.mark.timeout(HANGS_S)]

ON_EKS = {
    "trust": "pod-identity",
    "cluster": "local",
    "namespace": "streams",
    "emr_eks": {"architecture": ARCHITECTURE, "attempts": 2},
}


def native_wheel() -> Path | None:
    """Returns firnline-native as `scripts/native` builds it; None where there is no Rust, which fails in CI."""
    command = [str(ROOT / "scripts" / "native"), "--where"]
    built = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    return Path(built) if built else None


class OnEks(Deployable):
    """The stack makes the virtual cluster and the associations."""

    def prepare(self) -> None:
        self.make_keys()

    @property
    def emr(self) -> Any:
        return self.environment.client("emr-containers")

    def described(self, run: str) -> dict[str, Any]:
        found: dict[str, Any] = self.emr.describe_job_run(virtualClusterId=self.application_id, id=run)["jobRun"]
        return found

    def configuration(self, run: str) -> EngineConfig:
        (uri,) = self.described(run)["jobDriver"]["sparkSubmitJobDriver"]["entryPointArguments"]
        return self.configuration_at(uri)

    def attempts(self, run: str) -> list[dict[str, Any]]:
        return [self.described(run)]

    def runs(self) -> list[dict[str, Any]]:
        """Newest first."""
        return list(self.emr.list_job_runs(virtualClusterId=self.application_id)["jobRuns"])

    def destroy(self) -> None:
        for run in self._left():
            self.emr.cancel_job_run(virtualClusterId=self.application_id, id=run)
        while self._left():
            time.sleep(0.2)
        self._program.destroy()

    def _left(self) -> list[str]:
        if "engine_place" not in self._outputs:
            return []
        return [each["id"] for each in self.runs() if each["state"] not in ("COMPLETED", "FAILED", "CANCELLED")]


@pytest.fixture
def deployable(
    local_environment: RunningEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[OnEks]:
    endpoints = local_environment.endpoints
    document = deployed_specification("eks", endpoints.aws_account, endpoints.region, shards=2)
    size, python = (document["aws"]["runtime"][name] for name in ("size", "python"))
    document["aws"]["runtime"] = {**ON_EKS, "size": size, "python": python}
    # The pods of the embedded EMR on EKS are processes, which no Kubernetes lists.
    monkeypatch.setattr("firnline_infra.runtimes.emr_eks.service.pods_of", lambda *_: None)
    made = OnEks(local_environment, tmp_path, document, say=print)
    for name, value in made.environment.variables.items():
        monkeypatch.setenv(name, value)  # the audit finds AWS as any program does
    yield made
    made.destroy()


def test_an_engine_is_deployed_runs_and_is_stopped_with_every_record_proven(deployable: OnEks) -> None:
    deployable.prepare()
    engine = deployable.up()
    events = list(shop_events(500))
    native = native_wheel()
    done = engine.deploy(lambda: build_cached(target_of_specification(engine.spec), native=native))
    assert deployable.described(done.run.id)["state"] == "RUNNING"
    deployable.environment.put_events(deployable.name, events)
    story = DeploymentStory(deployable, events, Screen(), kills=False)
    story._until_all_is_there(done, engine)
    run = open_ledger(deployable.configuration(done.run.id)).current_run()
    assert run is not None
    assert run.rows_by.startswith("Python" if native is None else "firnline-native"), run.rows_by
    stopped = engine.stop()
    assert [run.id for run in stopped] == [done.run.id]
    assert engine.runtime.look(done.run).state in (RunState.SUCCEEDED, RunState.STOPPED)
    assert story._audit(done).exit_status == 0
    assert list(islice(engine.log_lines(done.run.id), 1))


@pytest.mark.slow
def test_a_second_configuration_takes_over_while_records_flow_and_nothing_is_lost_or_doubled(deployable: OnEks) -> None:
    told = DeploymentStory(deployable, list(shop_events(1_000)), Screen(), kills=False).run()
    assert told.report.exit_status == 0
    second, first = deployable.runs()
    assert {first["state"], second["state"]} <= {"COMPLETED", "CANCELLED"}
    assert deployable.configuration(first["id"]) != deployable.configuration(second["id"])
    stopped, rolled = islice(deployable.up().records.newest_first(), 2)
    assert (stopped.outcome, rolled.outcome) == (Outcome.STOPPED, Outcome.GOOD)
