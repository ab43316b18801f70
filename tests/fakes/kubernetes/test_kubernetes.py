"""The embedded cluster under the real client of a roll-out, with both operators' weaknesses; attempts end when a test says so."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from firnline_infra.runtimes.errors import RuntimeRefused
from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.kubeconfig import Access
from firnline_infra.runtimes.kubernetes_api import HttpKubernetesApi
from firnline_infra.runtimes.registry import render
from firnline_infra.runtimes.service import Run, RunState
from firnline_infra.runtimes.spark_operator.options import Operator
from firnline_infra.runtimes.spark_operator.service import FLAVOURS, OperatorService
from firnline_local.wsgi import WsgiServer
from tests.fakes.kubernetes.schema import schema_of, violations
from tests.fakes.kubernetes.server import ClusterRuntimes
from tests.infra.runtimes.environments import RUNTIMES, SHIPPED, job_of, spec_of
from tests.local.runtimes.conftest import ACCOUNT, HANGS_S, REGION, ROLE, Stage

LABEL = "firnline/application=firnline-dev"


@dataclass
class Place:
    operator: Operator
    job: EngineJob
    stage: Stage
    runtime: OperatorService
    api: HttpKubernetesApi
    application: ClusterRuntimes

    @property
    def path(self) -> str:
        group, namespace = FLAVOURS[self.operator].group, self.job.runtime.namespace
        return f"/apis/{group}/namespaces/{namespace}/sparkapplications/firnline-dev"

    def until(self, condition: Callable[[], bool]) -> None:
        changed = self.application.kubernetes.cluster.changed
        with changed:
            assert changed.wait_for(condition, HANGS_S)

    def until_run(self, run: Run, state: RunState) -> Run:
        pause = threading.Event()
        for _ in range(int(HANGS_S / 0.01)):
            if (found := self.runtime.look(run)).state is state:
                return found
            pause.wait(0.01)
        raise AssertionError(found)

    def state(self) -> str:
        status = (self.api.get(self.path) or {}).get("status", {})
        return str(status.get("applicationState", {}).get("state") or status["currentState"]["currentStateSummary"])

    def has_ended(self) -> bool:
        """Whether its object has: kubeflow says so before the driver has ended, apache forgets it after that."""
        return self.operator is Operator.KUBEFLOW or self.application.kubernetes.cluster.objects.find(self.path) is None

    def pods(self, role: str) -> list[dict[str, Any]]:
        path = f"/api/v1/namespaces/{self.job.runtime.namespace}/pods"
        return list((self.api.get(path, labelSelector=f"{LABEL},spark-role={role}") or {})["items"])

    def patch(self, **spec: Any) -> None:
        assert self.api.merge(self.path, {"spec": spec})


@pytest.fixture(params=list(Operator), ids=str)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    operator: Operator = request.param
    stage, job = Stage(), job_of(spec_of("dev", operator.value))
    served = ClusterRuntimes(tmp_path, account=ACCOUNT, region=REGION, launch=stage)
    served.kubernetes.cluster.linger_s = served.kubernetes.cluster.hurry = 0.0
    with WsgiServer(served, name="runtimes") as server:
        api = HttpKubernetesApi(lambda: Access(server=server.endpoint))
        runtime, namespace = job.runtime, job.runtime.namespace or ""
        account = runtime.service_account or ""
        image = runtime.kubernetes.image if runtime.kubernetes else ""
        served.kubernetes.given({"images": {image: str(tmp_path)}, "roles": {f"{namespace}/{account}": ROLE}})
        made = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": account}}
        assert api.create(f"/api/v1/namespaces/{namespace}/serviceaccounts", made)
        service = OperatorService(api, FLAVOURS[operator], namespace, "firnline-dev", account, sleep=lambda _: None)
        yield Place(operator, job, stage, service, api, served)
    served.stop()


def started(place: Place, token: str = "00000001-ab") -> Run:
    number = len(place.stage.attempts) + 1
    run = place.runtime.start(place.job, token)
    place.stage.attempt(number)
    return place.until_run(run, RunState.RUNNING)


@pytest.mark.parametrize(("environment", "runtime"), [(e, r) for e in SHIPPED for r in RUNTIMES if r in set(Operator)])
def test_the_schema_refuses_what_another_reader_of_it_refuses(environment: str, runtime: str) -> None:
    schema = schema_of(runtime)
    good = render(job_of(spec_of(environment, runtime)), token="1")
    assert list(violations(schema, good)) == []
    for broken in broken_of(good):
        others = list(Draft202012Validator(schema).iter_errors(broken))
        assert bool(list(violations(schema, broken))) == bool(others)
        assert others


def broken_of(good: dict[str, Any]) -> Iterator[dict[str, Any]]:
    spec = good["spec"]
    yield {**good, "apiVersion": "v2"}
    yield {name: good[name] for name in good if name != "spec"}
    yield {**good, "spec": {**spec, "sparkConfig": {}}}
    yield {**good, "spec": {**spec, "sparkConf": {"a": 1}}}
    yield {**good, "spec": {**spec, "sparkConf": "a=1"}}


def test_a_cluster_that_has_the_operator_takes_the_job(place: Place) -> None:
    assert place.runtime.check(place.job) == []
    assert place.runtime.runs("firnline-dev") == []


def test_a_job_runs_as_its_manifest_says(place: Place) -> None:
    run = started(place)
    submission = place.stage.attempt().submission
    image = next(iter(place.application.kubernetes.cluster.images.values()))
    assert submission.entry == f"{image}/entry.py"
    assert submission.arguments == (place.job.configuration,)
    assert submission.role_arn == ROLE
    assert submission.service == "pods.eks.amazonaws.com"
    assert submission.conf["spark.pyspark.python"] == f"{image}/environment/bin/python"
    assert submission.conf["spark.kubernetes.driverEnv.FIRNLINE_START"] == run.start == "00000001-ab"
    assert submission.conf["spark.executor.cores"] == str(place.job.size.executor_cores)
    assert [pod["status"]["phase"] for pod in place.pods("driver")] == ["Running"]
    assert len(place.pods("executor")) == place.job.size.executors
    assert list(place.runtime.log_lines(run)) == [f"the driver of {submission.name}"]


def test_what_it_tells_of_an_application_fits_the_operators_schema(place: Place) -> None:
    started(place)
    found = place.api.get(place.path)
    assert list(Draft202012Validator(schema_of(place.operator.value)).iter_errors(found)) == []


def test_a_run_is_gone_when_its_pods_are(place: Place) -> None:
    """Neither operator waits for executors: its object has ended before."""
    place.application.kubernetes.cluster.linger_s = HANGS_S
    run = started(place)
    place.runtime.cancel(run, grace_s=0)
    assert not place.runtime.is_gone(run)
    place.stage.attempt().end()
    place.until(
        lambda: not place.application.kubernetes.cluster.objects.below(folder_of(place), {"spark-role": "driver"})
    )
    place.until(place.has_ended)
    assert not place.runtime.look(run).state.is_active
    assert place.pods("executor")
    assert not place.runtime.is_gone(run)


def folder_of(place: Place) -> str:
    return f"/api/v1/namespaces/{place.job.runtime.namespace}/pods"


def test_an_engine_that_was_asked_to_stop_is_not_started_again(place: Place) -> None:
    run = started(place)
    place.stage.attempt().end()
    place.until_run(run, RunState.SUCCEEDED)
    second = started(place, "00000002-cd")
    assert second.id != run.id
    assert len(place.stage.attempts) == 2


def test_an_engine_that_failed_is_started_again(place: Place) -> None:
    run = started(place)
    place.stage.attempt().end("exit status 4")
    place.stage.attempt(2)
    assert place.until_run(run, RunState.RUNNING).attempt == 2


def test_a_launch_that_is_refused_fails_the_attempt_in_its_words(place: Place) -> None:
    """And is tried again, as any that failed."""
    place.stage.refuses = "the role can't be assumed"
    place.application.kubernetes.cluster.hurry = HANGS_S
    place.runtime.start(place.job, "00000001-ab")
    objects = place.application.kubernetes.cluster.objects
    place.until(lambda: "the role can't be assumed" in str(objects.find(place.path)))
    assert place.stage.attempts == []


def test_an_image_that_can_not_be_pulled_is_told_in_the_clusters_words(place: Place) -> None:
    place.application.kubernetes.cluster.images.clear()
    run = place.runtime.start(place.job, "00000001-ab")
    place.until(
        lambda: any(
            "containerStatuses" in str(each)
            for each in place.application.kubernetes.cluster.objects.below(folder_of(place), {})
        )
    )
    found = place.runtime.look(run)
    assert found.state is RunState.STARTING
    assert "ErrImagePull" in found.reason
    place.runtime.cancel(run, grace_s=0)
    objects = place.application.kubernetes.cluster.objects
    place.until(lambda: not objects.below(folder_of(place), {}) and place.has_ended())
    assert place.runtime.is_gone(run)


def test_a_manifest_that_the_operator_refuses_is_refused(place: Place) -> None:
    document = render(place.job, token="1")
    document["spec"]["sparkConfig"] = {}
    with pytest.raises(RuntimeRefused, match="sparkConfig: unknown field"):
        place.api.create(place.path.rpartition("/")[0], document)


def test_what_is_not_in_it_is_refused_by_name(place: Place) -> None:
    with pytest.raises(RuntimeRefused, match=r"405: .*is not in the embedded Kubernetes"):
        place.api.delete(f"{folder_of(place)}/firnline-dev-driver")


@pytest.mark.parametrize("place", [Operator.KUBEFLOW], ids=str, indirect=True)
def test_kubeflow_submits_again_what_was_changed_once_the_driver_is_gone_whatever_the_executors_do(
    place: Place,
) -> None:
    place.application.kubernetes.cluster.linger_s = HANGS_S
    started(place)
    place.patch(arguments=["s3://bucket/other.json"])
    assert place.state() == "INVALIDATING"
    assert place.stage.attempt().stopped_with == [0.0]
    place.stage.attempt().end()
    assert place.stage.attempt(2).submission.arguments == ("s3://bucket/other.json",)
    assert len(place.pods("executor")) >= place.job.size.executors


@pytest.mark.parametrize("place", [Operator.KUBEFLOW], ids=str, indirect=True)
def test_kubeflow_says_suspended_while_the_driver_still_runs(place: Place) -> None:
    run = started(place)
    place.patch(suspend=True)
    assert place.state() == "SUSPENDED"
    assert "deletionTimestamp" in place.pods("driver")[0]["metadata"]
    assert not place.runtime.is_gone(run)
    place.patch(suspend=False)
    assert place.state() == "RESUMING"
    place.stage.attempt().end()
    place.stage.attempt(2)


@pytest.mark.parametrize("place", [Operator.KUBEFLOW], ids=str, indirect=True)
def test_kubeflow_fails_to_submit_beside_a_driver_of_the_name_and_tries_again(place: Place) -> None:
    """Executors of the one before may be there still: theirs are names of their own."""
    place.application.kubernetes.cluster.linger_s = HANGS_S
    started(place)
    body = json.dumps({"propagationPolicy": "Background"}).encode()
    place.application.kubernetes.answer("DELETE", place.path, "", body)
    assert place.api.get(place.path) is None
    place.application.kubernetes.cluster.hurry = 0.001
    assert place.api.create(place.path.rpartition("/")[0], render(place.job, token="2"))
    objects = place.application.kubernetes.cluster.objects
    place.until(lambda: "SUBMISSION_FAILED" in str(objects.find(place.path)))
    place.stage.attempt().end()
    place.stage.attempt(2)
    place.until(lambda: "RUNNING" in str(objects.find(place.path)))
    assert len(place.pods("executor")) == 2 * place.job.size.executors


@pytest.mark.parametrize("place", [Operator.APACHE], ids=str, indirect=True)
def test_apache_heeds_no_change_until_the_next_attempt(place: Place) -> None:
    started(place)
    place.patch(driverArgs=["s3://bucket/other.json"])
    assert (place.state(), place.stage.attempt().stopped_with) == ("RunningHealthy", [])
    place.stage.attempt().end("exit status 4")
    assert place.stage.attempt(2).submission.arguments == ("s3://bucket/other.json",)


@pytest.mark.parametrize("place", [Operator.APACHE], ids=str, indirect=True)
@pytest.mark.parametrize("patient", [True, False])
def test_apache_gives_a_driver_no_grace_whose_application_has_long_not_changed(place: Place, patient: bool) -> None:
    """Ours says ten years; the operator's own five minutes are over after any stream has run for a while."""
    run = started(place)
    if not patient:
        place.patch(applicationTolerations={"applicationTimeoutConfig": {"forceTerminationGracePeriodMillis": 0}})
    place.runtime.cancel(run, grace_s=0)
    attempt = place.stage.attempt()
    assert bool(attempt.stopped_with) == patient
    assert attempt.over.is_set() != patient
    attempt.end()
