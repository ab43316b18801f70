import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from firnline_infra.runtimes.errors import NoCluster
from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.naming import run_name
from firnline_infra.runtimes.service import Run, RunState
from firnline_infra.runtimes.spark_operator import service
from firnline_infra.runtimes.spark_operator.apache import STATES as APACHE
from firnline_infra.runtimes.spark_operator.kubeflow import STATES as KUBEFLOW
from firnline_infra.runtimes.spark_operator.service import FLAVOURS, OperatorService
from firnline_infra.runtimes.waiting import WaitsFor
from firnline_infra.specification.runtimes.spark_operator import Operator
from tests.infra.runtimes.environments import spec_of
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
    """A cluster with an operator, and the runtime that uses it."""

    def __init__(self, operator: Operator, job: Job) -> None:
        self.operator, self.cluster = operator, MemoryCluster()
        self.job = job(section(operator), place="")
        flavour = FLAVOURS[operator]
        self.cluster.objects[f"/apis/{flavour.group}"] = {"metadata": {}}
        self.cluster.objects["/api/v1/namespaces/ingest/serviceaccounts/firnline"] = {"metadata": {}}
        self.folder = f"/apis/{flavour.group}/namespaces/ingest/sparkapplications"
        self.runtime = OperatorService(self.cluster, flavour, "ingest", "firnline-dev", "firnline")

    def start(self, token: str = "00000001-ab") -> Run:
        return self.runtime.start(self.job, token)

    def path(self, token: str = "00000001-ab") -> str:
        return f"{self.folder}/{run_name('firnline-dev', token)}"

    def add_pod(self, name: str, *, token: str = "00000001-ab", role: str = "driver", **status: Any) -> None:
        marks = {**LABEL, "firnline/generation": token, "spark-role": role}
        self.cluster.add_pod("ingest", name, marks, **status)

    def is_in(self, state: str, token: str = "00000001-ab", **more: Any) -> None:
        self.cluster.objects[self.path(token)]["status"] = {**STATUS[self.operator](state), **more}


@pytest.fixture(params=list(Operator), ids=str)
def place(request: pytest.FixtureRequest, job: Job) -> Iterator[Place]:
    return Place(request.param, job)


def test_every_state_of_the_apache_operator_is_known() -> None:
    (schema,) = SCHEMAS.glob("*apache*")
    found = json.loads(schema.read_text())["properties"]["status"]["properties"]["currentState"]["properties"]
    assert set(APACHE) == set(found["currentStateSummary"]["enum"])


def test_a_job_becomes_an_object_that_its_service_tells_of(place: Place) -> None:
    assert place.runtime.runs("firnline-dev") == []
    run = place.start()
    assert run.state is RunState.STARTING
    assert run.is_of(place.job.hash)
    place.is_in(RUNNING[place.operator])
    (found,) = place.runtime.runs("firnline-dev")
    assert (found.id, found.state) == (run.id, RunState.RUNNING)


def test_the_same_token_twice_is_one_object(place: Place) -> None:
    first = place.start()
    assert place.start().id == first.id


def test_two_starts_are_two_runs_of_which_each_has_its_own_pods(place: Place) -> None:
    """So that one stands by: neither operator knows of the other."""
    old, new = place.start(), place.start("00000002-ab")
    assert place.runtime.lacks_room(place.job) == ""
    assert [run.id for run in place.runtime.runs("firnline-dev")] == [old.id, new.id]
    place.is_in(RUNNING[place.operator])
    place.add_pod("old-driver", phase="Running")
    place.add_pod("new-driver", token="00000002-ab", phase="Running")
    place.runtime.cancel(old, grace_s=120)
    if place.operator is Operator.KUBEFLOW:
        place.is_in("SUSPENDED")
    assert not place.runtime.is_gone(old)
    place.cluster.end_pods("firnline/generation", "00000001-ab")
    assert place.runtime.is_gone(old)
    assert [run.id for run in place.runtime.runs("firnline-dev")] == [new.id]


def test_a_run_that_stands_by_is_started_so(place: Place) -> None:
    run = place.runtime.start(place.job, "00000001-ab", stands_by=True)
    conf = place.cluster.objects[place.path()]["spec"]["sparkConf"]
    assert conf["spark.kubernetes.driverEnv.FIRNLINE_STANDBY"]
    assert run.start == "00000001-ab"


def test_the_last_run_that_ended_is_kept_for_its_logs_and_those_before_are_not(place: Place) -> None:
    state = {Operator.KUBEFLOW: "FAILED", Operator.APACHE: "ResourceReleased"}[place.operator]
    for number in range(1, 5):
        place.start(f"0000000{number}-ab")
        place.is_in(state, f"0000000{number}-ab")
    left = [path for path in place.cluster.objects if path.startswith(f"{place.folder}/")]
    assert left == [place.path("00000003-ab"), place.path("00000004-ab")]


def test_a_cancelled_run_is_gone_when_none_of_its_pods_can_run(place: Place) -> None:
    run = place.start()
    place.is_in(RUNNING[place.operator])
    place.add_pod("executor-1", role="executor", phase="Running")
    place.runtime.cancel(run, grace_s=120)
    if place.operator is Operator.KUBEFLOW:
        assert place.cluster.objects[place.path()]["spec"]["suspend"] is True
        assert place.runtime.look(run).state is RunState.STOPPING
        place.is_in("SUSPENDED")
    else:
        assert place.path() not in place.cluster.objects
    assert not place.runtime.is_gone(run)
    place.cluster.end_pods("firnline/application", "firnline-dev")
    assert place.runtime.is_gone(run)
    assert place.runtime.runs("firnline-dev") == []


