"""A reader and a plan with settings of their own for an operation."""

import pickle

import pytest

from firnline_ingest.config.retries import FIELDS, RetriesConfig, Retry
from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.missing import Incarnations
from firnline_ingest.kinesis.reader import CHILDLESS_ENDS
from firnline_ingest.spark.planner import ShardPlanner, SourceOffset
from tests.fakes.configs import config, reading
from tests.fakes.kinesis import answering, client_of, refused
from tests.ingest.kinesis.conftest import Shard
from tests.ingest.spark.test_planner import World, problems

THROTTLED = "ProvisionedThroughputExceededException"


def test_the_operation_that_fails_decides_about_the_pause(shard: Shard) -> None:
    iterators, records = Retry(base_ms=3000, max_ms=3000), Retry(base_ms=700, max_ms=1500, factor=1.5)
    reader = shard.reader(retries=RetriesConfig(get_shard_iterator=iterators, get_records=records))
    shard.fails(refused("GetShardIterator", THROTTLED, times=1), refused("GetRecords", THROTTLED, times=2))
    shard.put(0)
    shard.read(reader)
    assert [round(seconds, 3) for seconds in shard.waited] == [0.0, 3.0, 1.05, 1.5]
    assert reader.throttled == 3


def test_a_shard_gives_up_after_as_many_failures_in_a_row_as_it_may_have_and_says_which_setting_that_was(
    shard: Shard,
) -> None:
    reader = shard.reader(retries=RetriesConfig(get_records=Retry(attempts=3)))
    shard.fails(refused("GetRecords", THROTTLED, times=2))
    shard.put(0)
    assert shard.read(reader).records
    shard.fails(refused("GetRecords", THROTTLED, times=3))
    with pytest.raises(FirnlineError) as caught:
        shard.read(reader)
    assert (caught.value.id, caught.value.is_retryable) == ("FL-2361", False)
    assert "failed 3 times in a row" in caught.value.what
    assert "retries.get_records.attempts" in caught.value.what
    assert "[FL-2004]" in caught.value.what


@pytest.mark.parametrize("operation", ["GetRecords", "GetShardIterator", "DescribeStreamSummary", "ListShards"])
def test_what_passes_is_waited_out_by_a_shard_whatever_operation_it_is_of(shard: Shard, operation: str) -> None:
    """Ten times in a row, where nobody has set anything: also of operations for which a plan gives up sooner."""
    reader = shard.reader(incarnations=Incarnations(client_of(shard.kinesis)))
    shard.put(0)
    ends = answering("GetRecords", '{"Records": [], "MillisBehindLatest": 0}', times=CHILDLESS_ENDS)
    shard.fails(refused(operation, THROTTLED, times=10), *[ends][: operation == "ListShards"])
    for _ in range(60):
        answer = reader.read(shard.wait)
        if answer is not None and answer.records:
            break
    else:
        pytest.fail("nothing was read")
    assert (
        operation == "ListShards" or len(shard.waited) > 10
    )  # that one is asked in vain once, and the next page is good


@pytest.mark.parametrize("operation", FIELDS)
def test_only_a_number_that_a_person_set_ends_a_shard(operation: str) -> None:
    asked = {FIELDS[operation]: {"attempts": 5}}
    for retries, is_over in ((RetriesConfig(), False), (RetriesConfig.model_validate(asked), True)):
        kept = pickle.loads(pickle.dumps(retries)).of(operation)
        assert kept.is_over_for_a_shard(10_000) is is_over
    paused = RetriesConfig.model_validate({FIELDS[operation]: {"max_ms": 3000}})
    assert not paused.of(operation).is_over_for_a_shard(10_000)


def test_a_plan_waits_for_a_stream_as_often_as_its_operation_says() -> None:
    world, pauses = World(), list[float]()
    world.kinesis.create_stream("a")
    retries = {"list_shards": {"attempts": 4, "base_ms": 100, "max_ms": 350, "factor": 3.0}}
    asked = config(pipelines=[reading("a")], retries=retries)
    planner = ShardPlanner(asked, client_of(world.kinesis), world.ledger, sleep=pauses.append, jitter=lambda: 1.0)
    world.kinesis.faults.replace([refused("ListShards", THROTTLED, times=4)])
    rows = list(planner.rows(planner.next_offset(SourceOffset())))
    assert problems(rows) == {"a": "FL-2004"}
    assert pauses == pytest.approx([0.1, 0.3, 0.35])
