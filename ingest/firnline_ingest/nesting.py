"""Depth of a payload's nesting, so that the limit is ours and not the interpreter's.

msgspec gives up where Python's recursion limit is, which differs by Python version and by the caller's stack: the same
record would be a row today and a dead letter after an upgrade.
"""

from collections.abc import Iterator
from itertools import accumulate, chain

MAX_DEPTH = 512
STEP_BYTES = 65_536

_OPENERS = b"{["
_STEP = {ord("{"): 1, ord("["): 1, ord("}"): -1, ord("]"): -1}
_ALL_BUT_OPENERS = bytes(set(range(256)) - set(_OPENERS))
_ALL_BUT_BRACKETS_AND_QUOTES = bytes(set(range(256)) - set(_STEP) - {ord('"')})


def is_too_deep(payload: bytes) -> bool:
    """True if valid JSON has an object or array deeper than MAX_DEPTH, counting itself."""
    if len(payload.translate(None, _ALL_BUT_OPENERS)) <= MAX_DEPTH:
        return False
    steps = map(_STEP.__getitem__, chain.from_iterable(_brackets(payload)))
    return max(accumulate(steps), default=0) > MAX_DEPTH


def _brackets(payload: bytes) -> Iterator[bytes]:
    """The brackets outside of texts, piece by piece: a large record has millions of texts, or one for which a regular
    expression would need a hundred times its size."""
    kept = payload.replace(b"\\\\", b"").replace(b'\\"', b"").translate(None, _ALL_BUT_BRACKETS_AND_QUOTES)
    kept = kept.replace(b'""', b"")  # a text without brackets, or where one ends and the next begins: both stay texts
    inside = 0
    for start in range(0, len(kept), STEP_BYTES):
        pieces = kept[start : start + STEP_BYTES].split(b'"')
        yield b"".join(pieces[inside::2])
        inside ^= (len(pieces) - 1) % 2
