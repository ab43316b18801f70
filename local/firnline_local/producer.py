"""Puts events into a stream as fast as the SDK allows: full PutRecords requests, several at once, refused records again.

Bytes go in as they are, good JSON or not. With several requests in flight, the order of events is not kept.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from firnline_ingest.errors import did_you_mean
from firnline_local.errors import NoSuchStream, PutRefused

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient
    from mypy_boto3_kinesis.type_defs import PutRecordsRequestEntryTypeDef, PutRecordsResultEntryTypeDef

MAX_RECORDS = 500  # of a request (PutRecords, API reference)
MAX_BYTES = 5 * 1024 * 1024  # of a request, partition keys included
MAX_KEY_CHARACTERS = 256
IN_FLIGHT = 4
ATTEMPTS = 10
FIRST_PAUSE_S = 0.05

PartitionKey = Callable[[int, bytes], str]
"""The key of an event, from its number in this run and its bytes."""


@dataclass(frozen=True, kw_only=True)
class PutReport:
    stream: str
    records: int
    size_bytes: int
    retried: int
    """Records that were refused for a moment, and put again."""
    seconds: float

    @property
    def megabytes_per_second(self) -> float:
        return self.size_bytes / 1e6 / self.seconds if self.seconds else 0.0


@dataclass
class _Batch:
    entries: "list[PutRecordsRequestEntryTypeDef]" = field(default_factory=list)
    data_bytes: int = 0
    key_bytes: int = 0

    def has_room_for(self, event: bytes, key: str) -> bool:
        size = self.data_bytes + self.key_bytes + len(event) + len(key.encode())
        return not self.entries or (len(self.entries) < MAX_RECORDS and size <= MAX_BYTES)

    def add(self, event: bytes, key: str) -> None:
        self.entries.append({"Data": event, "PartitionKey": key})
        self.data_bytes += len(event)
        self.key_bytes += len(key.encode())


def put_records(
    client: "KinesisClient",
    stream: str,
    events: Iterable[bytes],
    *,
    key: PartitionKey | None = None,
    pause: Callable[[float], None] = time.sleep,
) -> PutReport:
    """Returns when every event is in the stream. Raises NoSuchStream, or PutRefused; then a part of the events is in it.

    `pause` is called with seconds before refused records are put again.
    """
    started = time.monotonic()
    records = size_bytes = retried = 0
    with ThreadPoolExecutor(IN_FLIGHT, thread_name_prefix="put") as pool:
        pending: set[Future[int]] = set()
        for batch in _batches(events, key or by_number):
            records += len(batch.entries)
            size_bytes += batch.data_bytes
            pending.add(pool.submit(_put, client, stream, batch.entries, pause))
            if len(pending) >= IN_FLIGHT:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                retried += sum(future.result() for future in done)
        retried += sum(future.result() for future in pending)
    seconds = time.monotonic() - started
    return PutReport(stream=stream, records=records, size_bytes=size_bytes, retried=retried, seconds=seconds)


def by_number(number: int, _: bytes) -> str:
    """Spreads events evenly over shards."""
    return str(number)


def by_field(name: str) -> PartitionKey:
    """The text of a first-level field; the number where the event is no object with a value there."""

    def key(number: int, event: bytes) -> str:
        try:
            value = json.loads(event)[name]
        except (ValueError, LookupError, TypeError, RecursionError):
            return str(number)
        text = value if isinstance(value, str) else json.dumps(value)
        return text[:MAX_KEY_CHARACTERS] or str(number)

    return key


def _batches(events: Iterable[bytes], key: PartitionKey) -> Iterator[_Batch]:
    batch = _Batch()
    for number, event in enumerate(events):
        partition_key = key(number, event)
        if not batch.has_room_for(event, partition_key):
            yield batch
            batch = _Batch()
        batch.add(event, partition_key)
    if batch.entries:
        yield batch


def _put(
    client: "KinesisClient",
    stream: str,
    entries: "list[PutRecordsRequestEntryTypeDef]",
    pause: Callable[[float], None],
) -> int:
    """How many records were put again. A request is no transaction: each record has its own answer."""
    from botocore.exceptions import BotoCoreError, ClientError

    retried = 0
    refusals: list[PutRecordsResultEntryTypeDef] = []
    for attempt in range(ATTEMPTS):
        try:
            answers = client.put_records(StreamName=stream, Records=entries)["Records"]
        except client.exceptions.ResourceNotFoundException as error:
            raise NoSuchStream(stream, near=did_you_mean(stream, _streams(client))) from error
        except (BotoCoreError, ClientError) as error:
            raise PutRefused(stream, str(error)) from error
        refused = [(entry, answer) for entry, answer in zip(entries, answers, strict=True) if "ErrorCode" in answer]
        if not refused:
            return retried
        entries, refusals = [entry for entry, _ in refused], [answer for _, answer in refused]
        retried += len(refused)
        pause(FIRST_PAUSE_S * 2**attempt)
    raise PutRefused(
        stream,
        f"After {ATTEMPTS} attempts, {len(refusals)} records of a request were still refused: "
        f"{refusals[0]['ErrorCode']} {refusals[0].get('ErrorMessage', '')}",
    )


def _streams(client: "KinesisClient") -> list[str]:
    pages = client.get_paginator("list_streams").paginate()
    return [name for page in pages for name in page["StreamNames"]]
