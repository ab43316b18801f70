from typing import Any

import pytest

from firnline_local.kinesis import FakeKinesis, FakeKinesisError, ManualClock, ShardHandle

MIB = 1024 * 1024


def horizon(kinesis: FakeKinesis, shard: ShardHandle) -> str:
    request = {"StreamName": shard.stream.name, "ShardId": shard.id, "ShardIteratorType": "TRIM_HORIZON"}
    return str(kinesis.call("GetShardIterator", request)["ShardIterator"])


def get(kinesis: FakeKinesis, iterator: str, **options: Any) -> dict[str, Any]:
    return kinesis.call("GetRecords", {"ShardIterator": iterator, **options})


def test_a_record_comes_back_as_it_was_put(kinesis: FakeKinesis, clock: ManualClock) -> None:
    shard = kinesis.create_stream("orders").shard()
    put = shard.put(bytes(range(256)), key='Zoë "quoted"')
    (record,) = get(kinesis, horizon(kinesis, shard))["Records"]
    assert record == {
        "SequenceNumber": str(put.sequence_number),
        "ApproximateArrivalTimestamp": clock(),
        "Data": bytes(range(256)),
        "PartitionKey": 'Zoë "quoted"',
    }


def test_a_page_holds_at_most_limit_records_and_the_next_goes_on_behind_it(kinesis: FakeKinesis) -> None:
    shard = kinesis.create_stream("orders").shard(records=5)
    page = get(kinesis, horizon(kinesis, shard), Limit=2)
    rest = get(kinesis, page["NextShardIterator"], Limit=10_000)
    assert [record["Data"] for record in page["Records"] + rest["Records"]] == [r.data for r in shard.records]
    assert len(page["Records"]) == 2


@pytest.mark.parametrize("limit", [0, -1, 10_001])
def test_a_limit_below_1_or_above_10000_is_refused(kinesis: FakeKinesis, limit: int) -> None:
    shard = kinesis.create_stream("orders").shard()
    with pytest.raises(FakeKinesisError, match="ValidationException"):
        get(kinesis, horizon(kinesis, shard), Limit=limit)


def test_a_page_holds_at_most_10_mib_of_data_and_keys(kinesis: FakeKinesis) -> None:
    shard = kinesis.create_stream("orders").shard()
    for _ in range(25):
        shard.put(b"x" * (MIB - 3), key="key")
    iterator, counts = horizon(kinesis, shard), []
    for _ in range(3):
        page = get(kinesis, iterator)
        iterator = page["NextShardIterator"]
        counts.append(len(page["Records"]))
    assert counts == [10, 10, 5]


def test_at_the_tip_of_an_open_shard_pages_are_empty_and_reading_can_go_on(kinesis: FakeKinesis) -> None:
    shard = kinesis.create_stream("orders").shard(records=1)
    page = get(kinesis, horizon(kinesis, shard))
    assert page["MillisBehindLatest"] == 0
    page = get(kinesis, page["NextShardIterator"])
    assert page["Records"] == []
    shard.put(b"new")
    assert [record["Data"] for record in get(kinesis, page["NextShardIterator"])["Records"]] == [b"new"]


def test_millis_behind_latest_is_the_age_of_the_first_record_that_is_still_to_be_read(
    kinesis: FakeKinesis, clock: ManualClock
) -> None:
    shard = kinesis.create_stream("orders").shard()
    for _ in range(3):
        shard.put(b"x")
        clock.advance(seconds=10)
    page = get(kinesis, horizon(kinesis, shard), Limit=1)
    assert page["MillisBehindLatest"] == 20_000
    page = get(kinesis, page["NextShardIterator"], Limit=1)
    assert page["MillisBehindLatest"] == 10_000
    assert get(kinesis, page["NextShardIterator"], Limit=1)["MillisBehindLatest"] == 0


def test_who_has_more_to_read_is_behind_even_within_the_same_millisecond(kinesis: FakeKinesis) -> None:
    shard = kinesis.create_stream("orders").shard(records=2)
    assert get(kinesis, horizon(kinesis, shard), Limit=1)["MillisBehindLatest"] > 0


