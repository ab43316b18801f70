"""Comparisons of an object beyond what its provider looks at, as data of its kind's row.

A comparison asks one service about one object, by operations that the reading role gets from this very row, and yields what
differs. It writes nothing. An error of the service goes to who runs it (`drift/objects.py`).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from firnline_infra.blueprint import Blueprint
from firnline_infra.environment import Environment
from firnline_infra.specification.arns import Arns

Clients = Callable[[str], Any]
"""Makes a boto3 client of a service, in the account and region of the stack."""
Rows = list[dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Difference:
    path: str
    """The property, as its service calls it."""
    expected: str = "nothing"
    found: str
    next_step: str

    @classmethod
    def unwanted(cls, path: str, found: str, next_step: str) -> "Difference":
        """Something that the environment does not have."""
        return cls(path=path, found=found, next_step=f"find out who did it and why; then {next_step}")


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One object, and whom to ask about it."""

    wanted: Any
    """The object's row or definition, or anything else with its name."""
    blueprint: Blueprint
    clients: Clients
    rows: Callable[[str], Rows]
    """What Snowflake answers to a statement. Raises an error where it shows nothing."""
    out_of_sight: Callable[[str], Exception] = LookupError
    """The error that Snowflake shows the object and not this property of it, which is then neither there nor absent."""
    outputs: Mapping[str, Any] = field(default_factory=dict)
    """The stack's."""
    made_at: Callable[[str, str], datetime | None] = lambda _token, _name: None
    """The time at which the stack made its resource of a type and name, as its state has it; None where the state does not
    say."""

    @property
    def environment(self) -> Environment:
        return self.blueprint.environment

    @property
    def arns(self) -> Arns:
        return self.environment.arns


@dataclass(frozen=True, kw_only=True)
class Comparison:
    what: str
    """What is compared, for a person: resource policy."""
    find: Callable[[Subject], Iterable[Difference]]
    actions: str = ""
    """The names of the IAM actions that it takes, separated by spaces."""
    rule: str = "right"
    """The rule of the suite `drift` that a difference breaks."""

    @property
    def why(self) -> str:
        return f"`firnline drift` compares its {self.what}, which no provider does."
