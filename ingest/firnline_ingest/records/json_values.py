"""The JSON values of a record that has several: one behind the other, or in arrays. Found by their ends; nothing is decoded.

What is between two ends is judged by whoever takes it: a cut at the wrong place of what is not JSON makes no JSON of it. Takes
time in proportion to the bytes, and no memory, whatever they are: a regular expression passes what decides nothing.
"""

import re
from collections.abc import Generator, Iterator

from firnline_ingest.nesting import MAX_DEPTH
from firnline_ingest.records.rejection import Rejection, RejectReason, Unusable

TEXT = rb'"(?:[^"\\]++|\\.)*+"'
FLAT = rb'[\[{](?:[^\[\]{}"]++|%s)*+[\]}]' % TEXT
SHALLOW = rb'[\[{](?:[^\[\]{}"]++|%s|%s)*+[\]}]' % (TEXT, FLAT)
"""Of two levels at most: what is deeper is followed bracket by bracket, so that no byte is looked at more than a few times."""
WITHIN = re.compile(rb'(?:[^\[\]{}"]++|%s|%s)*+' % (TEXT, SHALLOW), re.DOTALL)
WITHIN_ELEMENT = re.compile(rb'(?:[^\[\]{},"]++|%s|%s)*+' % (TEXT, SHALLOW), re.DOTALL)
BETWEEN = re.compile(rb"(?:[ \t\r\n]++|\[[ \t\r\n]*+\])*+")
"""An empty array holds no value."""
ALONE = re.compile(rb'%s|[^ \t\r\n\[\]{},"]++|.' % TEXT, re.DOTALL)
BLANKS = b" \t\r\n"
OPEN = b"[{"


def json_values(data: bytes) -> Iterator[bytes]:
    """Yields each value, without the blanks around it; of an array its elements. Raises Unusable for what stands at a place
    where no value can, and for what is nested too deeply before it ends."""
    at = _passed(BETWEEN, data, 0)
    while at < len(data):
        first = data[at : at + 1]
        if first == b"[":
            at = yield from _elements(data, at + 1)
        elif first == b"{":
            end = _end(data, at + 1)
            yield data[at:end]
            at = end
        else:
            token = ALONE.match(data, at)
            assert token is not None, "anything is a token"
            yield _alone(token[0])
            at = token.end()
        at = _passed(BETWEEN, data, at)


def _elements(data: bytes, begin: int) -> Generator[bytes, None, int]:
    """Yields the elements of an array whose first one begins at `begin`; returns the place behind it."""
    has_elements = False
    while True:
        at = _passed(WITHIN_ELEMENT, data, begin)
        while data[at : at + 1] in (b"[", b"{"):
            at = _passed(WITHIN_ELEMENT, data, _end(data, at + 1))
        match data[at : at + 1]:
            case b",":
                yield _element(data[begin:at])
                begin, has_elements = at + 1, True
            case b"]":
                if has_elements or data[begin:at].strip(BLANKS):
                    yield _element(data[begin:at])
                return at + 1
            case b"}":
                raise _not_json("an array is closed by }.")
            case left:
                raise _not_closed(left)


def _end(data: bytes, at: int) -> int:
    """The place behind the array or object inside of which `at` is."""
    depth = 1
    while depth:
        at = _passed(WITHIN, data, at)
        bracket = data[at : at + 1]
        if not bracket or bracket == b'"':
            raise _not_closed(bracket)
        depth += 1 if bracket in OPEN else -1
        if depth > MAX_DEPTH:
            raise Unusable(Rejection(RejectReason.TOO_DEEP, f"it is nested deeper than {MAX_DEPTH} levels."))
        at += 1
    return at


def _passed(pattern: re.Pattern[bytes], data: bytes, at: int) -> int:
    """The place behind what the pattern passes, which may be nothing."""
    found = pattern.match(data, at)
    assert found is not None, "each of them matches nothing, too"
    return found.end()


def _alone(token: bytes) -> bytes:
    """A value of no array and no object."""
    if token in (b",", b"]", b"}"):
        raise _not_json(f"{token.decode()} stands where a value begins.")
    if token == b'"':
        raise _not_closed(token)
    return token


def _element(text: bytes) -> bytes:
    element = text.strip(BLANKS)
    if not element:
        raise _not_json("an array lacks an element.")
    return element


def _not_closed(left: bytes) -> Unusable:
    """`left`: what the search has stopped at; nothing, or where a text begins."""
    return _not_json("a text is not closed." if left else "an array or an object is not closed.")


def _not_json(detail: str) -> Unusable:
    return Unusable(Rejection(RejectReason.NOT_JSON, detail))
