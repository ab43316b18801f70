"""One row for each kind of object: what it is called, which rights its life takes and why, and how to see that it exists.

Rows are data. The bootstrap's policies, the page of permissions, the checks before an `up` and the recovery of a killed one
read them; none of these knows a kind by itself. The calls are those of terraform-provider-aws 6, which pulumi-aws 7 carries
(internal/service/<service> there), under the name of the IAM action that allows each. Tests compare them with the calls of
real deployments.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from enum import Enum, auto
from typing import Any

from firnline_infra.blueprint import Blueprint
from firnline_infra.environment import Environment
from firnline_infra.kinds.comparison import Clients, Comparison
from firnline_infra.kinds.resource import Component, Resource
from firnline_infra.specification.arns import Arns

Properties = Mapping[str, Any]
"""A resource's inputs, as Pulumi has them."""
COMPARE = "Reads what it is, to compare it with the specification."
TAGS = "Its tags: whose it is, and who pays."
PHASES, READING = ("create", "read", "update", "delete"), ("read",)


class Scope(Enum):
    """Scope that AWS narrows an action to."""

    OWN = auto()
    """The resource itself, by its ARN or by our tag on it."""
    BOUNDED = auto()
    """A role or user within the permissions boundary: the action could give it more than its policy should."""
    NEW_TAG = auto()
    """The tag that the resource is made with; it has no ARN yet."""
    PARENT = auto()
    """What the resource is made in."""
    REGION = auto()
    """AWS narrows the action to nothing but the region."""


@dataclass(frozen=True)
class Right:
    """One reason, and the names of the actions that it takes in each phase of a resource's life, separated by spaces.

    The provider asks for `read` after each of the others too.
    """

    why: str
    _: KW_ONLY
    create: str = ""
    read: str = ""
    update: str = ""
    delete: str = ""
    scope: Scope = Scope.OWN


@dataclass(frozen=True)
class Lookup:
    """A way to see whether an object exists: one operation of one client. The object does not exist if the service refuses
    with a code that says so, or if the list `answer` has no entry (or none that `matches`)."""

    client: str
    operation: str
    parameter: str = ""
    """Takes the object's name; `request` is for those that take more."""
    _: KW_ONLY
    request: Callable[[Any], Mapping[str, Any]] | None = None
    answer: str = ""
    matches: Callable[[Any, Any], bool] | None = None
    """Whether an entry of `answer` is the object that the blueprint wants; each is if absent."""
    names_are_global: bool = False
    """All accounts share its names: a refusal says that another one has it."""

    def arguments(self, name: str, wanted: Any) -> Mapping[str, Any]:
        return {self.parameter: name} if self.request is None else self.request(wanted)


@dataclass(frozen=True, eq=False)
class ResourceType:
    """A type of resource, as renderers know it."""

    token: str
    """Pulumi's name of the type."""
    title: str
    """What messages call it."""
    _: KW_ONLY
    import_id: str | Callable[[Clients, Properties], Sequence[str]] | None = None
    """Under which id an import finds what a killed create was making: a template of its inputs (the import sections of the
    providers' registry pages), or, if the service makes the id, a function that asks it, best first. None if the create can be
    repeated over what it has made.
    """
    terraform: str = ""
    """Terraform's name of the type where it does not follow from the token."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Pulumi's names of properties that do not follow from Terraform's, by Terraform's path (property_names.py)."""

    @property
    def type_name(self) -> str:
        """The name of the class: Stream."""
        return self.token.rpartition(":")[2]

    @property
    def terraform_type(self) -> str:
        """aws_kinesis_stream of aws:kinesis/stream:Stream."""
        provider, path, _ = self.token.split(":")
        words = [each for each in path.split("/") if each != "index"]
        return self.terraform or "_".join((provider, *(re.sub("([A-Z])", r"_\1", word).lower() for word in words)))


def own_name(wanted: Any) -> str:
    """Returns the name of a row, which is among its arguments (a bucket's as `bucket`), or of anything else that has one."""
    if not isinstance(wanted, Resource):
        return str(wanted.name)
    return str(wanted.arguments["bucket" if "bucket" in wanted.arguments else "name"])


