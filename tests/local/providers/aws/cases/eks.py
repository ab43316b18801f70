"""Cases of pods' identities."""

from typing import Any

from firnline_local.providers.aws import runtimes
from firnline_local.providers.clients import Clients

from .case import ACCOUNT, Case, arn_of_a_role, fresh


def association_inputs(clients: Clients) -> dict[str, Any]:
    return {
        "clusterName": "local",
        "namespace": "ingest",
        "serviceAccount": fresh("account"),
        "roleArn": arn_of_a_role(clients),
        "tags": {"a": "1"},
    }


def somebody_else(clients: Clients, id_: str) -> None:
    clients.aws("eks").update_pod_identity_association(
        clusterName="local", associationId=id_, roleArn=arn_of_a_role(clients)
    )


def untagged(clients: Clients, id_: str) -> None:
    arn = f"arn:aws:eks:us-east-1:{ACCOUNT}:podidentityassociation/local/{id_}"
    clients.aws("eks").untag_resource(resourceArn=arn, tagKeys=["a"])


CASES = [
    Case(
        kind=runtimes.POD_IDENTITY_ASSOCIATION,
        inputs=association_inputs,
        taken="ResourceInUseException",
        behind={"roleArn": somebody_else, "tags": untagged},
        changes={"disableSessionTags": True, "tags": {"b": "2"}},
        imported_as=lambda properties: f"{properties['clusterName']},{properties['id']}",
    ),
]
