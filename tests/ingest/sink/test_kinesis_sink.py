"""The sink against the embedded Kinesis: every record acknowledged or a said failure, whatever the service answers."""

import random
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest

from firnline_ingest.config.model import AwsConfig
from firnline_ingest.errors import FirnlineError
from firnline_ingest.sink import KinesisSink, SinkOptions, fixed, kinesis_sink, put_all
from firnline_ingest.sink.client import sink_client
from firnline_ingest.sink.errors import PutForbidden, RecordUnfit, RequestRefused, SinkFailed, SinkStreamMissing
from firnline_ingest.sink.sending import send
from firnline_ingest.sink.waiting import Entry, InAnyOrder, InOrderOfKeys
from firnline_local.clock import ManualClock
from firnline_local.kinesis import FakeKinesis
from tests.fakes.kinesis import refused

from .conftest import Watched, by_key, no_pause, records, stored


def test_every_record_is_in_the_stream_once_as_it_was(kinesis: FakeKinesis) -> None:
    events = [*records(1_234), b"no json \xff"]
    report = put_all(kinesis.client(), "orders", iter(events))
    assert stored(kinesis) == sorted(events)
    assert (report.stream, report.records, report.retried) == ("orders", 1_235, 0)
    assert report.size_bytes == sum(map(len, events))
    assert all(len(shard.records) > 200 for shard in kinesis.stream("orders").shards)


def test_nothing_given_is_nothing_put(kinesis: FakeKinesis) -> None:
    assert put_all(kinesis.client(), "orders", []).records == 0


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("ordered", [False, True])
def test_whatever_is_refused_every_record_ends_in_the_stream_once(
    kinesis: FakeKinesis, seed: int, ordered: bool
) -> None:
    """Refusals of some records, of whole requests, in any mixture; in order of their keys where that was asked for."""
    client, events, keys = Watched(kinesis, seed), records(300), random.Random(seed)
    options = SinkOptions(
        batch_records=keys.choice([1, 7, 40]), in_flight=4, buffered_records=100, ordered=ordered, attempts=50
    )
    given = defaultdict(list)
    with KinesisSink(client, "orders", options, pause=no_pause) as sink:  # type: ignore[arg-type]  # a client that fails
        for event in events:
            key = str(keys.randrange(9))
            given[key].append(event)
            sink.put(event, key)
    assert stored(kinesis) == sorted(events)
    if ordered:
        assert by_key(kinesis) == given


@pytest.mark.parametrize("seed", range(6))
def test_an_answer_that_was_lost_doubles_and_loses_nothing_and_keeps_the_order_of_keys(
    kinesis: FakeKinesis, seed: int
) -> None:
    client, events = Watched(kinesis, seed), records(120)
    client.is_losing = True
    options = SinkOptions(batch_records=10, in_flight=3, ordered=True, attempts=50)
    put_all(client, "orders", events, options, key=lambda number, _: str(number % 5), pause=no_pause)  # type: ignore[arg-type]
    for found in by_key(kinesis).values():
        first = list(dict.fromkeys(found))
        assert first == sorted(first, key=int)
    assert sorted(set(stored(kinesis))) == sorted(events)


@pytest.mark.parametrize("seed", range(6))
def test_a_sink_that_fails_says_how_many_are_in_and_those_are(kinesis: FakeKinesis, seed: int) -> None:
    client = Watched(kinesis, seed)
    options = SinkOptions(batch_records=5, in_flight=3, fail_on_error=True)
    with pytest.raises(SinkFailed) as raised:
        put_all(client, "orders", records(500), options, pause=no_pause)  # type: ignore[arg-type]
    assert raised.value.acknowledged <= len(stored(kinesis)) <= raised.value.acknowledged + raised.value.unknown
    assert raised.value.unacknowledged > 0


