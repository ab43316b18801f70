"""Paths by which a document names a place in a record: keys with dots between them, `customer.address.zip`.

A key that holds a dot, a backtick or brackets stands between backticks, as in the second field syntax of Kafka Connect. Keys
are compared with their case, as JSON has them. `items[].price` is the price of each item of an array.
"""

import re
from enum import Enum
from typing import Annotated

from pydantic import AfterValidator


class Each(Enum):
    """A step into every item of an array."""

    ITEM = "[]"


Step = str | Each
MOST_STEPS = 32
OF_JSON_PATH = ("$", "*")
_STEP = r"(?:`((?:[^`]|``)+)`|([^.`\[\]]+))((?:\[\])*)(\.|$)"  # few specifications have a path


def steps_of(path: str) -> tuple[Step, ...]:
    """Raises ValueError for a text that is not a path."""
    steps: list[Step] = []
    step, end = re.compile(_STEP), 0
    while found := step.match(path, end):
        quoted, plain, items, dot = found.groups()
        if plain in OF_JSON_PATH:  # taken for a key, it would hide nothing, unnoticed
            raise ValueError(
                f"{path!r} has {plain!r}, which is not a key here; a key of that name stands between backticks"
            )
        steps.append(quoted.replace("``", "`") if quoted else plain)
        steps += [Each.ITEM] * (len(items) // 2)
        end = found.end()
        if not dot:
            break
    if not steps or end != len(path) or path.endswith(".") or len(steps) > MOST_STEPS:
        raise ValueError(
            f"{path!r} is not a path of a field; expected keys with dots between them: customer.address.zip"
        )
    return tuple(steps)


def keys_of(path: str) -> tuple[str, ...]:
    """The keys of a path that names one place. Raises ValueError."""
    keys = tuple(step for step in steps_of(path) if isinstance(step, str))
    if len(keys) < len(steps_of(path)):
        raise ValueError(f"{path!r} names many places at once; expected a path without []")
    return keys


def _is_path(path: str) -> str:
    steps_of(path)
    return path


def _is_one_place(path: str) -> str:
    keys_of(path)
    return path


FieldPath = Annotated[str, AfterValidator(_is_one_place)]
FieldPaths = Annotated[str, AfterValidator(_is_path)]
