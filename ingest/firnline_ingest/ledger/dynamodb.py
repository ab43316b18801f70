"""The ledger in DynamoDB: one conditional write per step, every read consistent."""

import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Attr, ConditionBase, Key
from botocore.exceptions import BotoCoreError

from firnline_ingest.aws.trust import said
from firnline_ingest.kinesis.start import Pin
from firnline_ingest.ledger.backend import Run
from firnline_ingest.ledger.column_note import ColumnNote, note_from_bytes
from firnline_ingest.ledger.consumer import ConsumerRecord
from firnline_ingest.ledger.engine_report import EngineReport, report_from_bytes
from firnline_ingest.ledger.errors import (
    Fenced,
    LedgerTableForeign,
    LedgerUnavailable,
)
from firnline_ingest.ledger.expressions import ItemUpdate
from firnline_ingest.ledger.item import (
    Item,
    consumer_from_item,
    consumer_to_item,
    from_item,
    mark_from_item,
    mark_to_item,
    padded,
    standby_from_item,
    standby_to_item,
    to_item,
)
from firnline_ingest.ledger.item_table import NEW_TABLE, ConditionFailed, ItemTable, TableExists, serialized
from firnline_ingest.ledger.mark import StreamMark
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.ledger.standby import Standby, StandbyState
from firnline_ingest.permissions.narrowing import OWN_ITEMS
from firnline_ingest.values import Fence, ShardKey

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

KEY_SCHEMA = {"stream": "HASH", "shard": "RANGE"}
FENCE = ("generation", "owner")
IS_NEW = Attr("generation").not_exists()
NO_RUN = Attr("run_id").not_exists()
CONSUMERS, MARKS, COLUMNS = "@consumer/", "@stream/", "@columns/"
RUN_KEY = {"stream": OWN_ITEMS, "shard": "@run"}
STANDBY_KEY = {"stream": OWN_ITEMS, "shard": "@standby"}
REPORT_KEY = {"stream": OWN_ITEMS, "shard": "@report"}
SAYS_OF_ITSELF = ("configuration", "version", "rows_by", "start")
LAST_START = "last_start"


