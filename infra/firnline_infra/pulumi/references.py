"""Puts what was made in the place of the blueprint's references to it."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast, overload

import pulumi

from firnline_infra.blueprint.value import Reference, Value

Made = dict[Reference, pulumi.Input[Any]]
Lookup = Callable[[Reference], pulumi.Input[Any]]
Definition = TypeVar("Definition")


def resolved(definition: Definition, lookup: Lookup) -> Definition:
    """The same definition, with what `lookup` gives for each reference in it."""
    return cast("Definition", _resolved(definition, lookup))


def _resolved(value: Any, lookup: Lookup) -> Any:
    if isinstance(value, Reference):
        return lookup(value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{each.name: _resolved(getattr(value, each.name), lookup) for each in fields(value)})
    if isinstance(value, tuple):
        return tuple(_resolved(each, lookup) for each in value)
    if isinstance(value, Mapping):
        return {name: _resolved(each, lookup) for name, each in value.items()}
    return value


@overload
def as_input(value: None) -> None: ...
@overload
def as_input(value: Value) -> pulumi.Input[str]: ...
def as_input(value: Value | None) -> pulumi.Input[str] | None:
    """Returns what a definition holds, as Pulumi takes it. Raises TypeError for a reference that was not `resolved` before."""
    if isinstance(value, Reference):
        raise TypeError(f"{value} was not resolved: give the component what was made, such as another one's output")
    return cast("pulumi.Input[str] | None", value)


def from_stacks(*outputs: pulumi.Output[Mapping[str, str]]) -> Lookup:
    """Looks up in the `references` that other stacks gave out."""
    merged = pulumi.Output.all(*outputs).apply(
        lambda parts: {name: arn for part in parts for name, arn in part.items()}
    )
    return lambda reference: merged.apply(lambda arns: arns[str(reference)])


def as_output(made: Made) -> dict[str, pulumi.Input[Any]]:
    """Returns what `from_stacks` reads in another stack."""
    return {str(reference): value for reference, value in sorted(made.items())}


def either(made: Made, lookup: Lookup) -> Lookup:
    """Returns what was made here, else what `lookup` knows."""
    return lambda reference: made[reference] if reference in made else lookup(reference)
