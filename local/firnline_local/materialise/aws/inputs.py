"""What was asked for: which inputs are carried here, and which of them differ."""

from collections.abc import Mapping
from typing import Any

from firnline_local.errors import InputNotCarried
from firnline_local.materialise.resource import Properties, Rules


def require_carried(type_: str, inputs: Properties, carried: frozenset[str], *, region: str) -> None:
    """Raises InputNotCarried: nothing is made believe. The one region that exists here may be named."""
    given = {name for name, value in inputs.items() if value is not None}
    if inputs.get("region") == region:
        given.discard("region")
    if foreign := given - carried:
        raise InputNotCarried(type_, sorted(foreign), carried=sorted(carried))


def changed(old: Properties, new: Properties, rules: Rules) -> set[str]:
    """The inputs that have another value now; an absent one has its default."""
    return {name for name in {*old, *new} if value_of(name, old, rules) != value_of(name, new, rules)}


def value_of(name: str, inputs: Properties, rules: Rules) -> Any:
    given = inputs.get(name)
    return rules.defaults.get(name) if given is None else given


def of_block(inputs: Properties, block: str, field: str, default: Any = None) -> Any:
    """A field of a nested input that may be absent."""
    content = inputs.get(block)
    return content.get(field, default) if isinstance(content, Mapping) else default
