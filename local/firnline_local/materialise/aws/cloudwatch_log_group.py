"""Log groups of CloudWatch.

Rules: `resourceGroup` of terraform-provider-aws 6 (internal/service/logs/group.go). Days are 0 where logs are kept for ever.
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

TYPE = "aws:cloudwatch/logGroup:LogGroup"
RULES = Rules(
    replaced_by=frozenset({"name", "namePrefix", "region"}),
    defaults={"retentionInDays": 0, "skipDestroy": False, "tags": {}},
    conflicts=(frozenset({"name", "namePrefix"}),),
)
INPUTS = frozenset({"name", "retentionInDays", "skipDestroy", "tags", "tagsAll"})


def create(inputs: Properties, clients: Clients) -> Made:
    require_carried(TYPE, inputs, INPUTS, region=clients.region)
    logs, name = clients.aws("logs"), inputs["name"]
    logs.create_log_group(logGroupName=name, tags=tags_of(inputs))
    _keep(logs, name, inputs)
    return Made(name, read(name, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> dict[str, Any] | None:
    logs = clients.aws("logs")
    pages = logs.get_paginator("describe_log_groups").paginate(logGroupNamePrefix=id_)
    found = next((each for page in pages for each in page["logGroups"] if each["logGroupName"] == id_), None)
    if found is None:
        return None
    arn = found["arn"].removesuffix(":*")
    return {
        "id": id_,
        "arn": arn,
        "name": id_,
        "region": clients.region,
        "retentionInDays": found.get("retentionInDays", 0),
        "skipDestroy": value_of("skipDestroy", properties, RULES),
        **as_outputs(logs.list_tags_for_resource(resourceArn=arn)["tags"], properties),
    }


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> dict[str, Any]:
    require_carried(TYPE, new, INPUTS, region=clients.region)
    logs = clients.aws("logs")
    if "retentionInDays" in changed(old, new, RULES):
        _keep(logs, id_, new)
    settle_tags(logs, lambda: (read(id_, new, clients) or {})["arn"], old, new)
    return read(id_, new, clients) or {}


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    logs = clients.aws("logs")
    if value_of("skipDestroy", properties, RULES):
        return
    try:
        logs.delete_log_group(logGroupName=id_)
    except logs.exceptions.ResourceNotFoundException:
        return


def _keep(logs: Any, name: str, inputs: Properties) -> None:
    days = value_of("retentionInDays", inputs, RULES)
    if days:
        logs.put_retention_policy(logGroupName=name, retentionInDays=int(days))
    else:
        logs.delete_retention_policy(logGroupName=name)
