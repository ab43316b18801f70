"""Refuses to delete or replace a runtime while a job runs on it.

EMR on EKS keeps a virtual cluster until its last job has ended, and the provider waits for that, an hour and a half long. A
cluster on EC2 is terminated with what runs on it.
`firnline stop` ends an engine without losing a row, this must not.
"""

from collections.abc import Mapping
from typing import Any

from firnline_infra.accounts import Accounts
from firnline_infra.accounts.aws import aws_call
from firnline_infra.kinds.emr import CLUSTER, VIRTUAL_CLUSTER, eks_namespace
from firnline_infra.kinds.kind import own_name
from firnline_infra.kinds.resource import Resource
from firnline_infra.observe.errors import ClusterInUse
from firnline_infra.observe.existing import StackResources

ACTIVE_STEPS = ["PENDING", "CANCEL_PENDING", "RUNNING"]
GONE = ("TERMINATING", "TERMINATED", "TERMINATED_WITH_ERRORS")
ACTIVE_JOBS = ["PENDING", "SUBMITTED", "RUNNING", "CANCEL_PENDING"]


def check_virtual_cluster(
    wanted: Resource | None, accounts: Accounts, known: StackResources, *, environment: str
) -> None:
    """Refuses an `up` that would take the virtual cluster away from a running engine, or, with `wanted` None, a destroy.
    Raises ClusterInUse, AwsRefused."""
    id_ = known.id_of(VIRTUAL_CLUSTER.token)
    found = _described(accounts, id_) if id_ else None
    if id_ is None or found is None or (why := _goes(wanted, found)) is None:
        return
    emr = accounts.aws("emr-containers")
    with aws_call("emr-containers:ListJobRuns", id_):
        jobs = emr.list_job_runs(virtualClusterId=id_, states=ACTIVE_JOBS)["jobRuns"]
    if jobs:
        raise ClusterInUse(f"virtual cluster {id_}", why, [each["id"] for each in jobs], environment=environment)


def _goes(wanted: Resource | None, found: Mapping[str, Any]) -> str | None:
    """Returns why the virtual cluster would be replaced: nothing but its tags can be changed. None where it stays."""
    if wanted is None:
        return "nothing takes its place"
    provider = found["containerProvider"]
    asked = (own_name(wanted), *eks_namespace(wanted))
    there = (found["name"], provider["id"], provider["info"]["eksInfo"]["namespace"])
    names = ("name", "EKS cluster", "namespace")
    differing = [
        f"{name} {old} becomes {new}" for name, new, old in zip(names, asked, there, strict=True) if new != old
    ]
    return ", ".join(differing) or None


def _described(accounts: Accounts, id_: str) -> Mapping[str, Any] | None:
    """The virtual cluster as its service describes it; None where it is gone."""
    from botocore.exceptions import ClientError

    with aws_call("emr-containers:DescribeVirtualCluster", id_):
        try:
            found: Mapping[str, Any] = accounts.aws("emr-containers").describe_virtual_cluster(id=id_)["virtualCluster"]
        except ClientError as error:
            if error.response["Error"]["Code"] == "ResourceNotFoundException":
                return None
            raise
    return None if found["state"] == "TERMINATED" else found


def check_cluster(wanted: Resource | None, accounts: Accounts, known: StackResources, *, environment: str) -> None:
    """The same for a cluster of EMR on EC2, whose core nodes alone can be more or fewer. Raises ClusterInUse, AwsRefused."""
    id_ = known.id_of(CLUSTER.token)
    found = _cluster(accounts, id_) if id_ else None
    if id_ is None or found is None or (why := _is_another(wanted, found)) is None:
        return
    with aws_call("elasticmapreduce:ListSteps", id_):
        steps = accounts.aws("emr").list_steps(ClusterId=id_, StepStates=ACTIVE_STEPS)["Steps"]
    if steps:
        said = [f"step {each['Id']} ({each['Name']})" for each in steps]
        raise ClusterInUse(f"cluster {id_}", why, said, environment=environment)


def _is_another(wanted: Resource | None, found: Mapping[str, Any]) -> str | None:
    """Returns what EMR changes in no cluster that runs."""
    if wanted is None:
        return "nothing takes its place"
    row, there = wanted.arguments, found["Ec2InstanceAttributes"]
    differing = [
        f"{name} {old} becomes {new}"
        for name, new, old in (
            ("name", row["name"], found["Name"]),
            ("release", row["release_label"], found["ReleaseLabel"]),
            ("service role", row["service_role"], found["ServiceRole"]),
            ("subnet", row["ec2_attributes"]["subnet_id"], there.get("Ec2SubnetId")),
            ("machine", row["core_instance_group"]["instance_type"], found["machine"]),
        )
        if new != old
    ]
    return ", ".join(differing) or None


def _cluster(accounts: Accounts, id_: str) -> Mapping[str, Any] | None:
    """The cluster, with the type of its core nodes as `machine`; None if it is gone."""
    from botocore.exceptions import ClientError

    emr = accounts.aws("emr")
    with aws_call("elasticmapreduce:DescribeCluster", id_):
        try:
            found: dict[str, Any] = emr.describe_cluster(ClusterId=id_)["Cluster"]
        except ClientError as error:
            if error.response["Error"]["Code"] == "InvalidRequestException":
                return None
            raise
        if found["Status"]["State"] in GONE:
            return None
        groups = emr.list_instance_groups(ClusterId=id_)["InstanceGroups"]
    core = [each["InstanceType"] for each in groups if each["InstanceGroupType"] == "CORE"]
    return {**found, "machine": core[0] if core else ""}
