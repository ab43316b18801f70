import json
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firnline_ingest.dead_letters import DeadLetter, DeadLetterKey, FailedAt
from firnline_ingest.dead_letters.conversion import DeadLetterConverter
from firnline_ingest.dead_letters.errors import UnknownDeadLetter
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.user_record import UserRecord
from firnline_ingest.records.rejection import RejectedRecord, RejectReason
from firnline_ingest.records.rows import RowMaker
from firnline_ingest.values import Position, ShardKey
from tests.fakes.configs import pipeline

SHARD = ShardKey("orders", 1_700_000_000_000, "shardId-000000000000")
KEYS = st.builds(
    DeadLetterKey,
    st.from_regex(r"[a-zA-Z0-9_.-]{1,128}", fullmatch=True),
    st.integers(min_value=0, max_value=10**14),
    st.from_regex(r"[a-zA-Z0-9_.-]{1,128}", fullmatch=True),
    st.builds(Position, st.integers(0, 10**129 - 1), st.integers(0, 10**10 - 1), st.integers(0, 10**10 - 1)),
    st.sampled_from(FailedAt),
)


def test_a_letter_holds_the_record_its_place_and_why() -> None:
    record = Record(SequenceNumber="4959", Data=b"\xff", PartitionKey="p", ApproximateArrivalTimestamp=1763725995.1234)
    letter = DeadLetter.of(
        RejectedRecord(3, RejectReason.INVALID_UTF8, "it is not UTF-8 from byte 0 on."), record, SHARD
    )
    assert letter == DeadLetter(
        stream="orders",
        stream_created_ms=1_700_000_000_000,
        shard_id="shardId-000000000000",
        sequence_number="4959",
        stage=FailedAt.PARSE,
        reason="invalid-utf-8",
        detail="it is not UTF-8 from byte 0 on.",
        partition_key="p",
        approximate_arrival=datetime(2025, 11, 21, 11, 53, 15, 123_000, tzinfo=UTC),
        data=b"\xff",
    )
    assert str(letter.key) == "orders@1700000000000/shardId-000000000000/495900000000000000000000.parse"


def test_a_record_without_an_arrival_time_can_be_kept() -> None:
    letter = DeadLetter.of(RejectedRecord(0, RejectReason.EMPTY, "it has no content."), Record("1"), SHARD)
    assert letter.approximate_arrival is None


@given(KEYS)
def test_a_key_survives_as_text(key: DeadLetterKey) -> None:
    assert DeadLetterKey.parse(str(key)) == key


@given(KEYS, KEYS)
def test_keys_order_by_stream_shard_and_place(one: DeadLetterKey, other: DeadLetterKey) -> None:
    def place(key: DeadLetterKey) -> tuple[str, int, str, int, str]:
        return (key.stream, key.stream_created_ms, key.shard_id, int(key.position.token), key.stage)

    assert (one < other) == (place(one) < place(other))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "orders",
        "orders@1/shardId-0/12.parse",
        "orders@1/shardId-0/" + "1" * 30 + ".dream",
        "orders/shardId-0/" + "1" * 30 + ".parse",
        "../orders@1/shardId-0/" + "1" * 30 + ".parse",
        "orders@1/a/b/" + "1" * 30 + ".parse",
    ],
)
def test_text_that_is_no_key_is_an_unknown_letter(text: str) -> None:
    with pytest.raises(UnknownDeadLetter, match="no dead letter"):
        DeadLetterKey.parse(text)


def test_the_same_record_makes_the_same_letter_at_every_reading() -> None:
    record = Record("4959", b"no", "p", 1763725995.123)
    first = DeadLetter.of(RejectedRecord(0, RejectReason.NOT_JSON, "x"), record, SHARD)
    again = DeadLetter.of(RejectedRecord(7, RejectReason.NOT_JSON, "x"), record, SHARD)
    assert first == again


@pytest.mark.parametrize("hash_key", ["12345", None])
def test_a_user_records_explicit_hash_key_comes_back_with_its_row(hash_key: str | None) -> None:
    record = UserRecord("4959", b"{", "p", 1763725995.5, SubSequenceNumber=2, ExplicitHashKey=hash_key)
    letter = DeadLetter.of(RejectedRecord(0, RejectReason.NOT_JSON, "x"), record, SHARD)
    assert ("explicitHashKey" in json.loads(msgspec.json.encode(letter))) is (hash_key is not None)
    asked = pipeline(stream="orders", metadata={"explicit_hash_key": True})
    good = UserRecord("4959", b"{}", "p", 1763725995.5, SubSequenceNumber=2, ExplicitHashKey=hash_key)
    kept = msgspec.json.decode(msgspec.json.encode(letter), type=DeadLetter)
    (row,) = DeadLetterConverter(asked, SHARD.shard_id).make(kept, b"{}").rows
    (engines,) = RowMaker(asked, SHARD.stream, SHARD.shard_id).convert([good]).rows
    assert bytes(row) == bytes(engines)


def test_the_names_in_its_json_are_documented() -> None:
    """docs/records.md promises them to whoever reads the files without us."""
    letter = DeadLetter.of(
        RejectedRecord(0, RejectReason.NOT_JSON, "x"), Record("4959", b"\x00no", "p", 1763725995.5), SHARD
    )
    assert json.loads(msgspec.json.encode(letter)) == {
        "version": 1,
        "stream": "orders",
        "streamCreatedMs": 1_700_000_000_000,
        "shardId": "shardId-000000000000",
        "sequenceNumber": "4959",
        "subSequenceNumber": 0,
        "row": 0,
        "stage": "parse",
        "reason": "not-json",
        "detail": "x",
        "partitionKey": "p",
        "approximateArrival": "2025-11-21T11:53:15.500000Z",
        "data": "AG5v",
    }
