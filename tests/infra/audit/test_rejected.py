import base64
import json
from collections import Counter
from pathlib import Path

import pytest

from firnline_infra.audit.content_check import digest_of
from firnline_infra.audit.outcome import AuditOutcome, LetterContent, RecordPlace
from firnline_infra.audit.rejected import ErrorRows, letters_by_shard, read_error_rows
from firnline_infra.audit.rejections import Rejection
from firnline_ingest.config.rows import Metadata, MetadataForm
from firnline_ingest.dead_letters import DeadLetter, LocalFolder
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rejection import RejectedRecord, RejectReason
from firnline_ingest.values import ShardKey

SHARD = "shardId-000000000000"


def metadata(number: object = "100", **changes: object) -> dict[str, object]:
    """Arrived at 1,700,000,000,123 ms."""
    return {
        "stream": "orders",
        "shardId": SHARD,
        "approximateArrival": "2023-11-14T22:13:20.123Z",
        "sequenceNumber": number,
        "subSequenceNumber": 0,
        **changes,
    }


def sent(of: object | None = None, rest: str = ',"a":1}') -> str:
    return '{"KINESISMETADATA":' + json.dumps(metadata() if of is None else of) + rest


def read(*rows: tuple[object, str], names_stream: bool = True) -> ErrorRows:
    """`rows`: payload and content type."""
    return read_error_rows(
        (
            (json.dumps({"$1": payload}), json.dumps({"details": {"error_data_content_type": content_type}}))
            for payload, content_type in rows
        ),
        stream="orders",
        metadata=Metadata(column="KinesisMetadata", stream=names_stream),
    )


FOUND = AuditOutcome(100, 0, RecordPlace.ERROR_TABLE, 1_700_000_000_123, Rejection())


def one(*found: AuditOutcome) -> ErrorRows:
    return ErrorRows({SHARD: list(found)}, by_channel=Counter({"": len(found)}))


@pytest.mark.parametrize(
    ("payload", "content_type"),
    [
        pytest.param(sent(), "json", id="behind its metadata"),
        pytest.param(json.loads(sent()), "json", id="of which Snowflake made an object"),
        pytest.param(sent(rest=',"a":'), "json-invalid", id="that is not JSON behind its metadata"),
        pytest.param(
            base64.b64encode(sent(rest=',"a":"').encode() + b'\xff"}').decode(), "binary-base64", id="that is not text"
        ),
    ],
)
def test_a_rejected_row_is_found(payload: object, content_type: str) -> None:
    assert read((payload, content_type)) == one(FOUND)


def test_rows_come_by_shard_and_in_the_order_of_numbers() -> None:
    found = read(
        (sent(metadata("1000")), "json"),
        (sent(metadata("999", subSequenceNumber=2)), "json"),
        (sent(metadata("999")), "json"),
        (sent(metadata("5", shardId="shardId-1")), "json"),
    )
    assert {shard: [each[:2] for each in rows] for shard, rows in found.by_shard.items()} == {
        SHARD: [(999, 0), (999, 2), (1000, 0)],
        "shardId-1": [(5, 0)],
    }


@pytest.mark.parametrize(("names_stream", "rows"), [(True, 0), (False, 1)])
def test_rows_of_other_streams_are_none_of_this_one_unless_rows_name_no_stream(names_stream: bool, rows: int) -> None:
    found = read((sent(metadata(stream="other")), "json"), names_stream=names_stream)
    assert len(found.by_shard.get(SHARD, ())) == sum(map(len, found.by_shard.values())) == rows


def test_a_row_that_bears_no_position_is_counted() -> None:
    broken = [metadata(None), metadata("twelve"), metadata(shardId=None), "no object"]
    payloads: list[object] = ['{"a":1}', "", None, 7, '{"KINESISMETADATA":', *map(sent, broken)]
    assert read(*((payload, "json") for payload in payloads)) == ErrorRows(
        without_position=Counter({"": len(payloads)}), by_channel=Counter({"": len(payloads)})
    )


OTHER = "shardId-000000000001"


def letter(number: int, shard_id: str = SHARD, *, stream: str = "orders", created_ms: int = 7) -> DeadLetter:
    record = Record(str(number), b"nonsense", "key", 1_700_000_000.123)
    rejected = RejectedRecord(0, RejectReason.NOT_JSON, "because")
    return DeadLetter.of(rejected, record, ShardKey(stream, created_ms, shard_id))


def test_letters_of_the_stream_as_it_is_now_come_by_shard_and_in_order(tmp_path: Path) -> None:
    store = LocalFolder(tmp_path)
    store.put([letter(1000), letter(999), letter(5, OTHER), letter(1, stream="other"), letter(1, created_ms=6)])
    found = letters_by_shard(store, "orders", 7)
    assert {shard_id: [each.sequence_number for each in letters] for shard_id, letters in found.items()} == {
        SHARD: [999, 1000],
        OTHER: [5],
    }


def test_a_letter_says_when_its_record_arrived_and_what_it_was(tmp_path: Path) -> None:
    store = LocalFolder(tmp_path)
    store.put([letter(1)])
    content = LetterContent(digest_of(b"nonsense"), "not-json")
    assert letters_by_shard(store, "orders", 7) == {
        SHARD: [AuditOutcome(1, 0, RecordPlace.DEAD_LETTERS, 1_700_000_000_123, content)]
    }


def test_a_folder_that_is_not_there_has_no_letters(tmp_path: Path) -> None:
    assert letters_by_shard(LocalFolder(tmp_path / "none"), "orders", 7) == {}


IN_COLUMNS = {
    "KINESIS_STREAM": "orders",
    "KINESIS_SHARD_ID": SHARD,
    "KINESIS_APPROXIMATE_ARRIVAL": "2023-11-14T22:13:20.123Z",
    "KINESIS_SEQUENCE_NUMBER": "100",
    "KINESIS_SUB_SEQUENCE_NUMBER": 0,
}


def in_columns(payload: object) -> ErrorRows:
    metadata = Metadata(form=MetadataForm.COLUMNS)
    return read_error_rows([(json.dumps({"$1": payload}), "{}")], stream="orders", metadata=metadata)


def test_a_rejected_row_is_found_by_its_columns() -> None:
    whole = json.dumps({**IN_COLUMNS, "a": 1}, separators=(",", ":"))
    assert in_columns({**IN_COLUMNS, "a": 1}) == in_columns(whole) == one(FOUND)
    assert in_columns(whole[:-2] + "no json") == one(FOUND)
    assert in_columns({**IN_COLUMNS, "KINESIS_STREAM": "other"}).by_shard == {}
    for unexpected in ({"a": 1}, "{", "", "[1]", "{1:2}", {**IN_COLUMNS, "KINESIS_SEQUENCE_NUMBER": "x"}):
        assert in_columns(unexpected) == ErrorRows(without_position=Counter({"": 1}), by_channel=Counter({"": 1}))
