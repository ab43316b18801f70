"""An application of EMR Serverless is stopped before it is changed, and only where no job runs in it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from firnline_infra.kinds.emr import SERVERLESS
from firnline_infra.kinds.resource import Resource
from firnline_infra.observe.existing import StackResources
from firnline_infra.stack import serverless
from firnline_infra.stack.errors import ApplicationInUse
from firnline_infra.stack.serverless import check_application, make_changeable
from firnline_local.faults import FaultPlan
from firnline_local.runtimes.server import RuntimesApplication
from firnline_local.wsgi import WsgiServer
from tests.local.runtimes.conftest import ACCOUNT, REGION, Service, Stage, client_of


def application(**changed: Any) -> Resource:
    arguments = {
        "name": "lake",
        "release_label": "emr-spark-8.1.0",
        "architecture": "ARM64",
        "auto_stop_configuration": {"enabled": True, "idle_timeout_minutes": 15},
        "maximum_capacity": {"cpu": "16 vCPU", "memory": "64 GB"},
        "network_configuration": {"subnet_ids": ["subnet-a", "subnet-b"], "security_group_ids": ["sg-a"]},
        "scheduler_configuration": {"max_concurrent_runs": 1, "queue_timeout_minutes": 15},
    }
    return Resource(SERVERLESS.terraform_type, "application", {**arguments, **changed})


LARGER = {"maximum_capacity": {"cpu": "32 vCPU", "memory": "64 GB"}}
AS_IT_IS: dict[str, Any] = {
    "architecture": "ARM64",
    "maximumCapacity": {"cpu": "16 vCPU", "memory": "64 GB"},
    "networkConfiguration": {"subnetIds": ["subnet-b", "subnet-a"], "securityGroupIds": ["sg-a"]},
    "schedulerConfiguration": {"maxConcurrentRuns": 1, "queueTimeoutMinutes": 15},
}


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.setattr(serverless, "LOOK_EVERY_S", 0.01)
    stage = Stage()
    application = RuntimesApplication(tmp_path, account=ACCOUNT, region=REGION, faults=FaultPlan(), launch=stage)
    with WsgiServer(application, name="runtimes") as server:
        yield Service(client_of(server.endpoint), stage, application)
    application.stop()


def state_of(service: Service, id_: str) -> str:
    return str(service.client.get_application(applicationId=id_)["application"]["state"])


def settle(service: Service, id_: str | None, wanted: Resource | None) -> list[str]:
    """Returns what was said."""
    said: list[str] = []
    make_changeable(wanted, *reached(service, id_), say=said.append, environment="dev")
    return said


def check(service: Service, id_: str) -> Sequence[str]:
    """Checks as before a destroy."""
    return check_application(None, *reached(service, id_), environment="dev")


def reached(service: Service, id_: str | None) -> tuple[Any, StackResources]:
    accounts = SimpleNamespace(aws=lambda _: service.client)
    return accounts, StackResources(({"type": SERVERLESS.token, "id": id_},) if id_ else ())


@pytest.fixture
def started(service: Service) -> str:
    id_ = service.create(**AS_IT_IS)
    service.client.start_application(applicationId=id_)
    return id_


def test_one_that_is_as_it_should_be_is_left_alone(service: Service, started: str) -> None:
    assert settle(service, started, application()) == []
    assert state_of(service, started) == "STARTED"


@pytest.mark.parametrize(
    ("wanted", "named"),
    [
        ({"release_label": "emr-spark-8.0.0"}, "release emr-spark-8.1.0 becomes emr-spark-8.0.0"),
        (LARGER, "vCPUs 16 becomes 32"),
        ({"network_configuration": {"subnet_ids": ["subnet-a"], "security_group_ids": ["sg-a"]}}, "subnets"),
        (None, "it goes"),
    ],
)
def test_an_idle_one_is_stopped_before_it_is_changed_or_deleted(
    service: Service, started: str, wanted: dict[str, Any] | None, named: str
) -> None:
    changed = None if wanted is None else application(**wanted)
    (sentence,) = settle(service, started, changed)
    assert named in sentence
    assert state_of(service, started) == "STOPPED"


def test_where_a_job_runs_nothing_is_stopped_and_what_would_change_is_told(service: Service, started: str) -> None:
    run = service.start(started)
    service.until(started, run, "RUNNING")
    with pytest.raises(ApplicationInUse, match=rf"(?s){run}.*vCPUs 16 becomes 32.*firnline stop dev"):
        settle(service, started, application(**LARGER))
    with pytest.raises(ApplicationInUse, match="it goes"):
        check(service, started)
    assert state_of(service, started) == "STARTED"
    service.stage.attempt().end()


def test_a_preview_stops_nothing(service: Service, started: str) -> None:
    assert check(service, started) == ["it goes"]
    assert state_of(service, started) == "STARTED"


def test_one_that_is_stopped_or_not_there_needs_nothing(service: Service) -> None:
    id_ = service.create(**AS_IT_IS)
    assert settle(service, None, application()) == settle(service, "00gone", None) == settle(service, id_, None) == []
