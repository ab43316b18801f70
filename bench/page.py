"""Part 1: CPU from the body of a GetRecords answer to the call of append_rows.

Both sides get the same bodies through a real botocore client whose connection is replaced; the call itself, and with it
the encoding of rows, is left out on both sides. Ours is the engine's own code: reader, and the session that takes pages in.
"""

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count, cycle
from typing import TYPE_CHECKING, Any, cast

from bench import obvious
from bench.errors import BenchFailed
from bench.figure import Figure, at_least
from bench.kinesis.service import CREATED_S, CannedKinesis
from bench.kinesis.shard import CannedShard
from bench.payload import payloads
from firnline_ingest.native import SWITCH, native
from firnline_local.kinesis import cbor
from firnline_local.kinesis.http import HttpRequest

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

    from firnline_ingest.snowflake.channel import ShardChannel

PART = "page"
RECORDS, PAGES = 1000, 8
SHARDS = 2  # of the stream: the first is read, and has half of the hash keys
RECORDS_PER_S = 2000.0
STREAM = "orders"
TARGET_RATIO = 6.0


class Bodies:
    """Pages of one shard, made before the clock starts, and handed to a client in place of what it would receive."""

    def __init__(self) -> None:
        texts = payloads(RECORDS * PAGES)
        self.megabytes = sum(map(len, texts)) / 1e6
        texts, records = self.as_put(texts)
        began_s = time.time() - 3600
        self._shards = [
            CannedShard.of(texts, index=index, first_arrival_s=began_s, records_per_s=RECORDS_PER_S, is_trickle=False)
            for index in range(SHARDS)
        ]
        self.shard = self._shards[0]
        self._pages = [self.finished(self.shard.page(page * records, records, 0.0)[0]) for page in range(PAGES)]

    def as_put(self, texts: Sequence[bytes]) -> tuple[Sequence[bytes], int]:
        """The data of Kinesis records, and how many there are on a page: each text is one."""
        return texts, RECORDS

    def finished(self, page: bytes) -> bytes:
        return page

    def answer(self, client: "KinesisClient") -> None:
        """Answers every request of the client from now on: GetRecords with the next page, round and round.

        The rest is the canned service's. Nothing leaves this process: what the service does not have is refused.
        """
        from botocore.awsrequest import AWSResponse, HeadersDict

        following = cycle(self._pages)
        following_in_cbor = cycle(list(map(cbor.answer_as_cbor, self._pages)))
        service = CannedKinesis(self._shards)

        def respond(request: Any, **_: Any) -> AWSResponse:
            headers: Any = HeadersDict({"Content-Type": "application/x-amz-json-1.1"})
            target = _text(request.headers["X-Amz-Target"])
            if target.endswith(".GetRecords") and _text(request.headers["Content-Type"]) == cbor.CONTENT_TYPE:
                in_cbor: Any = HeadersDict({"Content-Type": cbor.CONTENT_TYPE})
                return AWSResponse(request.url, 200, in_cbor, _Raw(next(following_in_cbor)))
            if target.endswith(".GetRecords"):
                return AWSResponse(request.url, 200, headers, _Raw(next(following)))
            asked = HttpRequest("POST", "/", {"x-amz-target": target}, request.body)
            reply = service.reply(asked)
            return AWSResponse(request.url, reply.status, headers, _Raw(reply.body))

        events: Any = client.meta.events  # its stubs don't know handlers that answer
        events.register("before-send.kinesis", respond)


class Nowhere:
    """A channel that counts rows and drops them."""

    def __init__(self) -> None:
        self.rows = 0

    def append(self, rows: Sequence[Any], *, start: str, end: str) -> None:
        self.rows += len(rows)

    def flush(self, timeout_s: float) -> None:
        """All rows are nowhere already."""


def _text(header: str | bytes) -> str:
    return header.decode() if isinstance(header, bytes) else header


