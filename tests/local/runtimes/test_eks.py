"""Tests of what EMR on EKS and EKS refuse, in their words; and job runs, as our own client of the service asks for them."""

import threading
from typing import Any

import pytest

from firnline_infra.blueprint.iam.trust import base36
from firnline_infra.runtimes.emr_eks.service import EmrEksService
from firnline_infra.runtimes.service import RunState
from firnline_local.runtimes.clusters import PodIdentity, VirtualClusters
from firnline_local.runtimes.rest_json import ServiceError
from tests.infra.runtimes.environments import RUNTIMES, job_on
from tests.local.runtimes.conftest import HANGS_S, Service, Stage, client_of

ROLE = "arn:aws:iam::123456789012:role/engine"
WHOSE = {"clusterName": "local", "namespace": "n", "serviceAccount": "a", "roleArn": ROLE}


def ask(service: Any, operation: str, **parameters: Any) -> dict[str, Any]:
    found: dict[str, Any] = service.answer(operation, parameters, "anybody")
    return found


def virtual_cluster(namespace: str = "n", cluster: str = "local", **more: Any) -> dict[str, Any]:
    place = {"id": cluster, "type": "EKS", "info": {"eksInfo": {"namespace": namespace}}}
    return {"name": "one", "containerProvider": place, **more}


@pytest.fixture
def clusters() -> VirtualClusters:
    return VirtualClusters(
        "123456789012", "us-east-1", clusters=lambda: {"local"}, launch=Stage(), roles=dict[str, str]
    )


@pytest.fixture
def eks() -> PodIdentity:
    return PodIdentity("123456789012", "us-east-1", clusters=lambda: {"local"}, has_role=lambda arn: arn == ROLE)


def test_a_namespace_has_one_virtual_cluster_until_that_is_terminated(clusters: VirtualClusters) -> None:
    first = ask(clusters, "CreateVirtualCluster", **virtual_cluster())["id"]
    with pytest.raises(ServiceError, match="already exists in the given namespace"):
        ask(clusters, "CreateVirtualCluster", **virtual_cluster())
    ask(clusters, "DeleteVirtualCluster", id=first)
    second = ask(clusters, "CreateVirtualCluster", **virtual_cluster())["id"]
    assert ask(clusters, "DescribeVirtualCluster", id=first)["virtualCluster"]["state"] == "TERMINATED"
    running = ask(clusters, "ListVirtualClusters", states=["RUNNING"])["virtualClusters"]
    assert [each["id"] for each in running] == [second]
    with pytest.raises(ServiceError, match="already terminated"):
        ask(clusters, "DeleteVirtualCluster", id=first)


def test_a_token_is_one_request(clusters: VirtualClusters) -> None:
    first = ask(clusters, "CreateVirtualCluster", **virtual_cluster(clientToken="t"))
    assert ask(clusters, "CreateVirtualCluster", **virtual_cluster(clientToken="t")) == first
    with pytest.raises(ServiceError, match="other parameters"):
        ask(clusters, "CreateVirtualCluster", **virtual_cluster("other", clientToken="t"))


def test_what_is_not_there_or_not_carried_is_refused(clusters: VirtualClusters, eks: PodIdentity) -> None:
    for refused in (virtual_cluster(cluster="other"), virtual_cluster(""), virtual_cluster(sessionEnabled=True)):
        with pytest.raises(ServiceError) as told:
            ask(clusters, "CreateVirtualCluster", **refused)
        assert told.value.code == "ValidationException"
    with pytest.raises(ServiceError, match="StartJobRun is not in the embedded eks"):
        ask(eks, "StartJobRun")


@pytest.mark.parametrize(
    ("differing", "code"),
    [
        ({"roleArn": f"{ROLE}s"}, "InvalidParameterException"),
        ({"clusterName": "other"}, "ResourceNotFoundException"),
        ({"targetRoleArn": ROLE}, "InvalidParameterException"),
        ({}, "ResourceInUseException"),
    ],
)
def test_an_association_that_can_t_be_is_refused(eks: PodIdentity, differing: dict[str, str], code: str) -> None:
    ask(eks, "CreatePodIdentityAssociation", **WHOSE)
    with pytest.raises(ServiceError) as told:
        ask(eks, "CreatePodIdentityAssociation", **{**WHOSE, **differing})
    assert told.value.code == code
    assert eks.roles() == {"n/a": ROLE}


def test_a_pods_role_goes_with_its_association(eks: PodIdentity) -> None:
    made = ask(eks, "CreatePodIdentityAssociation", **WHOSE)["association"]["associationId"]
    ask(eks, "DeletePodIdentityAssociation", clusterName="local", associationId=made)
    assert eks.roles() == {}
    with pytest.raises(ServiceError, match="does not exist"):
        ask(eks, "DescribePodIdentityAssociation", clusterName="local", associationId=made)


