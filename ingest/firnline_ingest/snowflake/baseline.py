"""A channel's counters as something to count from, where no proof says what they were.

Counters may trail their token (docs/design/ledger.md, section 4): rows of before that are counted later would be more than
was ever sent, which stops a shard. So they are watched for a while in which nothing is appended.
"""

import time
from dataclasses import replace

from firnline_ingest.snowflake.channel import ShardChannel
from firnline_ingest.values import ChannelState, Position

POLL_S = 1.0


def state_at_rest(channel: ShardChannel, committed: Position, rest_s: float) -> ChannelState:
    """The token as it was when the channel was opened, and the furthest counters that are seen within `rest_s`.

    Raises what `ShardChannel.state` raises.
    """
    states, give_up_s = [channel.state()], time.monotonic() + rest_s
    while (left_s := give_up_s - time.monotonic()) > 0:
        time.sleep(min(POLL_S, left_s))
        states.append(channel.state())
    furthest = max(states, key=lambda state: state.rows_inserted + state.rows_error)
    return replace(furthest, committed=committed)