class _Raw:
    """The part of urllib3's response that botocore reads."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def stream(self) -> Iterator[bytes]:
        yield self._content


def measure(*, runs: int, laps: int) -> list[Figure]:
    """Each run takes every page `laps` times on either side, in turn, so that a busy machine slows both."""
    bodies, built = Bodies(), native().module is not None
    with only_python():
        in_python = our_lap(bodies)
        in_python()
    ours, theirs = our_lap(bodies), _obvious_lap(bodies)
    ours(), theirs()
    costs = []
    for _ in range(runs):
        our = cost(ours, laps, bodies)
        with only_python():
            alone = cost(in_python, laps, bodies)
        costs.append((our, alone, cost(theirs, laps, bodies)))
    called = "firnline, with firnline-native" if built else "firnline (firnline-native is not built here)"
    return [
        Figure(part=PART, name=called, unit="CPU ms/MB", values=[our for our, _, _ in costs]),
        Figure(part=PART, name="in Python alone", unit="CPU ms/MB", values=[alone for _, alone, _ in costs]),
        Figure(part=PART, name="obvious loop", unit="CPU ms/MB", values=[their for _, _, their in costs]),
        Figure(
            part=PART,
            name="ratio to the obvious loop",
            unit="x",
            values=[their / our for our, _, their in costs],
            bar=at_least(TARGET_RATIO),
        ),
        Figure(part=PART, name="in Python alone", unit="x", values=[their / alone for _, alone, their in costs]),
    ]


@contextmanager
def only_python() -> Iterator[None]:
    """Makes what is made in the block do without firnline-native."""
    os.environ[SWITCH] = "off"
    native.cache_clear()
    try:
        yield
    finally:
        del os.environ[SWITCH]
        native.cache_clear()


def cost(lap: Callable[[], None], laps: int, bodies: Bodies) -> float:
    """Milliseconds of CPU a megabyte of payload."""
    started = time.process_time()
    for _ in range(laps):
        lap()
    return (time.process_time() - started) * 1000 / (laps * bodies.megabytes)


def our_lap(bodies: Bodies, **options: Any) -> Callable[[], None]:
    """`options` of the pipeline."""
    from firnline_ingest.config.model import AwsConfig, PipelineConfig
    from firnline_ingest.config.running import PollingConfig
    from firnline_ingest.kinesis.client import kinesis_client
    from firnline_ingest.kinesis.reader import ShardReader
    from firnline_ingest.kinesis.start import TrimHorizon
    from firnline_ingest.ledger.reconcile import Case, Resume
    from firnline_ingest.ledger.row import Proven, ShardRow
    from firnline_ingest.shard.append_bisection import AppendBisections
    from firnline_ingest.shard.opening import OpenedShard, ResumedChannel
    from firnline_ingest.shard.report import ShardReport
    from firnline_ingest.shard.request import ShardRequest
    from firnline_ingest.shard.session import ShardSession
    from firnline_ingest.shard.work import ShardServices, ShardWork
    from firnline_ingest.snowflake.sending import Pace
    from firnline_ingest.values import ShardKey, TargetTable

    client = kinesis_client(AwsConfig(region="us-east-1"))
    bodies.answer(client)
    key = ShardKey(STREAM, int(CREATED_S * 1000), bodies.shard.id)
    pipeline = PipelineConfig.model_validate({"stream": STREAM, "database": "DB", "schema": "RAW", **options})
    nobody: Any = None
    services = ShardServices(
        ledger=nobody, kinesis=client, channels=nobody, dead_letters=nobody, polling=PollingConfig(), run_id="bench"
    )
    work = ShardWork(
        key=key,
        epoch=1,
        start=TrimHorizon(),
        pipeline=pipeline,
        target=TargetTable("DB", "RAW", "ORDERS", "2026-01-01T00:00:00Z", "ORDERS-STREAMING"),
        channel=key.shard_id,
        retention_hours=24,
    )
    row = ShardRow(key=key, start=TrimHorizon(), is_sending=True)  # nothing has to be written before an append
    resume = Resume(Case.FIRST, TrimHorizon(), None, Proven())
    request = ShardRequest.lasting(work, 3600.0)
    an_hour_later = count(0, 3600).__next__  # so that no append waits for its turn

    def lap() -> None:
        reader = ShardReader(client, key, TrimHorizon(), PollingConfig())
        nowhere = Nowhere()
        channel = ResumedChannel(work.destinations[0], cast("ShardChannel", nowhere), resume)
        opened = OpenedShard(row, (channel,), TrimHorizon())
        session = ShardSession(work, services, opened, ShardReport(key), AppendBisections(work.destinations))
        checkpointer = session._checkpointer
        checkpointer._next_proof_s = checkpointer._next_write_s = checkpointer._next_heartbeat_s = math.inf
        for writer in session.writers:
            writer._pace = Pace(an_hour_later)
        for _ in range(PAGES):
            read = reader.read(lambda _: False)
            if read is None:
                raise BenchFailed("The engine's reader took a page for one that it can't use.")
            session._take_in(read, request)
        assert nowhere.rows == RECORDS * PAGES

    return lap


def _obvious_lap(bodies: Bodies) -> Callable[[], None]:
    import boto3

    client = boto3.client("kinesis", region_name="us-east-1")
    bodies.answer(client)

    def lap() -> None:
        rows = 0
        for _ in range(PAGES):
            page: Any = client.get_records(ShardIterator="0:0")
            rows += len(obvious.rows_of(page["Records"], stream=STREAM, shard_id=bodies.shard.id))
        assert rows == RECORDS * PAGES

    return lap
