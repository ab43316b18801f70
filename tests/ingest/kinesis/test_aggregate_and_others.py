"""Aggregates as others make them and take them apart: awslabs' own Python library, against the engine and our packer."""

import base64
import random
import sys
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from firnline_ingest.kinesis.aggregate import is_aggregate, user_records
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.user_record import UserRecord
from tests.fakes.kpl_packing import Packed, pack


@pytest.fixture(scope="module")
def theirs() -> SimpleNamespace:
    """Imported with care: it puts its own folder in front of all others."""
    path = list(sys.path)
    from aws_kinesis_agg import aggregator, deaggregator

    sys.path[:] = path
    return SimpleNamespace(aggregator=aggregator, deaggregator=deaggregator)


def some(seed: int) -> list[Packed]:
    """Each with a hash key or none of them: their library keeps no record apart that has none among others that do."""
    choice = random.Random(seed)
    keys = [f"key {n}" for n in range(choice.randint(1, 5))]
    hashed = seed % 2 == 1
    return [
        Packed(
            choice.randbytes(choice.choice((1, 7, 130, 20_000))), key, str(choice.getrandbits(128)) if hashed else None
        )
        for key in choice.choices(keys, k=choice.randint(1, 40))
    ]


def apart(data: bytes) -> Sequence[UserRecord]:
    assert is_aggregate(data)
    return list(user_records(Record("7", data, "outer"), None))


@pytest.mark.parametrize("seed", range(6))
def test_what_their_aggregator_packs_is_unpacked(theirs: Any, seed: int) -> None:
    records = some(seed)
    aggregator = theirs.aggregator.RecordAggregator()
    for record in records:
        assert aggregator.add_user_record(record.partition_key, record.data, record.explicit_hash_key) is None
    _, _, data = aggregator.clear_and_get().get_contents()

    assert [Packed(each.Data, each.PartitionKey, each.ExplicitHashKey) for each in apart(data)] == records


@pytest.mark.parametrize("seed", range(6))
def test_their_deaggregator_says_the_same_of_what_we_pack(theirs: Any, seed: int) -> None:
    data = pack(some(seed))
    event = {
        "kinesis": {
            "kinesisSchemaVersion": "1.0",
            "sequenceNumber": "7",
            "partitionKey": "outer",
            "approximateArrivalTimestamp": 1.0,
            "data": base64.b64encode(data),
        },
        **dict.fromkeys(
            ("eventSource", "eventVersion", "eventID", "eventName", "invokeIdentityArn", "awsRegion", "eventSourceARN"),
            "x",
        ),
    }
    said = [each["kinesis"] for each in theirs.deaggregator.deaggregate_records([event])]

    assert [
        (base64.b64decode(each["data"]), each["partitionKey"], each["explicitHashKey"], each["subSequenceNumber"])
        for each in said
    ] == [(each.Data, each.PartitionKey, each.ExplicitHashKey, each.SubSequenceNumber) for each in apart(data)]
