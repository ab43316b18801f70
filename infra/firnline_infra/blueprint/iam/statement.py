"""Statements of IAM policies, as data that the Pulumi components, the bootstrap and tests read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from firnline_infra.blueprint.value import Value

CHINA = "aws-cn"
TWO_NAMES_IN_CHINA = ("ec2.amazonaws.com", "elasticmapreduce.amazonaws.com")
"""AWS's own policies name either there, with .cn behind it and without (EMR Management Guide, AmazonEMRFullAccessPolicy_v2)."""


class Effect(StrEnum):
    ALLOW = "Allow"
    DENY = "Deny"


Conditions = Mapping[str, Mapping[str, Value | tuple[Value, ...]]]
"""Operator, key, value: {"StringEquals": {"aws:SourceAccount": "111122223333"}}"""


@dataclass(frozen=True, kw_only=True)
class PolicyStatement:
    """One statement; `resources` is empty where the policy belongs to a resource or a trust, which imply it."""

    sid: str
    actions: tuple[str, ...]
    resources: tuple[Value, ...] = ()
    principals: Mapping[str, Value | tuple[Value, ...]] | None = None
    """Only in the policy of a resource or of a trust: {"Service": "emr-serverless.amazonaws.com"}, {"AWS": …}"""
    conditions: Conditions = field(default_factory=dict)
    effect: Effect = Effect.ALLOW
    reasons: Mapping[str, str] = field(default_factory=dict, compare=False)
    """The reason why it asks for each action; for whoever reads about it, and in no document."""


def allow(
    sid: str, rights: Mapping[str, str], *, resources: tuple[Value, ...], conditions: Conditions | None = None
) -> PolicyStatement:
    """A statement that allows `rights`: actions, each with its reason."""
    return PolicyStatement(
        sid=sid, actions=tuple(rights), resources=resources, conditions=conditions or {}, reasons=rights
    )


def policy_document(statements: tuple[PolicyStatement, ...], resolve: Callable[[Value], Any] = str) -> dict[str, Any]:
    """The policy as JSON values; `resolve` says what stands for each Value."""
    return {"Version": "2012-10-17", "Statement": [_document(statement, resolve) for statement in statements]}


def _document(statement: PolicyStatement, resolve: Callable[[Value], Any]) -> dict[str, Any]:
    document: dict[str, Any] = {"Sid": statement.sid, "Effect": statement.effect.value}
    if statement.principals is not None:
        document["Principal"] = {kind: _resolved(whom, resolve) for kind, whom in statement.principals.items()}
    document["Action"] = list(statement.actions)
    if statement.resources:
        document["Resource"] = [resolve(resource) for resource in statement.resources]
    if statement.conditions:
        document["Condition"] = {
            operator: {key: _resolved(value, resolve) for key, value in values.items()}
            for operator, values in statement.conditions.items()
        }
    return document


def _resolved(value: Value | tuple[Value, ...], resolve: Callable[[Value], Any]) -> Any:
    return [resolve(each) for each in value] if isinstance(value, tuple) else resolve(value)


def via(
    service: str, region: str, encryption_context: Mapping[str, Value | tuple[Value, ...]] | None = None
) -> Conditions:
    """Conditions that allow calls through `service` in `region`; in China a service's name ends as its hosts do there, and
    either way is allowed."""
    name = f"{service}.{region}.amazonaws.com"
    names: Value | tuple[Value, ...] = (name, f"{name}.cn") if region.startswith("cn-") else name
    context = {f"kms:EncryptionContext:{key}": value for key, value in (encryption_context or {}).items()}
    return {"StringEquals": {"kms:ViaService": names, **context}}


def service_names(service: str, partition: str) -> tuple[str, ...]:
    """Returns the names that a request may call it by; the one that a trust names comes last."""
    return (service, f"{service}.cn") if partition == CHINA and service in TWO_NAMES_IN_CHINA else (service,)


def is_service(key: str, service: str, partition: str) -> Conditions:
    """That a request's `key` is the service."""
    names = service_names(service, partition)
    return {"StringEquals": {key: names if len(names) > 1 else names[0]}}
