"""Applications of EMR Serverless, as far as streams of Spark need them.

Rules: `resourceApplication` of terraform-provider-aws 6 (internal/service/emrserverless/application.go). An update sends every
field, so that the service takes it only while the application is CREATED or STOPPED (hashicorp/terraform-provider-aws#49109).
"""

from typing import Any

from firnline_local.materialise.aws.inputs import (
    as_outputs,
    changed,
    require_carried,
    tags_of,
    value_of,
)
from firnline_local.materialise.aws.normalize import present, set_like
from firnline_local.materialise.aws.tagging import settle_tags
from firnline_local.materialise.clients import Clients
from firnline_local.materialise.resource import Made, Properties, Rules

TYPE = "aws:emrserverless/application:Application"
RULES = Rules(
    replaced_by=frozenset({"name", "type", "region"}),
    defaults={
        "architecture": "X86_64",
        "autoStartConfiguration": {"enabled": True},
        "autoStopConfiguration": {"enabled": True, "idleTimeoutMinutes": 15},
        "maximumCapacity": None,
        "networkConfiguration": None,
        "schedulerConfiguration": None,
        "tags": {},
    },
    values={"architecture": frozenset({"ARM64", "X86_64"}), "type": frozenset({"spark", "hive"})},
)
WIRE = (
    "architecture",
    "autoStartConfiguration",
    "autoStopConfiguration",
    "maximumCapacity",
    "networkConfiguration",
    "releaseLabel",
    "schedulerConfiguration",
)
"""What an update sends, all of it; the service's words are the provider's."""
INPUTS = frozenset({*WIRE, "name", "type", "tags", "tagsAll"})


def create(inputs: Properties, clients: Clients) -> Made:
    """A name is nobody's alone: a second application may have it."""
    require_carried(TYPE, inputs, INPUTS, region=clients.region)
    emr = clients.aws("emr-serverless")
    asked = {**_wanted(inputs), "name": inputs["name"], "type": inputs["type"], "tags": tags_of(inputs)}
    id_: str = emr.create_application(**asked)["applicationId"]
    return Made(id_, read(id_, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> dict[str, Any] | None:
    """A terminated one can be asked for as long as the service remembers it, and is gone."""
    emr = clients.aws("emr-serverless")
    try:
        found = emr.get_application(applicationId=id_)["application"]
    except emr.exceptions.ResourceNotFoundException:
        return None
    if found["state"] == "TERMINATED":
        return None
    return present(
        {
            **{name: found.get(name, RULES.defaults.get(name)) for name in WIRE},
            "networkConfiguration": _network(found, properties),
            "id": id_,
            "arn": found["arn"],
            "name": found["name"],
            "type": found["type"].lower(),
            "region": clients.region,
            **as_outputs(found.get("tags", {}), properties),
        }
    )


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> dict[str, Any]:
    require_carried(TYPE, new, INPUTS, region=clients.region)
    emr = clients.aws("emr-serverless")
    if changed(old, new, RULES) - {"tags", "tagsAll"}:
        emr.update_application(applicationId=id_, **_wanted(new))
    settle_tags(emr, lambda: emr.get_application(applicationId=id_)["application"]["arn"], old, new)
    return read(id_, new, clients) or {}


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    """The provider stops nothing before: the service refuses one that is started."""
    if read(id_, properties, clients) is not None:
        clients.aws("emr-serverless").delete_application(applicationId=id_)


def _wanted(inputs: Properties) -> dict[str, Any]:
    return present({name: value_of(name, inputs, RULES) for name in WIRE})


def _network(found: Properties, known: Properties) -> dict[str, Any] | None:
    there = found.get("networkConfiguration")
    said = known.get("networkConfiguration") or {}
    return {name: set_like(there[name], said.get(name)) for name in there} if there else None