class WriteNumbers:
    """Numbers the writes of this process, above any that it has read: a request that arrives twice, and the second time behind a
    later one, changes nothing. Thread-safe.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def next(self) -> int:
        with self._lock:
            self._last += 1
            return self._last

    def row_of(self, item: Item) -> ShardRow:
        with self._lock:
            self._last = max(self._last, int(item.get("write_number", 0)))
        return from_item(item)


class DynamoLedger:
    """The ledger in DynamoDB. Its calls are declared in permissions/aws.py, and nothing else is allowed to it."""

    def __init__(self, client: "DynamoDBClient", table: str) -> None:
        self._items = ItemTable(client, table)
        self._numbers = WriteNumbers()

    def check(self) -> None:
        """Raises LedgerTableMissing, or LedgerTableForeign for a table with another key."""
        answer = self._items.call("DescribeTable", "describe_table")
        found = self._items.understood(
            lambda: {part["AttributeName"]: part["KeyType"] for part in answer["Table"]["KeySchema"]}
        )
        if found != KEY_SCHEMA:
            raise LedgerTableForeign(self._items.name, ", ".join(found))

    def create(self) -> None:
        """Returns when the table can be used; another engine may have been faster."""
        with suppress(TableExists):
            self._items.call(
                "CreateTable",
                "create_table",
                BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in KEY_SCHEMA],
                KeySchema=[{"AttributeName": name, "KeyType": kind} for name, kind in KEY_SCHEMA.items()],
            )
        try:
            self._items.client.get_waiter("table_exists").wait(TableName=self._items.name, WaiterConfig=NEW_TABLE)
        except BotoCoreError as error:
            raise LedgerUnavailable(self._items.name, said(error)) from error

    def read(self, key: ShardKey) -> ShardRow | None:
        return self._items.get(_key(key), self._numbers.row_of)

    def rows(self, incarnation: str) -> Mapping[str, ShardRow]:
        rows = self._items.query(Key("stream").eq(incarnation), self._numbers.row_of)
        return {row.key.shard_id: row for row in rows}

    def take(self, key: ShardKey, held: Fence, owner: str, pin: Pin) -> ShardRow:
        """Changes the fence and nothing else, so what the owner before wrote meanwhile stays."""
        fence = Fence(held.generation + 1, owner)
        new = {
            name: value
            for name, value in to_item(ShardRow(key=key, start=pin, fence=fence)).items()
            if name not in KEY_SCHEMA
        }
        update = ItemUpdate(sets={name: new[name] for name in FENCE} if held.generation else new)
        condition = _held(held) if held.generation else IS_NEW
        try:
            return self._items.update(_key(key), update, condition, self._numbers.row_of)
        except ConditionFailed:
            found = self.read(key)
            if found is None or found.fence != fence:  # equal: it was ours, and only the response was lost
                raise Fenced(key, found.fence.owner if found else "") from None
            return found

    def write(self, row: ShardRow) -> None:
        self._put(row, _held(row.fence) & Attr("read_through").lte(padded(row.read_through)))

    def reset(self, row: ShardRow) -> None:
        self._put(row, _held(row.fence))

    def remove(self, row: ShardRow) -> None:
        self._delete(row, _held(row.fence) & Attr("ended").eq(True))

    def withdraw(self, row: ShardRow) -> None:
        """Removes a row that no engine has taken since it was written; for what a migration wrote. Raises Fenced."""
        self._delete(row, _held(row.fence))

    def _delete(self, row: ShardRow, condition: ConditionBase) -> None:
        try:
            self._items.delete(_key(row.key), condition)
        except ConditionFailed:
            found = self.read(row.key)
            if found is not None:  # else it was removed, and only the response was lost
                raise Fenced(row.key, found.fence.owner) from None

    def _put(self, row: ShardRow, condition: ConditionBase) -> None:
        number = self._numbers.next()
        is_newer = Attr("write_number").not_exists() | Attr("write_number").lt(number)
        try:
            self._items.put(to_item(row) | {"write_number": number}, condition & is_newer)
        except ConditionFailed:
            found = self.read(row.key)
            if found != row:  # equal: it was ours, and only the response was lost
                raise Fenced(row.key, found.fence.owner if found else "") from None

    def current_run(self) -> Run | None:
        return self._items.get(RUN_KEY, _run)

    def begin_run(self, run: Run, replaces: Run | None) -> bool:
        condition = Attr("run_id").eq(replaces.run_id) & Attr("beat").eq(replaces.beat) if replaces else NO_RUN
        told = {name: value for name in SAYS_OF_ITSELF if (value := getattr(run, name))}
        item = {**RUN_KEY, "run_id": run.run_id, "holder": run.holder, "beat": run.beat, "stop_requests": 0, **told}
        if not run.is_engine:
            item[LAST_START] = self.last_start()
        try:
            self._items.put(item, condition)
        except ConditionFailed:
            found = self.current_run()
            return found is not None and found.run_id == run.run_id
        return True

    def beat(self, run_id: str) -> Run | None:
        return self._update_run(run_id, ItemUpdate(raises={"beat": 1}))

    def end_run(self, run_id: str) -> None:
        self._items.update_own(RUN_KEY, ItemUpdate(removes=("run_id",)), run_id, bool)

    def show_fingerprints(self, run_id: str, fingerprints: tuple[str, ...]) -> None:
        self._update_run(run_id, ItemUpdate(sets={"fingerprints": list(fingerprints)}))

    def show_waiting(self, run_id: str, shards: int) -> None:
        self._update_run(run_id, ItemUpdate(sets={"waiting": shards}))

    def write_report(self, report: EngineReport) -> None:
        item = {**REPORT_KEY, "run_id": report.run_id, "report": report.to_bytes()}
        self._items.call("PutItem", "put_item", Item=serialized(item))

    def report(self) -> EngineReport | None:
        return self._items.get(REPORT_KEY, lambda item: report_from_bytes(bytes(item["report"])))

    def request_stop(self, run_id: str) -> Run | None:
        return self._update_run(run_id, ItemUpdate(raises={"stop_requests": 1}))

    def last_start(self) -> str:
        """Ending a run leaves what it said of itself; a command's leaves what it found."""
        return self._items.get(RUN_KEY, lambda item: str(item.get(LAST_START, item.get("start", "")))) or ""

    def standby(self) -> Standby | None:
        return self._items.get(STANDBY_KEY, standby_from_item)

    def stand_by(self, standby: Standby, replaces: Standby | None) -> bool:
        condition = _same_standby(replaces) if replaces else NO_RUN
        try:
            self._items.put({**STANDBY_KEY, **standby_to_item(standby)}, condition)
        except ConditionFailed:
            found = self.standby()
            return found is not None and found.run_id == standby.run_id  # then only the response was lost
        return True

    def beat_standby(self, run_id: str, state: StandbyState, told: str) -> Standby | None:
        update = ItemUpdate(raises={"beat": 1}, sets={"phase": state.value, "told": told})
        return self._items.update_own(STANDBY_KEY, update, run_id, standby_from_item)

    def admit(self, run_id: str) -> bool:
        return self._items.update_own(STANDBY_KEY, ItemUpdate(sets={"is_admitted": True}), run_id, bool) is not None

    def mark(self, stream: str) -> StreamMark | None:
        return self._items.get(_mark_key(stream), mark_from_item)

    def begun_streams(self) -> list[str]:
        """A mark whose name has a space is of no stream (spark/streams.py)."""
        names = self._items.query(_own(MARKS), lambda item: str(item["shard"]).removeprefix(MARKS))
        return [name for name in names if " " not in name]

    def set_mark(self, stream: str, mark: StreamMark, before: StreamMark | None) -> StreamMark:
        """Writes the mark, but not whether the stream is paused: a person may change that at any moment, with `pause`."""
        condition = Attr("incarnation").eq(before.incarnation) if before else Attr("incarnation").not_exists()
        try:
            return self._items.update(_mark_key(stream), ItemUpdate(sets=mark_to_item(mark)), condition, mark_from_item)
        except ConditionFailed:
            return self.mark(stream) or mark

    def pause(self, stream: str, paused: bool) -> bool:
        update, is_there = ItemUpdate(sets={"paused": paused}), Attr("incarnation").exists()
        try:
            self._items.update(_mark_key(stream), update, is_there, mark_from_item)
        except ConditionFailed:
            return False
        return True

    def consumer(self, stream: str, name: str) -> ConsumerRecord | None:
        return self._items.get(_consumer_key(stream, name), consumer_from_item)

    def consumers(self) -> list[ConsumerRecord]:
        return list(self._items.query(_own(CONSUMERS), consumer_from_item))

    def set_consumer(self, record: ConsumerRecord, before: ConsumerRecord | None) -> bool:
        item = {**_consumer_key(record.stream, record.name), **consumer_to_item(record)}
        condition = _same_consumer(before) if before else Attr("asked_by").not_exists()
        try:
            self._items.put(item, condition)
        except ConditionFailed:
            return self.consumer(record.stream, record.name) == record  # then only the response was lost
        return True

    def forget_consumer(self, record: ConsumerRecord) -> None:
        with suppress(ConditionFailed):
            self._items.delete(_consumer_key(record.stream, record.name), _same_consumer(record))

    def column_note(self, table: str) -> ColumnNote | None:
        return self._items.get(_columns_key(table), lambda item: note_from_bytes(bytes(item["note"])))

    def note_columns(self, table: str, note: ColumnNote, before: ColumnNote | None) -> bool:
        condition = Attr("number").eq(before.number) if before else Attr("number").not_exists()
        try:
            self._items.put({**_columns_key(table), "note": note.to_bytes(), "number": note.number}, condition)
        except ConditionFailed:
            return self.column_note(table) == note  # then only the response was lost
        return True

    def _update_run(self, run_id: str, update: ItemUpdate) -> Run | None:
        return self._items.update_own(RUN_KEY, update, run_id, _held_run)


