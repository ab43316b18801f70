"""Writes what a row says in Terraform's JSON syntax, in which every text is a template.

A text of the specification is escaped, so that Terraform reads it as it is; what only a made resource has becomes an
interpolation of its attribute.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from firnline_infra.blueprint.iam import policy_document
from firnline_infra.blueprint.value import Reference
from firnline_infra.kinds.resource import (
    FormattedText,
    MadeAttribute,
    PolicyText,
    Resource,
    WaitingValue,
)

PLACE = re.compile(r"\{(\d+)\}")
PLAIN_NAME, OF_SNOWFLAKE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*"), re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")

RULE_ARGUMENTS = (
    *("cidr_blocks", "description", "from_port", "ipv6_cidr_blocks", "prefix_list_ids"),
    *("protocol", "security_groups", "self", "to_port"),
)
WHOLE_OBJECTS = {"aws_security_group": {"egress": RULE_ARGUMENTS, "ingress": RULE_ARGUMENTS}}
"""What a provider has as an attribute of objects, though its page calls it a block: `terraform validate` refuses an object that
lacks an argument (SchemaConfigModeAttr in terraform-provider-aws, internal/service/ec2/vpc_security_group.go; Terraform,
"Attributes as Blocks", 2026-11-28)."""


def label(resource: Resource) -> str:
    """The logical name as Terraform takes it: letters, digits, _ and -. A name with anything else gets a hash, so that two
    such names stay two; between identifiers of Snowflake, which have no hyphen, a dot becomes one.
    """
    name, plain = resource.name, OF_SNOWFLAKE if resource.type.startswith("snowflake_") else PLAIN_NAME
    written = re.sub(r"[^A-Za-z0-9_-]", "-", name)
    return written if plain.fullmatch(name) else f"{written}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"


def address(resource: Resource) -> str:
    return f"{resource.type}.{label(resource)}"


def escaped(text: str) -> str:
    return text.replace("${", "$${").replace("%{", "%%{")


def with_whole_objects(type_: str, block: Mapping[str, Any]) -> dict[str, Any]:
    """The block, in which each object of WHOLE_OBJECTS has all of its arguments; null where it does not say one."""
    whole = WHOLE_OBJECTS.get(type_, {})
    return {
        name: [{**dict.fromkeys(whole[name]), **each} for each in value] if name in whole else value
        for name, value in block.items()
    }


class TerraformValues:
    """Knows what references mean, as the components give it."""

    def __init__(self, gives: Mapping[Reference, Any]) -> None:
        self._gives = dict(gives)

    def written(self, value: Any) -> Any:
        """The value as JSON. A mapping loses what has no value. Raises KeyError for a reference that nothing gives."""
        match value:
            case Mapping():
                written = {escaped(str(name)): self.written(each) for name, each in value.items()}
                return {name: each for name, each in written.items() if each is not None}
            case list() | tuple():
                return [self.written(each) for each in value]
            case str():
                return escaped(value)
            case None | bool() | int() | float():
                return value
            case _:
                return self._expression(value)

    def _expression(self, value: Any) -> Any:
        match value:
            case Reference():
                return self.written(self._gives[value])
            case MadeAttribute():
                return f"${{{address(value.resource)}.{value.path}}}"
            case WaitingValue():
                return self.written(value.value)
            case FormattedText():
                return PLACE.sub(lambda place: self.written(value.values[int(place[1])]), escaped(value.template))
            case PolicyText():
                return json.dumps(policy_document(value.statements, resolve=self.written))
            case Interpolation():
                return f"${{{value.expression}}}"
            case _:
                raise TypeError(f"{value!r} is nothing that a row says")


class Interpolation:
    """An expression of Terraform's."""

    def __init__(self, expression: str) -> None:
        self.expression = expression


def waits_of(value: Any) -> Iterable[Resource]:
    """The resources that a value waits for, beyond those whose attributes it has."""
    match value:
        case WaitingValue():
            yield from value.after
        case Mapping():
            for each in value.values():
                yield from waits_of(each)
        case list() | tuple():
            for each in value:
                yield from waits_of(each)
