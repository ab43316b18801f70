"""callable: a function of the user's, which is given the record as Python has it and returns what it is to be.

Whatever it does, the record is a row, a dead letter or left out. Each call has an object of its own: what the function changes
in it, or keeps of it, is no other record's. A number that it leaves alone keeps its digits. Of what it returns None, bool, int,
float, str, dict, list and tuple are taken; Decimal, bytes, date, time, datetime and keys that are not texts become JSON as they
do in every format (records/conversion.py).
"""

import math
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from firnline_ingest.config.callables import IMPORT_PATH, code_of, load_callable
from firnline_ingest.config.transform import Transform
from firnline_ingest.nesting import MAX_DEPTH
from firnline_ingest.records.conversion import as_json
from firnline_ingest.records.rejection import Filtered, Untransformable

if TYPE_CHECKING:
    from firnline_ingest.records.chain import Apply, Origin
    from firnline_ingest.records.document import Document

MOST_DIGITS = 3900  # of an int that is given as one: Python writes no more than 4,300
MOST_BITS = 13_000  # of an int that is returned
MOST_BYTES = 16_000_000
LONGEST_SHOWN = 200

Kept = dict[int, tuple[float, str]]
"""By their ids the numbers that were read, and how each was written."""


class NoneMeans(StrEnum):
    """Meaning of a callable that returns None."""

    REJECT = "reject"
    """That it forgot to return: the record can't be a row."""
    FILTER = "filter"
    """That the record is filtered, and counts as `filtered`."""


class CallableTransform(Transform):
    """A function of one's own: it is given the record as a dict, and returns what the record is to be."""

    order = 110
    code_version = 2
    makes_keys = True
    takes_keys = True

    type: Literal["callable"]
    """A function of one's own."""
    callable: Annotated[str, IMPORT_PATH]
    """Where it is imported from. It has to be a function of the record alone."""
    version: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    """Of the function and of all that it uses: give another one when they change. Where absent, the file of its module counts as
    its version, and nothing that the module imports."""
    none: NoneMeans = Field(default=NoneMeans.REJECT, strict=False)
    """What it means that it returns None."""

    @property
    def leaves_records_out(self) -> bool:
        return self.none is NoneMeans.FILTER

    @property
    def functions(self) -> Sequence[str]:
        return (self.callable,)

    def code_of_functions(self) -> Sequence[str]:
        return [code_of(self.callable)] if self.version is None else ()

    def compiled(self) -> "Apply":
        from firnline_ingest.records.document import refuse_twice

        function = load_callable(self.callable)

        def apply(document: "Document", _: "Origin") -> None:
            document.members()
            numbers: Kept = {}
            record = _parsed(document.written(document.root[0]), numbers, refuse_twice)
            returned = _called(function, record)
            if returned is None and self.none is NoneMeans.FILTER:
                raise Filtered
            if not isinstance(returned, dict):
                raise Untransformable(f"it returned {type(returned).__name__}, and no dict")
            document.put(document.root, 0, _Written(numbers, document.encoded)(returned))

        return apply


def _parsed(payload: bytes, numbers: Kept, members: Callable[[list[tuple[str, Any]]], dict[str, Any]]) -> Any:
    import json  # here: the kind is loaded with each configuration, and few have one

    def real(text: str) -> float:
        number = float(text)
        numbers[id(number)] = number, text
        return number

    def whole(text: str) -> float:
        return int(text) if len(text) <= MOST_DIGITS else real(text)

    try:
        return json.loads(payload, parse_float=real, parse_int=whole, object_pairs_hook=members)
    except RecursionError as error:
        raise Untransformable("it is nested deeper than Python reads here") from error


def _called(function: Callable[[Any], Any], record: Any) -> Any:
    try:
        return function(record)
    except KeyboardInterrupt:  # of the person in front of a command
        raise
    except (
        BaseException
    ) as error:  # CancelledError, GeneratorExit and SystemExit are not Exceptions, and none of the engine's
        raise Untransformable(f"it raised {_said(error)}") from error


def _said(error: BaseException) -> str:
    try:
        said = f"{type(error).__name__}: {error}"
        return said.encode(errors="backslashreplace").decode()[:LONGEST_SHOWN]  # it may quote a surrogate
    except Exception:  # its own text may be code of the user's too
        return type(error).__name__


class _Written:
    """A value that a function returned, as JSON; what can't be JSON is reported with its kind."""

    def __init__(self, numbers: Kept, encoded: Callable[[object], bytes]) -> None:
        self._numbers, self._encoded = numbers, encoded

    def __call__(self, returned: Any) -> bytes:
        """Raises Untransformable."""
        written = bytearray()
        try:
            if others := [type(key).__name__ for key in returned if not isinstance(key, str)]:
                raise Untransformable(f"what it returned has a key that is {others[0]}, and no text")
            for piece in self._pieces(returned, MAX_DEPTH):
                written += piece
                if len(written) > MOST_BYTES:
                    raise Untransformable(f"what it returned has more than {MOST_BYTES:,} bytes")
        except Untransformable:
            raise
        except Exception as error:  # of a dict or a number of the user's own class
            raise Untransformable(f"what it returned can't be written: {type(error).__name__}") from error
        return bytes(written)

    def _pieces(self, value: Any, levels: int) -> Iterator[bytes]:
        """One generator a level: so the deepest that is allowed is far from Python's own limit."""
        if not isinstance(value, dict | list | tuple):
            yield self._scalar(value)
            return
        if not levels:
            raise Untransformable(f"what it returned is nested deeper than {MAX_DEPTH} levels")
        if isinstance(value, dict):
            members = list(value.items())
            value = members if (are_texts := all(isinstance(key, str) for key, _ in members)) else map(list, members)
        else:
            are_texts = False
        start, end = (b"{", b"}") if are_texts else (b"[", b"]")
        for each in value:
            key, inner = (self._encoded(str(each[0])) + b":", each[1]) if are_texts else (b"", each)
            yield start + key
            yield from self._pieces(inner, levels - 1)
            start = b","
        yield end if start == b"," else start + end

    def _scalar(self, value: Any) -> bytes:
        if value is None or isinstance(value, bool | str):
            return self._encoded(value)
        if isinstance(value, int):
            if value.bit_length() > MOST_BITS:
                raise Untransformable("what it returned has a number of more than 3,900 digits")
            return b"%d" % value
        if isinstance(value, float):
            return self._real(value)
        if isinstance(value, bytes | bytearray | datetime | date | time) or (
            isinstance(value, Decimal) and value.is_finite()
        ):
            made = as_json(value)
            return self._encoded(made) if isinstance(made, str) else str(made).encode()
        raise Untransformable(f"what it returned holds {type(value).__name__}, which is not JSON")

    def _real(self, value: float) -> bytes:
        was, text = self._numbers.get(id(value), (None, ""))
        if was is value:
            return text.encode()
        if not math.isfinite(value):
            raise Untransformable(f"what it returned holds {value}, which is not JSON")
        return self._encoded(float(value))
