import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.runtimes.errors import RuntimeRefused
from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.service import RunState
from firnline_infra.runtimes.spark_operator.apache import STATES as APACHE
from firnline_infra.runtimes.spark_operator.kubeflow import STATES as KUBEFLOW
from firnline_infra.runtimes.spark_operator.options import Operator
from firnline_infra.runtimes.spark_operator.service import FLAVOURS, OperatorService
from tests.infra.runtimes.services.memory_cluster import MemoryCluster

Job = Callable[..., EngineJob]
LABEL = {"firnline/application": "firnline-dev"}
STATUS = {
    Operator.KUBEFLOW: lambda state: {"applicationState": {"state": state}},
    Operator.APACHE: lambda state: {"currentState": {"currentStateSummary": state}},
}
RUNNING = {Operator.KUBEFLOW: "RUNNING", Operator.APACHE: "RunningHealthy"}
SCHEMAS = Path(__file__).parents[1] / "schemas"


def section(operator: Operator) -> dict[str, Any]:
    return {
        "trust": "irsa",
        "oidc_provider": "oidc.eks.eu-central-1.amazonaws.com/id/1A",
        "namespace": "ingest",
        "service_account": "firnline",
        "kubernetes": {"operator": operator.value, "image": f"registry/firnline@sha256:{'0' * 64}"},
    }


class Place:
    """A cluster with an operator, and the runtime that uses it. Time passes only while somebody sleeps."""

    def __init__(self, operator: Operator, job: Job) -> None:
        self.operator, self.cluster = operator, MemoryCluster()
        self.job = job(section(operator), place="")
        flavour = FLAVOURS[operator]
        self.cluster.objects[f"/apis/{flavour.group}"] = {"metadata": {}}
        self.cluster.objects["/api/v1/namespaces/ingest/serviceaccounts/firnline"] = {"metadata": {}}
        self.path = f"/apis/{flavour.group}/namespaces/ingest/sparkapplications/firnline-dev"
        self.now_s = 0.0
        self.on_sleep: Callable[[], None] = lambda: None
        self.runtime = OperatorService(
            self.cluster, flavour, "ingest", "firnline-dev", "firnline", sleep=self.sleep, clock=lambda: self.now_s
        )

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds
        self.on_sleep()

    def is_in(self, state: str, **more: Any) -> None:
        self.cluster.objects[self.path]["status"] = {**STATUS[self.operator](state), **more}


@pytest.fixture(params=list(Operator), ids=str)
def place(request: pytest.FixtureRequest, job: Job) -> Iterator[Place]:
    return Place(request.param, job)


def test_every_state_of_the_apache_operator_is_known() -> None:
    (schema,) = SCHEMAS.glob("*apache*")
    found = json.loads(schema.read_text())["properties"]["status"]["properties"]["currentState"]["properties"]
    assert set(APACHE) == set(found["currentStateSummary"]["enum"])


def test_a_job_becomes_an_object_that_its_service_tells_of(place: Place) -> None:
    assert place.runtime.runs("firnline-dev") == []
    run = place.runtime.start(place.job, "00000001-ab")
    assert run.state is RunState.STARTING
    assert run.is_of(place.job.hash)
    place.is_in(RUNNING[place.operator])
    (found,) = place.runtime.runs("firnline-dev")
    assert (found.id, found.state) == (run.id, RunState.RUNNING)


def test_the_same_token_twice_is_one_object(place: Place) -> None:
    first = place.runtime.start(place.job, "00000001-ab")
    assert place.runtime.start(place.job, "00000001-ab").id == first.id


def test_the_next_run_is_a_new_object_made_once_the_pods_of_the_old_one_are_away(place: Place) -> None:
    old = place.runtime.start(place.job, "00000001-ab")
    place.cluster.add_pod("ingest", "firnline-dev-driver", LABEL, phase="Succeeded")
    place.on_sleep = place.cluster.remove_pods
    new = place.runtime.start(place.job, "00000002-ab")
    assert new.id != old.id
    assert place.now_s > 0
    assert place.runtime.look(old).state is RunState.UNKNOWN


def test_pods_that_do_not_go_are_told(place: Place) -> None:
    place.runtime.start(place.job, "00000001-ab")
    place.cluster.add_pod("ingest", "firnline-dev-driver", LABEL, phase="Running")
    with pytest.raises(RuntimeRefused, match="still there after 120 s"):
        place.runtime.start(place.job, "00000002-ab")


