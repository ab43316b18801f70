import json
from datetime import UTC, datetime
from typing import Any

from bench import obvious
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rows import RowMaker

ARRIVED_S = 1_750_000_000.25
DATA = '{"id":1,"name":"Zoë"}'.encode()


def comparable(row: dict[str, Any]) -> dict[str, Any]:
    """A time is the same in whichever zone it is written."""
    arrival = datetime.fromisoformat(row["KINESISMETADATA"]["approximateArrival"])
    return row | {"KINESISMETADATA": row["KINESISMETADATA"] | {"approximateArrival": arrival.astimezone(UTC)}}


def test_both_sides_of_the_comparison_make_the_same_row() -> None:
    place = {"stream": "orders", "shard_id": "shardId-000000000000"}
    record = Record(SequenceNumber="49590", Data=DATA, PartitionKey="a", ApproximateArrivalTimestamp=ARRIVED_S)
    pipeline = PipelineConfig.model_validate({"stream": "orders", "database": "DB", "schema": "RAW"})
    ours = RowMaker(pipeline, *place.values()).convert([record]).rows
    theirs = obvious.rows_of(
        [
            {
                "SequenceNumber": "49590",
                "Data": DATA,
                "PartitionKey": "a",
                "ApproximateArrivalTimestamp": datetime.fromtimestamp(ARRIVED_S, UTC),
            }
        ],
        **place,
    )
    assert [comparable(json.loads(bytes(row))) for row in ours] == [comparable(row) for row in theirs]
