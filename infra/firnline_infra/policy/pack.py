"""The rules as a policy pack of Pulumi's, which judges what a program registers in a preview and in an update.

A rule that looks at a resource alone refuses it before it is made. What a preview can't know yet, such as a policy that names
what the same update makes, is judged in the update.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pulumi_policy import (
    EnforcementLevel,
    Policy,
    PolicyConfigSchema,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
)
from pulumi_policy.proxy import UnknownValueError

from firnline_infra.kinds import RESOURCE_TYPES
from firnline_infra.kinds.kind import ResourceType
from firnline_infra.kinds.property_names import RENAMED
from firnline_infra.policy.declared import UNKNOWN, DeclaredResource, DeclaredStack
from firnline_infra.policy.rule import PolicyRule
from firnline_infra.policy.suite import RULES

TYPES = {each.token: each.terraform_type for each in RESOURCE_TYPES} | {
    "aws:ec2/securityGroupRule:SecurityGroupRule": "aws_security_group_rule"
}
V2 = re.compile("V2(?=:|$)")
"""The ending of a type's former name; that type has the properties of the present one."""
NAME = re.compile("[a-z][A-Za-z0-9]*")
"""How Pulumi names properties; keys of tags and of policies may look otherwise, and are left as they are."""
PROTECTED = PolicyConfigSchema(
    properties={
        "protected": {
            "type": "boolean",
            "default": False,
            "description": "Demands that data is protected and has a key of the account's, whatever the stack says of itself.",
        }
    }
)


def policies() -> list[Policy]:
    return [_policy(rule) for rule in RULES]


def _policy(rule: PolicyRule) -> Policy:
    make: Callable[..., Policy] = ResourceValidationPolicy if rule.judges_alone else StackValidationPolicy
    return make(
        name=rule.id,
        description=rule.text,
        validate=_of_one(rule) if rule.judges_alone else _of_all(rule),
        enforcement_level=EnforcementLevel.MANDATORY,
        config_schema=None if rule.judges_alone else PROTECTED,
        severity=Severity.HIGH,
        remediation_steps=rule.next_step,
    )


def _of_one(rule: PolicyRule) -> Callable[[ResourceValidationArgs, ReportViolation], None]:
    def validate(args: ResourceValidationArgs, report_violation: ReportViolation) -> None:
        stack = DeclaredStack((declared_by_pulumi(args.resource_type, args.name, args.props, is_protected=False),))
        for _, breach in rule.breaches(stack):
            report_violation(f"{breach} Next: {rule.next_step}", None)

    return validate


def _of_all(rule: PolicyRule) -> Callable[[StackValidationArgs, ReportViolation], None]:
    def validate(args: StackValidationArgs, report_violation: ReportViolation) -> None:
        urns = {}
        for each in args.resources:
            is_protected = bool(each.opts.protect)
            declared = declared_by_pulumi(each.resource_type, each.name, each.props, is_protected=is_protected)
            urns[id(declared)] = (declared, each.urn)
        stack = DeclaredStack(tuple(one for one, _ in urns.values()), bool(args.get_config().get("protected")))
        for resource, breach in rule.breaches(stack):
            report_violation(f"{breach} Next: {rule.next_step}", urns[id(resource)][1])

    return validate


def declared_by_pulumi(token: str, name: str, properties: Mapping[str, Any], *, is_protected: bool) -> DeclaredResource:
    """`token`: aws:kinesis/stream:Stream."""
    current = V2.sub("", token)
    return DeclaredResource(terraform_type_of(token), name, _arguments(properties, current, ""), is_protected)


def terraform_type_of(token: str) -> str:
    """Terraform's name: that of the kind's row, else what follows from the token. A component, which no provider has, is
    itself.
    """
    if token in TYPES or not re.fullmatch("(aws|snowflake):[^:]+/[^:]+:[^:]+", token):
        return TYPES.get(token, token)
    return ResourceType(V2.sub("", token), "").terraform_type


def _arguments(properties: Mapping[str, Any], token: str, inside: str) -> dict[str, Any]:
    names = {key: _name(token, inside, key) for key in properties}
    return {name: _read(properties, key, token, f"{inside}{name}.") for key, name in names.items()}


def _name(token: str, inside: str, key: str) -> str:
    """Terraform's; `inside` is the path of the blocks around it."""
    for path, renamed in RENAMED.get(token, {}).items():
        if renamed == key and path.startswith(inside) and "." not in path[len(inside) :]:
            return path[len(inside) :]
    return re.sub("([A-Z])", r"_\1", key).lower() if NAME.fullmatch(key) else key


def _read(holder: Any, key: str | int, token: str, path: str) -> Any:
    """Reads what a mapping or a list holds: they raise for what a preview can't know."""
    try:
        value = holder[key]
    except UnknownValueError:
        return UNKNOWN
    match value:
        case str():
            return value
        case Mapping():
            return _arguments(value, token, path)
        case Sequence():
            return [_read(value, at, token, path) for at in range(len(value))]
        case float() if value.is_integer():
            return int(value)
        case _:
            return value
