from typing import Any

import pytest

from firnline_infra.runtimes.emr_eks.service import ACTIVE, POD_LABEL, STATES, EmrEksService
from firnline_infra.runtimes.kubernetes_api import Pods
from firnline_infra.runtimes.service import Run, RunState
from tests.infra.runtimes.environments import BUCKET, ROLE, Job
from tests.infra.runtimes.services.conftest import NOW, StubbedAws
from tests.infra.runtimes.services.memory_cluster import MemoryCluster

RUN = Run(id="0run", hash="ab", state=RunState.RUNNING)
EKS = {
    "trust": "emr-eks",
    "oidc_provider": "oidc.eks.eu-central-1.amazonaws.com/id/1A",
    "cluster": "platform",
    "namespace": "ingest",
    "emr_eks": {"origin": "adopt", "virtual_cluster_id": "0vc"},
}


@pytest.fixture
def cluster() -> MemoryCluster:
    return MemoryCluster()


@pytest.fixture
def runtime(aws: StubbedAws, cluster: MemoryCluster) -> EmrEksService:
    pods = Pods(cluster, "ingest")
    return EmrEksService(aws.client("emr-containers"), aws.client("s3"), aws.client("iam"), "0vc", "provider", pods)


def described(state: str = "RUNNING", **more: Any) -> dict[str, Any]:
    tags = {"firnline:application": "firnline-dev", "firnline:hash": "ab"}
    return {"jobRun": {"id": "0run", "state": state, "createdAt": NOW, "executionRoleArn": ROLE, "tags": tags, **more}}


def test_every_state_of_the_service_is_known(aws: StubbedAws) -> None:
    model = aws.client("emr-containers").meta.service_model.shape_for("JobRunState")
    assert set(STATES) == set(model.enum)


def test_a_job_is_started_with_the_rendered_request(runtime: EmrEksService, aws: StubbedAws, job: Job) -> None:
    made = job(EKS, place="0vc")
    aws.answers("emr-containers", "start_job_run", {"id": "0run"})
    assert runtime.start(made, f"00000007-{made.hash[:40]}").id == "0run"


def test_its_runs_are_those_of_the_application(runtime: EmrEksService, aws: StubbedAws) -> None:
    listed = {"jobRuns": [{"id": "0run", "createdAt": NOW}]}
    aws.answers("emr-containers", "list_job_runs", listed, {"virtualClusterId": "0vc", "states": ACTIVE})
    aws.answers("emr-containers", "describe_job_run", described(retryPolicyExecution={"currentAttemptCount": 1}))
    assert runtime.runs("firnline-dev") == [Run(id="0run", hash="ab", state=RunState.RUNNING, since=NOW, attempt=2)]


def test_a_run_that_ends_between_its_listing_and_its_description_is_none(
    runtime: EmrEksService, aws: StubbedAws
) -> None:
    aws.answers("emr-containers", "list_job_runs", {"jobRuns": [{"id": "0run", "createdAt": NOW}]})
    aws.answers("emr-containers", "describe_job_run", described("FAILED"))
    assert runtime.runs("firnline-dev") == []


def test_a_final_state_is_not_enough_while_a_pod_of_it_runs(
    runtime: EmrEksService, aws: StubbedAws, cluster: MemoryCluster
) -> None:
    cluster.add_pod("ingest", "executor-1", {POD_LABEL: "0run"}, phase="Running")
    cluster.add_pod("ingest", "of-another", {POD_LABEL: "other"}, phase="Running")
    aws.answers("emr-containers", "describe_job_run", described("CANCELLED"))
    assert not runtime.is_gone(RUN)
    cluster.end_pods(POD_LABEL, "0run")
    aws.answers("emr-containers", "describe_job_run", described("CANCELLED"))
    assert runtime.is_gone(RUN)


def test_a_run_that_cancels_is_not_gone(runtime: EmrEksService, aws: StubbedAws) -> None:
    aws.answers("emr-containers", "describe_job_run", described("CANCEL_PENDING"))
    assert not runtime.is_gone(RUN)


def test_cancelling_what_has_ended_is_no_error(runtime: EmrEksService, aws: StubbedAws) -> None:
    aws.refuses("emr-containers", "cancel_job_run", "ValidationException", "Job run 0run is not in a cancellable state")
    aws.answers("emr-containers", "describe_job_run", described("COMPLETED"))
    runtime.cancel(RUN, grace_s=120)


def test_why_it_failed_is_told_in_the_services_words(runtime: EmrEksService, aws: StubbedAws) -> None:
    told = described("FAILED", failureReason="USER_ERROR", stateDetails="ImagePullBackOff")
    aws.answers("emr-containers", "describe_job_run", told)
    assert runtime.look(RUN).reason == "USER_ERROR ImagePullBackOff"


def test_a_virtual_cluster_out_of_reach_and_a_missing_object_are_told_before(
    runtime: EmrEksService, aws: StubbedAws, job: Job
) -> None:
    aws.answers("emr-containers", "describe_virtual_cluster", {"virtualCluster": {"id": "0vc", "state": "ARRESTED"}})
    aws.refuses("s3", "head_object", "404")
    aws.answers("s3", "head_object", {})
    aws.answers("s3", "head_object", {})
    aws.refuses("iam", "get_role", "NoSuchEntity")
    said = [problem.what for problem in runtime.check(job(EKS, place="0vc"))]
    assert said[0] == "The virtual cluster 0vc is ARRESTED."
    assert said[1].startswith(f"s3://{BUCKET}/")
    assert said[2].endswith("does not exist.")