def test_records_that_are_in_and_not_counted_yet_may_be_in(
    kinesis: FakeKinesis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another thread's failure is raised between the answer to a request and the count of its records."""
    sink = KinesisSink(kinesis.client(), "orders", SinkOptions(in_flight=1))
    between: list[SinkFailed] = []

    def watched(*given: Any, settled: Callable[[list[Entry]], object], **named: Any) -> None:
        def before(entries: list[Entry]) -> None:
            between.append(sink.failed_by(RuntimeError("another request")))
            settled(entries)

        send(*given, settled=before, **named)

    monkeypatch.setattr(kinesis_sink, "send", watched)
    for record in records(7):
        sink.put(record)
    sink.close()
    assert [(each.acknowledged, each.unacknowledged, each.unknown) for each in between] == [(0, 7, 7)]
    after = sink.failed_by(RuntimeError("after it"))
    assert (after.acknowledged, after.unacknowledged, after.unknown) == (7, 0, 0)


def test_records_that_were_taken_for_a_request_are_not_put_after_a_failure_that_counted_them_as_not_in(
    kinesis: FakeKinesis, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinesis.faults.replace([refused("PutRecords", "AccessDeniedException")])
    client, is_taken, is_raised = Watched(kinesis), threading.Event(), threading.Event()

    def late(put: Any, stream: str, entries: list[Entry], *given: Any, **named: Any) -> None:
        if entries[0].data == b"0":
            assert is_taken.wait(30)  # fails only then
        else:
            is_taken.set()
            assert is_raised.wait(30)
        send(put, stream, entries, *given, **named)

    monkeypatch.setattr(kinesis_sink, "send", late)
    sink = KinesisSink(client, "orders", SinkOptions(batch_records=1, in_flight=2))  # type: ignore[arg-type]  # a client that notes requests
    for record in records(2):
        sink.put(record)
    with pytest.raises(SinkFailed) as raised:
        sink.flush()
    is_raised.set()
    with pytest.raises(SinkFailed):
        sink.close()
    assert (raised.value.unacknowledged, raised.value.unknown) == (2, 0)
    assert [each["Data"] for request in client.requests for each in request] == [b"0"]


def test_in_order_a_request_has_one_record_of_a_key(kinesis: FakeKinesis) -> None:
    client = Watched(kinesis)
    put_all(client, "orders", records(40), SinkOptions(ordered=True), key=lambda number, _: str(number % 3))  # type: ignore[arg-type]
    assert all(len({each["PartitionKey"] for each in request}) == len(request) for request in client.requests)


def test_only_what_was_refused_is_put_again() -> None:
    clock = ManualClock()
    kinesis = FakeKinesis(write_limits=True, clock=clock)
    kinesis.create_stream("orders", shards=2)
    events = records(3_000)  # about 2,000 fit into one second
    report = put_all(kinesis.client(), "orders", events, pause=lambda _: clock.advance(seconds=1))
    assert stored(kinesis) == sorted(events)
    assert report.retried > 0


@pytest.mark.parametrize(("attempts", "longest_s"), [(10, 3), (4, 0.2)])
def test_a_stream_that_takes_nothing_fails_the_sink_after_so_many_attempts_with_longer_pauses(
    attempts: int, longest_s: float
) -> None:
    kinesis = FakeKinesis(write_limits=True, clock=ManualClock())
    kinesis.create_stream("orders")
    pauses: list[float] = []
    options = SinkOptions(in_flight=1, attempts=attempts)
    with pytest.raises(SinkFailed, match=rf"{attempts} attempts, (.|\n)*ProvisionedThroughputExceeded") as raised:
        put_all(kinesis.client(), "orders", records(1_500), options, pause=pauses.append)
    assert (raised.value.acknowledged, raised.value.unacknowledged, raised.value.unknown) == (1_000, 500, 0)
    assert raised.value.what.startswith("1,000 records are in 'orders'; 500 more are not. ")
    assert 0.025 <= pauses[0] <= 0.05
    assert longest_s / 2 <= pauses[-1] <= longest_s


@pytest.mark.parametrize("size", [1_048_500, 5_300_000])
def test_a_record_larger_than_most_goes_alone(kinesis: FakeKinesis, size: int) -> None:
    client = Watched(kinesis)
    client.client = type("Takes", (), {"put_records": lambda _, **asked: {"Records": [{} for _ in asked["Records"]]}})()
    put_all(client, "orders", [b"a", b"x" * 1_048_600, b"b", b"y" * size, b"c"], SinkOptions(in_flight=1))  # type: ignore[arg-type]
    together = [sorted(each["Data"][:1] for each in request) for request in client.requests]
    assert [b"x"] in together
    assert ([b"y"] in together) == (size > 1_048_576)


@pytest.mark.parametrize(
    ("data", "key", "what"),
    [(b"x" * 10_485_760, "k", "10,485,761 bytes"), (b"x", "", "0 characters"), (b"x", "k" * 257, "257 characters")],
)
def test_what_no_stream_takes_is_refused_at_once_and_the_others_go_on(
    kinesis: FakeKinesis, data: bytes, key: str, what: str
) -> None:
    with KinesisSink(kinesis.client(), "orders") as sink:
        sink.put(b"before", "k")
        with pytest.raises(RecordUnfit, match=what):
            sink.put(data, key)
        sink.put(b"after", "k")
    assert stored(kinesis) == [b"after", b"before"]


def failing(kinesis: FakeKinesis, code: str) -> FirnlineError:
    kinesis.faults.replace([refused("PutRecords", code)])
    with pytest.raises(SinkFailed) as raised:
        put_all(kinesis.client(), "orders", [b"x"], pause=no_pause)
    cause = raised.value.__cause__
    assert isinstance(cause, FirnlineError)
    assert cause.what in raised.value.what
    assert raised.value.next_step == cause.next_step
    return cause


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("AccessDeniedException", PutForbidden),
        ("ValidationException", RequestRefused),
        ("InvalidArgumentException", RequestRefused),
    ],
)
def test_what_no_attempt_would_mend_fails_at_once_and_names_the_cause(
    kinesis: FakeKinesis, code: str, error: type[FirnlineError]
) -> None:
    assert isinstance(failing(kinesis, code), error)