def test_a_cancelled_run_is_gone_when_none_of_its_pods_can_run(place: Place) -> None:
    run = place.runtime.start(place.job, "00000001-ab")
    place.is_in(RUNNING[place.operator])
    place.cluster.add_pod("ingest", "executor-1", LABEL, phase="Running")
    place.runtime.cancel(run, grace_s=120)
    if place.operator is Operator.KUBEFLOW:
        assert place.cluster.objects[place.path]["spec"]["suspend"] is True
        assert place.runtime.look(run).state is RunState.STOPPING
        place.is_in("SUSPENDED")
    else:
        assert place.path not in place.cluster.objects
    assert not place.runtime.is_gone(run)
    place.cluster.end_pods("firnline/application", "firnline-dev")
    assert place.runtime.is_gone(run)
    assert place.runtime.runs("firnline-dev") == []


def test_a_run_that_was_replaced_is_not_cancelled(place: Place) -> None:
    old = place.runtime.start(place.job, "00000001-ab")
    place.runtime.start(place.job, "00000002-ab")
    place.runtime.cancel(old, grace_s=120)
    assert place.path in place.cluster.objects
    assert "suspend" not in place.cluster.objects[place.path]["spec"]


def test_why_it_does_not_start_is_told_in_the_clusters_words(place: Place) -> None:
    run = place.runtime.start(place.job, "00000001-ab")
    waiting = {"state": {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}}
    place.cluster.add_pod("ingest", "firnline-dev-driver", LABEL, phase="Pending", containerStatuses=[waiting])
    assert place.runtime.look(run).reason == "pod firnline-dev-driver: ImagePullBackOff: no such image"


def test_where_all_is_well_there_are_no_problems_and_nothing_is_made(place: Place) -> None:
    assert place.runtime.check(place.job) == []
    assert place.path not in place.cluster.objects


def test_a_cluster_without_the_operator_is_told_before(place: Place) -> None:
    place.cluster.objects.clear()
    (problem,) = place.runtime.check(place.job)
    assert place.runtime.flavour.name in problem.what


def test_a_missing_account_and_what_admission_says_are_told_before(place: Place) -> None:
    del place.cluster.objects["/api/v1/namespaces/ingest/serviceaccounts/firnline"]
    place.cluster.refusal = "403: denied by the webhook"
    said = [problem.what for problem in place.runtime.check(place.job)]
    assert "no service account firnline" in said[0]
    assert "denied by the webhook" in said[1]


def test_logs_are_the_drivers(place: Place) -> None:
    run = place.runtime.start(place.job, "00000001-ab")
    place.cluster.add_pod("ingest", "d", {**LABEL, "spark-role": "driver"}, phase="Running")
    place.cluster.add_pod("ingest", "e", {**LABEL, "spark-role": "executor"}, phase="Running")
    place.cluster.logs["/api/v1/namespaces/ingest/pods/d/log"] = "engine.started\nepoch.ended\n"
    assert list(place.runtime.log_lines(run)) == ["engine.started", "epoch.ended"]


@pytest.mark.parametrize(
    ("state", "expected"), [("COMPLETED", "SUCCEEDED"), ("FAILED", "FAILED"), ("PENDING_RERUN", "STARTING")]
)
def test_states_of_the_kubeflow_operator(job: Job, state: str, expected: str) -> None:
    place = Place(Operator.KUBEFLOW, job)
    run = place.runtime.start(place.job, "1")
    place.is_in(state)
    assert place.runtime.look(run).state == expected
    assert KUBEFLOW[state] == expected


@pytest.mark.parametrize(("before", "expected"), [("Succeeded", "SUCCEEDED"), ("DriverEvicted", "FAILED")])
def test_what_the_apache_operator_released_ended_as_the_state_before_says(job: Job, before: str, expected: str) -> None:
    place = Place(Operator.APACHE, job)
    run = place.runtime.start(place.job, "1")
    history = {"9": {"currentStateSummary": before}, "10": {"currentStateSummary": "ResourceReleased"}}
    place.is_in("ResourceReleased", stateTransitionHistory=history)
    assert place.runtime.look(run).state == expected


@pytest.mark.parametrize("operator", list(Operator))
def test_two_objects_can_not_bear_one_name_so_the_old_engine_is_stopped_first(operator: Operator, job: Job) -> None:
    place = Place(operator, job)
    assert "there is one of a name" in place.runtime.lacks_room(place.job)
