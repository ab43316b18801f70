"""Cases of places where engines run."""

from typing import Any

from firnline_local.providers.aws import iam, runtimes
from firnline_local.providers.clients import Clients

from .case import ACCOUNT, Case, a_role, fresh


def application_inputs(_: Clients) -> dict[str, Any]:
    return {
        "name": fresh("application"),
        "releaseLabel": "emr-spark-8.1.0",
        "type": "spark",
        "architecture": "ARM64",
        "autoStartConfiguration": {"enabled": True},
        "autoStopConfiguration": {"enabled": True, "idleTimeoutMinutes": 15},
        "maximumCapacity": {"cpu": "16 vCPU", "memory": "64 GB"},
        "networkConfiguration": {"subnetIds": ["subnet-0b", "subnet-0a"], "securityGroupIds": ["sg-0a"]},
        "schedulerConfiguration": {"maxConcurrentRuns": 1, "queueTimeoutMinutes": 15},
        "tags": {"a": "1"},
    }


def arn_of(id_: str) -> str:
    return f"arn:aws:emr-serverless:us-east-1:{ACCOUNT}:/applications/{id_}"


def virtual_cluster_inputs(_: Clients) -> dict[str, Any]:
    place = {"id": "local", "type": "EKS", "info": {"eksInfo": {"namespace": fresh("namespace")}}}
    return {"name": fresh("virtual-cluster"), "containerProvider": place, "tags": {"a": "1"}}


def arn_of_virtual_cluster(id_: str) -> str:
    return f"arn:aws:emr-containers:us-east-1:{ACCOUNT}:/virtualclusters/{id_}"


def cluster_inputs(clients: Clients) -> dict[str, Any]:
    (subnet, *_) = clients.aws("ec2").describe_subnets()["Subnets"]
    profile = iam.INSTANCE_PROFILE.create({"name": fresh("nodes"), "role": a_role(clients)}, clients).id
    return {
        "name": fresh("cluster"),
        "releaseLabel": "emr-spark-8.1.0",
        "applications": ["Spark"],
        "serviceRole": "EMR_DefaultRole",
        "logUri": "s3://bucket/logs/",
        "keepJobFlowAliveWhenNoSteps": True,
        "terminationProtection": False,
        "stepConcurrencyLevel": 2,
        "configurationsJson": '[{"Classification": "yarn-site", "Properties": {"a": "1"}}]',
        "masterInstanceGroup": {"instanceType": "m7g.xlarge", "instanceCount": 1},
        "coreInstanceGroup": {"instanceType": "m7g.xlarge", "instanceCount": 2},
        "ec2Attributes": {"subnetId": subnet["SubnetId"], "instanceProfile": profile},
        "tags": {"a": "1"},
    }


CASES = [
    Case(
        kind=runtimes.CLUSTER,
        inputs=cluster_inputs,
        taken=None,
        behind={
            "stepConcurrencyLevel": lambda c, i: c.aws("emr").modify_cluster(ClusterId=i, StepConcurrencyLevel=1),
            "terminationProtection": lambda c, i: c.aws("emr").set_termination_protection(
                JobFlowIds=[i], TerminationProtected=True
            ),
            "tags": lambda c, i: c.aws("emr").remove_tags(ResourceId=i, TagKeys=["a"]),
        },
        changes={
            "stepConcurrencyLevel": 3,
            "coreInstanceGroup": {"instanceType": "m7g.xlarge", "instanceCount": 3},
            "terminationProtection": True,
            "visibleToAllUsers": False,
            "tags": {"b": "2"},
        },
    ),
    Case(
        kind=runtimes.VIRTUAL_CLUSTER,
        inputs=virtual_cluster_inputs,
        taken="already exists in the given namespace",
        behind={
            "tags": lambda c, i: c.aws("emr-containers").untag_resource(
                resourceArn=arn_of_virtual_cluster(i), tagKeys=["a"]
            ),
        },
        changes={"tags": {"b": "2"}},
    ),
    Case(
        kind=runtimes.APPLICATION,
        inputs=application_inputs,
        taken=None,
        behind={
            "releaseLabel": lambda c, i: c.aws("emr-serverless").update_application(
                applicationId=i, releaseLabel="emr-spark-8.0.0"
            ),
            "maximumCapacity": lambda c, i: c.aws("emr-serverless").update_application(
                applicationId=i, maximumCapacity={"cpu": "400 vCPU", "memory": "3000 GB"}
            ),
            "tags": lambda c, i: c.aws("emr-serverless").untag_resource(resourceArn=arn_of(i), tagKeys=["a"]),
        },
        changes={
            "releaseLabel": "emr-spark-8.0.0",
            "maximumCapacity": {"cpu": "32 vCPU", "memory": "128 GB"},
            "autoStopConfiguration": {"enabled": True, "idleTimeoutMinutes": 30},
            "schedulerConfiguration": {"maxConcurrentRuns": 2, "queueTimeoutMinutes": 30},
            "tags": {"b": "2"},
        },
    ),
]
