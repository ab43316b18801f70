"""Consumers that are registered at a stream, for enhanced fan-out.

Rules: `resourceStreamConsumer` of terraform-provider-aws
(internal/service/kinesis/stream_consumer.go; read there in a version before 6).
"""

from typing import Any

from firnline_local.materialise.aws.inputs import as_outputs, require_carried, tag_difference, tags_of
from firnline_local.materialise.clients import Clients
from firnline_local.materialise.resource import Made, Properties, Rules

TYPE = "aws:kinesis/streamConsumer:StreamConsumer"
RULES = Rules(replaced_by=frozenset({"name", "streamArn", "region"}), defaults={"tags": {}})
INPUTS = frozenset({"name", "streamArn", "tags", "tagsAll"})


def create(inputs: Properties, clients: Clients) -> Made:
    require_carried(TYPE, inputs, INPUTS, region=clients.region)
    made = clients.aws("kinesis").register_stream_consumer(
        StreamARN=inputs["streamArn"], ConsumerName=inputs["name"], Tags=tags_of(inputs)
    )
    arn = made["Consumer"]["ConsumerARN"]
    return Made(arn, read(arn, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> dict[str, Any] | None:
    kinesis = clients.aws("kinesis")
    try:
        found = kinesis.describe_stream_consumer(ConsumerARN=id_)["ConsumerDescription"]
        tags = kinesis.list_tags_for_resource(ResourceARN=id_)["Tags"]
    except kinesis.exceptions.ResourceNotFoundException:
        return None
    return {
        "id": found["ConsumerARN"],
        "arn": found["ConsumerARN"],
        "name": found["ConsumerName"],
        "region": clients.region,
        "streamArn": found["StreamARN"],
        "creationTimestamp": found["ConsumerCreationTimestamp"].strftime("%Y-%m-%dT%H:%M:%SZ"),
        **as_outputs(tags, properties),
    }


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> dict[str, Any]:
    require_carried(TYPE, new, INPUTS, region=clients.region)
    to_set, to_remove = tag_difference(old, new)
    if to_remove:
        clients.aws("kinesis").untag_resource(ResourceARN=id_, TagKeys=to_remove)
    if to_set:
        clients.aws("kinesis").tag_resource(ResourceARN=id_, Tags=to_set)
    return read(id_, new, clients) or {}


def delete(id_: str, _: Properties, clients: Clients) -> None:
    kinesis = clients.aws("kinesis")
    try:
        kinesis.deregister_stream_consumer(ConsumerARN=id_)
    except kinesis.exceptions.ResourceNotFoundException:
        return
