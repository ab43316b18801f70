"""The first level of a payload: which keys it has, and its values as they stand there.

Most records have the keys of the one before. After a few of them the same keys are expected: msgspec then compares
keys instead of building a dict of them, in two thirds of the time. What is not as expected is looked at the long way.
Keys are expected in any order, and the values then come in the expected one: who depends on the payload's own order asks
for it (`in_order`), so that expecting changes the time and nothing else.
"""

from collections.abc import Callable, Collection, Mapping, Sequence

import msgspec
from msgspec.structs import astuple

from firnline_ingest.records.key_shape import KeyShape, KeyShapes, TableKeys

ENOUGH = 8  # records in a row with the same keys, to expect them; misses, to expect them no longer
MOST_KEYS = 200  # in another order than expected, keys are searched one by one
MOST_DECODERS = 64

_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode

Decode = Callable[[bytes], msgspec.Struct]


class FirstLevel:
    """Checks the first level of one shard's records; not thread-safe."""

    def __init__(self, metadata_columns: Sequence[str]) -> None:
        self._shapes = KeyShapes(metadata_columns)
        self._decoders: dict[tuple[str, ...], Decode | None] = {}
        self._expected: Decode | None = None
        self._expected_shape = self._last_shape = self._shapes[()]
        self._repeats = self._misses = 0

    def __call__(self, payload: bytes) -> tuple[KeyShape, Collection[msgspec.Raw]]:
        """Shape and values, in the order that is expected or in the payload's own.

        Of a key that occurs more than once, the last value. Raises what msgspec raises for no JSON object.
        """
        if self._expected is not None:
            try:
                return self._expected_shape, astuple(self._expected(payload))
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                self._miss()  # also of what is malformed: the long way alone says how, whatever was expected
        members = _members(payload)
        keys = tuple(members)
        shape = self._shapes[keys]
        if shape is not self._last_shape:
            self._last_shape, self._repeats = shape, 0
        self._repeats += 1
        if self._repeats == ENOUGH:
            self._expect(keys, shape)
        return shape, members.values()

    @property
    def news(self) -> list[str]:
        """Keys that no payload before had; the caller that reports them empties it."""
        return self._shapes.news

    def set_tables(self, tables: Mapping[str, TableKeys]) -> None:
        """Takes what is known of the tables' columns."""
        self._shapes.set_tables(tables)
        self._expected, self._expected_shape = None, self._shapes[()]
        self._last_shape, self._repeats, self._misses = self._expected_shape, 0, 0

    def in_order(self, payload: bytes) -> tuple[KeyShape, Collection[msgspec.Raw]]:
        """The shape and the values of a payload that was checked already, in its own order. An order that keeps coming is
        learned."""
        if self._expected is not None:
            self._miss()
        members = _members(payload)
        return self._shapes[tuple(members)], members.values()

    def _miss(self) -> None:
        self._misses += 1
        if self._misses >= ENOUGH:
            self._expected, self._misses, self._repeats = None, 0, 0

    def _expect(self, keys: tuple[str, ...], shape: KeyShape) -> None:
        if shape.fault:
            return  # what is wrong is said of the first key, so the order counts
        if keys not in self._decoders:
            if len(self._decoders) == MOST_DECODERS:
                self._decoders.clear()
            self._decoders[keys] = _decoder(keys)
        self._expected, self._expected_shape, self._misses = self._decoders[keys], shape, 0


def _decoder(keys: tuple[str, ...]) -> Decode | None:
    """A decoder for objects of exactly these keys; None if they are too many, or if msgspec can't take one as a field."""
    if len(keys) > MOST_KEYS:
        return None
    fields = [(f"field_{number}", msgspec.Raw, msgspec.field(name=key)) for number, key in enumerate(keys)]
    try:
        kind = msgspec.defstruct("ExpectedKeys", fields, forbid_unknown_fields=True, gc=False)
    except ValueError:
        return None
    return msgspec.json.Decoder(kind).decode
