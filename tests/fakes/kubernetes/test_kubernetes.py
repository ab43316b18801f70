"""The embedded cluster under the real client of a roll-out, with both operators' weaknesses; attempts end when a test says so."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from firnline_infra.runtimes.registry import render
from firnline_infra.runtimes.service import RunState
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.names import Names
from firnline_infra.specification.runtimes.spark_operator import Operator
from tests.fakes.kubernetes.conftest import FIRST, Place, cleared, started
from tests.local.runtimes.conftest import HANGS_S, ROLE, Played


def test_a_cluster_that_has_the_operator_takes_the_job(place: Place) -> None:
    assert place.runtime.check(place.job) == []
    assert place.runtime.runs("firnline-dev") == []


def test_a_job_runs_as_its_manifest_says(place: Place) -> None:
    run = started(place)
    submission = place.stage.attempt().submission
    image = next(iter(place.cluster.images.values()))
    assert submission.entry == f"{image}/entry.py"
    assert submission.arguments == (place.job.configuration,)
    of_its_account = Arns(place.spec).role(Names.of(place.spec).engine_role)
    assert submission.role_arn == (of_its_account if place.operator is Operator.KUBEFLOW else ROLE)
    assert submission.service == "pods.eks.amazonaws.com"
    assert submission.conf["spark.pyspark.python"] == f"{image}/environment/bin/python"
    assert submission.conf["spark.kubernetes.driverEnv.FIRNLINE_START"] == run.start == "00000001-ab"
    assert submission.conf["spark.executor.cores"] == str(place.job.size.executor_cores)
    assert [pod["status"]["phase"] for pod in place.pods("driver")] == ["Running"]
    assert len(place.pods("executor")) == place.job.size.executors
    assert list(place.runtime.log_lines(run)) == [f"the driver of {submission.name}"]


def test_a_run_is_gone_when_its_pods_are(place: Place) -> None:
    """Neither operator waits for executors: its object has ended before."""
    place.cluster.linger_s = HANGS_S
    run = started(place)
    place.runtime.cancel(run, grace_s=0)
    assert not place.runtime.is_gone(run)
    place.stage.attempt().end()
    place.until(lambda: not place.pods("driver"))
    place.until(place.has_ended)
    assert not place.runtime.look(run).state.is_active
    assert place.pods("executor")
    assert not place.runtime.is_gone(run)


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
    place.cluster.hurry = HANGS_S
    place.runtime.start(place.job, "00000001-ab")
    place.until(lambda: "the role can't be assumed" in str(place.admin.get(place.path)))
    assert place.stage.attempts == []


def test_an_image_that_can_not_be_pulled_is_told_in_the_clusters_words(place: Place) -> None:
    place.cluster.images.clear()
    run = place.runtime.start(place.job, "00000001-ab")
    place.until(lambda: "containerStatuses" in str(place.pods("driver")))
    found = place.runtime.look(run)
    assert found.state is RunState.STARTING
    assert "ErrImagePull" in found.reason
    place.runtime.cancel(run, grace_s=0)
    place.until(lambda: not place.admin.items(place.pods_folder) and place.has_ended())
    assert place.runtime.is_gone(run)


@pytest.mark.parametrize("place", [Operator.KUBEFLOW], ids=str, indirect=True)
def test_kubeflow_submits_again_what_was_changed_once_the_driver_is_gone_whatever_the_executors_do(
    place: Place,
) -> None:
    place.cluster.linger_s = HANGS_S
    started(place)
    place.patch(arguments=["s3://bucket/other.json"])
    place.until_state("INVALIDATING")
    place.until(lambda: place.stage.attempt().stopped_with == [0.0])
    place.stage.attempt().end()
    assert place.stage.attempt(2).submission.arguments == ("s3://bucket/other.json",)
    assert len(place.pods("executor")) >= place.job.size.executors


@pytest.mark.parametrize("place", [Operator.KUBEFLOW], ids=str, indirect=True)
def test_kubeflow_says_suspended_while_the_driver_still_runs(place: Place) -> None:
    run = started(place)
    place.patch(suspend=True)
    place.until_state("SUSPENDED")
    assert "deletionTimestamp" in place.pods("driver")[0]["metadata"]
    assert not place.runtime.is_gone(run)
    place.patch(suspend=False)
    place.until_state("RESUMING")
    place.stage.attempt().end()
    place.stage.attempt(2)


@pytest.mark.parametrize("place", [Operator.KUBEFLOW], ids=str, indirect=True)
def test_kubeflow_fails_to_submit_beside_a_driver_of_the_name_and_tries_again(place: Place) -> None:
    """Executors of the one before may be there still: theirs are names of their own."""
    place.cluster.linger_s = HANGS_S
    started(place)
    found = place.admin.get(place.path) or {}
    place.admin.delete_own(place.path, found["metadata"]["uid"])
    assert place.api.get(place.path) is None
    place.cluster.hurry = 0.001
    assert place.api.create(place.path.rpartition("/")[0], render(place.job, token=FIRST))
    place.until(lambda: "SUBMISSION_FAILED" in str(place.admin.get(place.path)))
    place.stage.attempt().end()
    place.stage.attempt(2)
    place.until(lambda: "RUNNING" in str(place.admin.get(place.path)))
    assert len(place.pods("executor")) == 2 * place.job.size.executors


@pytest.mark.parametrize("place", [Operator.APACHE], ids=str, indirect=True)
def test_apache_heeds_no_change_until_the_next_attempt(place: Place) -> None:
    started(place)
    place.until(lambda: place.state() == "RunningHealthy")
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
    place.until(lambda: attempt.stopped_with or attempt.over.is_set())
    assert bool(attempt.stopped_with) == patient
    assert attempt.over.is_set() != patient
    attempt.end()


def conductors(place: Place) -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name.startswith(f"operator-{place.folder}/")]


def cancelled(place: Place) -> None:
    for run in place.runtime.runs("firnline-dev"):
        place.runtime.cancel(run, grace_s=0)


def deleted(place: Place) -> None:
    place.admin.delete(place.path)


def made_again(place: Place) -> None:
    """Under the same name, as soon as the old one's is free."""
    deleted(place)
    if place.admin.get(place.path) is None:
        place.runtime.start(place.job, FIRST)


