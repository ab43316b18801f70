"""The loop that one would write first: boto3 as it comes, json.loads, a dict for each row. What the engine is compared with.

It keeps no ledger, proves nothing and survives nothing: less work, not the same work. As a process it ends with its parent.
"""

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from firnline_ingest.snowflake.packages import make_importable
from firnline_local.exit_with_parent import exit_when_stdin_ends

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient
    from snowflake.ingest.streaming import StreamingIngestClient

SHARD_BYTES_PER_S, READS_PER_S = 2_000_000, 4.5
PAGE_RECORDS = 400  # 1.8 MB/s a shard; the SDK would send larger appends as files, which it does not for the engine


def rows_of(records: Sequence[dict[str, Any]], *, stream: str, shard_id: str) -> list[dict[str, Any]]:
    """The same rows that the engine makes, with the same metadata."""
    return [_row(record, stream, shard_id) for record in records]


def _row(record: dict[str, Any], stream: str, shard_id: str) -> dict[str, Any]:
    metadata = {
        "stream": stream,
        "shardId": shard_id,
        "approximateArrival": record["ApproximateArrivalTimestamp"].isoformat(timespec="milliseconds"),
        "partitionKey": record["PartitionKey"],
        "sequenceNumber": record["SequenceNumber"],
        "subSequenceNumber": 0,
        "shardedSequenceNumber": record["SequenceNumber"] + "0" * 20,
    }
    return {"KINESISMETADATA": metadata, **json.loads(record["Data"])}


class ObviousShard:
    """One shard and its channel."""

    def __init__(
        self, kinesis: "KinesisClient", snowflake: "StreamingIngestClient", stream: str, shard_id: str
    ) -> None:
        self._kinesis = kinesis
        self._stream, self._shard_id = stream, shard_id
        iterator = kinesis.get_shard_iterator(StreamName=stream, ShardId=shard_id, ShardIteratorType="TRIM_HORIZON")
        self._iterator = iterator["ShardIterator"]
        self._channel, _ = snowflake.open_channel(shard_id)
        self.ready_at_s = 0.0

    def take(self) -> None:
        """One page; the next one when the shard can give it."""
        page: Any = self._kinesis.get_records(ShardIterator=self._iterator, Limit=PAGE_RECORDS)
        self._iterator = page["NextShardIterator"]
        size = sum(len(record["Data"]) for record in page["Records"])
        self.ready_at_s = time.monotonic() + max(1 / READS_PER_S, size / SHARD_BYTES_PER_S)
        rows = rows_of(page["Records"], stream=self._stream, shard_id=self._shard_id)
        first, last = (row["KINESISMETADATA"]["sequenceNumber"] for row in (rows[0], rows[-1]))
        self._channel.append_rows(rows, start_offset_token=first, end_offset_token=last)


@click.command()
@click.option("--kinesis", required=True)
@click.option("--snowflake", required=True)
@click.option("--ca-file", required=True)
@click.option("--key-file", type=click.Path(exists=True, path_type=Path), required=True)
@click.option("--stream", required=True)
def main(*, kinesis: str, snowflake: str, ca_file: str, key_file: Path, stream: str) -> None:
    """Move records until stdin ends."""
    exit_when_stdin_ends()
    os.environ.update(SSL_CERT_FILE=ca_file, SS_LOG_LEVEL="error")  # before the SDK is imported
    import boto3

    make_importable()
    from snowflake.ingest.streaming import StreamingIngestClient

    source = boto3.client("kinesis", region_name="us-east-1", endpoint_url=kinesis, verify=ca_file)
    names = {"account": "BENCH", "user": "BENCH", "role": "BENCH", "url": snowflake}
    properties = {**names, "private_key": key_file.read_text()}
    target = StreamingIngestClient("obvious", "DB", "RAW", "ORDERS-STREAMING", properties=properties)
    listed = source.list_shards(StreamName=stream)["Shards"]
    shards = [ObviousShard(source, target, stream, shard["ShardId"]) for shard in listed]
    while True:
        shard = min(shards, key=lambda one: one.ready_at_s)
        time.sleep(max(0.0, shard.ready_at_s - time.monotonic()))
        shard.take()


if __name__ == "__main__":
    main()
