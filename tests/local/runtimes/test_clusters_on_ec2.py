"""Refusals of EMR on EC2, in its words; and steps, as our own client of the service asks for them: their shell is real."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.runtimes.emr_ec2.service import EmrEc2Service
from firnline_infra.runtimes.service import RunState
from firnline_local.runtimes.emr_ec2 import service as embedded
from firnline_local.runtimes.emr_ec2.cluster import node_size, vcpus
from tests.infra.runtimes.environments import RUNTIMES, job_on
from tests.local.runtimes.conftest import ACCOUNT, REGION, ROLE
from tests.local.runtimes.machines_here import GROUPS, Clusters, serving, until


@pytest.fixture
def clusters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Clusters]:
    monkeypatch.setattr("firnline_local.runtimes.server.role_of_profile", lambda _, name: {"engine": ROLE}.get(name))
    with serving(tmp_path) as clusters:
        yield clusters


def refused(clusters: Clusters, ask: Callable[[], object], match: str, code: str = "ValidationException") -> None:
    with pytest.raises(clusters.emr.exceptions.ClientError, match=match) as told:
        ask()
    assert told.value.response["Error"]["Code"] == code


def test_a_cluster_is_described_as_it_was_asked_for(clusters: Clusters) -> None:
    id_ = clusters.make(Tags=[{"Key": "a", "Value": "1"}], StepConcurrencyLevel=2, LogUri="s3://bucket/logs/")
    found = clusters.emr.describe_cluster(ClusterId=id_)["Cluster"]
    assert (found["Status"]["State"], found["StepConcurrencyLevel"], found["AutoTerminate"]) == ("WAITING", 2, False)
    assert found["ClusterArn"] == f"arn:aws:elasticmapreduce:{REGION}:{ACCOUNT}:cluster/{id_}"
    assert (found["Tags"], found["LogUri"]) == ([{"Key": "a", "Value": "1"}], "s3://bucket/logs/")
    assert [each["Id"] for each in clusters.emr.list_clusters(ClusterStates=["WAITING"])["Clusters"]] == [id_]
    groups = clusters.emr.list_instance_groups(ClusterId=id_)["InstanceGroups"]
    assert [(each["InstanceGroupType"], each["RequestedInstanceCount"]) for each in groups] == [
        ("MASTER", 1),
        ("CORE", 3),
    ]


def test_a_cluster_whose_instance_profile_is_not_there_is_refused(clusters: Clusters) -> None:
    refused(clusters, lambda: clusters.make(JobFlowRole="nobody"), "Invalid InstanceProfile: nobody")


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"SecurityConfiguration": "s"}, "SecurityConfiguration"),
        ({"Instances": {"InstanceFleets": [{"InstanceFleetType": "MASTER"}]}}, "Instances.InstanceFleets"),
    ],
)
def test_what_is_not_carried_is_refused_by_name(clusters: Clusters, more: dict[str, Any], named: str) -> None:
    refused(clusters, lambda: clusters.make(**more), f"does not carry {named}")


def test_a_request_that_the_model_does_not_have_is_refused(clusters: Clusters) -> None:
    refused(clusters, lambda: clusters.emr.describe_step(ClusterId="j-1"), "StepId")


def test_a_protected_cluster_is_not_terminated_and_a_terminated_one_is_remembered(clusters: Clusters) -> None:
    id_ = clusters.make(Instances={"TerminationProtected": True})
    refused(clusters, lambda: clusters.emr.terminate_job_flows(JobFlowIds=[id_]), "termination protected")
    clusters.emr.set_termination_protection(JobFlowIds=[id_], TerminationProtected=False)
    clusters.emr.terminate_job_flows(JobFlowIds=[id_])
    assert clusters.emr.describe_cluster(ClusterId=id_)["Cluster"]["Status"]["State"] == "TERMINATED"
    refused(clusters, lambda: clusters.add(id_, "true"), "may not be modified")
    unknown = "InvalidRequestException"
    refused(clusters, lambda: clusters.emr.describe_cluster(ClusterId="j-2"), "'j-2' is not valid", unknown)


def test_a_step_is_its_command_and_ends_as_that_does(clusters: Clusters) -> None:
    id_ = clusters.make()
    good, bad = clusters.add(id_, "exit 0"), clusters.add(id_, "echo why >&2; exit 3")
    assert clusters.until(id_, good, "COMPLETED")["Timeline"].keys() == {
        *("CreationDateTime", "StartDateTime", "EndDateTime")
    }
    assert clusters.until(id_, bad, "FAILED")["FailureDetails"]["Message"] == "exit status 3: why"
    listed = clusters.emr.list_steps(ClusterId=id_)["Steps"]
    assert [each["Id"] for each in listed] == [bad, good]
    assert [each["Id"] for each in clusters.emr.list_steps(ClusterId=id_, StepStates=["FAILED"])["Steps"]] == [bad]


def test_as_many_steps_run_as_the_cluster_says_and_the_rest_wait(clusters: Clusters, tmp_path: Path) -> None:
    id_ = clusters.make(StepConcurrencyLevel=2)
    gate = tmp_path / "gate"
    first, second, third = (clusters.add(id_, f"until [ -e {gate} ]; do sleep 0.05; done") for _ in range(3))
    clusters.until(id_, second, "RUNNING")
    assert [clusters.step(id_, each)["State"] for each in (first, second, third)] == ["RUNNING", "RUNNING", "PENDING"]
    assert clusters.emr.describe_cluster(ClusterId=id_)["Cluster"]["Status"]["State"] == "RUNNING"
    gate.touch()
    clusters.until(id_, third, "COMPLETED")


def test_a_step_beside_others_has_to_let_the_cluster_go_on(clusters: Clusters) -> None:
    id_ = clusters.make(StepConcurrencyLevel=2)
    refused(clusters, lambda: clusters.add(id_, "true", ActionOnFailure="CANCEL_AND_WAIT"), "ActionOnFailure")
    assert clusters.emr.list_steps(ClusterId=id_)["Steps"] == []


def test_a_step_that_fails_cancels_those_that_wait_or_ends_the_cluster_where_it_says_so(clusters: Clusters) -> None:
    id_ = clusters.make()
    clusters.add(id_, "sleep 0.3; exit 1", ActionOnFailure="CANCEL_AND_WAIT")
    assert clusters.until(id_, clusters.add(id_, "true"), "CANCELLED")
    clusters.add(id_, "exit 1", ActionOnFailure="TERMINATE_CLUSTER")
    until(
        lambda: clusters.emr.describe_cluster(ClusterId=id_)["Cluster"]["Status"]["State"],
        lambda state: state == "TERMINATED",
    )


def test_a_cancelled_step_ends_by_itself_or_by_force(clusters: Clusters, tmp_path: Path) -> None:
    id_ = clusters.make(StepConcurrencyLevel=2)
    wait = "while :; do sleep 0.05; done"
    polite = clusters.add(id_, f"trap 'exit 5' TERM; touch {tmp_path}/1; {wait}")
    stubborn = clusters.add(id_, f"trap '' TERM; touch {tmp_path}/2; {wait}")
    waiting = clusters.add(id_, "true")
    until(lambda: [each for each in ("1", "2") if (tmp_path / each).exists()], lambda there: len(there) == 2)

    def cancel(*steps: str, **more: Any) -> list[str]:
        told = clusters.emr.cancel_steps(ClusterId=id_, StepIds=list(steps), **more)["CancelStepsInfoList"]
        return [each["Status"] for each in told]

    assert cancel(waiting) == ["SUBMITTED"]
    assert clusters.step(id_, waiting)["State"] == "CANCELLED"
    assert cancel(polite, stubborn) == ["SUBMITTED", "SUBMITTED"]
    clusters.until(id_, polite, "CANCELLED")
    assert clusters.step(id_, stubborn)["State"] == "CANCEL_PENDING"
    assert cancel(stubborn, StepCancellationOption="TERMINATE_PROCESS") == ["SUBMITTED"]
    clusters.until(id_, stubborn, "CANCELLED")
    assert cancel(stubborn) == ["FAILED"]


def test_a_cluster_that_ends_interrupts_its_steps_and_leaves_no_process(clusters: Clusters, tmp_path: Path) -> None:
    id_ = clusters.make()
    running, waiting = clusters.add(id_, f"echo $$ > {tmp_path}/pid; sleep 1000"), clusters.add(id_, "true")
    pid = until(lambda: (tmp_path / "pid").read_text() if (tmp_path / "pid").exists() else "", bool).strip()
    clusters.emr.terminate_job_flows(JobFlowIds=[id_])
    clusters.until(id_, running, "INTERRUPTED")
    assert clusters.step(id_, waiting)["State"] == "CANCELLED"
    until(lambda: Path(f"/proc/{pid}").exists(), lambda there: not there)


def test_a_runtime_role_needs_a_security_configuration(clusters: Clusters) -> None:
    id_ = clusters.make()
    jar = {"Jar": "command-runner.jar", "Args": ["true"]}
    steps = [{"Name": "n", "HadoopJarStep": jar}]
    refused(
        clusters,
        lambda: clusters.emr.add_job_flow_steps(JobFlowId=id_, Steps=steps, ExecutionRoleArn=ROLE),
        "Runtime roles are not enabled",
    )


def test_more_than_50_steps_are_listed_in_pages(clusters: Clusters) -> None:
    id_ = clusters.make()
    jar = {"Jar": "command-runner.jar", "Args": ["true"]}
    steps = [{"Name": str(number), "HadoopJarStep": jar} for number in range(60)]
    clusters.emr.add_job_flow_steps(JobFlowId=id_, Steps=steps)
    pages = list(clusters.emr.get_paginator("list_steps").paginate(ClusterId=id_))
    assert [len(page["Steps"]) for page in pages] == [50, 10]
    assert [each["Name"] for page in pages for each in page["Steps"]] == [str(number) for number in reversed(range(60))]


def test_machines_tell_their_processes_who_they_are(clusters: Clusters, tmp_path: Path) -> None:
    """The metadata service answers those who ask for a token first, and nobody else."""
    id_ = clusters.make()
    ask = "import os, urllib.request as u; e = os.environ['AWS_EC2_METADATA_SERVICE_ENDPOINT']; "
    named = (
        "h = {'X-aws-ec2-metadata-token-ttl-seconds': '60'}; "
        "t = u.urlopen(u.Request(e + '/latest/api/token', method='PUT', headers=h)).read().decode(); "
        "r = u.Request(e + '/latest/meta-data/iam/security-credentials/', headers={'X-aws-ec2-metadata-token': t}); "
        "assert u.urlopen(r).read() == b'engine'"
    )
    clusters.until(id_, clusters.add(id_, f'python3 -c "{ask}{named}"'), "COMPLETED")
    unnamed = "u.urlopen(e + '/latest/meta-data/iam/security-credentials/')"
    found = clusters.until(id_, clusters.add(id_, f'python3 -c "{ask}{unnamed}"'), "FAILED")
    assert "401" in found["FailureDetails"]["Message"]


def test_what_yarn_may_give_away_is_what_the_core_nodes_have() -> None:
    class_of = embedded.groups_of({"Instances": {"InstanceGroups": GROUPS}})
    assert (node_size(class_of).memory_mib, node_size(class_of).cores) == (3 * 12_288, 12)
    assert [vcpus(f"m7g.{size}") for size in ("large", "xlarge", "4xlarge")] == [2, 4, 16]


def test_our_own_client_finds_a_run_of_its_own(clusters: Clusters) -> None:
    """A step that can't be run here fails, and says so; what is started once is there once."""
    id_ = clusters.make(StepConcurrencyLevel=3)
    ours = EmrEc2Service(clusters.emr, None, None, id_, "firnline-dev")
    job = job_on({**RUNTIMES["emr_ec2"], "emr_ec2": {"subnet": "subnet-0a1b2c3d4e5f60718"}}, place=id_)
    run = ours.start(job, "00000001-token")
    assert ours.start(job, "00000001-token").id == run.id
    found = until(lambda: ours.look(run), lambda found: found.state is RunState.FAILED)
    assert "no step here needs Spark" in found.reason
    assert (found.hash, found.start) == (job.hash, "00000001-token")
    assert ours.runs("firnline-dev") == []
