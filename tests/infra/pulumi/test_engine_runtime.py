"""Tests of where jobs run, as the program asks for it."""

import json
from typing import Any

from firnline_infra.specification.runtimes.emr_ec2 import MOST_ATTEMPTS
from tests.infra.pulumi.conftest import Deploy, Deployment, SpecOf, program

VPC, SUBNETS = "vpc-0a1b2c3d4e5f60718", ["subnet-0a1b2c3d4e5f60718", "subnet-1a1b2c3d4e5f60718"]
SERVERLESS: dict[str, Any] = {"subnets": SUBNETS, "security_group": {"vpc": VPC}, "log_group": "/firnline/dev"}


def made(deploy: Deploy, spec_of: SpecOf, runtime: dict[str, Any], **more: Any) -> Deployment:
    return deploy(program(spec_of("dev", **{"aws": {"runtime": runtime}, **more})))


def test_emr_serverless_has_an_application_in_a_group_of_its_own_and_logs(deploy: Deploy, spec_of: SpecOf) -> None:
    deployment = made(deploy, spec_of, {"emr_serverless": SERVERLESS})
    (application,), (group,), (logs,) = (
        deployment.of(kind) for kind in ("Application", "SecurityGroup", "LogGroup")
    )  # fmt: skip
    network = application.inputs["networkConfiguration"]
    assert network == {"subnetIds": SUBNETS, "securityGroupIds": [f"{group.name}-id"]}
    assert application.inputs["schedulerConfiguration"]["maxConcurrentRuns"] == 2
    assert application.inputs["tags"]["firnline:application"] == "firnline-dev"
    assert [rule.get("cidrBlocks", []) for rule in group.inputs["ingress"]] == [[]]
    assert logs.inputs["name"] == "/firnline/dev"
    assert deployment.outputs["engine_place"] == f"{application.name}-id"


def test_what_is_adopted_is_not_made(deploy: Deploy, spec_of: SpecOf) -> None:
    adopted = {"emr_serverless": {"origin": "adopt", "application_id": "00fabcdefghijk09"}}
    deployment = made(deploy, spec_of, adopted)
    assert deployment.of("Application") == deployment.of("SecurityGroup") == []
    assert deployment.outputs["engine_place"] == "00fabcdefghijk09"


def test_an_engine_that_is_started_by_hand_has_no_place(deploy: Deploy, spec_of: SpecOf) -> None:
    deployment = made(deploy, spec_of, {"trust": "emr-serverless"})
    assert deployment.of("Application") == []
    assert "engine_place" not in deployment.outputs


PODS = {"trust": "pod-identity", "cluster": "platform", "namespace": "ingest"}


def test_emr_on_eks_has_a_virtual_cluster_and_its_three_service_accounts_are_the_role(
    deploy: Deploy, spec_of: SpecOf
) -> None:
    deployment = made(deploy, spec_of, {**PODS, "emr_eks": {}})
    (cluster,) = deployment.of("VirtualCluster")
    place = {"id": "platform", "type": "EKS", "info": {"eksInfo": {"namespace": "ingest"}}}
    assert cluster.inputs["containerProvider"] == place
    assert deployment.outputs["engine_place"] == f"{cluster.name}-id"
    associations = deployment.of("PodIdentityAssociation")
    assert len({each.inputs["serviceAccount"] for each in associations}) == 3
    assert {each.inputs["roleArn"] for each in associations} == {deployment.outputs["engine_role_arn"]}
    for each in (cluster, *associations):
        assert each.inputs["tags"]["firnline:application"] == "firnline-dev"


def test_a_spark_operators_service_account_is_the_role_unless_somebody_has_said_so(
    deploy: Deploy, spec_of: SpecOf
) -> None:
    operator = {**PODS, "service_account": "engine"}
    (association,) = made(deploy, spec_of, operator).of("PodIdentityAssociation")
    assert [association.inputs[name] for name in ("clusterName", "namespace", "serviceAccount")] == [
        *("platform", "ingest", "engine")
    ]


