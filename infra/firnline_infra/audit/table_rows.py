"""The rows of a shard as Snowflake returns them: in parts of bounded size, as outcomes, in an order that is checked."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from firnline_infra.audit.content.check import RowContent
from firnline_infra.audit.errors import RowsUnordered
from firnline_infra.audit.horizon import arrival_ms
from firnline_infra.audit.outcome import Outcome, Place, position_text
from firnline_infra.audit.statements import Part

PART_ROWS, PART_ROWS_WITH_CONTENT = 400_000, 100_000
"""The most rows one statement fetches: a server that sends a result whole costs the connector several times its size."""
MAX_PARTS = 40  # of a shard: each is a scan of its own


def rows_of_a_part(expected: int, *, with_content: bool) -> int:
    return max(PART_ROWS_WITH_CONTENT if with_content else PART_ROWS, -(-expected // MAX_PARTS))


def parts_between(first: str | None, cuts: Sequence[str]) -> list[Part]:
    """From `first` to the first cut, and from each cut to the next. A number that is several rows' is in one part."""
    if not cuts:
        return [Part(first)]
    distinct = list(dict.fromkeys(cuts))
    return [Part(first, last=distinct[0]), *(Part(after=after, last=last) for after, last in pairwise(distinct))]


def outcomes_of(rows: Iterator[tuple[Any, ...]], shard_id: str, on_stray: Callable[[str], None]) -> Iterator[Outcome]:
    """Of sequence number, sub-sequence number and arrival, with metadata and values behind them where contents are
    compared. Raises RowsUnordered.
    """
    before = (0, 0)
    for number, sub_number, arrival, *content in rows:
        if not (_is_canonical(number) and _is_canonical(sub_number)):
            on_stray(f"{number}.{sub_number}")
            continue
        position = (int(number), int(sub_number))
        if position < before:
            raise RowsUnordered(shard_id, position_text(*before), position_text(*position))
        before = position
        yield Outcome(
            *position, Place.TABLE, arrival_ms(arrival), RowContent(content[0], content[1:]) if content else None
        )


def _is_canonical(number: str) -> bool:
    """As the engine writes numbers; text in any other form has no place in their order."""
    return number.isascii() and number.isdecimal() and (number[0] != "0" or number == "0")
