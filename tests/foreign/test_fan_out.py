"""The Kinesis Client Library reads the embedded Kinesis by fan-out, over HTTP/2: its client judges what SubscribeToShard pushes.

No other server serves fan-out in a form that boto3 reads, so it is judged the other way round.
"""

import json
from contextlib import closing

import pytest

from firnline_local.kinesis import KinesisServer
from tests.foreign.servers import KCL, installed
from tests.kcl.http2 import Http2Listener
from tests.kcl.run import Consumer, tables
from tests.kcl.scene import event, make

pytestmark = [pytest.mark.slow, pytest.mark.foreign, pytest.mark.contract, pytest.mark.timeout(600)]

SCENE = {
    *(f"parent-{number}" for number in range(12)),
    *(f"plain-{number}" for number in range(5)),
    *(f"packed-{number}-{user}" for number in range(4) for user in range(10)),
    *(f"{side}-{number}" for side in ("left", "right") for number in range(25)),
}
LATER, LAST = {f"later-{number}" for number in range(6)}, {f"last-{number}" for number in range(3)}
NO_BOUND = "1000000"


def test_kcl_takes_every_record_once_across_splits_and_the_end_of_a_subscription() -> None:
    kinesis, orders = make()
    jars = installed(KCL)
    with KinesisServer(kinesis, Http2Listener) as server, tables() as dynamodb:
        arguments = ["fan-out-app", orders.name, server.endpoint, dynamodb, NO_BOUND, "TRIM_HORIZON", "fan-out"]
        with closing(Consumer("3", jars, arguments)) as consumer:
            consumer.until(lambda: len(consumer.taken) >= len(SCENE))
            kinesis.clock.advance(minutes=6)  # type: ignore[attr-defined]
            left = orders.shard("shardId-000000000003")
            for name in sorted(LATER):
                left.put(event(name))
            consumer.until(lambda: len(consumer.taken) >= len(SCENE | LATER))
            child, _ = left.split()
            for name in sorted(LAST):
                child.put(event(name))
            consumer.until(lambda: len(consumer.taken) >= len(SCENE | LATER | LAST))
            taken, lines = consumer.taken, consumer.lines
    names = [json.loads(data)["id"] for *_, data in taken]
    assert sorted(names) == sorted(SCENE | LATER | LAST)
    for shard in {shard for shard, *_ in taken}:
        places = [(int(number), int(inside)) for of, number, inside, _ in taken if of == shard]
        assert places == sorted(set(places)), shard
    assert {line for line in lines if line.startswith("ended")} == {
        "ended shardId-000000000000",
        "ended shardId-000000000003",
    }
    assert [line for line in lines if line.startswith("failed")] == []