def _own(prefix: str) -> ConditionBase:
    """The application's own items whose names begin so."""
    return Key("stream").eq(OWN_ITEMS) & Key("shard").begins_with(prefix)


def _same_consumer(record: ConsumerRecord) -> ConditionBase:
    return Attr("asked_by").eq(record.id) & Attr("arn").eq(record.arn)


def _same_standby(standby: Standby) -> ConditionBase:
    return Attr("run_id").eq(standby.run_id) & Attr("is_admitted").eq(standby.is_admitted)


def _mark_key(stream: str) -> Item:
    return {"stream": OWN_ITEMS, "shard": f"{MARKS}{stream}"}


def _columns_key(table: str) -> Item:
    return {"stream": OWN_ITEMS, "shard": f"{COLUMNS}{table}"}


def _consumer_key(stream: str, name: str) -> Item:
    return {"stream": OWN_ITEMS, "shard": f"{CONSUMERS}{stream}/{name}"}


def _key(key: ShardKey) -> Item:
    return {"stream": key.incarnation, "shard": key.shard_id}


def _held(fence: Fence) -> ConditionBase:
    return Attr("generation").eq(fence.generation) & Attr("owner").eq(fence.owner)


def _run(item: Item) -> Run | None:
    """The run that an item holds; None if it was ended."""
    return _held_run(item) if "run_id" in item else None


def _held_run(item: Item) -> Run:
    counts = int(item["beat"]), int(item["stop_requests"])
    return Run(
        item["run_id"],
        item["holder"],
        *counts,
        fingerprints=tuple(item.get("fingerprints", ())),
        waiting=int(item.get("waiting", 0)),
        configuration=str(item.get("configuration", "")),
        version=str(item.get("version", "")),
        rows_by=str(item.get("rows_by", "")),
        start=str(item.get("start", "")),
    )
