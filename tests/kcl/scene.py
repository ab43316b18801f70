"""A stream for another consumer to read and leave: plain records, aggregates, a split, an idle shard.

Clock and seed are fixed, so its sequence numbers are the same wherever it is made: in the run of the real Kinesis Client Library
that recorded golden/, and in the tests that migrate what it left.
"""

from firnline_local.clock import ManualClock
from firnline_local.kinesis import FakeKinesis, StreamHandle
from tests.fakes.kpl_packing import Packed, pack

MOST_OF_A_SHARD = 17
"""So many user records of each shard the consumer takes in: in `orders` that is inside of an aggregate."""
ACCOUNT = "123456789012"


def event(name: str) -> bytes:
    """Without a space: the consumer's lines are split at them."""
    return b'{"id":"%s"}' % name.encode()


def make(name: str = "orders") -> tuple[FakeKinesis, StreamHandle]:
    """The parent shard 0 has 12 records and is split; shard 1 has plain records, then aggregates of ten; shard 2 nothing."""
    kinesis = FakeKinesis(clock=ManualClock(), account_id=ACCOUNT, read_limits=False)
    orders = kinesis.create_stream(name, shards=3)
    for number in range(12):
        orders.shard(0).put(event(f"parent-{number}"))
    for number in range(5):
        orders.shard(1).put(event(f"plain-{number}"))
    own = str(orders.shard(1).hash_range.start)  # the library throws away aggregates with records of another shard
    for number in range(4):
        packed = pack([Packed(event(f"packed-{number}-{user}"), f"key-{user}", own) for user in range(10)])
        orders.shard(1).put(packed)
    left, right = orders.shard(0).split()
    for number in range(25):
        left.put(event(f"left-{number}"))
        right.put(event(f"right-{number}"))
    return kinesis, orders
