"""Tests of how putting ends before its records do: an error, Ctrl-C, a line that no stream takes. What is in is said."""

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, ReadTimeoutError

from firnline_ingest.errors import FirnlineError
from firnline_ingest.sink import KinesisSink, SinkOptions, fixed, put_all
from firnline_ingest.sink.errors import SinkFailed
from firnline_local.kinesis import FakeKinesis

from .conftest import Watched, records, stored


def test_after_an_error_of_its_user_nothing_more_is_put_and_the_threads_end(kinesis: FakeKinesis) -> None:
    def give() -> Iterator[bytes]:
        yield b"x"
        raise LookupError

    with pytest.raises(LookupError):
        put_all(kinesis.client(), "orders", give(), SinkOptions(linger_s=3_600))
    assert stored(kinesis) == []
    assert not any(thread.name == "put" for thread in threading.enumerate())


def test_a_thread_that_waits_for_its_records_hears_that_another_one_has_closed_the_sink(kinesis: FakeKinesis) -> None:
    begun, goes_on = threading.Event(), threading.Event()
    client, said = Watched(kinesis), list[str]()
    put = client.put_records
    client.put_records = lambda **asked: (begun.set(), goes_on.wait(30), put(**asked))[-1]  # type: ignore[method-assign]
    sink = KinesisSink(client, "orders", SinkOptions(batch_records=1, in_flight=1))  # type: ignore[arg-type]

    def flush() -> None:
        try:
            sink.flush()
        except RuntimeError as error:
            said.append(str(error))

    for event in records(3):
        sink.put(event)
    assert begun.wait(30)
    waiting = threading.Thread(target=flush, daemon=True)
    waiting.start()
    ending = threading.Thread(target=sink.__exit__, args=(LookupError, None, None))
    ending.start()
    while not sink._is_closed:
        time.sleep(0.001)
    goes_on.set()
    ending.join()
    waiting.join(60)
    assert (said, len(stored(kinesis))) == (["the sink is closed"], 1)


class Unread(FirnlineError):
    id = "FL-0000"


@pytest.mark.parametrize("end", [KeyboardInterrupt(), Unread("The file broke off.", next_step="get it again.")])
def test_whatever_ends_the_lines_it_is_told_how_many_are_in(kinesis: FakeKinesis, end: BaseException) -> None:
    def lines() -> Iterator[bytes]:
        yield from (b"a", b"b")
        raise end

    with pytest.raises(SinkFailed) as failed:
        put_all(kinesis.client(), "orders", lines(), SinkOptions(batch_records=1))
    assert (failed.value.acknowledged, failed.value.unacknowledged) == (len(stored(kinesis)), 2 - len(stored(kinesis)))
    assert failed.value.what.endswith("." if isinstance(end, Unread) else "are not counted.")


def test_ctrl_c_while_the_stream_refuses_ends_within_a_moment_and_says_what_is_in(kinesis: FakeKinesis) -> None:
    """Neither the attempts that are left nor the pauses between them are waited for."""
    client, is_refused = Watched(kinesis), threading.Event()
    put = client.put_records

    def refuse(**asked: Any) -> Any:
        if asked["Records"][0]["Data"] == b"in":
            return put(**asked)
        is_refused.set()
        return {"Records": [{"ErrorCode": "ProvisionedThroughputExceededException"}] * len(asked["Records"])}

    def lines() -> Iterator[bytes]:
        yield from (b"in", b"refused")
        assert is_refused.wait(30)
        while len(stored(kinesis)) < 1:
            time.sleep(0.001)
        raise KeyboardInterrupt

    client.put_records = refuse  # type: ignore[method-assign]
    began_s = time.monotonic()
    with pytest.raises(SinkFailed, match="interrupted") as failed:
        put_all(client, "orders", lines(), SinkOptions(batch_records=1, attempts=1_000))  # type: ignore[arg-type]
    assert time.monotonic() - began_s < 20
    assert (failed.value.acknowledged, failed.value.unacknowledged, failed.value.unknown) == (1, 1, 0)
    assert "1 records are in 'orders'; 1 more are not. It was" in failed.value.what
    assert not any(thread.name == "put" for thread in threading.enumerate())


