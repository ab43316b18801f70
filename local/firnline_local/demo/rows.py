"""The demo's view of the rows, and its audit: the same function as `firnline audit`, as the environment's reader."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from firnline_infra.audit import AuditReport
    from firnline_local.running import RunningEnvironment


METADATA = "KINESISMETADATA"
SAMPLE_COLUMNS = 4
PICTURE_LABEL = 32


def sample_statement(table: str, described: Sequence[Sequence[Any]]) -> str:
    """A query that a newcomer understands: the metadata's shard, and the first columns that are not objects."""
    plain = [
        row[0]
        for row in described
        if row[0] != METADATA and str(row[1]).split("(")[0] not in ("VARIANT", "OBJECT", "ARRAY")
    ]
    nested = [row[0] for row in described if row[0] != METADATA and row[0] not in plain]
    shard, position = f"{METADATA}:shardId::STRING", f"{METADATA}:sequenceNumber::STRING"
    columns = ", ".join([f"{shard} AS SHARD", *plain[:SAMPLE_COLUMNS], *nested[:1]])
    return f"SELECT {columns} FROM {table} ORDER BY {position} DESC LIMIT 5"


def followed_record(environment: "RunningEnvironment", stream: str, table: str) -> Iterator[str]:
    """Takes a row out of the table, and reads its record in the stream by the position that the row names."""
    names, rows = environment.query(f"SELECT * FROM {table} LIMIT 1")
    row = dict(zip(names, rows[0], strict=True))
    place = json.loads(row[METADATA])
    kinesis = environment.client("kinesis")
    iterator = kinesis.get_shard_iterator(
        StreamName=stream,
        ShardId=place["shardId"],
        ShardIteratorType="AT_SEQUENCE_NUMBER",
        StartingSequenceNumber=place["sequenceNumber"],
    )["ShardIterator"]
    record = kinesis.get_records(ShardIterator=iterator, Limit=1)["Records"][0]
    yield f"stream  {stream}, {place['shardId']}, sequence number {place['sequenceNumber']}"
    yield f"record  arrived {place['approximateArrival']}, partition key {place['partitionKey']}"
    yield f"        {record['Data'].decode()[:110]} ..."
    yield f"token   {int(place['sequenceNumber'])}{0:010d}{0:010d} (what Snowflake commits with its row)"
    yield f"row     {json.dumps({name: value for name, value in row.items() if name != METADATA}, default=str)[:110]} ..."


def proof_picture(report: "AuditReport", *, before_the_kill: int, width: int) -> Iterator[str]:
    """The stream's records as a bar, and below it in the same scale where each of them is now."""
    totals = report.pipelines[0].totals
    places = (
        ("rows at the kill", min(before_the_kill, totals.rows), "▒"),
        ("rows since then", max(0, totals.rows - before_the_kill), "█"),
        ("rejected rows", totals.error_rows, "░"),
        ("dead letters", totals.dead_letters, "░"),
        ("not ingested", totals.not_ingested, "░"),
    )
    room = width - PICTURE_LABEL
    ends, before = [0], 0
    for _, count, _ in places:
        before += count
        ends.append(round(room * before / max(1, totals.records)))
    yield f"{'records in the stream':<21} {totals.records:>9,} {'█' * room}"
    for (name, count, mark), start, end in zip(places, ends, ends[1:], strict=False):
        if count:
            yield f"{name:<21} {count:>9,} {' ' * min(start, room - 1)}{mark * max(1, end - start)}"
    wrong = ", ".join(f"{count:,} {kind.text}" for kind, count in report.pipelines[0].found.items())
    yield f"{'lost or doubled':<21} {wrong or 'none':>9}"


def audit_demo(environment: "RunningEnvironment", config_file: Path) -> "AuditReport":
    from firnline_infra.audit import ReaderUser, audit
    from firnline_ingest.config.load import load_config

    login = environment.logins["reader"]
    reader = ReaderUser(user=login.user, role=login.role, key_file=login.private_key_file)
    config = load_config(config_file)
    return audit(config, reader, content=True)
