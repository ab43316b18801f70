"""Positions where reading of a shard begins, and how Spark's offset log spells them.

`h` is the trim horizon, `t:<ms>` a timestamp, `p:<token>` after a position, `end` a shard that was read to its end, `gone`
one that left the stream before anybody read it.
LATEST does not occur: it is pinned as a timestamp before the first read, so that no retry evaluates it again.
"""

from dataclasses import dataclass

from firnline_ingest.values import Position


@dataclass(frozen=True, slots=True)
class TrimHorizon:
    """The oldest record that the stream still holds."""

    text = "h"


@dataclass(frozen=True, slots=True)
class AtTimestamp:
    """The first record that arrived at or after a time, in milliseconds since the epoch."""

    ms: int

    @property
    def text(self) -> str:
        return f"t:{self.ms}"


@dataclass(frozen=True, slots=True)
class After:
    """The first row beyond a position."""

    position: Position

    @property
    def text(self) -> str:
        return f"p:{self.position.token}"


Pin = TrimHorizon | AtTimestamp
Start = Pin | After

ENDED, GONE = "end", "gone"


def parse_start(text: str) -> Start | None:
    """The start that `text` spells; None for a shard that ended or is gone. Raises ValueError for anything else."""
    if text in (ENDED, GONE):
        return None
    if text == TrimHorizon.text:
        return TrimHorizon()
    if text.startswith("t:"):
        return AtTimestamp(int(text[2:]))
    if text.startswith("p:"):
        return After(Position.from_token(text[2:]))
    raise ValueError(f"{text!r} is not a start position")


def parse_pin(text: str) -> Pin:
    start = parse_start(text)
    if isinstance(start, TrimHorizon | AtTimestamp):
        return start
    raise ValueError(f"{text!r} is not a pin")