@pytest.mark.parametrize(
    ("named", "hint"), [("oders", "did you mean 'orders'?"), ("x", "expected one of: orders, returns.")]
)
def test_a_stream_that_is_not_there_is_told_with_those_that_are(kinesis: FakeKinesis, named: str, hint: str) -> None:
    kinesis.create_stream("returns")
    with pytest.raises(SinkFailed) as caught:
        put_all(kinesis.client(), named, [b"x"])
    assert isinstance(caught.value.__cause__, SinkStreamMissing)
    assert hint in caught.value.what


def test_a_stream_that_is_new_and_not_yet_known_to_each_of_its_servers_is_asked_again() -> None:
    clock = ManualClock()
    kinesis = FakeKinesis(clock=clock, creating_s=1, settling_s=0.5)
    client = kinesis.client()
    client.create_stream(StreamName="orders", ShardCount=1)
    clock.advance(seconds=1)
    assert client.describe_stream_summary(StreamName="orders")["StreamDescriptionSummary"]["StreamStatus"] == "ACTIVE"
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.put_records(StreamName="orders", Records=[{"Data": b"x", "PartitionKey": "k"}])
    report = put_all(client, "orders", [b"x"], pause=lambda _: clock.advance(seconds=0.25))
    assert (report.records, stored(kinesis)) == (1, [b"x"])


def test_a_record_waits_for_company_no_longer_than_it_was_told(kinesis: FakeKinesis) -> None:
    arrived = threading.Semaphore(0)
    client = Watched(kinesis)
    put, client.put_records = client.put_records, lambda **asked: (put(**asked), arrived.release())[0]  # type: ignore[method-assign]
    with KinesisSink(client, "orders", SinkOptions(linger_s=0.01), key=fixed("k")) as sink:  # type: ignore[arg-type]
        for number in range(1, 4):  # also when everything before is in, and the threads have nothing to do
            sink.put(b"alone")
            assert arrived.acquire(timeout=10)
            while sink.report.records < number or not sink._idle:
                time.sleep(0.001)


