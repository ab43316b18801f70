import pytest

from firnline_ingest.values import Position
from firnline_local.kinesis import FakeKinesis, FakeKinesisError


def test_samples_are_small_json_objects_in_order(kinesis: FakeKinesis) -> None:
    shard = kinesis.create_stream("orders", shards=2).shard(1, records=3)
    assert [record.data for record in shard.records] == [b'{"n":0}', b'{"n":1}', b'{"n":2}']
    assert {record.shard_id for record in shard.records} == {shard.id}


def test_bytes_text_and_mappings_can_be_put(kinesis: FakeKinesis) -> None:
    shard = kinesis.create_stream("orders").shard()
    for data in (b"\x00", "Zoë", {"name": "Zoë"}):
        shard.put(data)
    assert [record.data for record in shard.records] == [b"\x00", "Zoë".encode(), '{"name":"Zoë"}'.encode()]


def test_the_last_position_is_that_of_the_newest_record(kinesis: FakeKinesis) -> None:
    shard = kinesis.create_stream("orders").shard()
    before = shard.last_position
    put = shard.put("x")
    assert shard.last_position == Position(put.sequence_number)
    assert before < shard.last_position


def test_a_closed_shard_takes_nothing_more(kinesis: FakeKinesis) -> None:
    shard = kinesis.create_stream("orders").shard()
    shard.split()
    with pytest.raises(ValueError, match="children"):
        shard.put("x")


def test_handles_of_one_shard_are_equal_however_they_were_got(kinesis: FakeKinesis) -> None:
    orders = kinesis.create_stream("orders")
    assert orders.shard() == orders.shard("shardId-000000000000") == kinesis.stream("orders").shards[0]


def test_a_handle_says_so_when_its_shard_or_stream_is_not_there(kinesis: FakeKinesis) -> None:
    orders = kinesis.create_stream("orders")
    with pytest.raises(FakeKinesisError, match="shardId-000000000001"):
        orders.shard(1)
    orders.delete()
    for gone in (lambda: orders.shards, lambda: orders.put("x"), lambda: kinesis.stream("orders")):
        with pytest.raises(FakeKinesisError, match="orders"):
            gone()


def test_streams_are_found_by_name(kinesis: FakeKinesis) -> None:
    kinesis.create_stream("b")
    kinesis.create_stream("a")
    assert [stream.name for stream in kinesis.streams] == ["a", "b"]


def test_every_line_becomes_a_record_under_the_key_of_its_field(kinesis: FakeKinesis) -> None:
    orders = kinesis.create_stream("orders", shards=4)
    lines = [b'{"id":%d,"customer":{"id":"not this"}}' % number for number in range(20)]
    assert orders.load(b"\n".join(lines) + b"\n\n", key="id") == 20
    assert {record.partition_key: record.data for record in orders.records} == {
        str(number): line for number, line in enumerate(lines)
    }


def test_loaded_records_are_in_the_shards_that_their_keys_lead_to(kinesis: FakeKinesis) -> None:
    orders = kinesis.create_stream("orders", shards=4)
    orders.load(b'{"id":"a"}\n{"id":"b"}', key="id")
    assert {r.partition_key: r.shard_id for r in orders.records} == {
        key: orders.put(b"", key=key).shard_id for key in ("a", "b")
    }


def test_without_a_key_lines_are_spread_by_their_hash_and_need_not_be_json(kinesis: FakeKinesis) -> None:
    orders = kinesis.create_stream("orders", shards=4)
    orders.load(b"\n".join(b"line %d" % number for number in range(200)))
    assert all(len(shard.records) > 20 for shard in orders.shards)


def test_a_line_without_its_key_is_named_and_nothing_is_put(kinesis: FakeKinesis) -> None:
    orders = kinesis.create_stream("orders")
    with pytest.raises(ValueError, match=r"line 2 .*'id'"):
        orders.load(b'{"id":1}\n{"other":2}', key="id")
    assert orders.records == []


def test_loading_needs_the_stream(kinesis: FakeKinesis) -> None:
    orders = kinesis.create_stream("orders")
    orders.delete()
    with pytest.raises(FakeKinesisError, match="ResourceNotFoundException"):
        orders.load(b"x")
