"""The Kinesis Client Library's own consumer reads a stream and is stopped; `firnline migrate`; the engine begins behind it."""

from collections import Counter
from collections.abc import Sequence

from tests.acceptance.payloads import Put
from tests.acceptance.stage import Stage
from tests.acceptance.sums import Line, SceneFailed, Sums
from tests.fakes.kpl_packing import KPL_PARTITION_KEY, Packed, pack
from tests.kcl.jars import jars_of
from tests.kcl.run import Consumer

VERSION = "3.5.1"
STREAM, APPLICATION = "taken-over", "orders-app"
PARENT, PLAIN, USERS, AGGREGATES, CHILD = 12, 5, 10, 4, 25
MOST = 17
"""So many records of each shard the consumer takes in: inside of an aggregate, and not all of a child's."""
ALL = PARENT + PLAIN + USERS * AGGREGATES + 2 * CHILD
WATCH_S = "15"
"""Longer than the consumer's failover time, which is ten seconds."""


def play(stage: Stage) -> Sequence[Line]:
    stage.pipeline(STREAM, shards=3)
    _fill(stage)
    taken = _taken_by_the_other(stage)
    looked = stage.firnline("migrate", "--from", APPLICATION, "--watch", WATCH_S)
    if "Nothing was written" not in looked:
        raise SceneFailed("the dry run does not say that it wrote nothing", looked.splitlines())
    stage.firnline("migrate", "--from", APPLICATION, "--watch", WATCH_S, "--apply")
    stage.run()
    behind = stage.audit("--migrated")[STREAM]
    whole = stage.audit()[STREAM]
    left = ALL - taken
    return [
        Line(f"behind the {taken} that KCL took", behind, Sums(records=left, rows=left)),
        Line("of the whole stream", whole, Sums(records=ALL, rows=left, missing=taken)),
    ]


def _event(name: str) -> bytes:
    """Without a blank: the consumer's lines are split at them."""
    return b'{"id":"%s"}' % name.encode()


def _fill(stage: Stage) -> None:
    """A parent that is split, a shard with aggregates, and an idle one."""
    parent, packed, _ = stage.kinesis.list_shards(StreamName=STREAM)["Shards"]
    first, last = (int(parent["HashKeyRange"][name]) for name in ("StartingHashKey", "EndingHashKey"))
    own = packed["HashKeyRange"]["StartingHashKey"]
    stage.put(STREAM, (Put(_event(f"parent-{n}"), hash_key=str(first)) for n in range(PARENT)))
    stage.put(STREAM, (Put(_event(f"plain-{n}"), hash_key=own) for n in range(PLAIN)))
    for n in range(AGGREGATES):
        users = [Packed(_event(f"packed-{n}-{user}"), f"key-{user}", own) for user in range(USERS)]
        stage.put(STREAM, [Put(pack(users), KPL_PARTITION_KEY, own)])
    middle = (first + last) // 2
    stage.kinesis.split_shard(StreamName=STREAM, ShardToSplit=parent["ShardId"], NewStartingHashKey=str(middle))
    for side, key in (("left", first), ("right", middle)):
        stage.put(STREAM, (Put(_event(f"{side}-{n}"), hash_key=str(key)) for n in range(CHILD)))


def _taken_by_the_other(stage: Stage) -> int:
    """Returns how many user records it took in and checkpointed."""
    endpoints = stage.environment.endpoints
    where = [endpoints.kinesis, endpoints.of_service("dynamodb")]
    consumer = Consumer(VERSION, jars_of(VERSION), [APPLICATION, STREAM, *where, str(MOST), "TRIM_HORIZON"])

    def full() -> int:
        return sum(count >= MOST for count in Counter(shard for shard, *_ in consumer.taken).values())

    consumer.until(lambda: full() == 3)
    consumer.stop()
    return len(consumer.taken)
