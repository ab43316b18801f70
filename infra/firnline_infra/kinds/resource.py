"""Rows of resources, so that a renderer only has to walk them: Pulumi's components, Terraform's modules.

Types and arguments have Terraform's words, from which pulumi-aws and pulumi-snowflake take theirs. Where a row needs what only
another one has once it is made, it holds one of the expressions below; a definition's references to others stay as they are.
"""

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.value import Reference
from firnline_infra.specification.model import Durability


@dataclass(frozen=True, eq=False)
class Resource:
    """A resource that a provider makes. Its name is frozen: it is part of a Pulumi URN, and of Terraform's address."""

    type: str
    """Terraform's: aws_kinesis_stream."""
    name: str
    """The logical name within the environment."""
    arguments: Mapping[str, Any]
    """One that is None is not given. A block that may stand once is a mapping, one that may be repeated a list of them."""
    _: KW_ONLY
    durability: Durability = Durability.EPHEMERAL
    """PROTECTED: the tool refuses to delete or replace it."""
    after: tuple["Resource | Component", ...] = ()
    """What is made before it, and goes after it, though no argument says so."""
    waits_with_component: bool = False
    """True if it also waits for what its component waits for."""
    ignore_changes: tuple[str, ...] = ()
    """Arguments that count only while it is made."""
    import_id: str | None = None
    """Of one that exists and is taken over."""
    is_retained: bool = False
    """True if it outlives its removal from the stack."""
    uses_new_role: bool = False
    """True if its first use of a role can fail for some seconds, because AWS does not know the role everywhere yet."""

    def __getitem__(self, path: str) -> "MadeAttribute":
        """An attribute that is known once it is made: stream["arn"]."""
        return MadeAttribute(self, path)


@dataclass(frozen=True)
class MadeAttribute:
    resource: Resource
    path: str
    """`describe_output[0].name` leads into what an attribute holds."""


@dataclass(frozen=True)
class WaitingValue:
    """A value that counts only once these resources are made: who takes it is made after them, and goes before them."""

    value: Any
    after: tuple[Resource, ...]


@dataclass(frozen=True)
class FormattedText:
    """A text with places {0}, {1}, … for values."""

    template: str
    values: tuple[Any, ...]


@dataclass(frozen=True)
class PolicyText:
    """A policy as JSON; its statements may hold what is only known later."""

    statements: tuple[PolicyStatement, ...]


@dataclass(frozen=True, eq=False)
class Component:
    """Resources that are made together: a Pulumi component of the same type."""

    type: str
    name: str
    members: "tuple[Resource | Component, ...]"
    """In the order in which they can be made."""
    outputs: Mapping[str, Any] = field(default_factory=dict)
    """What its users read, by name; mappings of values too."""
    _: KW_ONLY
    gives: Mapping[Reference, Any] = field(default_factory=dict)
    """What the blueprint's references to it mean."""
    after: "tuple[Component, ...]" = ()

    def resources(self) -> Iterator[Resource]:
        """Yields its resources, and those of the components in it."""
        for member in self.members:
            yield from member.resources() if isinstance(member, Component) else (member,)