def test_emr_on_ec2_has_a_cluster_whose_machines_are_the_engine(deploy: Deploy, spec_of: SpecOf) -> None:
    section = {"subnet": SUBNETS[0], "security_group": {"vpc": VPC}, "core_nodes": 3}
    deployment = made(deploy, spec_of, {"trust": "emr-ec2", "emr_ec2": section})
    (cluster,), (profile,), (group,) = (
        deployment.of(kind) for kind in ("Cluster", "InstanceProfile", "SecurityGroup")
    )  # fmt: skip
    assert cluster.inputs["ec2Attributes"] == {
        "subnetId": SUBNETS[0],
        "instanceProfile": profile.inputs["name"],
        "additionalMasterSecurityGroups": f"{group.name}-id",
        "additionalSlaveSecurityGroups": f"{group.name}-id",
    }
    assert cluster.inputs["coreInstanceGroup"] == {"instanceType": "m7g.xlarge", "instanceCount": 3}
    assert cluster.inputs["keepJobFlowAliveWhenNoSteps"] is True
    assert cluster.inputs["terminationProtection"] is False
    assert cluster.inputs["stepConcurrencyLevel"] == 3
    (yarn,) = json.loads(
        cluster.inputs["configurationsJson"]
    )  # YARN starts no driver more often, whatever `attempts` says
    assert int(yarn["Properties"]["yarn.resourcemanager.am.max-attempts"]) == MOST_ATTEMPTS
    assert cluster.inputs["tags"]["firnline:application"] == "firnline-dev"
    assert cluster.inputs["tags"]["for-use-with-amazon-emr-managed-policies"] == "true"
    assert deployment.outputs["engine_place"] == f"{cluster.name}-id"


def test_endpoints_are_made_in_the_vpc_and_interfaces_are_behind_a_group(deploy: Deploy, spec_of: SpecOf) -> None:
    places = {"route_tables": ["rtb-0a1b2c3d"], "subnets": SUBNETS, "clients": ["10.0.0.0/16"]}
    section = {"vpc": VPC, "gateways": ["s3"], "interfaces": ["kinesis"], **places}
    deployment = made(deploy, spec_of, {}, network={"vpc_endpoints": section})
    by_kind = {each.inputs["vpcEndpointType"]: each.inputs for each in deployment.of("VpcEndpoint")}
    (group,) = deployment.of("SecurityGroup")
    assert by_kind["Gateway"]["routeTableIds"] == ["rtb-0a1b2c3d"]
    assert not {"subnetIds", "securityGroupIds", "privateDnsEnabled"} & by_kind["Gateway"].keys()
    assert by_kind["Interface"]["subnetIds"] == SUBNETS
    assert by_kind["Interface"]["securityGroupIds"] == [f"{group.name}-id"]
    assert by_kind["Interface"]["privateDnsEnabled"] is True
    (rule,) = group.inputs["ingress"]
    assert (rule["fromPort"], rule["toPort"], rule["cidrBlocks"]) == (443, 443, ["10.0.0.0/16"])
    assert group.inputs.get("egress", []) == []


def test_nodes_of_a_cluster_have_the_engines_role_through_a_profile(deploy: Deploy, spec_of: SpecOf) -> None:
    deployment = made(deploy, spec_of, {"trust": "emr-ec2"})
    (profile,) = deployment.of("InstanceProfile")
    (role,) = [each for each in deployment.of("Role") if each.inputs["name"] == profile.inputs["name"]]
    assert profile.inputs["role"] == role.inputs["name"] == "firnline-dev-engine"
    assert profile.inputs["tags"]["firnline:application"] == "firnline-dev"


def test_an_image_repository_keeps_its_tags_scans_and_has_the_environments_key(deploy: Deploy, spec_of: SpecOf) -> None:
    key = "arn:aws:kms:eu-central-1:111122223333:key/1-2"
    runtime = {"trust": "pod-identity", "cluster": "platform", "namespace": "ingest", "service_account": "engine"}
    aws = {"runtime": {**runtime, "kubernetes": {}}, "key": {"origin": "adopt", "arn": key}}
    deployment = made(deploy, spec_of, {}, aws=aws)
    (repository,), (policy,) = deployment.of("Repository"), deployment.of("LifecyclePolicy")
    assert repository.inputs["imageTagMutability"] == "IMMUTABLE"
    assert repository.inputs["imageScanningConfiguration"] == {"scanOnPush": True}
    assert repository.inputs["encryptionConfigurations"] == [{"encryptionType": "KMS", "kmsKey": key}]
    assert repository.inputs["forceDelete"] is True  # dev is EPHEMERAL
    assert policy.inputs["repository"] == repository.inputs["name"] == "firnline-dev"
    (rule,) = json.loads(policy.inputs["policy"])["rules"]
    assert rule["selection"]["countNumber"] == 100
