"""Limits of Avro schemas: one may come with a record, so it is looked at before anything is made of it.

None that contains itself (it nests as deep as the data says), none whose arrays hold nothing (as many as the data says, of no
bytes), and for each an estimate of the memory that so many bytes may take.
"""

from dataclasses import dataclass
from typing import Any

DEEPEST = 64
MOST_NODES = 10_000


class SchemaRefused(Exception):
    """Says why."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a value: the fewest bytes that encode it, and the most memory that it takes beside its own bytes."""

    least: int
    memory: int
    rate: float = 0.0
    """Bytes of memory a byte written: of what repeats inside."""

    def of(self, size: int) -> float:
        return self.memory + self.rate * size


SCALARS = {
    "null": Cost(0, 8),
    "boolean": Cost(1, 8),
    "int": Cost(1, 40),
    "long": Cost(1, 40),
    "float": Cost(4, 40),
    "double": Cost(8, 40),
    "bytes": Cost(1, 80, 6),
    "string": Cost(1, 80, 6),
    "enum": Cost(1, 8),
}


class SchemaCost:
    """The cost of one schema, given as JSON. Raises SchemaRefused."""

    def __init__(self) -> None:
        self._named: dict[str, Any] = {}
        self._nodes = 0

    def __call__(self, schema: Any, within: tuple[str, ...] = ()) -> Cost:
        self._nodes += 1
        if self._nodes > MOST_NODES or len(within) > DEEPEST:
            raise SchemaRefused("it is too large")
        if isinstance(schema, list):
            kinds = [self(each, (*within, "")) for each in schema]
            least = 1 + min((kind.least for kind in kinds), default=0)
            return Cost(
                least, max((kind.memory for kind in kinds), default=8), max((kind.rate for kind in kinds), default=0)
            )
        if isinstance(schema, str):
            return self._by_name(schema, within)
        return self._by_type(schema, within)

    def _by_type(self, schema: dict[str, Any], within: tuple[str, ...]) -> Cost:
        match schema["type"]:
            case "record" | "error":
                return self._record(schema, within)
            case "array":
                return self._repeated(self(schema["items"], (*within, "")), 0)
            case "map":
                return self._repeated(self(schema["values"], (*within, "")), 1)
            case "fixed":
                self._named[schema["name"]] = schema
                return Cost(int(schema["size"]), 80 + 6 * int(schema["size"]))
            case "enum":
                self._named[schema["name"]] = schema
                return SCALARS["enum"]
            case str(name) if "logicalType" in schema:
                cost = self._by_name(name, within)
                return Cost(cost.least, cost.memory + 200, cost.rate)
            case inner:
                return self(inner, (*within, ""))

    def _by_name(self, name: str, within: tuple[str, ...]) -> Cost:
        if name in SCALARS:
            return SCALARS[name]
        if name in within:
            raise SchemaRefused(f"{name!r} contains itself")
        if name not in self._named:
            raise SchemaRefused(f"it does not say what {name!r} is")
        return self(self._named[name], within)

    def _record(self, schema: dict[str, Any], within: tuple[str, ...]) -> Cost:
        name = str(schema["name"])
        if name in within:
            raise SchemaRefused(f"{name!r} contains itself")
        if len({each["name"] for each in schema["fields"]}) < len(schema["fields"]):
            raise SchemaRefused(f"{name!r} has two fields of one name")
        self._named[name] = schema
        fields = [self(each["type"], (*within, name)) for each in schema["fields"]]
        memory = 200 + sum(60 + each.memory for each in fields)
        return Cost(sum(each.least for each in fields), memory, max((each.rate for each in fields), default=0))

    @staticmethod
    def _repeated(item: Cost, key: int) -> Cost:
        if item.least + key == 0:
            raise SchemaRefused("an array's items are written in no bytes")
        return Cost(1, 200, max(item.rate, 2 * (16 + 100 * key + item.memory) / (item.least + key)))
