"""Continuation tokens: which opening of which channel an append belongs to, and which append of it comes next.

Opaque to a client, which sends back the last one it was given.
"""

import re
from dataclasses import dataclass
from typing import Self

from firnline_local.snowflake.streaming.refusals import StaleContinuation

FORM = re.compile(r"(\d+)_(\d+)_(\d+)")


@dataclass(frozen=True)
class Continuation:
    channel_id: int
    """Never used twice: a channel that was dropped and made again has another one."""
    client_sequencer: int
    row_sequencer: int

    @classmethod
    def read(cls, token: str) -> Self:
        """Raises StaleContinuation for text that this service did not write."""
        match = FORM.fullmatch(token)
        if match is None:
            raise StaleContinuation
        return cls(*(int(part) for part in match.groups()))

    @property
    def token(self) -> str:
        return f"{self.channel_id}_{self.client_sequencer}_{self.row_sequencer}"
