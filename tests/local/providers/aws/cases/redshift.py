"""A workgroup of Redshift Serverless over a namespace, and a provisioned cluster."""

from typing import Any

from firnline_local.providers.aws import redshift
from firnline_local.providers.clients import Clients

from .case import Case, fresh


def namespace_inputs(_: Clients) -> dict[str, Any]:
    return {"namespaceName": fresh("namespace"), "dbName": "events", "manageAdminPassword": True, "tags": {"a": "1"}}


def workgroup_inputs(clients: Clients) -> dict[str, Any]:
    namespace = redshift.NAMESPACE.create(namespace_inputs(clients), clients).id
    return {"workgroupName": fresh("workgroup"), "namespaceName": namespace, "baseCapacity": 8, "tags": {"a": "1"}}


def cluster_inputs(clients: Clients) -> dict[str, Any]:
    return {
        "clusterIdentifier": fresh("cluster"),
        "databaseName": "events",
        "nodeType": "ra3.large",
        "numberOfNodes": 1,
        "masterUsername": "admin",
        "manageMasterPassword": True,
        "encrypted": "true",
        "publiclyAccessible": False,
        "enhancedVpcRouting": True,
        "iamRoles": ["arn:aws:iam::123456789012:role/reads"],
        "defaultIamRoleArn": "arn:aws:iam::123456789012:role/reads",
        "skipFinalSnapshot": True,
        "tags": {"a": "1"},
    }


CASES = [
    Case(
        kind=redshift.CLUSTER,
        inputs=cluster_inputs,
        taken="ClusterAlreadyExists",
        behind={
            "nodeType": lambda clients, id_: clients.aws("redshift").modify_cluster(
                ClusterIdentifier=id_, NodeType="ra3.xlplus"
            )
        },
        changes={"nodeType": "ra3.xlplus", "numberOfNodes": 2, "tags": {"a": "2"}},
    ),
    Case(
        kind=redshift.NAMESPACE,
        inputs=namespace_inputs,
        taken="ConflictException",
        changes={"tags": {"a": "2"}},
    ),
    Case(
        kind=redshift.WORKGROUP,
        inputs=workgroup_inputs,
        taken="ConflictException",
        behind={
            "baseCapacity": lambda clients, id_: clients.aws("redshift-serverless").update_workgroup(
                workgroupName=id_, baseCapacity=16
            )
        },
        changes={"baseCapacity": 16, "tags": {"a": "2"}},
    ),
]
