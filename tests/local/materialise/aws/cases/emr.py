"""Where engines run."""

from typing import Any

from firnline_local.materialise.aws import emrcontainers_virtual_cluster, emrserverless_application
from firnline_local.materialise.clients import Clients

from .case import ACCOUNT, Case, fresh


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


CASES = [
    Case(
        kind=emrcontainers_virtual_cluster,
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
        kind=emrserverless_application,
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
