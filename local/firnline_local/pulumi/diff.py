"""Differences: between the inputs of yesterday and today, and between what was asked for and what is there.

Pure; the words are those of a provider's Diff and Read. An absent input means the type's default.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from firnline_local.providers.kind import Rules
from firnline_local.pulumi.equality import is_nothing, same
from firnline_local.pulumi.schema import Field, Fields, Shape, ShapeKind, fields_of, made_up_of

Values = Mapping[str, Any]
NOT_IMPORTED = {"arn", "region"}  # a program may give them, and hardly one does
ANYTHING = Field(Shape(ShapeKind.STRING), attribute="")


class ChangeKind(Enum):
    ADD = "add"
    DELETE = "delete"
    UPDATE = "update"


@dataclass(frozen=True, slots=True)
class Change:
    property: str
    kind: ChangeKind
    replaces: bool
    """Only a new resource can have the new value."""


def changes(token: str, rules: Rules, *, old: Values, state: Values, new: Values) -> list[Change]:
    """`old` and `new` are inputs, `state` is what was last read.

    An input that is new is not a change where the resource has its value already (it was imported); one that is gone is none
    where it stays as it was.
    """
    fields, found = fields_of(token), []
    for name in sorted({*old, *new}):
        field = fields.get(name, ANYTHING)
        before, after = old.get(name), new.get(name)
        if before is None:
            before = state.get(name, rules.defaults.get(name))
        if after is None:
            after = before if is_kept(token, rules, name, field) else rules.defaults.get(name)
        is_barred = name in rules.replaced_where and rules.replaced_where[name](old.get(name), new.get(name))
        if is_barred or not same(field.shape, before, after):
            found.append(Change(name, _kind(name, old, new), replaces=is_barred or name in rules.replaced_by))
    return found


def wanted(token: str, rules: Rules, *, old: Values, new: Values) -> dict[str, Any]:
    """The inputs of an update: those of today, and those of yesterday that are gone and stay as they were."""
    fields = fields_of(token)
    gone = (name for name in old if new.get(name) is None and is_kept(token, rules, name, fields.get(name, ANYTHING)))
    return {**new, **{name: old[name] for name in gone}}


def is_kept(token: str, rules: Rules, name: str, field: Field) -> bool:
    """Returns whether an input that is gone stays as it was: the service chooses it, and chose that. In the Snowflake provider
    only parameters are of that sort, and it unsets them."""
    return field.computed and name not in rules.defaults and token.startswith("aws:")


def is_in_the_way(token: str, *, old: Values, new: Values) -> bool:
    """Returns whether a replacement has the name of what it replaces, so that this one must go first."""
    name = made_up_of(token)
    return name is not None and old.get(name) is not None and old.get(name) == new.get(name)


def inputs_as_found(token: str, rules: Rules, *, inputs: Values, found: Values) -> dict[str, Any]:
    """The inputs that would lead to what was found, in the words of `inputs` wherever those still hold.

    While a resource is imported there are none yet: then everything that can be given and is not as by default.
    """
    fields = fields_of(token)
    if not inputs:
        return _imported(fields, rules, found)
    result = {}
    for name, value in inputs.items():
        field = fields.get(name, ANYTHING)
        there = _given(field.shape, found.get(name, rules.defaults.get(name)))
        if same(field.shape, value, there):
            result[name] = value
        elif there is not None:
            result[name] = there
    for name, default in rules.defaults.items():
        there = found.get(name)
        field = fields.get(name, ANYTHING)
        if name not in inputs and there is not None and field.is_input and not same(field.shape, there, default):
            result[name] = _given(field.shape, there)
    return result


def _imported(fields: Fields, rules: Rules, found: Values) -> dict[str, Any]:
    return {
        name: _given(field.shape, found[name])
        for name, field in fields.items()
        if field.is_input
        and name not in NOT_IMPORTED
        and not is_nothing(field.shape, found.get(name))
        and not same(field.shape, found[name], rules.defaults.get(name))
    }


def _given(shape: Shape, value: Any) -> Any:
    """The value without what only the service says, at any depth: a column has a field for how it evolved."""
    if shape.kind is ShapeKind.OBJECT and isinstance(value, Mapping):
        return {
            name: _given(shape.fields[name].shape, each) if name in shape.fields else each
            for name, each in value.items()
            if name not in shape.fields or shape.fields[name].is_input
        }
    if shape.element is not None and isinstance(value, list):
        return [_given(shape.element, each) for each in value]
    return value


def _kind(name: str, old: Values, new: Values) -> ChangeKind:
    if old.get(name) is None:
        return ChangeKind.ADD
    return ChangeKind.DELETE if new.get(name) is None else ChangeKind.UPDATE