@pytest.mark.parametrize("is_running", [False, True], ids=["in its launch", "running"])
@pytest.mark.parametrize(("first", "second"), [(cancelled, deleted), (deleted, cancelled), (made_again, deleted)])
def test_an_application_that_is_deleted_at_any_moment_ends(
    place: Place,
    monkeypatch: pytest.MonkeyPatch,
    *,
    is_running: bool,
    first: Callable[[Place], None],
    second: Callable[[Place], None],
) -> None:
    launched, may_go = threading.Event(), threading.Event()
    launch = place.stage.__call__

    def slow(submission: Any) -> Played:
        launched.set()
        assert may_go.wait(HANGS_S)
        return launch(submission)

    monkeypatch.setattr(place.cluster, "launch", slow)
    place.runtime.start(place.job, FIRST)
    assert launched.wait(HANGS_S)
    if is_running:
        may_go.set()
        place.stage.attempt()
    first(place)
    second(place)
    may_go.set()
    cleared(place)
    for thread in conductors(place):
        thread.join(HANGS_S)
    assert conductors(place) == []
    assert place.admin.items(place.pods_folder) == []


def test_what_a_driver_fails_with_in_its_wait_is_the_applications_reason(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(_played: Played) -> str | None:
        raise RuntimeError("its machine is gone")

    monkeypatch.setattr(Played, "wait", lost)
    place.runtime.start(place.job, FIRST)
    place.until(lambda: "its machine is gone" in str(place.admin.get(place.path)))
