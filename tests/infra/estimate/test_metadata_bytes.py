"""Tests of what a row's metadata adds, against what the engine writes, and what it costs."""

from typing import Any

import pytest

from firnline_infra.estimate.cost import costs
from firnline_infra.estimate.load import Load
from firnline_infra.estimate.metadata import metadata_bytes
from firnline_infra.estimate.text import estimate_text
from firnline_infra.specification.runtimes.options import Architecture
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.metadata import MetadataHead
from tests.infra.specifications import one_pipeline, smallest

RECORD = Record(SequenceNumber="4" * 56, Data=b"{}", PartitionKey="0" * 36, ApproximateArrivalTimestamp=1_762_333_935.3)


def bare(metadata: dict[str, Any]) -> dict[str, Any]:
    """Returns the options of a pipeline whose rows carry no metadata."""
    none = {"audit": False, "columns": [{"name": "A", "type": "INT"}]}
    return none if metadata.get("form") == "none" else {}


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"form": "columns"},
        {"form": "variant", "partition_key": False},
        {"times": "epoch_ms", "sharded_digits": 5},
        {"times": "iso", "explicit_hash_key": True},
        {"form": "none"},
    ],
)
def test_it_is_as_long_as_the_engine_writes_it(metadata: dict[str, Any]) -> None:
    (pipeline,) = smallest(**one_pipeline(metadata=metadata, **bare(metadata))).pipelines
    written = MetadataHead(pipeline.metadata, stream="orders", shard_id="shardId-000000000000")(RECORD)
    # the head begins with a brace, which a row has anyway, and lacks the comma behind it
    assert metadata_bytes(pipeline) == len(written)


def snowpipe(**options: Any) -> float:
    metadata = options.pop("metadata", {})
    spec = smallest(**one_pipeline(metadata=metadata, **bare(metadata)))
    found = costs(Load.of(spec, **options), "emr_serverless", Architecture.ARM64)
    return next(each.usd for each in found if (each.way, each.part) == ("Firnline", "Snowpipe Streaming"))


def test_small_records_pay_more_for_their_metadata_and_none_pay_nothing() -> None:
    plain, small, large = snowpipe(), snowpipe(record_bytes=200), snowpipe(record_bytes=100_000)
    assert plain < large < plain * 1.01
    assert small > plain * 2
    assert snowpipe(record_bytes=200, metadata={"form": "none"}) == plain


def test_without_the_size_of_a_record_it_says_what_is_not_counted() -> None:
    spec = smallest()
    assert "(--record-bytes)" in estimate_text(Load.of(spec), [])
    assert "metadata of rows, at most" in estimate_text(Load.of(spec, record_bytes=500), [])
