"""Partition keys of records: a fixed text, by chance, of its number, of its own fields."""

import json
import random
from collections.abc import Callable, Sequence

MOST_CHARACTERS = 256  # of a partition key (PutRecords, API reference)

PartitionKey = Callable[[int, bytes], str]
"""The key of a record, from its number in this run and its bytes."""


def fixed(key: str) -> PartitionKey:
    """All into one shard, the one that the key belongs to."""
    return lambda _number, _data: key


def random_keys(chance: random.Random | None = None) -> PartitionKey:
    """Spreads records over shards by chance."""
    bits = (chance or random.Random()).getrandbits  # noqa: S311 - not a secret
    return lambda _number, _data: f"{bits(64):016x}"


def by_number(number: int, _: bytes) -> str:
    """Spreads records evenly over shards, the same way each time."""
    return str(number)


def by_fields(*names: str, delimiter: str = "|") -> PartitionKey:
    """The text of first-level fields, joined; the number where the record is not an object with a value in any of them."""

    def key(number: int, data: bytes) -> str:
        try:
            document = json.loads(data)
            values = [document.get(name) for name in names]
        except (ValueError, AttributeError, RecursionError):
            return str(number)
        if all(value is None for value in values):
            return str(number)
        text = delimiter.join(_texts(values))[:MOST_CHARACTERS]
        return text.encode(errors="replace").decode() or str(number)  # JSON may escape half a character, UTF-8 has none

    return key


def _texts(values: Sequence[object]) -> list[str]:
    return [value if isinstance(value, str) else "" if value is None else json.dumps(value) for value in values]
