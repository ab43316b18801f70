"""Schemas in Terraform's own shape: of a type's blocks and attributes, from the documents in ../pulumi/schemas.

What is nested is a block where a configuration may give it, and an attribute that holds objects where only the provider does.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from firnline_infra.kinds import KINDS
from firnline_infra.kinds.snowflake import SNOWFLAKE_KINDS
from firnline_local.pulumi.schema import TEXT, attributes_of
from firnline_local.terraform.wire import message

TOKENS = {each.terraform_type: each.token for each in (*KINDS, *SNOWFLAKE_KINDS)}
SOURCES = {"aws": "hashicorp/aws", "snowflake": "snowflakedb/snowflake"}
LIST, SET = 2, 3
ID = "string?="


def schema_response(package: str) -> Any:
    entries = [
        message("SchemaEntry", key=type_, value=_schema({"id": ID, **attributes_of(token)}))
        for type_, token in TOKENS.items()
        if token.startswith(f"{package}:")
    ]
    provider = _schema(attributes_of(f"pulumi:providers:{package}"))
    return message("SchemaResponse", provider=provider, resource_schemas=entries)


def is_block(said: Any) -> bool:
    return isinstance(said, Mapping) and "=" not in said["flag"]


def _schema(said: Mapping[str, Any]) -> Any:
    return message("Schema", block=_block(said))


def _block(said: Mapping[str, Any]) -> Any:
    block = message("Block")
    for name, each in sorted(said.items()):
        if is_block(each):
            block.block_types.append(_nested_block(name, each))
        else:
            block.attributes.append(_attribute(name, each))
    return block


def _nested_block(name: str, said: Mapping[str, Any]) -> Any:
    return message(
        "NestedBlock",
        type_name=name,
        block=_block(said["fields"]),
        nesting=SET if said["nested"] == "set" else LIST,
        min_items=1 if said["flag"] == "!" else 0,
        max_items=1 if said["nested"] == "object" else 0,
    )


def _attribute(name: str, said: str | Mapping[str, Any]) -> Any:
    flag = said["flag"] if isinstance(said, Mapping) else said.lstrip("abcdefghijklmnopqrstuvwxyz()")
    return message(
        "Attribute",
        name=name,
        type=json.dumps(_type(said)).encode(),
        required=flag == "!",
        optional="?" in flag,
        computed="=" in flag,
    )


def _type(said: str | Mapping[str, Any]) -> Any:
    """The type in Terraform's JSON: ["list", "string"]."""
    if isinstance(said, Mapping):
        inside = ["object", {name: _type(each) for name, each in said["fields"].items()}]
        return ["set" if said["nested"] == "set" else "list", inside]
    match = TEXT.fullmatch(said)
    assert match is not None, said
    collections, scalar, _ = match.groups()
    return _collected(collections.split("(")[:-1], scalar)


def _collected(collections: Iterable[str], scalar: str) -> Any:
    type_: Any = scalar
    for collection in reversed(list(collections)):
        type_ = [collection, type_]
    return type_