def test_more_than_the_buffer_takes_waits_for_what_is_under_way(kinesis: FakeKinesis) -> None:
    """And is put without waiting for company: whoever would bring it waits too."""
    client, gate = Watched(kinesis), threading.Event()
    put = client.put_records
    client.put_records = lambda **asked: (gate.wait(30), put(**asked))[1]  # type: ignore[method-assign]
    with KinesisSink(client, "orders", SinkOptions(buffered_records=3, linger_s=3_600), key=fixed("k")) as sink:  # type: ignore[arg-type]
        giving = threading.Thread(target=lambda: [sink.put(each) for each in records(50)])
        giving.start()
        while not (sink._wanted or sink._given == 50):
            time.sleep(0.001)
        assert sink._given == 3, "the fourth waits until one of the three is in"
        gate.set()
        giving.join(30)
        sink.flush()
        assert sink.report.records == 50
    assert max(map(len, client.requests)) <= 3


def test_a_request_holds_as_many_bytes_as_was_asked_for(kinesis: FakeKinesis) -> None:
    client = Watched(kinesis)
    put_all(client, "orders", [b"x" * 99] * 20, SinkOptions(batch_bytes=350, in_flight=1), key=fixed("k"))  # type: ignore[arg-type]
    assert {len(request) for request in client.requests} <= {1, 2, 3}
    assert len(client.requests) >= 7


def test_an_answer_is_waited_for_as_long_as_was_asked_for() -> None:
    aws = AwsConfig(region="us-east-1", endpoints={"kinesis": "http://127.0.0.1:9"})
    made = sink_client(aws, SinkOptions(read_timeout_s=7.5, in_flight=3)).meta.config
    assert (made.read_timeout, made.max_pool_connections) == (7.5, 3)


def test_threads_may_share_a_sink(kinesis: FakeKinesis) -> None:
    with KinesisSink(kinesis.client(), "orders", SinkOptions(batch_records=20)) as sink:
        threads = [
            threading.Thread(target=lambda first=first: [sink.put(b"%d" % (first + n)) for n in range(100)])
            for first in range(0, 400, 100)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert stored(kinesis) == sorted(records(400))


@pytest.mark.parametrize("wrong", [{"batch_records": 501}, {"batch_bytes": 10_485_761}, {"in_flight": 0}])
def test_options_that_the_service_does_not_take_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        SinkOptions(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["or ders", "arn:aws:kinesis:us-east-1:123456789012:stream/orders"])
def test_what_is_no_name_of_a_stream_is_not_taken_for_a_record_that_is_too_large(
    kinesis: FakeKinesis, name: str
) -> None:
    with pytest.raises(SinkFailed, match="There is no stream"):
        put_all(kinesis.client(), name, [b"a"])


@pytest.mark.parametrize("wrong", [{"linger_s": float("nan")}, {"linger_s": -1}, {"read_timeout_s": float("nan")}])
def test_times_that_are_none_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        SinkOptions(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("waiting", [InAnyOrder, InOrderOfKeys])
def test_a_request_goes_as_soon_as_it_has_as_many_bytes_as_was_asked_for(
    waiting: type[InAnyOrder] | type[InOrderOfKeys],
) -> None:
    """And not only when its time is over, or it has as many records as a request takes."""
    found = waiting(SinkOptions(batch_bytes=350))
    seen = []
    for number in range(4):
        found.add(Entry(b"x", f"k{number}", None, size=100))
        seen.append(found.is_full())
    assert seen == [False, False, False, True]
    assert [len(found.take()), found.is_full()] == [3, False]
