"""A workgroup of Redshift Serverless over a namespace."""

from typing import Any

from firnline_local.providers.aws import redshift
from firnline_local.providers.clients import Clients

from .case import Case, fresh


def namespace_inputs(_: Clients) -> dict[str, Any]:
    return {"namespaceName": fresh("namespace"), "dbName": "events", "manageAdminPassword": True, "tags": {"a": "1"}}


def workgroup_inputs(clients: Clients) -> dict[str, Any]:
    namespace = redshift.NAMESPACE.create(namespace_inputs(clients), clients).id
    return {"workgroupName": fresh("workgroup"), "namespaceName": namespace, "baseCapacity": 8, "tags": {"a": "1"}}


CASES = [
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
