"""A Snowflake channel as a shard or a replay uses it; sdk.py implements it with the real SDK."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import msgspec

from firnline_ingest.values import ChannelState, Position, TargetTable

SETTLE_POLL_S = 1.0

APPEND_BYTES = 500_000  # what the SDK sends inline; for more at once it uploads a file


class ShardChannel(Protocol):
    """An open channel. Every method may raise ChannelLost or ClientLost."""

    def append(self, rows: Sequence[msgspec.Raw], *, start: str, end: str) -> None:
        """Hands rows over, in order, under offset tokens. Raises Backpressure: nothing was taken, offer them again."""

    def state(self) -> ChannelState:
        """The committed position and the counters, at most about a second old."""

    def last_error(self) -> str:
        """The server's message about the last row that it rejected."""

    def flush(self, timeout_s: float) -> None:
        """Returns when the server has every row; it commits them a little later."""

    def close(self) -> None:
        """Gives the handle back without waiting; the committed token stays."""


class ChannelOpener(Protocol):
    """Opens channels; opening one invalidates every earlier handle on it."""

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the public half of the key that all open channels belong to; empty before the first one."""

    def open(self, target: TargetTable, name: str) -> tuple[ShardChannel, ChannelState]:
        """May block while another opener's rows wait to be committed (two minutes at most)."""

    def drop(self, target: TargetTable, name: str) -> None:
        """Removes the channel with its token and its counters; a channel that is not there is removed already.

        No writer may have it open. Raises what `open` raises.
        """

    def look_for_new_key(self) -> None:
        """Called before an epoch. Where the key was replaced, open channels are lost, and opened again with the new one.

        Never blocks and never raises: an old key that still works is as good.
        """


def settled_counters(channel: ShardChannel, committed: Position, settle_s: float) -> ChannelState:
    """Returns the token as it was when the channel was opened, and the furthest counters that are seen within `settle_s`.

    For a baseline that no proof vouches for. Counters may trail their token (docs/design/ledger.md, section 4): rows of before
    that are counted later would be more than was ever sent, which stops a shard. Nothing may be appended meanwhile. Raises
    what `ShardChannel.state` raises.
    """
    states, give_up_s = [channel.state()], time.monotonic() + settle_s
    while (left_s := give_up_s - time.monotonic()) > 0:
        time.sleep(min(SETTLE_POLL_S, left_s))
        states.append(channel.state())
    furthest = max(states, key=lambda state: state.rows_inserted + state.rows_error)
    return replace(furthest, committed=committed)
