"""callable: a function of the user's, which is given the record as Python has it and returns what it is to be.

Whatever it does, the record is a row, a letter or left out. Each call has an object of its own: what the function changes
in it, or keeps of it, is no other record's. A number that it leaves alone keeps its digits.
"""

import json
from collections.abc import Callable
from typing import Any

import msgspec

from firnline_ingest.config.callables import load_callable
from firnline_ingest.config.transforms import CallableTransform, NoneMeans
from firnline_ingest.transforms.apply import Apply, Origin
from firnline_ingest.transforms.document import Document, refuse_twice, written
from firnline_ingest.transforms.errors import Filtered, Untransformable
from firnline_ingest.transforms.returned import Kept, as_json

MOST_DIGITS = 3900  # of an int that is given as one: Python writes no more than 4,300
LONGEST_SHOWN = 200


def call(of: CallableTransform) -> Apply:
    """Raises CallableUnusable."""
    function = load_callable(of.callable)

    def apply(document: Document, _: Origin) -> None:
        document.members()
        numbers: Kept = {}
        record = _parsed(written(document.root[0]), numbers)
        returned = _called(function, record)
        if returned is None and of.none is NoneMeans.FILTER:
            raise Filtered
        if not isinstance(returned, dict):
            raise Untransformable(f"it returned {type(returned).__name__}, and no dict")
        document.root[0] = msgspec.Raw(as_json(returned, numbers))
        document.is_changed = True

    return apply


def _parsed(payload: bytes, numbers: Kept) -> Any:
    def real(text: str) -> float:
        number = float(text)
        numbers[id(number)] = number, text
        return number

    def whole(text: str) -> float:
        return int(text) if len(text) <= MOST_DIGITS else real(text)

    try:
        return json.loads(payload, parse_float=real, parse_int=whole, object_pairs_hook=refuse_twice)
    except RecursionError as error:
        raise Untransformable("it is nested deeper than Python reads here") from error


def _called(function: Callable[[Any], Any], record: Any) -> Any:
    try:
        return function(record)
    except KeyboardInterrupt:  # of the person in front of a command
        raise
    except (
        BaseException
    ) as error:  # CancelledError, GeneratorExit and SystemExit are no Exceptions, and none of the engine's
        raise Untransformable(f"it raised {_said(error)}") from error


def _said(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"[:LONGEST_SHOWN]
    except Exception:  # its own text may be code of the user's too
        return type(error).__name__
