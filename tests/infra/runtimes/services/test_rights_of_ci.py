"""Tests of what CI's roles may do with jobs of EMR on EKS and steps of EMR on EC2: the roll-out's clients, call by call.

Nothing here runs such jobs: botocore's models take the requests, and answers are given. Which actions and resources a request is,
the tables in tests/iam/services say.
"""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from firnline_infra.runtimes.emr_ec2.service import EmrEc2Service
from firnline_infra.runtimes.emr_eks.service import EmrEksService
from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.service import EngineService, Run, RunState
from firnline_local.aws.policy import is_allowed
from tests.iam.accesses import accesses_of
from tests.iam.ci import statements_of
from tests.iam.kinesis_calls import KinesisDirectory
from tests.iam.request import Access, Request
from tests.infra.runtimes.environments import ROLE, Job
from tests.infra.runtimes.services.conftest import NOW, StubbedAws
from tests.infra.specifications import smallest

ACCOUNT, REGION, OURS = "123456789012", "eu-central-1", "firnline:application"
EKS = {
    "trust": "emr-eks",
    "oidc_provider": "oidc.eks.eu-central-1.amazonaws.com/id/1A",
    "namespace": "ingest",
    "emr_eks": {"origin": "adopt", "virtual_cluster_id": "0vc"},
}
EC2 = {"trust": "emr-ec2", "emr_ec2": {"origin": "adopt", "cluster_id": "j-1"}}
SIDS = {
    "emr-containers": {"LookForJobs", "StartJob", "SeeJobs", "CancelJob", "TagNewJob"},
    "emr": {"SeeSteps", "RunSteps"},
}
PREFIX = {"emr": "elasticmapreduce"}
RUN = Run(id="0run", hash="ab", state=RunState.RUNNING)


class Heard:
    """A client's request, as IAM sees it."""

    def __init__(self, aws: StubbedAws, service: str) -> None:
        self.accesses: list[Access] = []
        self._service = service
        aws.client(service).meta.events.register("provide-client-params.*.*", self._note)

    def _note(self, params: dict[str, Any], model: Any, **_: Any) -> None:
        tags = {OURS: "firnline-dev"} if "JobRun" in model.name else {}
        self.accesses += accesses_of(
            Request(
                service=PREFIX.get(self._service, self._service),
                operation=model.name,
                account=ACCOUNT,
                region=REGION,
                directory=KinesisDirectory(ACCOUNT, REGION),
                parameters={**params, "ResourceTags": tags},
            )
        )


def roll(runtime: EngineService, job: EngineJob) -> None:
    """Each verb once; what the service answers is of no interest here."""
    runtime.check(job)
    runtime.start(job, "00000001-token")
    runtime.runs("firnline-dev")
    runtime.look(RUN)
    runtime.cancel(RUN, grace_s=0)


def on_eks(aws: StubbedAws, job: Job) -> None:
    found = {"id": "0run", "state": "RUNNING", "createdAt": NOW, "tags": {OURS: "firnline-dev"}}
    for operation, answer in (
        ("describe_virtual_cluster", {"virtualCluster": {"id": "0vc", "state": "RUNNING"}}),
        ("start_job_run", {"id": "0run"}),
        ("list_job_runs", {"jobRuns": [{"id": "0run", "createdAt": NOW}]}),
        ("describe_job_run", {"jobRun": found}),
        ("describe_job_run", {"jobRun": found}),
        ("cancel_job_run", {"id": "0run"}),
    ):
        aws.answers("emr-containers", operation, answer)
    runtime = EmrEksService(aws.client("emr-containers"), aws.client("s3"), aws.client("iam"), "0vc", "provider")
    roll(runtime, job(EKS, place="0vc"))


