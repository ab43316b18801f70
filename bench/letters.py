"""Part 5: how fast one shard keeps records that can't be rows, from the record to the store's answer.

Pages of nothing but bad records, as a producer that turned bad leaves them. The row maker and the shard's own handling are the
engine's; S3 is moto in a process of its own, and the folder is a temporary one of this machine.
"""

import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from bench.figure import Figure, at_least
from bench.payload import payloads
from firnline_local.process import ChildProcess

if TYPE_CHECKING:
    from firnline_ingest.dead_letters import DeadLetterStore
    from firnline_ingest.kinesis.page import Record

PART = "letters"
RECORDS = 1_000  # of a page
FOLDER_PAGES = 1  # a file a letter takes its time
STREAM, BUCKET = "orders", "bench-letters"
START_TIMEOUT_S = 60.0
TARGET_PER_S = 5_000.0


def measure(*, runs: int, pages: int) -> list[Figure]:
    """Letters a second of one shard, one after the other as a shard does it."""
    with tempfile.TemporaryDirectory(prefix="firnline-bench-") as folder:
        aws = ChildProcess.start("firnline_local.aws", name="aws", log_file=Path(folder, "aws.log"))
        try:
            endpoint = aws.wait_until_ready(timeout_s=START_TIMEOUT_S)["endpoint"]
            in_s3, in_folder = _in_s3(endpoint), _in_folder(Path(folder, "letters"))
            sent = _pages()
            rates = [(_rate(in_s3, sent, pages), _rate(in_folder, sent, FOLDER_PAGES)) for _ in range(runs)]
        finally:
            aws.stop()
    return [
        Figure(part=PART, name="into S3", unit="letters/s", values=[s3 for s3, _ in rates], bar=at_least(TARGET_PER_S)),
        Figure(part=PART, name="into a folder", unit="letters/s", values=[folder for _, folder in rates]),
    ]


def _in_s3(endpoint: str) -> "DeadLetterStore":
    from firnline_ingest.aws.client import aws_client
    from firnline_ingest.config.model import AwsConfig
    from firnline_ingest.dead_letters.s3 import S3Folder

    client = aws_client(AwsConfig(region="us-east-1", endpoints={"s3": endpoint}), "s3")
    client.create_bucket(Bucket=BUCKET)
    return S3Folder(client, BUCKET, "dead-letters/")


def _in_folder(folder: Path) -> "DeadLetterStore":
    from firnline_ingest.dead_letters import LocalFolder

    return LocalFolder(folder)


def _pages() -> Iterator[Sequence["Record"]]:
    """Payloads that were cut off, each with a sequence number of its own."""
    from firnline_ingest.kinesis.page import Record

    texts, numbers = payloads(RECORDS), count(10**55)
    while True:
        yield [Record(str(next(numbers)), text[:-1], "key", time.time()) for text in texts]


def _rate(store: "DeadLetterStore", sent: Iterator[Sequence["Record"]], pages: int) -> float:
    from firnline_ingest.config.model import PipelineConfig
    from firnline_ingest.kinesis.start import TrimHorizon
    from firnline_ingest.ledger.row import ShardRow
    from firnline_ingest.records.rows import RowMaker
    from firnline_ingest.shard.dead_letters import ShardDeadLetters
    from firnline_ingest.shard.receipt import Tally
    from firnline_ingest.shard.report import ShardReport
    from firnline_ingest.values import ShardKey

    key = ShardKey(STREAM, 1, "shardId-000000000000")
    pipeline = PipelineConfig.model_validate({"stream": STREAM, "database": "DB", "schema": "RAW"})
    services: Any = SimpleNamespace(dead_letters=store, now_ms=lambda: 0, observer=lambda *_: None)
    work: Any = SimpleNamespace(key=key, pipeline=pipeline, end_of=lambda record: record.position)
    letters, maker, tally = (
        ShardDeadLetters(
            work, services, lambda *_: None, ShardReport(work.key), ShardRow(key=key, start=TrimHorizon())
        ),
        RowMaker(pipeline, STREAM, key.shard_id),
        Tally(),
    )
    chosen = [next(sent) for _ in range(pages)]
    started = time.monotonic()
    for records in chosen:
        letters.take(maker.convert(records).rejected, records, tally)
    elapsed_s = time.monotonic() - started
    assert tally.dead_letters == pages * RECORDS
    return tally.dead_letters / elapsed_s
