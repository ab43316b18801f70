import json

import pytest

from firnline_local import producer
from firnline_local.clock import ManualClock
from firnline_local.errors import NoSuchStream, PutRefused
from firnline_local.faults import Fault, FaultKind
from firnline_local.kinesis import FakeKinesis
from firnline_local.producer import by_field, put_records


@pytest.fixture
def kinesis() -> FakeKinesis:
    kinesis = FakeKinesis()
    kinesis.create_stream("orders", shards=4)
    return kinesis


def stored(kinesis: FakeKinesis) -> list[bytes]:
    return sorted(record.data for shard in kinesis.stream("orders").shards for record in shard.records)


def test_every_event_is_in_the_stream_once_as_it_was(kinesis: FakeKinesis) -> None:
    events = [f'{{"id": {number}}}'.encode() for number in range(1_234)] + [b"no json \xff"]
    report = put_records(kinesis.client(), "orders", iter(events))
    assert stored(kinesis) == sorted(events)
    assert (report.stream, report.records, report.retried) == ("orders", 1_235, 0)
    assert report.size_bytes == sum(map(len, events))


def test_events_are_spread_over_the_shards(kinesis: FakeKinesis) -> None:
    put_records(kinesis.client(), "orders", (b"x" for _ in range(400)))
    assert all(len(shard.records) > 50 for shard in kinesis.stream("orders").shards)


def test_a_request_stays_within_the_limits_of_the_service(
    kinesis: FakeKinesis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(producer, "MAX_BYTES", 1_000)
    client, sizes = kinesis.client(), []
    put = client.put_records
    monkeypatch.setattr(client, "put_records", lambda **request: sizes.append(request["Records"]) or put(**request))
    put_records(client, "orders", [b"x" * 400, b"y" * 400, b"z" * 400, b"w" * 2_000, b"v"])
    assert sorted([record["Data"][:1] for record in request] for request in sizes) == [
        [b"v"],
        [b"w"],
        [b"x", b"y"],
        [b"z"],
    ]


def test_refused_records_are_put_again_and_only_those() -> None:
    clock = ManualClock()
    kinesis = FakeKinesis(write_limits=True, clock=clock)
    kinesis.create_stream("orders", shards=2)
    events = [str(number).encode() for number in range(3_000)]  # about 2,000 fit into one second
    report = put_records(kinesis.client(), "orders", events, pause=lambda _: clock.advance(seconds=1))
    assert stored(kinesis) == sorted(events)
    assert report.retried > 0


def test_records_that_are_refused_again_and_again_fail_the_run() -> None:
    kinesis = FakeKinesis(write_limits=True, clock=ManualClock())
    kinesis.create_stream("orders")
    pauses: list[float] = []
    with pytest.raises(PutRefused, match=r"10 attempts, (.|\n)*ProvisionedThroughputExceededException"):
        put_records(kinesis.client(), "orders", [b"x"] * 1_500, pause=pauses.append)
    assert pauses[:3] == [0.05, 0.1, 0.2]


def test_a_request_that_fails_for_good_names_the_stream_and_the_cause(kinesis: FakeKinesis) -> None:
    kinesis.faults.replace(
        [Fault(endpoint="kinesis:PutRecords", kind=FaultKind.ERROR, status=400, code="AccessDeniedException")]
    )
    with pytest.raises(PutRefused, match=r"Stream orders .*(.|\n)*AccessDeniedException"):
        put_records(kinesis.client(), "orders", [b"x"])


@pytest.mark.parametrize(
    ("named", "hint"), [("oders", "did you mean 'orders'?"), ("x", "expected one of: orders, returns.")]
)
def test_a_stream_that_is_not_there_is_told_with_those_that_are(kinesis: FakeKinesis, named: str, hint: str) -> None:
    kinesis.create_stream("returns")
    with pytest.raises(NoSuchStream) as caught:
        put_records(kinesis.client(), named, [b"x"])
    assert hint in caught.value.what


def test_the_key_is_the_text_of_a_field() -> None:
    key = by_field("customer")
    assert key(0, b'{"customer": "ada"}') == "ada"
    assert key(0, b'{"customer": 7}') == "7"
    assert key(0, json.dumps({"customer": "a" * 300}).encode()) == "a" * 256


@pytest.mark.parametrize(
    "event", [b"no json", b"{}", b"[1]", b'"text"', b"7", b'{"customer": ""}', b"\xff", b"[" * 9_999]
)
def test_an_event_without_the_field_is_spread_by_its_number(event: bytes) -> None:
    assert by_field("customer")(42, event) == "42"
