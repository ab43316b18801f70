"""Parameters of Systems Manager.

Rules: `resourceParameter` of terraform-provider-aws 6 (internal/service/ssm/parameter.go).
"""

from typing import Any

from firnline_local.materialise.aws.inputs import (
    as_list,
    as_outputs,
    changed,
    require_carried,
    tag_difference,
    tags_of,
    value_of,
)
from firnline_local.materialise.aws.normalize import present
from firnline_local.materialise.clients import Clients
from firnline_local.materialise.resource import Made, Properties, Rules

TYPE = "aws:ssm/parameter:Parameter"
RULES = Rules(
    replaced_by=frozenset({"name", "dataType", "region"}),
    replaced_where={"tier": lambda before, now: (before, now) == ("Advanced", "Standard")},
    defaults={"allowedPattern": None, "description": "", "tags": {}},
    values={
        "dataType": frozenset({"text", "aws:ec2:image", "aws:ssm:integration"}),
        "type": frozenset({"String", "StringList", "SecureString"}),
        "tier": frozenset({"Standard", "Advanced", "Intelligent-Tiering"}),
    },
    conflicts=(frozenset({"value", "insecureValue", "valueWo"}),),
)
INPUTS = frozenset(
    {
        *("name", "arn", "type", "value", "insecureValue", "description", "keyId", "tier", "dataType"),
        *("allowedPattern", "overwrite", "tags", "tagsAll"),
    }
)
VALUES = ("value", "insecureValue")
OF_VALUE = {*VALUES, "type", "description", "keyId", "tier", "allowedPattern"}


def create(inputs: Properties, clients: Clients) -> Made:
    require_carried(TYPE, inputs, INPUTS, region=clients.region)
    ssm = clients.aws("ssm")
    overwrite = bool(inputs.get("overwrite"))
    tags = {} if overwrite else {"Tags": as_list(tags_of(inputs))}  # the service takes only one of both
    ssm.put_parameter(**_wanted(inputs), **present({"DataType": inputs.get("dataType")}), Overwrite=overwrite, **tags)
    if overwrite and tags_of(inputs):
        ssm.add_tags_to_resource(ResourceType="Parameter", ResourceId=inputs["name"], Tags=as_list(tags_of(inputs)))
    return Made(inputs["name"], read(inputs["name"], inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> dict[str, Any] | None:
    ssm = clients.aws("ssm")
    try:
        found = ssm.get_parameter(Name=id_, WithDecryption=True)["Parameter"]
        tags = ssm.list_tags_for_resource(ResourceType="Parameter", ResourceId=id_)["TagList"]
    except ssm.exceptions.ParameterNotFound:
        return None
    filters = [{"Key": "Name", "Option": "Equals", "Values": [id_]}]
    described = ssm.describe_parameters(ParameterFilters=filters)["Parameters"][0]
    is_insecure = properties.get("insecureValue") is not None
    return present(
        {
            "id": found["Name"],
            "arn": found["ARN"],
            "name": found["Name"],
            "region": clients.region,
            "type": found["Type"],
            "value": found["Value"],
            "insecureValue": found["Value"] if is_insecure else None,
            "version": found["Version"],
            "dataType": found.get("DataType", "text"),
            "description": described.get("Description") or "",
            "keyId": described.get("KeyId") or None,
            "tier": described.get("Tier") or "Standard",
            "allowedPattern": described.get("AllowedPattern") or None,
            "overwrite": properties.get("overwrite"),
            **as_outputs(tags, properties),
        }
    )


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> dict[str, Any]:
    require_carried(TYPE, new, INPUTS, region=clients.region)
    ssm = clients.aws("ssm")
    if changed(old, new, RULES) & OF_VALUE:
        ssm.put_parameter(**_wanted(new), Overwrite=True)
    to_set, to_remove = tag_difference(old, new)
    if to_remove:
        ssm.remove_tags_from_resource(ResourceType="Parameter", ResourceId=id_, TagKeys=to_remove)
    if to_set:
        ssm.add_tags_to_resource(ResourceType="Parameter", ResourceId=id_, Tags=as_list(to_set))
    return read(id_, new, clients) or {}


def delete(id_: str, _: Properties, clients: Clients) -> None:
    ssm = clients.aws("ssm")
    try:
        ssm.delete_parameter(Name=id_)
    except ssm.exceptions.ParameterNotFound:
        return


def _wanted(inputs: Properties) -> dict[str, Any]:
    value = next(inputs[name] for name in VALUES if inputs.get(name) is not None)
    return present(
        {
            "Name": inputs["name"],
            "Type": inputs["type"],
            "Value": value,
            "Description": value_of("description", inputs, RULES),
            "KeyId": inputs.get("keyId"),
            "Tier": inputs.get("tier"),
            "AllowedPattern": inputs.get("allowedPattern"),
        }
    )