@dataclass(frozen=True, eq=False, kw_only=True)
class Kind(ResourceType):
    """A kind of object that an environment has in AWS."""

    service: str
    """The prefix of its IAM actions."""
    rights: tuple[Right, ...]
    rows: Callable[[Environment], Iterable[Component]] = lambda _: ()
    """The components that hold its rows; other kinds may have rows in the same ones. None of what no stack makes, and of the
    engine's document, which renderers write."""
    arn: Callable[[Arns, Any], str] | None = None
    """The ARN, or the pattern of ARNs, of an instance."""
    arns: Callable[[Blueprint, Arns], Iterable[str]] | None = None
    """What the deployer may touch, where that is not the `arn` of each that is made."""
    name: Callable[[Any], str] = own_name
    """The name of an instance, as a stack's state has it."""
    label: Callable[[Any], str] | None = None
    """The display name of an instance; its title and name if absent."""
    exists: Lookup | None = None
    matched_by_tag: bool = False
    """AWS generates its id, so policies match it by our tag."""
    comparisons: tuple[Comparison, ...] = ()
    """What `firnline drift` looks at beside the provider; the reading role may do what they ask for."""
    checkov_skips: Mapping[str, str] = field(default_factory=dict)
    """Checks of Checkov's that a row has otherwise, each with its reason."""
    drift_instances: Callable[[Blueprint], Iterable[Any]] | None = None
    """The objects that the comparisons look at; the instances if absent."""

    def instances(self, blueprint: Blueprint) -> list[Resource]:
        """Returns what an `up` makes of it under a fixed name."""
        return [each for each in self.all_rows(blueprint) if each.import_id is None]

    def all_rows(self, blueprint: Blueprint) -> list[Resource]:
        """Returns its rows, those of objects that exist and are taken over among them."""
        return [
            each
            for one in self.rows(blueprint.environment)
            for each in one.resources()
            if each.type == self.terraform_type
        ]

    def instance(self, blueprint: Blueprint | None) -> Resource | None:
        """Returns the one instance that an environment has at most; None if it has none, as one that goes (no blueprint)."""
        return None if blueprint is None else next(iter(self.instances(blueprint)), None)

    def own_arns(self, blueprint: Blueprint, arns: Arns) -> tuple[str, ...]:
        """Returns what the blueprint has of it, and the deployer may touch: each once."""
        if self.arns is not None:
            return tuple(dict.fromkeys(self.arns(blueprint, arns)))
        return tuple(dict.fromkeys(self.arn(arns, each) for each in self.instances(blueprint))) if self.arn else ()

    def display_name(self, wanted: Any) -> str:
        return f"{self.title} {self.name(wanted)}" if self.label is None else self.label(wanted)

    def actions(self, *scopes: Scope, reading: bool = False) -> dict[str, str]:
        """Actions of these scopes (of all if none is given), each with its reason, in the order of a life: making, reading,
        changing, removing, comparing. `reading` leaves out what changes something.
        """
        found = {
            f"{self.service}:{name}": right.why
            for phase in (READING if reading else PHASES)
            for right in self.rights
            if not scopes or right.scope in scopes
            for name in getattr(right, phase).split()
        }
        for each in self.comparisons if not scopes or Scope.OWN in scopes else ():
            for name in each.actions.split():
                found.setdefault(f"{self.service}:{name}", each.why)
        return found

    def subjects(self, blueprint: Blueprint) -> Iterable[Any]:
        """Yields what `comparisons` are run on."""
        return self.instances(blueprint) if self.drift_instances is None else self.drift_instances(blueprint)


def present(*things: Any) -> list[Any]:
    """Returns those that a blueprint has."""
    return [each for each in things if each is not None]


def noun_of(token: str) -> str:
    """Returns what a finding calls the kind of a resource by its Pulumi type: aws:iam/role:Role is `iam role`."""
    package, module, kind = token.split(":")
    where = package if package == "snowflake" else module.partition("/")[0]
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", kind).lower()
    return f"{where} {words}"


def camel(name: str) -> str:
    """Writes a name as Pulumi does where it has none of its own: `rsa_public_key_2` is rsaPublicKey2."""
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)