def on_ec2(aws: StubbedAws, job: Job) -> None:
    timeline = {"Timeline": {"CreationDateTime": NOW}}
    step = {"Id": "0run", "Name": f"firnline-dev {'ab' * 32}", "Status": {"State": "RUNNING", **timeline}}
    for operation, answer in (
        ("describe_cluster", {"Cluster": {"Status": {"State": "WAITING"}, "ReleaseLabel": "emr-spark-8.1.0"}}),
        ("list_steps", {"Steps": []}),
        ("add_job_flow_steps", {"StepIds": ["0run"]}),
        ("list_steps", {"Steps": [step]}),
        ("describe_step", {"Step": step}),
        ("list_steps", {"Steps": [step]}),
        ("add_job_flow_steps", {"StepIds": ["s-2"]}),
        ("describe_step", {"Step": step}),
        ("cancel_steps", {"CancelStepsInfoList": []}),
    ):
        aws.answers("emr", operation, answer)
    runtime = EmrEc2Service(aws.client("emr"), aws.client("s3"), aws.client("iam"), "j-1", "firnline-dev")
    roll(runtime, job(EC2, place="j-1"))


CASES = [("emr-containers", EKS, on_eks), ("emr", EC2, on_ec2)]


@pytest.fixture
def heard(aws: StubbedAws, job: Job) -> Callable[[str, Callable[[StubbedAws, Job], None]], list[Access]]:
    def heard(service: str, act: Callable[[StubbedAws, Job], None]) -> list[Access]:
        ear = Heard(aws, service)
        for _ in range(3):
            aws.answers("s3", "head_object", {})
        aws.refuses("iam", "get_role", "NoSuchEntity")
        act(aws, job)
        return ear.accesses

    return heard


@pytest.mark.parametrize(("service", "runtime", "act"), CASES)
def test_the_deployer_has_each_right_of_a_roll_out_and_none_that_it_has_no_use_for(
    heard: Callable[..., list[Access]], service: str, runtime: Mapping[str, Any], act: Any
) -> None:
    statements = [each for each in statements_of(smallest(aws={"runtime": runtime})) if each["Sid"] in SIDS[service]]
    assert {each["Sid"] for each in statements} == SIDS[service]
    accesses = heard(service, act)
    assert [one for one in accesses if not is_allowed(statements, one.action, one.resource, one.context)] == []
    unused = {
        action
        for statement in statements
        for action in statement["Action"]
        if not any(
            one.action == action and is_allowed([statement], action, one.resource, one.context) for one in accesses
        )
    }
    assert unused == set()


@pytest.mark.parametrize(("service", "runtime", "act"), CASES)
def test_a_previewer_sees_and_neither_starts_nor_ends(
    heard: Callable[..., list[Access]], service: str, runtime: Mapping[str, Any], act: Any
) -> None:
    statements = statements_of(smallest(aws={"runtime": runtime}), "Preview")
    refused = {
        one.action.partition(":")[2]
        for one in heard(service, act)
        if not is_allowed(statements, one.action, one.resource, one.context)
    }
    assert (
        refused
        == {
            "emr-containers": {"DescribeVirtualCluster", "StartJobRun", "TagResource", "CancelJobRun"},
            "emr": {"DescribeCluster", "AddJobFlowSteps", "CancelSteps"},
        }[service]
    )


@pytest.mark.parametrize(
    ("operation", "context"),
    [
        ("StartJobRun", {"emr-containers:ExecutionRoleArn": f"arn:aws:iam::{ACCOUNT}:role/payroll"}),
        ("StartJobRun", {f"aws:RequestTag/{OURS}": "payroll"}),
        ("CancelJobRun", {f"aws:ResourceTag/{OURS}": "payroll"}),
        ("TagResource", {f"aws:ResourceTag/{OURS}": "payroll"}),
    ],
)
def test_a_job_of_others_or_with_another_role_is_none_of_ours(operation: str, context: dict[str, str]) -> None:
    statements = statements_of(smallest(aws={"runtime": EKS}))
    cluster = f"arn:aws:emr-containers:{REGION}:{ACCOUNT}:/virtualclusters/0vc"
    resource = cluster if operation == "StartJobRun" else f"{cluster}/jobruns/0run"
    good = {
        "emr-containers:ExecutionRoleArn": ROLE,
        f"aws:RequestTag/{OURS}": "firnline-dev",
        f"aws:ResourceTag/{OURS}": "firnline-dev",
    }
    action = f"emr-containers:{operation}"
    assert is_allowed(statements, action, resource, good)
    assert not is_allowed(statements, action, resource, {**good, **context})
    assert not is_allowed(statements, action, resource.replace("0vc", "1vc"), good)
