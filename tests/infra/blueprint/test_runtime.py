"""Tests of what has to exist for the engine's job, on each runtime."""

from collections.abc import Mapping
from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.value import Reference
from firnline_infra.kinds import Kind, emr
from firnline_infra.kinds.ecr import REPOSITORY
from firnline_infra.kinds.iam import INSTANCE_PROFILE, ROLE
from firnline_infra.kinds.kind import camel
from firnline_infra.kinds.network import SECURITY_GROUP
from firnline_infra.render.bootstrap.boundary import boundary_statements
from firnline_infra.specification import EnvironmentSpec
from tests.infra.runtimes.models import faults
from tests.infra.specifications import smallest

VPC, SUBNETS = "vpc-0a1b2c3d4e5f60718", ["subnet-0a1b2c3d4e5f60718", "subnet-1a1b2c3d4e5f60718"]
GROUP = "sg-0a1b2c3d4e5f60718"
SERVERLESS = {"subnets": SUBNETS, "security_group": {"vpc": VPC}}
PODS = {"cluster": "platform", "namespace": "ingest"}
PROVIDER = "oidc.eks.eu-central-1.amazonaws.com/id/ABC"


def spec_of(runtime: dict[str, Any], shards: int = 2) -> EnvironmentSpec:
    return smallest(aws={"runtime": runtime}, streams=[{"name": "orders", "shards": shards}])


def rows_of(kind: Kind, runtime: dict[str, Any], shards: int = 2) -> list[Mapping[str, Any]]:
    return [row.arguments for row in kind.instances(blueprint_of(spec_of(runtime, shards)))]


def row_of(kind: Kind, runtime: dict[str, Any], shards: int = 2) -> Mapping[str, Any]:
    (row,) = rows_of(kind, runtime, shards)
    return row


def place_of(runtime: dict[str, Any]) -> Any:
    return blueprint_of(spec_of(runtime)).stack_outputs.engine_place


def made_of(runtime: dict[str, Any]) -> list[str]:
    """Titles of what is made for jobs to run in."""
    return [each.title for each in (emr.SERVERLESS, emr.VIRTUAL_CLUSTER, emr.CLUSTER) if rows_of(each, runtime)]


def as_asked(value: Any) -> Any:
    """Arguments as a service of AWS's takes them."""
    match value:
        case Mapping():
            return {camel(name): as_asked(each) for name, each in value.items()}
        case Reference():
            return GROUP
        case list():
            return [as_asked(each) for each in value]
        case _:
            return value


def test_started_by_hand_it_needs_nothing() -> None:
    assert (made_of({}), place_of({})) == ([], None)


ON_KUBERNETES = {"trust": "pod-identity", **PODS, "service_account": "engine"}


def test_an_image_that_nobody_names_has_a_repository_and_nothing_else_has_one() -> None:
    (made,) = rows_of(REPOSITORY, {**ON_KUBERNETES, "kubernetes": {}})
    assert (made["name"], made["force_delete"]) == ("firnline-dev", False)
    assert not rows_of(REPOSITORY, {**ON_KUBERNETES, "kubernetes": {"image": "registry.acme.com/firnline:1"}})
    assert not rows_of(REPOSITORY, {"emr_serverless": SERVERLESS})


def test_emr_serverless_takes_the_application() -> None:
    made = as_asked(row_of(emr.SERVERLESS, {"emr_serverless": SERVERLESS}))
    assert faults("emr-serverless", "CreateApplication", {**made, "clientToken": "1"}) == []
    assert made["schedulerConfiguration"]["maxConcurrentRuns"] == 2


@pytest.mark.parametrize(("rollout", "engines"), [("standby", 2), ("stop_first", 1)])
def test_as_many_engines_may_run_at_once_as_a_roll_out_needs(rollout: str, engines: int) -> None:
    application = row_of(emr.SERVERLESS, {"rollout": rollout, "emr_serverless": SERVERLESS})
    cluster = row_of(emr.CLUSTER, {"rollout": rollout, "trust": "emr-ec2", "emr_ec2": {"subnet": SUBNETS[0]}})
    assert application["scheduler_configuration"]["max_concurrent_runs"] == engines
    assert cluster["step_concurrency_level"] == engines + 1


@pytest.mark.parametrize(("shards", "vcpus", "memory"), [(2, 8, 16), (64, 12, 24), (500, 68, 136)])
def test_an_application_has_room_for_two_of_its_jobs(shards: int, vcpus: int, memory: int) -> None:
    made = row_of(emr.SERVERLESS, {"emr_serverless": SERVERLESS}, shards)
    assert made["maximum_capacity"] == {"cpu": f"{vcpus} vCPU", "memory": f"{memory} GB"}