def test_the_end_of_a_closed_shard_is_a_null_iterator_with_the_children(kinesis: FakeKinesis) -> None:
    shard = kinesis.create_stream("orders").shard(records=2)
    lower, upper = shard.split()
    page = get(kinesis, horizon(kinesis, shard), Limit=1)
    assert page["NextShardIterator"] is not None
    assert "ChildShards" not in page
    end = get(kinesis, page["NextShardIterator"], Limit=1)
    assert len(end["Records"]) == 1
    assert end["NextShardIterator"] is None
    assert [child["ShardId"] for child in end["ChildShards"]] == [lower.id, upper.id]
    assert all(child["ParentShards"] == [shard.id] for child in end["ChildShards"])


def test_who_had_read_to_the_tip_before_the_shard_closed_gets_an_empty_last_page(kinesis: FakeKinesis) -> None:
    left, right = kinesis.create_stream("orders", shards=2).shards
    page = get(kinesis, horizon(kinesis, left))
    child = left.merge(right)
    end = get(kinesis, page["NextShardIterator"])
    assert end["Records"] == []
    assert end["NextShardIterator"] is None
    assert [(c["ShardId"], c["ParentShards"]) for c in end["ChildShards"]] == [(child.id, [left.id, right.id])]


def test_pages_can_be_empty_although_records_are_waiting(clock: ManualClock) -> None:
    kinesis = FakeKinesis(clock=clock, read_limits=False, empty_page_every=2)
    iterator = horizon(kinesis, kinesis.create_stream("orders").shard(records=3))
    counts, behind = [], []
    for _ in range(5):
        page = get(kinesis, iterator, Limit=1)
        iterator = page["NextShardIterator"]
        counts.append(len(page["Records"]))
        behind.append(page["MillisBehindLatest"] > 0)
    assert counts == [1, 0, 1, 0, 1]
    assert behind == [True, True, True, True, False]


def test_records_that_were_put_while_a_stream_is_encrypted_say_so(kinesis: FakeKinesis) -> None:
    orders = kinesis.create_stream("orders")
    orders.put(b"plain")
    kinesis.call("StartStreamEncryption", {"StreamName": "orders", "EncryptionType": "KMS", "KeyId": "alias/mine"})
    orders.put(b"encrypted")
    records = get(kinesis, horizon(kinesis, orders.shard()))["Records"]
    assert [record.get("EncryptionType") for record in records] == [None, "KMS"]


def test_a_closed_shards_null_iterator_may_come_one_call_after_its_last_records(kinesis: FakeKinesis) -> None:
    kinesis.liberties.late_end = True
    shard = kinesis.create_stream("orders").shard(records=2)
    lower, upper = shard.split()
    page = get(kinesis, horizon(kinesis, shard))
    assert (len(page["Records"]), page["MillisBehindLatest"]) == (2, 0)
    end = get(kinesis, page["NextShardIterator"])
    assert (end["Records"], end["NextShardIterator"]) == ([], None)
    assert [child["ShardId"] for child in end["ChildShards"]] == [lower.id, upper.id]


def test_some_null_iterators_may_come_without_the_children(kinesis: FakeKinesis) -> None:
    kinesis.liberties.childless_ends = 1
    shard = kinesis.create_stream("orders").shard()
    shard.split()
    first, second = (get(kinesis, horizon(kinesis, shard)) for _ in range(2))
    assert (first["NextShardIterator"], "ChildShards" in first) == (None, False)
    assert (second["NextShardIterator"], len(second["ChildShards"])) == (None, 2)


def test_a_closed_shard_may_end_as_before_2020(kinesis: FakeKinesis) -> None:
    kinesis.liberties.ends_of_before_2020 = True
    shard = kinesis.create_stream("orders").shard(records=2)
    shard.split()
    page = get(kinesis, horizon(kinesis, shard))
    assert (len(page["Records"]), page["MillisBehindLatest"]) == (2, 0)
    end = get(kinesis, page["NextShardIterator"])
    assert end.keys() == {"Records", "MillisBehindLatest"}
    assert end["Records"] == []


def test_a_page_that_its_limit_cut_may_say_that_it_is_at_the_tip(kinesis: FakeKinesis) -> None:
    kinesis.liberties.hasty_tip = True
    iterator = horizon(kinesis, kinesis.create_stream("orders").shard(records=3))
    page = get(kinesis, iterator, Limit=2)
    assert (len(page["Records"]), page["MillisBehindLatest"]) == (2, 0)
    assert len(get(kinesis, page["NextShardIterator"])["Records"]) == 1