class JobsOfEks:
    """Our client of EMR on EKS, on a virtual cluster whose jobs run when and how a test says."""

    def __init__(self, service: Service) -> None:
        self.emr, self.stage = client_of(service.endpoint, "emr-containers"), service.stage
        self.id = self.emr.create_virtual_cluster(clientToken="c", **virtual_cluster("firnline"))["id"]
        self.service = EmrEksService(self.emr, None, None, self.id, "pods.eks.amazonaws.com")
        self.job = job_on({**RUNTIMES["emr_eks"], "emr_eks": {"attempts": 2}}, place=self.id)
        self._associations = service.application.associations

    def associate(self) -> None:
        account = f"emr-containers-sa-spark-driver-123456789012-{base36(self.job.role_arn.rpartition('/')[2])}"
        self._associations._has_role = lambda arn: True
        whose = {"clusterName": "local", "namespace": "firnline", "serviceAccount": account}
        ask(self._associations, "CreatePodIdentityAssociation", roleArn=self.job.role_arn, **whose)

    def until(self, run: Any, state: RunState) -> Any:
        pause = threading.Event()
        for _ in range(int(HANGS_S / 0.01)):
            if (found := self.service.look(run)).state is state:
                return found
            pause.wait(0.01)
        raise AssertionError(found)


@pytest.fixture
def jobs(service: Service) -> JobsOfEks:
    return JobsOfEks(service)


def test_a_job_is_launched_as_it_was_rendered_and_ends_with_its_program(jobs: JobsOfEks) -> None:
    jobs.associate()
    assert jobs.service.lacks_room(jobs.job) == ""
    run = jobs.service.start(jobs.job, "00000001-token")
    assert jobs.service.start(jobs.job, "00000001-token").id == run.id
    launched = jobs.stage.attempt().submission
    assert (launched.entry, launched.arguments) == (jobs.job.artefact.entry, (jobs.job.configuration,))
    assert (launched.role_arn, launched.service) == (jobs.job.role_arn, "pods.eks.amazonaws.com")
    assert launched.conf["spark.kubernetes.node.selector.kubernetes.io/arch"] == "arm64"
    folder = f"{jobs.job.logs.rstrip('/')}/{jobs.id}/jobs/{run.id}/containers/spark-{run.id}"
    assert (launched.log_uri, launched.log_names[0]) == (folder, f"spark-{run.id}-driver")
    found = jobs.until(run, RunState.RUNNING)
    assert (found.hash, found.attempt, found.start) == (jobs.job.hash, 1, "00000001-token")
    assert jobs.service.runs("firnline-dev") == [found]
    jobs.stage.attempt().end()
    assert jobs.service.is_gone(jobs.until(run, RunState.SUCCEEDED))
    assert jobs.service.runs("firnline-dev") == []


def test_a_driver_that_fails_is_started_again_as_often_as_the_job_says(jobs: JobsOfEks) -> None:
    jobs.associate()
    run = jobs.service.start(jobs.job, "00000001-token")
    jobs.stage.attempt(1).end("exit status 1")
    jobs.stage.attempt(2).end("exit status 3")
    found = jobs.until(run, RunState.FAILED)
    assert (found.attempt, found.reason) == (2, "USER_ERROR exit status 3")
    assert len(jobs.stage.attempts) == 2


def test_a_cancelled_job_is_killed_and_not_started_again(jobs: JobsOfEks) -> None:
    jobs.associate()
    run = jobs.service.start(jobs.job, "00000001-token")
    jobs.until(run, RunState.RUNNING)
    jobs.service.cancel(run, grace_s=60)
    jobs.until(run, RunState.STOPPED)
    assert [attempt.reason for attempt in jobs.stage.attempts] == ["killed"]
    jobs.service.cancel(run, grace_s=60)
    with pytest.raises(jobs.emr.exceptions.ValidationException, match="CANCELLED"):
        jobs.emr.cancel_job_run(id=run.id, virtualClusterId=jobs.id)


def test_a_job_whose_service_account_has_no_role_fails_and_says_so(jobs: JobsOfEks) -> None:
    found = jobs.until(jobs.service.start(jobs.job, "00000001-token"), RunState.FAILED)
    assert "is not associated with" in found.reason
    assert jobs.stage.attempts == []


def test_a_virtual_cluster_with_a_job_is_not_deleted_and_a_terminated_one_takes_none(jobs: JobsOfEks) -> None:
    jobs.associate()
    run = jobs.service.start(jobs.job, "00000001-token")
    jobs.until(run, RunState.RUNNING)
    with pytest.raises(jobs.emr.exceptions.ValidationException, match=run.id):
        jobs.emr.delete_virtual_cluster(id=jobs.id)
    jobs.stage.attempt().end()
    jobs.until(run, RunState.SUCCEEDED)
    jobs.emr.delete_virtual_cluster(id=jobs.id)
    with pytest.raises(Exception, match="TERMINATED"):
        jobs.service.start(jobs.job, "00000002-token")
