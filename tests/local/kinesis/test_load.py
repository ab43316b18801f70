import pytest

from firnline_local.kinesis import FakeKinesis, FakeKinesisError


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
