import base64
import json

from firnline_infra.audit.error_rows import ErrorRows, read_error_rows
from firnline_infra.audit.outcome import Outcome, Place

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
        metadata_column="KinesisMetadata",
        names_stream=names_stream,
    )


FOUND = Outcome(100, 0, Place.ERROR_TABLE, 1_700_000_000_123)


def test_a_rejected_row_is_found_by_the_metadata_in_front_of_it() -> None:
    assert read((sent(), "json")) == ErrorRows({SHARD: [FOUND]})


def test_a_row_that_snowflake_made_an_object_of_is_found_too() -> None:
    assert read((json.loads(sent()), "json")) == ErrorRows({SHARD: [FOUND]})


def test_a_row_that_is_no_json_behind_its_metadata_is_found() -> None:
    assert read((sent(rest=',"a":'), "json-invalid")) == ErrorRows({SHARD: [FOUND]})


def test_a_row_that_is_no_text_is_found() -> None:
    payload = base64.b64encode(sent(rest=',"a":"').encode() + b'\xff"}').decode()
    assert read((payload, "binary-base64")) == ErrorRows({SHARD: [FOUND]})


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


def test_rows_of_other_streams_are_none_of_this_one() -> None:
    assert read((sent(metadata(stream="other")), "json")) == ErrorRows()


def test_where_rows_name_no_stream_they_are_all_of_the_one() -> None:
    assert len(read((sent(metadata(stream="other")), "json"), names_stream=False).by_shard[SHARD]) == 1


def test_a_row_that_bears_no_position_is_counted() -> None:
    broken = [metadata(None), metadata("twelve"), metadata(shardId=None), "no object"]
    payloads: list[object] = ['{"a":1}', "", None, 7, '{"KINESISMETADATA":', *map(sent, broken)]
    assert read(*((payload, "json") for payload in payloads)) == ErrorRows(without_position=len(payloads))
