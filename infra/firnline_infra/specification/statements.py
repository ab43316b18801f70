"""Statements that a team adds to the policy of the engine's role, for what Firnline does not know of."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from firnline_ingest.config.document import Section
from firnline_ingest.config.form import Form

SID = Form(r"[A-Za-z0-9]{1,60}", "1 to 60 letters and digits", "ReadLookups")
ACTION = Form(r"[a-z0-9-]+:[A-Za-z0-9*?]+", "an action of IAM with its service", "dynamodb:GetItem")
RESOURCE = Form(
    r"\*|arn:[a-z-]+:[a-z0-9-]+:[a-z0-9*?-]*:[0-9a-z*?]*:[^\s$]+",
    "an ARN, or *",
    "arn:aws:dynamodb:eu-central-1:123456789012:table/lookups",
)
OPERATOR = Form(
    r"Null|((ForAllValues|ForAnyValue):)?(String(Not)?(Equals|EqualsIgnoreCase|Like)|Arn(Not)?(Equals|Like)|Bool|BinaryEquals"
    r"|(Numeric|Date)((Not)?Equals|(Less|Greater)Than(Equals)?)|(Not)?IpAddress)(IfExists)?",
    "a condition operator of IAM",
    "StringEquals",
)


class Allowance(StrEnum):
    """Effect of a statement."""

    ALLOW = "allow"
    """It gives a right; within the permissions boundary alone, which an administrator renews."""
    DENY = "deny"
    """It takes one away, whatever else gives it."""


class ExtraStatement(Section):
    """A statement beside those that the engine needs. Nothing here opens what keeps an environment in its bounds: keys,
    state, roles and policies can't be administered by the engine, and what Firnline made for the environment has its rights
    already."""

    sid: Annotated[str, SID]
    """The name; the policy has `Extra` before it."""
    why: str = Field(min_length=10, max_length=400)
    """What the engine needs it for. A reviewer reads it in `firnline preview`."""
    effect: Allowance = Field(default=Allowance.ALLOW, strict=False)
    """`deny` takes away: for rules of a company, such as a network that requests have to come from."""
    actions: list[Annotated[str, ACTION]] = Field(min_length=1)
    """Each by its name. Behind Get, List, Describe and BatchGet a `*` may stand, with `wildcards`."""
    resources: list[Annotated[str, RESOURCE]] = Field(min_length=1)
    """ARNs. With `wildcards`, one may hold * or ?."""
    conditions: dict[Annotated[str, OPERATOR], dict[str, str | list[str]]] = Field(default={})
    """Operator, key, value: {StringEquals: {"aws:SourceVpc": vpc-0a1b2c3d}}"""
    wildcards: str | None = Field(default=None, min_length=10, max_length=400)
    """The reason why a * or ? has to be in what is allowed; without a reason none is taken. `deny` needs none."""
