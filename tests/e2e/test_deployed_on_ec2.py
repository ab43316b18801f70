"""From a specification to proven rows on the embedded EMR on EC2: the engine's own archive, on Hadoop's own YARN, as its nodes'
role; and an engine whose step a person has cancelled, which reads on until `firnline stop` asks it."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.artefact import build_cached, target_of_specification
from firnline_infra.runtimes.service import RunState
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.ledger.provision import open_ledger
from firnline_local.demo.deployable import Deployable, deployed_specification
from firnline_local.demo.deployment_story import DeploymentStory
from firnline_local.demo.events import shop_events
from firnline_local.demo.screen import Screen
from firnline_local.machine import ARCHITECTURE
from firnline_local.running import RunningEnvironment
from firnline_local.specification_here import INSTANCE_TYPES

HANGS_S = 1800
pytestmark = [pytest.mark.e2e, pytest.mark.spark, pytest.mark.timeout(HANGS_S), pytest.mark.slow]


class OnEc2(Deployable):
    """The stack makes the instance profile and the cluster."""

    def prepare(self) -> None:
        (subnet, *_) = self.environment.client("ec2").describe_subnets()["Subnets"]
        self.document["aws"]["runtime"]["emr_ec2"] |= {"subnet": subnet["SubnetId"]}
        self.make_keys()

    @property
    def emr(self) -> Any:
        return self.environment.client("emr")

    def attempts(self, run: str) -> list[dict[str, Any]]:
        return [{}]

    def steps(self) -> list[dict[str, Any]]:
        """Oldest first."""
        return list(reversed(self.emr.list_steps(ClusterId=self.application_id)["Steps"]))

    def configuration(self, run: str) -> EngineConfig:
        found = self.emr.describe_step(ClusterId=self.application_id, StepId=run)["Step"]
        return self.configuration_at(found["Config"]["Args"][-1])

    def destroy(self) -> None:
        self._program.destroy()
        while self.processes():
            time.sleep(0.2)

    def processes(self) -> list[str]:
        """Processes that work in a folder of this cluster."""
        if "engine_place" not in self._outputs:
            return []
        folder = (self.environment.folder.runtimes / "clusters" / self.application_id).resolve()
        return [str(each) for each in Path("/proc").glob("[0-9]*") if works_in(each, folder)]


def works_in(process: Path, folder: Path) -> bool:
    try:
        return (process / "cwd").readlink().is_relative_to(folder)
    except OSError:
        return False


@pytest.fixture
def deployable(
    local_environment: RunningEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[OnEc2]:
    endpoints = local_environment.endpoints
    document = deployed_specification("ec2", endpoints.aws_account, endpoints.region, shards=2)
    size, python = (document["aws"]["runtime"][name] for name in ("size", "python"))
    section = {"architecture": ARCHITECTURE, "instance_type": INSTANCE_TYPES[ARCHITECTURE]}
    document["aws"]["runtime"] = {"trust": "emr-ec2", "emr_ec2": section, "size": size, "python": python}
    made = OnEc2(local_environment, tmp_path, document, say=print)
    for name, value in made.environment.variables.items():
        monkeypatch.setenv(name, value)  # the audit finds AWS as any program does
    yield made
    made.destroy()


def test_an_engine_reads_on_when_its_step_is_cancelled_and_is_stopped_with_every_record_proven(
    deployable: OnEc2,
) -> None:
    deployable.prepare()
    engine = deployable.up()
    events = list(shop_events(500))
    story = DeploymentStory(deployable, events, Screen(), kills=False)
    deployable.environment.put_events(deployable.name, events[:250])
    done = engine.deploy(lambda: build_cached(target_of_specification(engine.spec)))
    story._wait(lambda: deployable.rows() > 0, engine, "rows are in the table")

    deployable.emr.cancel_steps(ClusterId=deployable.application_id, StepIds=[done.run.id])
    story._wait(lambda: engine.runtime.look(done.run).state is RunState.STOPPED, engine, "the step is cancelled")
    assert list(engine.runtime.runs(engine.application)) == []
    deployable.environment.put_events(deployable.name, events[250:])
    story._until_all_is_there(done, engine)

    ledger = open_ledger(deployable.configuration(done.run.id))
    assert ledger.current_run() is not None
    assert [run.id for run in engine.stop()] == [done.run.id]
    assert ledger.current_run() is None, "it has given the application back by itself"
    assert {each["Status"]["State"] for each in deployable.steps()} == {"CANCELLED", "COMPLETED"}, (
        "COMPLETED: YARN was asked"
    )
    assert story._audit(done).exit_status == 0
    assert any('"event"' in line for line in engine.log_lines(done.run.id)), "the driver's own lines"