@pytest.mark.parametrize(
    ("cores", "memory_mib", "worker"),
    [(2, 2_560, 5), (8, 16_385, 28), (16, 16_385, 40), (32, 32_768, 120), (4, 1_024, 8)],
)
def test_an_application_has_room_for_workers_as_large_as_the_service_has_them(
    cores: int, memory_mib: int, worker: int
) -> None:
    """Memory comes in steps: 24.001 GB with 8 vCPUs is a worker of 28."""
    size = {"executors": 3, "executor_cores": cores, "executor_memory_mib": memory_mib}
    made = row_of(emr.SERVERLESS, {"emr_serverless": SERVERLESS, "size": size})
    assert made["maximum_capacity"]["memory"] == f"{2 * (4 + 3 * worker)} GB"


def test_a_security_group_is_taken_as_it_is() -> None:
    adopted = {"emr_serverless": SERVERLESS | {"security_group": {"origin": "adopt", "ids": [GROUP]}}}
    assert not rows_of(SECURITY_GROUP, adopted)
    assert row_of(emr.SERVERLESS, adopted)["network_configuration"]["security_group_ids"] == [GROUP]


def test_what_is_adopted_is_not_made_and_is_where_the_job_runs() -> None:
    adopted = {"emr_serverless": {"origin": "adopt", "application_id": "00fabcdefghijk09"}}
    assert (made_of(adopted), place_of(adopted)) == ([], "00fabcdefghijk09")
    section = {"origin": "adopt", "virtual_cluster_id": "abc123"}
    eks = {"trust": "emr-eks", "oidc_provider": PROVIDER, "namespace": "ingest", "emr_eks": section}
    assert (made_of(eks), place_of(eks)) == ([], "abc123")
    cluster = {"trust": "emr-ec2", "emr_ec2": {"origin": "adopt", "cluster_id": "j-2AXXXXXXGAPLF"}}
    assert (made_of(cluster), place_of(cluster)) == ([], "j-2AXXXXXXGAPLF")


def test_machines_get_the_role_through_a_profile_of_its_name_where_somebody_else_makes_the_cluster_too() -> None:
    """EMR refuses a profile with another name than its role's (Management Guide, Customize IAM roles)."""
    (profile,) = rows_of(INSTANCE_PROFILE, {"trust": "emr-ec2"})
    assert profile["name"] == row_of(ROLE, {"trust": "emr-ec2"})["name"]
    assert not rows_of(emr.CLUSTER, {"trust": "emr-ec2"})


def test_a_node_and_a_log_can_live_with_the_policy_and_its_boundary() -> None:
    for runtime, wanted in (
        ({"trust": "emr-ec2", "emr_ec2": {"subnet": SUBNETS[0]}}, "elasticmapreduce:DescribeCluster"),
        ({"emr_serverless": SERVERLESS | {"log_group": "/firnline/dev"}}, "logs:PutLogEvents"),
    ):
        spec = spec_of(runtime)
        blueprint = blueprint_of(spec)
        for statements in (blueprint.engine_policy, boundary_statements(blueprint)):
            assert wanted in [action for statement in statements for action in statement.actions]
    bare = blueprint_of(spec_of({"emr_serverless": SERVERLESS}))
    assert bare.engine_policy
    assert not any(action.startswith("logs:") for each in bare.engine_policy for action in each.actions)


def test_emr_takes_the_cluster() -> None:
    made = row_of(emr.CLUSTER, {"trust": "emr-ec2", "emr_ec2": {"subnet": SUBNETS[0], "security_group": {"vpc": VPC}}})
    groups = [
        {"InstanceRole": role, "InstanceType": group["instance_type"], "InstanceCount": group["instance_count"]}
        for role, group in (("MASTER", made["master_instance_group"]), ("CORE", made["core_instance_group"]))
    ]
    request = {
        "Name": made["name"],
        "ReleaseLabel": made["release_label"],
        "Applications": [{"Name": each} for each in made["applications"]],
        "Instances": {
            "InstanceGroups": groups,
            "Ec2SubnetId": made["ec2_attributes"]["subnet_id"],
            "AdditionalMasterSecurityGroups": [GROUP],
            "AdditionalSlaveSecurityGroups": [GROUP],
            "KeepJobFlowAliveWhenNoSteps": made["keep_job_flow_alive_when_no_steps"],
        },
        "JobFlowRole": "firnline-dev-engine",
        "ServiceRole": made["service_role"],
        "LogUri": made["log_uri"],
        "StepConcurrencyLevel": made["step_concurrency_level"],
    }
    assert faults("emr", "RunJobFlow", request) == []