def test_why_it_does_not_start_is_told_in_the_clusters_words(place: Place) -> None:
    run = place.start()
    waiting = {"state": {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}}
    place.add_pod("firnline-dev-driver", phase="Pending", containerStatuses=[waiting])
    found = place.runtime.look(run)
    assert found.reason == "pod firnline-dev-driver: ImagePullBackOff: no such image"
    assert found.waits_for is WaitsFor.CORRECTION


def test_a_probe_is_a_pod_with_the_engines_image_that_asks_for_nothing_and_is_removed(place: Place) -> None:
    probe = place.runtime.probe(place.job, "00000002-ab")
    assert probe is not None
    (path,) = (path for path in place.cluster.objects if "/pods/" in path)
    (container,) = place.cluster.objects[path]["spec"]["containers"]
    assert container["image"] == place.job.runtime.kubernetes.image
    assert "resources" not in container
    assert place.runtime.runs("firnline-dev") == []

    waiting = {"reason": "ErrImagePull", "message": "no such image"}
    status = {"name": container["name"], "state": {"waiting": waiting}}
    place.cluster.objects[path]["status"] = {"phase": "Pending", "containerStatuses": [status]}
    assert (probe.look().state, probe.look().waits_for) == (RunState.STARTING, WaitsFor.CORRECTION)
    assert "no such image" in probe.look().reason

    status["state"] = {"terminated": {"exitCode": 0}}
    assert probe.look().state is RunState.RUNNING
    probe.close()
    assert path not in place.cluster.objects


def test_a_deployer_who_may_make_no_pods_has_no_probe(place: Place) -> None:
    place.cluster.refusal = '403: cannot create resource "pods"'
    assert place.runtime.probe(place.job, "00000002-ab") is None


def test_where_all_is_well_there_are_no_problems_and_nothing_is_made(place: Place) -> None:
    assert place.runtime.check(place.job) == []
    assert place.path("check") not in place.cluster.objects


def test_a_cluster_without_the_operator_is_told_before(place: Place) -> None:
    place.cluster.objects.clear()
    (problem,) = place.runtime.check(place.job)
    assert place.runtime.flavour.name in problem.what


def test_a_missing_account_and_what_admission_says_are_told_before(place: Place) -> None:
    del place.cluster.objects["/api/v1/namespaces/ingest/serviceaccounts/firnline"]
    place.cluster.refusal = "403: denied by the webhook"
    said = [problem.what for problem in place.runtime.check(place.job)]
    assert "no service account firnline" in said[0]
    assert all("denied by the webhook" in each for each in said[1:])
    assert len(said) == 3


def test_logs_are_the_drivers(place: Place) -> None:
    run = place.start()
    place.add_pod("d", phase="Running")
    place.add_pod("e", role="executor", phase="Running")
    place.add_pod("o", token="00000002-ab", phase="Running")
    place.cluster.logs["/api/v1/namespaces/ingest/pods/d/log"] = "engine.started\nepoch.ended\n"
    assert list(place.runtime.log_lines(run)) == ["engine.started", "epoch.ended"]


@pytest.mark.parametrize(
    ("state", "expected"), [("COMPLETED", "SUCCEEDED"), ("FAILED", "FAILED"), ("PENDING_RERUN", "STARTING")]
)
def test_states_of_the_kubeflow_operator(job: Job, state: str, expected: str) -> None:
    place = Place(Operator.KUBEFLOW, job)
    run = place.start()
    place.is_in(state)
    assert place.runtime.look(run).state == expected
    assert KUBEFLOW[state] == expected


@pytest.mark.parametrize(("before", "expected"), [("Succeeded", "SUCCEEDED"), ("DriverEvicted", "FAILED")])
def test_what_the_apache_operator_released_ended_as_the_state_before_says(job: Job, before: str, expected: str) -> None:
    place = Place(Operator.APACHE, job)
    run = place.start()
    history = {"9": {"currentStateSummary": before}, "10": {"currentStateSummary": "ResourceReleased"}}
    place.is_in("ResourceReleased", stateTransitionHistory=history)
    assert place.runtime.look(run).state == expected


@pytest.mark.parametrize("asks", ["service_of", "prepare", "release"])
@pytest.mark.parametrize("context", [None, "platform-prod"])
def test_the_cluster_is_that_of_the_specifications_context(
    asks: str, context: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The current context is taken if it names none."""
    asked: list[str | None] = []

    def no_cluster(name: str | None) -> None:
        asked.append(name)
        raise NoCluster("it is read no further here")

    monkeypatch.setattr(service, "read_kubeconfig", no_cluster)
    spec = spec_of("dev", "kubeflow", kubernetes={"image": "an:image"} | ({"context": context} if context else {}))
    calls: dict[str, Callable[[], object]] = {
        "service_of": lambda: service.service_of(spec, cast("Any", None), "").runs("dev"),
        "prepare": lambda: service.prepare(spec),
        "release": lambda: service.release(spec),
    }
    with pytest.raises(NoCluster):
        calls[asks]()
    assert asked == [context]
