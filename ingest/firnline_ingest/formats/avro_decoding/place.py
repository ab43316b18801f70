"""The field at which Avro's bytes could not be read: fastavro says what it came across, and not where."""

from collections.abc import Mapping
from typing import Any

from firnline_ingest.formats.avro_decoding.strict import SCALARS, NotStrict, block_at, count_at, index_at


class _Reached(Exception):
    """Carries the path of the field that ends where reading ended."""


def field_at(parsed: Any, named: Mapping[str, Any], data: bytes, start: int, end: int) -> str:
    """Returns the path of the field, by names between dots, whose value ends at `end` or behind it, or is none; empty where
    there is no such field.

    `parsed` is a schema that does not contain itself, and begins at `start`. The time is that of the bytes up to `end`.
    """
    try:
        _Search(named, data, end).walk(parsed, start, ())
    except _Reached as reached:
        return ".".join(reached.args[0])
    return ""


class _Search:
    def __init__(self, named: Mapping[str, Any], data: bytes, end: int) -> None:
        self._named, self._data, self._end = named, data, end

    def walk(self, schema: Any, at: int, path: tuple[str, ...]) -> int:
        """Returns where the value ends. Raises _Reached."""
        try:
            ends_at = self._union(schema, at, path) if isinstance(schema, list) else self._value(schema, at, path)
        except (NotStrict, IndexError):
            raise _Reached(path) from None
        if ends_at < at or ends_at >= self._end > at:
            raise _Reached(path)
        return ends_at

    def _union(self, branches: list[Any], at: int, path: tuple[str, ...]) -> int:
        branch, at = index_at(self._data, at, len(branches), "branch")
        return self.walk(branches[branch], at, path)

    def _value(self, schema: Any, at: int, path: tuple[str, ...]) -> int:
        kind = schema["type"] if isinstance(schema, dict) else schema
        if not isinstance(kind, str):
            return self.walk(kind, at, path)
        if kind in SCALARS:
            return SCALARS[kind](self._data, at)
        if not isinstance(schema, dict) or kind in self._named:
            return self.walk(self._named[kind], at, path)
        match kind:
            case "record" | "error":
                for field in schema["fields"]:
                    at = self.walk(field["type"], at, (*path, field["name"]))
                return at
            case "enum":
                return index_at(self._data, at, len(schema["symbols"]), "symbol")[1]
            case "fixed":
                return at + int(schema["size"])
        return self._items(schema, at, path, is_map=kind == "map")

    def _items(self, schema: dict[str, Any], at: int, path: tuple[str, ...], *, is_map: bool) -> int:
        item, keys = schema["values" if is_map else "items"], set[bytes]()
        while (found := block_at(self._data, at))[0]:
            items, at = found
            for _ in range(items):
                before = at
                if is_map:
                    size, at = count_at(self._data, at)
                    key, at = self._data[at : at + size], at + max(size, 0)
                    if key in keys:
                        raise NotStrict("a key twice")
                    keys.add(key)
                at = self.walk(item, at, path)
                if at == before:
                    break  # items without bytes: what they are says their number alone
        return found[1]
