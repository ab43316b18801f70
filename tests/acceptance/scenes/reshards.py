"""An on-demand stream that splits by itself because it is full, and one that goes from 4 shards to 64 and to 3 under load."""

from collections.abc import Sequence

from tests.acceptance.payloads import Put
from tests.acceptance.stage import DATABASE, Stage
from tests.acceptance.sums import Line, SceneFailed, Sums

ON_DEMAND, SCALED = "on-demand", "scaled"
COUNTS = (8, 16, 32, 64, 32, 16, 8, 4, 3)
PART = 400
FULL = 9_000
"""Records put as fast as they go: 4 shards take 4,000 a second."""


def play(stage: Stage) -> Sequence[Line]:
    stage.pipeline(ON_DEMAND)
    stage.kinesis.delete_stream(StreamName=ON_DEMAND)
    stage.kinesis.create_stream(StreamName=ON_DEMAND, StreamModeDetails={"StreamMode": "ON_DEMAND"})
    stage.pipeline(SCALED, shards=4)
    with stage.engine() as engine:
        scaled = stage.numbers(SCALED, 0, PART)
        stage.until(lambda: stage.count(f"{DATABASE}.SCALED") == scaled, engine, "the first records")
        full = stage.put(ON_DEMAND, (Put(b'{"n": %d}' % n) for n in range(FULL)))
        for count in COUNTS:
            stage.kinesis.update_shard_count(StreamName=SCALED, TargetShardCount=count, ScalingType="UNIFORM_SCALING")
            scaled = stage.numbers(SCALED, scaled, PART)
        stage.until(lambda: stage.count(f"{DATABASE}.SCALED") == scaled, engine, "all of the stream that was scaled")
        stage.until(lambda: stage.count(f"{DATABASE}.ON_DEMAND") == full, engine, "all of the one on demand")
        stage.stop(engine)
    shards = len(stage.kinesis.list_shards(StreamName=ON_DEMAND)["Shards"])
    if shards <= 4:
        raise SceneFailed(f"{ON_DEMAND} has {shards} shards: it did not split")
    found = stage.audit()
    return [
        Line(f"{ON_DEMAND}, {shards} shards", found[ON_DEMAND], Sums(records=full, rows=full)),
        Line(f"{SCALED}, {_shards(stage)} shards", found[SCALED], Sums(records=scaled, rows=scaled)),
    ]


def _shards(stage: Stage) -> int:
    pages = stage.kinesis.get_paginator("list_shards").paginate(StreamName=SCALED)
    return sum(len(page["Shards"]) for page in pages)
