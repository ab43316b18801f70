"""A rule: an id, what is wrong if it finds something, what it looks at, and what to do next."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from firnline_infra.policy.declared import DeclaredResource, DeclaredStack, is_known


class Breach(NamedTuple):
    """One argument of a resource that breaks a rule."""

    path: str
    """The path of the argument, as Terraform calls it."""
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.path or 'it'} is {self.found}, expected {self.expected}."


Look = Callable[[DeclaredResource, DeclaredStack], Iterable[Breach]]


@dataclass(frozen=True)
class PolicyRule:
    id: str
    text: str
    """What is wrong where it finds something."""
    types: tuple[str, ...]
    """The types of the resources that it looks at; all types where empty."""
    look: Look
    next_step: str
    judges_alone: bool = False
    """True if it looks at a resource without the others."""

    def breaches(self, stack: DeclaredStack) -> Iterator[tuple[DeclaredResource, Breach]]:
        for resource in stack.of(*self.types) if self.types else stack.resources:
            for breach in self.look(resource, stack):
                yield resource, breach


def wanted(path: str, *values: Any) -> Look:
    """Finds a resource whose argument is none of the values."""

    def look(resource: DeclaredResource, _: DeclaredStack) -> Iterator[Breach]:
        yield from unless(resource, path, *values)

    return look


def unless(resource: DeclaredResource, path: str, *values: Any) -> Iterator[Breach]:
    found = resource.at(path)
    if found not in values and is_known(found):
        yield Breach(path, " or ".join(map(text_of, values)), text_of(found))


def text_of(value: Any) -> str:
    """The value as HCL writes it; `nothing` where there is none."""
    match value:
        case None:
            return "nothing"
        case bool():
            return str(value).lower()
        case list() | tuple():
            return ", ".join(map(text_of, value)) or "nothing"
        case _:
            return str(value)
