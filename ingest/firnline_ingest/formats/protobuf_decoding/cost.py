"""The memory that a message may take. Two bytes may stand for a message of a hundred fields, so the messages in a record are
counted before Google's parser makes them; only where the worst that its size allows would be too much.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor

MEMORY_BYTES = 70_000_000
RATE = 60  # bytes of memory a byte written, of what repeats without being a message: a number of a packed list, a pair of a map
OF_MESSAGE, OF_FIELD, OF_DEFAULT = 500, 16, 90
DEEPEST = 100  # as Google's parser has it
VARINT, FIXED64, SIZED, GROUP, GROUP_END, FIXED32 = range(6)
FIXED = {FIXED64: 8, FIXED32: 4}
VARINT_BYTES = 10


class Node(NamedTuple):
    """A message: what it takes by itself, and the messages in its fields, by number."""

    memory: int
    inner: dict[int, "Node"]


class MessageCost:
    """The cost of the messages of one kind, with those inside of them."""

    def __init__(self, descriptor: "Descriptor") -> None:
        made: dict[str, Node] = {}
        self._root = _node(descriptor, made)
        self._most = max(node.memory for node in made.values())

    def is_too_much(self, data: bytes) -> bool:
        if len(data) * (RATE + self._most / 2) + self._most <= MEMORY_BYTES:
            return False
        left = MEMORY_BYTES - len(data) * RATE - self._root.memory
        return left < 0 or _Walk(data, left).is_over(self._root)


def _node(descriptor: "Descriptor", made: dict[str, Node]) -> Node:
    name: str = descriptor.full_name
    if name not in made:
        of_defaults = sum(OF_DEFAULT + len(each.name) for each in descriptor.fields if not each.has_presence)
        inner: dict[int, Node] = {}
        made[name] = Node(OF_MESSAGE + OF_FIELD * len(descriptor.fields) + of_defaults, inner)
        for each in descriptor.fields:
            if each.message_type is not None:
                inner[each.number] = _node(each.message_type, made)
    return made[name]


class _Over(Exception):
    pass


class _End(Exception):
    """The bytes are no message: Google's parser says so."""


class _Walk:
    """Counts the messages in the bytes. What is malformed ends it: the parser stops there too."""

    def __init__(self, data: bytes, left: float) -> None:
        self._data, self._left = data, left

    def is_over(self, root: Node) -> bool:
        try:
            self._message(root.inner, 0, len(self._data), 0)
        except _Over:
            return True
        except (_End, IndexError):
            return False
        return False

    def _message(self, inner: Mapping[int, Node], at: int, end: int, depth: int) -> int:
        if depth > DEEPEST:
            raise _End
        while at < end:
            tag, at = self._varint(at)
            kind, node = tag & 7, inner.get(tag >> 3)
            if kind == GROUP_END:
                return at
            if kind == VARINT:
                _, at = self._varint(at)
            elif kind in FIXED:
                at += FIXED[kind]
            elif kind == SIZED:
                size, at = self._varint(at)
                if size > end - at:
                    raise _End
                if node is not None:
                    self._spend(node)
                    self._message(node.inner, at, at + size, depth + 1)
                at += size
            elif kind == GROUP:
                if node is not None:
                    self._spend(node)
                at = self._message(node.inner if node else {}, at, end, depth + 1)
            else:
                raise _End
        return at

    def _spend(self, node: Node) -> None:
        self._left -= node.memory
        if self._left < 0:
            raise _Over

    def _varint(self, at: int) -> tuple[int, int]:
        value = shift = 0
        for _ in range(VARINT_BYTES):
            byte = self._data[at]
            value |= (byte & 0x7F) << shift
            shift, at = shift + 7, at + 1
            if byte < 0x80:
                return value, at
        raise _End
