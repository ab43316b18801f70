"""Rows of the table of resource types, each in the words of its Pulumi provider.

Properties have the names and shapes that the Pulumi SDK sends: camelCase, plain JSON values, no secrets wrapped.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from firnline_local.providers.clients import Clients

Properties = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CreatedResource:
    """A resource that now exists."""

    id: str
    """As the stock provider writes it, so that `pulumi import` takes the same."""
    properties: Properties
    """Inputs and outputs, as read back from the service."""


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Rules of the stock provider about a type beyond the shapes of its schema; each row cites where that is written."""

    replaced_by: frozenset[str]
    """Inputs that can't be changed: a new value means a new resource."""
    replaced_where: Mapping[str, Callable[[Any, Any], bool]] = field(default_factory=dict)
    """Inputs of which only some changes mean a new resource: (as given before, as given now), None for an absent one."""
    defaults: Properties = field(default_factory=dict)
    """What an absent input means; a read that finds another value is drift."""
    values: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The values that an input may have."""
    conflicts: tuple[frozenset[str], ...] = ()
    """Inputs of which at most one may be given."""
    one_of: tuple[frozenset[str], ...] = ()
    """Inputs of which at least one has to be given."""
    forms: Mapping[str, "Form"] = field(default_factory=dict)
    """The form that an input's text has to have, by its dotted path."""
    ranges: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """The least and the most that a number may be, by its dotted path."""
    lengths: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """The least and the most characters of a text, by its dotted path."""
    documents: frozenset[str] = frozenset()
    """Inputs whose text has to be a JSON object, as that of a policy."""
    json: frozenset[str] = frozenset()
    """Inputs whose text has to be JSON of any kind."""
    checks: tuple[Callable[[Properties], Iterator[str]], ...] = ()
    """What the provider refuses of several inputs together (CustomizeDiff); each problem begins with an input."""
    preview_feature: str | None = None
    """What the provider's previewFeaturesEnabled has to list."""

    @classmethod
    def of(
        cls,
        replaced_by: str = "",
        *,
        values: Mapping[str, str] | None = None,
        conflicts: str = "",
        one_of: str = "",
        documents: str = "",
        json: str = "",
        arns: str = "",
        forms: Mapping[str, "Form"] | None = None,
        **more: Any,
    ) -> "Rules":
        """Rules in short form: blanks separate words, commas groups of inputs; `arns` have the form of one."""
        return cls(
            replaced_by=frozenset(replaced_by.split()),
            values={name: frozenset(words.split()) for name, words in (values or {}).items()},
            conflicts=_groups(conflicts),
            one_of=_groups(one_of),
            documents=frozenset(documents.split()),
            json=frozenset(json.split()),
            forms={**dict.fromkeys(arns.split(), ARN), **(forms or {})},
            **more,
        )


def _groups(said: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(group.split()) for group in said.split(",") if group)


@dataclass(frozen=True, slots=True)
class Form:
    """A pattern of the whole text, and how its problem is said."""

    pattern: str
    words: str
    check: Callable[[str], bool] | None = None
    """Sees what a pattern can't say; its errors of value are refusals."""

    def fits(self, text: str) -> bool:
        if re.fullmatch(self.pattern, text, re.ASCII | re.DOTALL) is None:
            return False
        try:
            return self.check is None or self.check(text)
        except ValueError:
            return False


MOST = 2**31 - 1
"""Of a number that the provider only keeps from being too small."""


def one_of_words(words: str) -> Form:
    """In any case, as the Snowflake provider reads what it turns into a constant of its own."""
    return Form(f"(?i:{'|'.join(words.split())})", f"one of {', '.join(words.split())}")


ARN = Form(r"|arn:[^:]+:[^:]+:[^:]*:[^:]*:.+", "an ARN, which has six parts")
"""ValidARN (internal/verify/validate.go of terraform-provider-aws), without its lists of partitions and regions."""


class Kind(Protocol):
    """One type. Errors of the service are raised as its client raises them."""

    @property
    def type(self) -> str:
        """The type's token: aws:kinesis/stream:Stream."""

    @property
    def rules(self) -> Rules: ...

    def create(self, inputs: Properties, clients: Clients, /) -> CreatedResource:
        """Refuses what exists already, as the service does."""

    def read(self, id_: str, properties: Properties, clients: Clients, /) -> Properties | None:
        """Returns None if it does not exist. `properties` are the last known ones; they are empty while it is imported."""

    def update(self, id_: str, old: Properties, new: Properties, clients: Clients, /) -> Properties:
        """Changes what differs, and nothing else. `old` and `new` are inputs."""

    def delete(self, id_: str, properties: Properties, clients: Clients, /) -> None:
        """Does nothing if it does not exist any more."""
