"""Where a row stands in its shard.

Positions order every row of one shard, whatever a record was made of. The token is what a Snowflake channel keeps: it
has to survive as text and still compare as a number, so tokens are only ever compared through Position
(docs/design/ledger.md, section 2).
"""

from dataclasses import dataclass
from typing import Self

from firnline_ingest.errors import Fatal, SnowflakeError

DIGITS = 10  # of the sub-sequence number, and of the row in its record
LONGEST_TOKEN = 129 + 2 * DIGITS  # the Kinesis API allows a sequence number 129 digits


class ForeignToken(SnowflakeError, Fatal):
    """A channel's offset token that no Firnline engine wrote."""

    id = "FL-3101"

    def __init__(self, token: str) -> None:
        super().__init__(
            f"The offset token {token!r} was not written by Firnline: another program writes to this channel.",
            next_step="stop the other writer, or give this pipeline another application name, so that it opens channels "
            "of its own.",
        )


@dataclass(frozen=True, order=True, slots=True)
class Position:
    """A row's place: Kinesis sequence number, index inside a KPL aggregate, row inside the record."""

    sequence_number: int
    sub_sequence_number: int = 0
    row: int = 0

    @classmethod
    def from_token(cls, token: str) -> Self:
        """Raises ForeignToken for text that no Firnline engine wrote."""
        if not (token.isascii() and token.isdecimal() and 2 * DIGITS < len(token) <= LONGEST_TOKEN):
            raise ForeignToken(token)
        return cls(int(token[: -2 * DIGITS]), int(token[-2 * DIGITS : -DIGITS]), int(token[-DIGITS:]))

    @property
    def token(self) -> str:
        return f"{self.sequence_number}{self.sub_sequence_number:0{DIGITS}d}{self.row:0{DIGITS}d}"
