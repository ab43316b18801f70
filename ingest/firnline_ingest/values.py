"""Values that several rooms share: a shard, a place in it, who may write to it, and where its rows go.

They are facts without behaviour of a service: nothing here reads or writes, and everything compares by what it holds.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Self

from firnline_ingest.errors import Fatal, SnowflakeError, declared
from firnline_ingest.identifiers import written_name

DIGITS = 10  # of the sub-sequence number, and of the row in its record
LONGEST_TOKEN = 129 + 2 * DIGITS  # the Kinesis API allows a sequence number 129 digits
LAST_ROW: int = 10**DIGITS - 1


@declared
class ForeignToken(SnowflakeError, Fatal):
    """A channel's offset token that no Firnline engine wrote."""

    token: str

    id = "FL-3101"
    message = "The offset token {token!r} was not written by Firnline: another program writes to this channel."
    next_step = (
        "stop the other writer, or give this pipeline another application name, so that it opens channels of its own."
    )
    causes = "**another program writes to the channel**"
    remedy = "stop it, or another application name"


@dataclass(frozen=True, slots=True)
class ShardKey:
    """A shard of one incarnation of a stream: a stream recreated under its name has other sequence numbers."""

    stream: str
    stream_created_ms: int
    shard_id: str

    @property
    def incarnation(self) -> str:
        """The ledger's partition key."""
        return f"{self.stream}@{self.stream_created_ms}"

    def __str__(self) -> str:
        return f"{self.stream}/{self.shard_id}"


@dataclass(frozen=True, order=True, slots=True)
class Position:
    """A row's place: Kinesis sequence number, index inside a KPL aggregate, row inside the record.

    Positions order every row of one shard, whatever a record was made of. The token is what a Snowflake channel keeps:
    it has to survive as text and still compare as a number, so tokens are only ever compared through Position
    (docs/design/ledger.md, section 2).
    """

    sequence_number: int
    sub_sequence_number: int = 0
    row: int = 0
    """0 where the record is one row or none. Of several, the last one is LAST_ROW and the others count from 1: so a position
    tells whether its record was taken in whole.

    The order is that of the numbers: a record's own position, with row 0, is where it begins, before its first row of several;
    `whole` is where it ends. What accounts for records of a format that makes several rows ends at `whole`, in every table.
    """

    @property
    def whole(self) -> "Position":
        """The end of this position's record, behind all its rows."""
        return replace(self, row=LAST_ROW)

    @property
    def is_inside_record(self) -> bool:
        """True if the record has more rows behind this one."""
        return 0 < self.row < LAST_ROW

    @classmethod
    def from_token(cls, token: str) -> Self:
        """Raises ForeignToken for text that no Firnline engine wrote."""
        if not (token.isascii() and token.isdecimal() and 2 * DIGITS < len(token) <= LONGEST_TOKEN):
            raise ForeignToken(token)
        return cls(int(token[: -2 * DIGITS]), int(token[-2 * DIGITS : -DIGITS]), int(token[-DIGITS:]))

    @property
    def token(self) -> str:
        return f"{self.sequence_number}{self.sub_sequence_number:0{DIGITS}d}{self.row:0{DIGITS}d}"


def moment(text: str) -> datetime:
    """Reads an ISO 8601 time with an offset: without one it would mean something else on another machine.

    Raises ValueError, whose words tell the one who wrote it what is missing.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not an ISO 8601 time, for example 2026-01-31T12:00:00Z") from None
    if found.tzinfo is None:
        raise ValueError(f"{text!r} needs an offset, for example 2026-01-31T12:00:00Z")
    return found


def row_number(row: int, rows: int) -> int:
    """Position.row of the row with this index, from 0, in a record of so many rows."""
    if rows == 1:
        return 0
    return LAST_ROW if row == rows - 1 else row + 1


@dataclass(frozen=True, slots=True)
class Fence:
    """The right to write: the generation rises at every open, the owner is unique to the attempt."""

    generation: int = 0
    owner: str = ""


@dataclass(frozen=True, slots=True)
class TargetTable:
    """The table and pipe that a channel belongs to; recreated under its name, either has another creation time.

    Names are as Snowflake stores them, the pipe's as the SDK takes it. A default pipe comes and goes with its table and
    has no creation time of its own.
    """

    database: str
    schema: str
    table: str
    table_created_on: str
    pipe: str
    pipe_created_on: str = ""

    def __str__(self) -> str:
        return ".".join(written_name(name) for name in (self.database, self.schema, self.table))

    def has_replaced(self, other: "TargetTable") -> bool:
        """Returns whether `other` was a table of this name, which was recreated since."""
        is_namesake = (self.database, self.schema, self.table) == (other.database, other.schema, other.table)
        return is_namesake and self.table_created_on != other.table_created_on


@dataclass(frozen=True, slots=True)
class ChannelState:
    """State of a channel, as Snowflake reports it: the committed token's position and the cumulative counters."""

    committed: Position | None
    rows_inserted: int = 0
    rows_error: int = 0
    created_ms: int = field(default=0, compare=False)
    """The time at which the channel was made, by the service's clock, unlike that of another one under its name; 0 where not
    given."""
    error_through: Position | None = field(default=None, compare=False)
    """The last row that was rejected is at or before this, by the server; None where it says nothing that we can read."""
    answered_s: float = field(default=0.0, compare=False)
    """The time at which the service gave this answer, by the SDK: distinguishes it from a newer one; 0 where it is not given."""
