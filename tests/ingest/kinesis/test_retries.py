"""A reader and a plan with settings of their own for an operation."""

import json
from typing import Any

import pytest

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.config.retries import RetriesConfig, Retry
from firnline_ingest.config.running import PollingConfig
from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.reader import ShardReader
from firnline_ingest.spark.planner import ShardPlanner, SourceOffset
from firnline_local.faults import Fault, FaultKind
from tests.ingest.kinesis.test_reader import Shard, read
from tests.ingest.spark.test_planner import World, problems

THROTTLED = {"kind": FaultKind.ERROR, "code": "ProvisionedThroughputExceededException", "status": 400}


def reader_of(shard: Shard, **retries: Any) -> ShardReader:
    reader = shard.reader()
    return ShardReader(
        reader._client,
        reader._key,
        reader._start,
        PollingConfig(),
        retries=RetriesConfig(**retries),
        clock=shard.seconds,
        jitter=lambda: 1.0,
    )


def test_the_operation_that_fails_decides_about_the_pause() -> None:
    shard = Shard()
    reader = reader_of(
        shard,
        get_shard_iterator=Retry(base_ms=3000, max_ms=3000),
        get_records=Retry(base_ms=700, max_ms=1500, factor=1.5),
    )
    shard.kinesis.faults.replace(
        [
            Fault(endpoint="kinesis:GetShardIterator", times=1, **THROTTLED),
            Fault(endpoint="kinesis:GetRecords", times=2, **THROTTLED),
        ]
    )
    shard.stream.put({"n": 0})
    read(reader, shard.wait)
    assert [round(seconds, 3) for seconds in shard.waited] == [0.0, 3.0, 1.05, 1.5]
    assert reader.throttled == 3


def test_a_shard_gives_up_after_as_many_failures_in_a_row_as_it_may_have_and_says_which_setting_that_was() -> None:
    shard = Shard()
    reader = reader_of(shard, get_records=Retry(attempts=3))
    shard.kinesis.faults.replace([Fault(endpoint="kinesis:GetRecords", times=2, **THROTTLED)])
    shard.stream.put({"n": 0})
    assert read(reader, shard.wait).records
    shard.kinesis.faults.replace([Fault(endpoint="kinesis:GetRecords", times=3, **THROTTLED)])
    with pytest.raises(FirnlineError) as caught:
        read(reader, shard.wait)
    assert (caught.value.id, caught.value.is_retryable) == ("FL-2361", False)
    assert "failed 3 times in a row" in caught.value.what
    assert "retries.get_records.attempts" in caught.value.what
    assert "[FL-2004]" in caught.value.what


def test_a_plan_waits_for_a_stream_as_often_as_its_operation_says() -> None:
    world, pauses = World(), list[float]()
    world.kinesis.create_stream("a")
    planner = world.planner("a")
    document = {
        **json.loads(planner.config.model_dump_json(by_alias=True)),
        "retries": {"list_shards": {"attempts": 4, "base_ms": 100, "max_ms": 350, "factor": 3.0}},
    }
    config = EngineConfig.model_validate_json(json.dumps(document))
    planner = ShardPlanner(config, planner.kinesis, world.ledger, sleep=pauses.append, jitter=lambda: 1.0)
    world.kinesis.faults.replace([Fault(endpoint="kinesis:ListShards", times=4, **THROTTLED)])
    rows = list(planner.rows(planner.next_offset(SourceOffset())))
    assert problems(rows) == {"a": "FL-2004"}
    assert pauses == pytest.approx([0.1, 0.3, 0.35])
