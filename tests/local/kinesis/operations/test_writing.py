from typing import Any

import pytest

from firnline_local.kinesis import FakeKinesis, FakeKinesisError, ManualClock

KIB = 1024


@pytest.fixture
def kinesis() -> FakeKinesis:
    kinesis = FakeKinesis(clock=ManualClock())
    kinesis.create_stream("orders", shards=4)
    return kinesis


def put(kinesis: FakeKinesis, data: bytes = b"x", **changed: Any) -> dict[str, Any]:
    return kinesis.call("PutRecord", {"StreamName": "orders", "Data": data, "PartitionKey": "key", **changed})


def put_many(kinesis: FakeKinesis, records: list[dict[str, Any]]) -> dict[str, Any]:
    return kinesis.call("PutRecords", {"StreamName": "orders", "Records": records})


def test_a_put_answers_with_the_place_that_the_record_then_has(kinesis: FakeKinesis) -> None:
    answer = put(kinesis)
    (record,) = kinesis.stream("orders").records
    assert answer == {
        "ShardId": record.shard_id,
        "SequenceNumber": str(record.sequence_number),
        "EncryptionType": "NONE",
    }


def test_many_records_are_answered_in_their_order(kinesis: FakeKinesis) -> None:
    answer = put_many(kinesis, [{"Data": str(n).encode(), "PartitionKey": str(n)} for n in range(100)])
    data = {(r.shard_id, str(r.sequence_number)): r.data for r in kinesis.stream("orders").records}
    assert [data[entry["ShardId"], entry["SequenceNumber"]] for entry in answer["Records"]] == [
        str(n).encode() for n in range(100)
    ]
    assert answer["FailedRecordCount"] == 0


@pytest.mark.parametrize("count", [0, 501])
def test_a_request_has_between_1_and_500_records(kinesis: FakeKinesis, count: int) -> None:
    with pytest.raises(FakeKinesisError, match="ValidationException"):
        put_many(kinesis, [{"Data": b"", "PartitionKey": "key"}] * count)


def test_a_record_is_at_most_as_large_as_its_stream_allows_key_included(kinesis: FakeKinesis) -> None:
    put(kinesis, b"x" * (KIB * KIB - 3))
    with pytest.raises(FakeKinesisError, match="InvalidArgumentException"):
        put(kinesis, b"x" * (KIB * KIB - 2))
    arn = kinesis.stream("orders").arn
    kinesis.call("UpdateMaxRecordSize", {"StreamARN": arn, "MaxRecordSizeInKiB": 2 * KIB})
    put(kinesis, b"x" * (KIB * KIB - 2))


def test_a_request_is_at_most_10_mib(kinesis: FakeKinesis) -> None:
    entry = {"Data": b"x" * (KIB * KIB - 3), "PartitionKey": "key"}
    put_many(kinesis, [entry] * 10)
    with pytest.raises(FakeKinesisError, match="InvalidArgumentException"):
        put_many(kinesis, [entry] * 11)
    assert len(kinesis.stream("orders").records) == 10


@pytest.mark.parametrize(
    "changed",
    [
        {"PartitionKey": ""},
        {"PartitionKey": "x" * 257},
        {"ExplicitHashKey": "-1"},
        {"ExplicitHashKey": "01"},
        {"ExplicitHashKey": str(2**128)},
        {"Data": "not base64!"},
        {"Data": None},
    ],
)
def test_a_value_outside_of_its_constraint_is_refused_and_nothing_is_put(
    kinesis: FakeKinesis, changed: dict[str, Any]
) -> None:
    entry = {"Data": b"x", "PartitionKey": "key"}
    for attempt in (lambda: put(kinesis, **changed), lambda: put_many(kinesis, [entry, {**entry, **changed}])):
        with pytest.raises(FakeKinesisError, match=r"ValidationException|InvalidArgumentException"):
            attempt()
    assert kinesis.stream("orders").records == []


def test_a_field_that_is_not_carried_is_refused_rather_than_left_out(kinesis: FakeKinesis) -> None:
    with pytest.raises(FakeKinesisError, match="DryRun"):
        put(kinesis, DryRun=True)
    assert kinesis.stream("orders").records == []


def test_records_may_be_empty(kinesis: FakeKinesis) -> None:
    put(kinesis, b"")
    assert [record.data for record in kinesis.stream("orders").records] == [b""]
