"""Virtual clusters of EMR on EKS.

Rules: `resourceVirtualCluster` of terraform-provider-aws 6 (internal/service/emrcontainers/virtual_cluster.go). Nothing but its
tags is changed by an update.
"""

from typing import Any

from firnline_local.materialise.aws.inputs import as_outputs, require_carried, tags_of
from firnline_local.materialise.aws.tagging import settle_tags
from firnline_local.materialise.clients import Clients
from firnline_local.materialise.resource import Made, Properties, Rules

TYPE = "aws:emrcontainers/virtualCluster:VirtualCluster"
RULES = Rules(
    replaced_by=frozenset({"name", "containerProvider", "region"}),
    defaults={"tags": {}},
    values={"containerProvider.type": frozenset({"EKS"})},
)
INPUTS = frozenset({"name", "containerProvider", "tags", "tagsAll"})


def create(inputs: Properties, clients: Clients) -> Made:
    """A name is nobody's alone; a namespace is."""
    require_carried(TYPE, inputs, INPUTS, region=clients.region)
    emr, tags = clients.aws("emr-containers"), tags_of(inputs)
    asked = {"name": inputs["name"], "containerProvider": dict(inputs["containerProvider"]), "tags": tags}
    id_: str = emr.create_virtual_cluster(**asked)["id"]
    return Made(id_, read(id_, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> dict[str, Any] | None:
    """A terminated one can be asked for as long as the service remembers it, and is gone."""
    emr = clients.aws("emr-containers")
    try:
        found = emr.describe_virtual_cluster(id=id_)["virtualCluster"]
    except emr.exceptions.ResourceNotFoundException:
        return None
    if found["state"] == "TERMINATED":
        return None
    return {
        "id": id_,
        "arn": found["arn"],
        "name": found["name"],
        "containerProvider": found["containerProvider"],
        "region": clients.region,
        **as_outputs(found.get("tags", {}), properties),
    }


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> dict[str, Any]:
    require_carried(TYPE, new, INPUTS, region=clients.region)
    emr = clients.aws("emr-containers")
    settle_tags(emr, lambda: emr.describe_virtual_cluster(id=id_)["virtualCluster"]["arn"], old, new)
    return read(id_, new, clients) or {}


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    """The provider waits up to an hour and a half for its jobs to end."""
    if read(id_, properties, clients) is not None:
        clients.aws("emr-containers").delete_virtual_cluster(id=id_)
