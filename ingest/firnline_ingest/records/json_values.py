"""The JSON values of a record that has several: one behind the other, or in arrays. Found by their ends; nothing is decoded.

What is between two ends is judged by whoever takes it: a cut at the wrong place of what is no JSON makes no JSON of it. Takes one
step a token, and no memory, whatever the bytes are.
"""

import re
from collections.abc import Iterator

from firnline_ingest.records.rejection import Rejection, RejectReason, Unusable

TOKEN = re.compile(rb'[\[\]{},"]|[^ \t\r\n\[\]{},"]+')
IN_TEXT = re.compile(rb'\\.|"', re.DOTALL)
BLANKS = b" \t\r\n"
OPEN, CLOSE = b"[{", b"]}"


def json_values(data: bytes) -> Iterator[bytes]:
    """Yields each value, without the blanks around it; of an array its elements. Raises Unusable for what stands at a place
    where no value can."""
    depth = begin = 0
    in_array = has_elements = False
    for start, end in _tokens(data):
        first = data[start : start + 1]
        if depth == 0 and first not in OPEN:
            yield _alone(data[start:end])
        elif depth == 0:
            depth, in_array, has_elements = 1, first == b"[", False
            begin = end if in_array else start
        elif first in OPEN:
            depth += 1
        elif first in CLOSE:
            depth -= 1
            if depth == 0 and not in_array:
                yield data[begin:end]
            elif depth == 0:
                if first != b"]":
                    raise _not_json("an array is closed by }.")
                if has_elements or data[begin:start].strip(BLANKS):
                    yield _element(data[begin:start])
        elif first == b"," and depth == 1 and in_array:
            yield _element(data[begin:start])
            begin, has_elements = end, True
    if depth:
        raise _not_json("an array or an object is not closed.")


def _tokens(data: bytes) -> Iterator[tuple[int, int]]:
    """Yields where each begins and ends: a bracket, a comma, a text, or what stands between two of them or two blanks."""
    at = 0
    while found := TOKEN.search(data, at):
        at = found.end()
        if found[0] == b'"':
            while (within := IN_TEXT.search(data, at)) and within[0] != b'"':
                at = within.end()
            if within is None:
                raise _not_json("a text is not closed.")
            at = within.end()
        yield found.start(), at


def _alone(token: bytes) -> bytes:
    """A value of no array and no object."""
    if token in (b",", b"]", b"}"):
        raise _not_json(f"{token.decode()} stands where a value begins.")
    return token


def _element(text: bytes) -> bytes:
    element = text.strip(BLANKS)
    if not element:
        raise _not_json("an array lacks an element.")
    return element


def _not_json(detail: str) -> Unusable:
    return Unusable(Rejection(RejectReason.NOT_JSON, detail))