def test_ctrl_c_waits_a_moment_and_no_longer_for_an_answer_that_does_not_come(
    kinesis: FakeKinesis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firnline_ingest.sink.kinesis_sink.ANSWERS_AFTER_ABORT_S", 0.05)
    client, is_asked, answers = Watched(kinesis), threading.Event(), threading.Event()
    client.put_records = lambda **_: (is_asked.set(), answers.wait(60), {"Records": [{}]})[-1]  # type: ignore[method-assign]

    def lines() -> Iterator[bytes]:
        yield b"x"
        assert is_asked.wait(30)
        raise KeyboardInterrupt

    with pytest.raises(SinkFailed) as failed:
        put_all(client, "orders", lines(), SinkOptions(batch_records=1))  # type: ignore[arg-type]
    answers.set()
    assert (failed.value.acknowledged, failed.value.unacknowledged, failed.value.unknown) == (0, 1, 1)
    assert "of 1 more it is not known. It was" in failed.value.what


def test_a_failure_of_one_request_ends_the_attempts_of_the_others(kinesis: FakeKinesis) -> None:
    client, is_refused = Watched(kinesis), threading.Event()

    def put(**asked: Any) -> Any:
        if asked["Records"][0]["Data"] == b"forbidden":
            assert is_refused.wait(30)
            raise ClientError({"Error": {"Code": "AccessDeniedException", "Message": "no"}}, "PutRecords")
        is_refused.set()
        return {"Records": [{"ErrorCode": "ProvisionedThroughputExceededException"}]}

    client.put_records = put  # type: ignore[method-assign]
    began_s = time.monotonic()
    with pytest.raises(SinkFailed, match="denied"):
        put_all(client, "orders", [b"refused", b"forbidden"], SinkOptions(batch_records=1, attempts=1_000))  # type: ignore[arg-type]
    assert time.monotonic() - began_s < 20


def answered(code: str, status: int | None) -> ClientError:
    """An error as botocore makes it of an answer; of one that something else made, it has no status."""
    metadata = {} if status is None else {"ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError({"Error": {"Code": code, "Message": "no"}, **metadata}, "PutRecords")  # type: ignore[typeddict-item]


@pytest.mark.parametrize(
    ("error", "unknown"),
    [
        (answered("AccessDeniedException", 400), 0),
        (answered("ValidationException", 400), 0),
        (EndpointConnectionError(endpoint_url="http://127.0.0.1:1"), 0),
        (ReadTimeoutError(endpoint_url="http://127.0.0.1:1"), 1),
        (answered("InternalFailure", 500), 1),
        (answered("AccessDeniedException", None), 1),
    ],
    ids=["denied", "invalid", "unreachable", "timeout", "internal", "no status"],
)
def test_records_of_a_request_that_was_refused_whole_are_not_in_and_of_others_nothing_is_known(
    kinesis: FakeKinesis, error: Exception, unknown: int
) -> None:
    """Records behind it, which were never put, are not in either."""
    client = Watched(kinesis)

    def put(**_: Any) -> Any:
        raise error

    client.put_records = put  # type: ignore[method-assign]
    options = SinkOptions(batch_records=1, in_flight=1, attempts=2)
    with pytest.raises(SinkFailed) as failed:
        put_all(client, "orders", [b"a", b"b", b"c"], options, pause=lambda _: None)  # type: ignore[arg-type]
    assert failed.value.unknown == unknown
    outside = failed.value.unacknowledged - unknown  # how many were given by then is the machine's
    assert not outside or f"{outside} more are not" in failed.value.what


def test_a_record_that_is_refused_after_an_answer_was_lost_is_not_known(kinesis: FakeKinesis) -> None:
    client = Watched(kinesis)
    answers = iter([ReadTimeoutError(endpoint_url="http://127.0.0.1:1"), None])

    def put(**_: Any) -> Any:
        if error := next(answers):
            raise error
        return {"Records": [{"ErrorCode": "ProvisionedThroughputExceededException"}]}

    client.put_records = put  # type: ignore[method-assign]
    with pytest.raises(SinkFailed) as failed:
        put_all(client, "orders", [b"a"], SinkOptions(attempts=2), pause=lambda _: None)  # type: ignore[arg-type]
    assert (failed.value.unacknowledged, failed.value.unknown) == (1, 1)


def test_lines_that_no_stream_takes_hurt_no_other_line_and_are_named_at_the_end(kinesis: FakeKinesis) -> None:
    long = b"x" * 10_485_760
    with pytest.raises(
        SinkFailed, match=r"FL-2406\W+2 records are in 'orders'. Record 2 for 'orders' has 10,485,761 bytes"
    ) as failed:
        put_all(kinesis.client(), "orders", [b"before", long, long, b"after"], key=fixed("k"))
    assert stored(kinesis) == [b"after", b"before"]
    assert "Others that were not put: 1." in failed.value.what


def test_a_line_that_no_stream_takes_ends_a_sink_that_fails_on_an_error(kinesis: FakeKinesis) -> None:
    with pytest.raises(SinkFailed, match="10,485,761 bytes"):
        put_all(
            kinesis.client(), "orders", [b"x" * 10_485_760, b"after"], SinkOptions(fail_on_error=True), key=fixed("k")
        )
    assert stored(kinesis) == []
