"""Tests of what an engine runs in stays while a job is in it."""

from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from firnline_infra.kinds.emr import CLUSTER, VIRTUAL_CLUSTER
from firnline_infra.kinds.resource import Resource
from firnline_infra.observe.errors import ClusterInUse
from firnline_infra.observe.existing import StackResources
from firnline_infra.observe.occupied import ACTIVE_JOBS, ACTIVE_STEPS, check_cluster, check_virtual_cluster


def virtual_cluster(namespace: str = "ingest") -> Resource:
    where = {"id": "platform", "type": "EKS", "info": {"eks_info": {"namespace": namespace}}}
    return Resource(VIRTUAL_CLUSTER.terraform_type, "vc", {"name": "lake", "container_provider": where})


THERE = {
    "id": "0vc",
    "name": "lake",
    "state": "RUNNING",
    "containerProvider": {"id": "platform", "type": "EKS", "info": {"eksInfo": {"namespace": "ingest"}}},
}


def check(wanted: Resource | None, *, jobs: list[str] | None, **there: Any) -> None:
    """`jobs` None: nobody is to ask for them."""
    factory: Any = boto3.client
    keys = {"aws_access_key_id": "a", "aws_secret_access_key": "s"}
    emr = factory("emr-containers", region_name="eu-central-1", **keys)
    with Stubber(emr) as stub:
        stub.add_response("describe_virtual_cluster", {"virtualCluster": {**THERE, **there}}, {"id": "0vc"})
        if jobs is not None:
            asked = {"virtualClusterId": "0vc", "states": ACTIVE_JOBS}
            stub.add_response("list_job_runs", {"jobRuns": [{"id": each} for each in jobs]}, asked)
        accounts: Any = SimpleNamespace(aws=lambda _: emr)
        known = StackResources(({"type": VIRTUAL_CLUSTER.token, "id": "0vc"},))
        check_virtual_cluster(wanted, accounts, known, environment="dev")
        stub.assert_no_pending_responses()


def test_one_with_a_job_is_neither_removed_nor_replaced() -> None:
    with pytest.raises(ClusterInUse, match=r"(?s)virtual cluster 0vc.*0job.*firnline stop dev"):
        check(None, jobs=["0job"])
    with pytest.raises(ClusterInUse, match="namespace ingest becomes other"):
        check(virtual_cluster("other"), jobs=["0job"])


def test_one_that_stays_or_is_empty_or_gone_is_in_nobodys_way() -> None:
    check(virtual_cluster(), jobs=None)
    check(None, jobs=[])
    check(None, jobs=None, state="TERMINATED")


def machines(
    release: str = "emr-spark-8.1.0", instance_type: str = "m7g.xlarge", subnet: str = "subnet-a", core_nodes: int = 2
) -> Resource:
    arguments = {
        "name": "lake",
        "release_label": release,
        "service_role": "EMR_DefaultRole",
        "core_instance_group": {"instance_type": instance_type, "instance_count": core_nodes},
        "ec2_attributes": {"subnet_id": subnet},
    }
    return Resource(CLUSTER.terraform_type, "machines", arguments)


RUNNING = {
    "Id": "j-1",
    "Name": "lake",
    "ReleaseLabel": "emr-spark-8.1.0",
    "ServiceRole": "EMR_DefaultRole",
    "Status": {"State": "RUNNING"},
    "Ec2InstanceAttributes": {"Ec2SubnetId": "subnet-a"},
}


def check_machines(wanted: Resource | None, *, steps: list[str] | None, **there: Any) -> None:
    """`steps` None: nobody is to ask for them."""
    factory: Any = boto3.client
    keys = {"aws_access_key_id": "a", "aws_secret_access_key": "s"}
    emr = factory("emr", region_name="eu-central-1", **keys)
    with Stubber(emr) as stub:
        stub.add_response("describe_cluster", {"Cluster": {**RUNNING, **there}}, {"ClusterId": "j-1"})
        if not there:
            core = {"InstanceGroupType": "CORE", "InstanceType": "m7g.xlarge"}
            stub.add_response("list_instance_groups", {"InstanceGroups": [core]})
        if steps is not None:
            asked = {"ClusterId": "j-1", "StepStates": ACTIVE_STEPS}
            stub.add_response("list_steps", {"Steps": [{"Id": each, "Name": "lake ab"} for each in steps]}, asked)
        accounts: Any = SimpleNamespace(aws=lambda _: emr)
        known = StackResources(({"type": CLUSTER.token, "id": "j-1"},))
        check_cluster(wanted, accounts, known, environment="dev")
        stub.assert_no_pending_responses()


def test_a_cluster_with_a_step_is_neither_terminated_nor_replaced_and_gets_more_nodes() -> None:
    with pytest.raises(ClusterInUse, match=r"(?s)cluster j-1.*step s-1 \(lake ab\).*firnline stop dev"):
        check_machines(None, steps=["s-1"])
    for wanted, becomes in (
        (machines(release="emr-spark-8.2.0"), "emr-spark-8.2.0"),
        (machines(instance_type="m7g.2xlarge"), "m7g.2xlarge"),
        (machines(subnet="subnet-b"), "subnet-b"),
    ):
        with pytest.raises(ClusterInUse, match=f"becomes {becomes}"):
            check_machines(wanted, steps=["s-1"])
    check_machines(machines(core_nodes=9), steps=None)


def test_a_cluster_without_a_step_or_without_machines_is_in_nobodys_way() -> None:
    check_machines(None, steps=[])
    check_machines(None, steps=None, Status={"State": "TERMINATED"})
