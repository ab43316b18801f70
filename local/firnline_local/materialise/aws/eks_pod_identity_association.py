"""Associations of EKS Pod Identity.

Rules: `podIdentityAssociationResource` of terraform-provider-aws 6 (internal/service/eks/pod_identity_association.go). Its id
is known within its cluster alone: it is imported as `cluster,id`.
"""

from typing import Any

from firnline_local.materialise.aws.inputs import (
    as_outputs,
    changed,
    require_carried,
    tags_of,
    value_of,
)
from firnline_local.materialise.aws.tagging import settle_tags
from firnline_local.materialise.clients import Clients
from firnline_local.materialise.resource import Made, Properties, Rules

TYPE = "aws:eks/podIdentityAssociation:PodIdentityAssociation"
RULES = Rules(
    replaced_by=frozenset({"clusterName", "namespace", "serviceAccount", "region"}),
    defaults={"disableSessionTags": False, "tags": {}},
)
WHOSE = ("clusterName", "namespace", "serviceAccount", "roleArn")
INPUTS = frozenset({*WHOSE, "disableSessionTags", "tags", "tagsAll"})


def create(inputs: Properties, clients: Clients) -> Made:
    require_carried(TYPE, inputs, INPUTS, region=clients.region)
    asked = {name: inputs[name] for name in WHOSE} | ({"tags": tags} if (tags := tags_of(inputs)) else {})
    made = clients.aws("eks").create_pod_identity_association(
        **asked, disableSessionTags=value_of("disableSessionTags", inputs, RULES)
    )
    id_: str = made["association"]["associationId"]
    return Made(id_, read(id_, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> dict[str, Any] | None:
    """`id_` is what `create` gave, or `cluster,id` while it is imported. Raises ValueError for an id alone that is imported."""
    cluster, _, id_ = id_.rpartition(",")
    cluster = cluster or properties.get("clusterName", "")
    if not cluster:
        raise ValueError(f"wrong format of import ID ({id_}), use: 'cluster-name,association-id'")
    eks = clients.aws("eks")
    try:
        found = eks.describe_pod_identity_association(clusterName=cluster, associationId=id_)["association"]
    except eks.exceptions.ResourceNotFoundException:
        return None
    return {
        "id": id_,
        "associationId": id_,
        "associationArn": found["associationArn"],
        **{name: found[name] for name in WHOSE},
        "disableSessionTags": found.get("disableSessionTags", False),
        "region": clients.region,
        **as_outputs(found.get("tags", {}), properties),
    }


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> dict[str, Any]:
    require_carried(TYPE, new, INPUTS, region=clients.region)
    eks, where = clients.aws("eks"), {"clusterName": new["clusterName"], "associationId": id_}
    if changed(old, new, RULES) - {"tags", "tagsAll"}:
        is_without_tags = value_of("disableSessionTags", new, RULES)
        eks.update_pod_identity_association(**where, roleArn=new["roleArn"], disableSessionTags=is_without_tags)
    settle_tags(eks, lambda: eks.describe_pod_identity_association(**where)["association"]["associationArn"], old, new)
    return read(id_, new, clients) or {}


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    eks = clients.aws("eks")
    try:
        eks.delete_pod_identity_association(clusterName=properties["clusterName"], associationId=id_)
    except eks.exceptions.ResourceNotFoundException:
        return
