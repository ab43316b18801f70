"""How deep a payload is nested, so that the limit is ours and not the interpreter's.

msgspec gives up where Python's recursion limit is, which differs by Python version and by the caller's stack: the same
record would be a row today and a dead letter after an upgrade.
"""

import re
from itertools import accumulate

MAX_DEPTH = 512

_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"')
_OPENERS = b"{["
_STEP = {ord("{"): 1, ord("["): 1, ord("}"): -1, ord("]"): -1}
_ALL_BUT_OPENERS = bytes(set(range(256)) - set(_OPENERS))
_ALL_BUT_BRACKETS = bytes(set(range(256)) - set(_STEP))


def is_too_deep(payload: bytes) -> bool:
    """Of valid JSON: whether an object or array lies deeper than MAX_DEPTH, itself counted."""
    if len(payload.translate(None, _ALL_BUT_OPENERS)) <= MAX_DEPTH:
        return False
    brackets = _STRINGS.sub(b"", payload).translate(None, _ALL_BUT_BRACKETS)
    return max(accumulate(map(_STEP.__getitem__, brackets))) > MAX_DEPTH
