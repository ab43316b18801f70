"""Bounds what the SDK was given and has not sent: above a megabyte of it, it uploads a file instead of sending rows.

The pace alone can't: where Snowflake, the network or this machine is slow, the SDK's sending falls behind any rate.
"""

from firnline_ingest.snowflake.channel import ShardChannel

UNSENT_BYTES = 1_000_000  # measured with SDK 1.9.1: 1.0 MB are sent as rows, 1.1 MB are uploaded
FLUSH_TIMEOUT_S = 60.0


class SendWindow:
    """One channel's; not thread-safe."""

    def __init__(self, channel: ShardChannel) -> None:
        self._channel = channel
        self._unsent_bytes = 0

    def make_room(self, size: int) -> None:
        """Returns when `size` bytes more may be appended, and counts them; what is too large for the window goes alone.

        Raises what `ShardChannel.flush` raises.
        """
        if self._unsent_bytes and self._unsent_bytes + size > UNSENT_BYTES:
            self.empty()
        self._unsent_bytes += size

    def holds_at_most(self, unproven_bytes: int) -> None:
        """What is proven was sent: a shard at a trickle never has to wait for room."""
        self._unsent_bytes = min(self._unsent_bytes, unproven_bytes)

    def empty(self) -> None:
        """Returns when the server has every row. Raises what `ShardChannel.flush` raises."""
        self._channel.flush(FLUSH_TIMEOUT_S)
        self._unsent_bytes = 0
