"""The ledger in DynamoDB: one conditional write per step, every read consistent.

The client retries what it can; what is left is wrapped here, once, with the table, the operation and the cause.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from botocore.exceptions import BotoCoreError, ClientError

from firnline_ingest.aws.codes import DENIED, NO_CREDENTIALS, STALE
from firnline_ingest.errors import LedgerError
from firnline_ingest.kinesis.start import Pin
from firnline_ingest.ledger.backend import Run
from firnline_ingest.ledger.consumer import ConsumerRecord
from firnline_ingest.ledger.errors import (
    Fenced,
    LedgerCredentialsStale,
    LedgerForbidden,
    LedgerTableForeign,
    LedgerTableMissing,
    LedgerUnavailable,
)
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
from firnline_ingest.ledger.mark import StreamMark
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.ledger.standby import Standby, StandbyState
from firnline_ingest.permissions.narrowing import OWN_ITEMS
from firnline_ingest.values import Fence, ShardKey

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

KEY_SCHEMA = {"stream": "HASH", "shard": "RANGE"}
FENCE = ("generation", "owner")
HELD = "#generation = :generation AND #owner = :owner"
SAME_CONSUMER = "asked_by = :asked_by AND arn = :arn"
CONSUMERS = "@consumer/"
RUN_KEY = {"stream": OWN_ITEMS, "shard": "@run"}
STANDBY_KEY = {"stream": OWN_ITEMS, "shard": "@standby"}
SAYS_OF_ITSELF = ("configuration", "version", "start")

_serialize, _deserialize = TypeSerializer().serialize, TypeDeserializer().deserialize


class _ConditionFailed(Exception):
    pass


class _TableExists(Exception):
    pass


class DynamoLedger:
    """What it calls is declared in permissions/aws.py, and nothing else is allowed to it."""

    def __init__(self, client: "DynamoDBClient", table: str) -> None:
        self._client = client
        self._table = table

    def check(self) -> None:
        """Raises LedgerTableMissing, or LedgerTableForeign for a table with another key."""
        found = self._call("DescribeTable", "describe_table")["Table"]["KeySchema"]
        if {part["AttributeName"]: part["KeyType"] for part in found} != KEY_SCHEMA:
            raise LedgerTableForeign(self._table, ", ".join(part["AttributeName"] for part in found))

    def create(self) -> None:
        """Returns when the table can be used; another engine may have been faster."""
        with suppress(_TableExists):
            self._call(
                "CreateTable",
                "create_table",
                BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in KEY_SCHEMA],
                KeySchema=[{"AttributeName": name, "KeyType": kind} for name, kind in KEY_SCHEMA.items()],
            )
        try:
            self._client.get_waiter("table_exists").wait(TableName=self._table)
        except BotoCoreError as error:
            raise LedgerUnavailable(self._table, str(error)) from error

    def read(self, key: ShardKey) -> ShardRow | None:
        item = self._get(_key(key))
        return from_item(item) if item else None

    def rows(self, incarnation: str) -> Mapping[str, ShardRow]:
        rows = map(from_item, self._query("#stream = :stream", {":stream": incarnation}))
        return {row.key.shard_id: row for row in rows}

    def take(self, key: ShardKey, held: Fence, owner: str, pin: Pin) -> ShardRow:
        """Changes the fence and nothing else, so what the owner before wrote meanwhile stays."""
        fence = Fence(held.generation + 1, owner)
        new = {
            name: value
            for name, value in to_item(ShardRow(key=key, start=pin, fence=fence)).items()
            if name not in KEY_SCHEMA
        }
        changes = {name: new[name] for name in FENCE} if held.generation else new
        condition = HELD if held.generation else "attribute_not_exists(#generation)"
        try:
            answer = self._call(
                "UpdateItem",
                "update_item",
                Key=_item(_key(key)),
                UpdateExpression="SET " + ", ".join(f"#{name} = :new_{name}" for name in changes),
                ConditionExpression=condition,
                ExpressionAttributeNames={f"#{name}": name for name in changes},
                ExpressionAttributeValues=_item(
                    {f":new_{name}": value for name, value in changes.items()}
                    | (_held(held) if held.generation else {})
                ),
                ReturnValues="ALL_NEW",
            )
        except _ConditionFailed:
            found = self.read(key)
            if found is None or found.fence != fence:  # equal: it was ours, and only the response was lost
                raise Fenced(key, found.fence.owner if found else "") from None
            return found
        return from_item(_plain(answer["Attributes"]))

    def write(self, row: ShardRow) -> None:
        self._put(row, f"{HELD} AND read_through <= :read_through", {":read_through": padded(row.read_through)})

    def reset(self, row: ShardRow) -> None:
        self._put(row, HELD, {})

    def remove(self, row: ShardRow) -> None:
        self._delete(row, f"{HELD} AND ended = :ended", {":ended": True})

    def withdraw(self, row: ShardRow) -> None:
        """Removes a row that nobody has taken since it was written; for what a migration wrote. Raises Fenced."""
        self._delete(row, HELD, {})

    def _delete(self, row: ShardRow, condition: str, values: Item) -> None:
        try:
            self._call(
                "DeleteItem",
                "delete_item",
                Key=_item(_key(row.key)),
                ConditionExpression=condition,
                ExpressionAttributeNames={f"#{name}": name for name in FENCE},
                ExpressionAttributeValues=_item(values | _held(row.fence)),
            )
        except _ConditionFailed:
            found = self.read(row.key)
            if found is not None:  # else it was removed, and only the response was lost
                raise Fenced(row.key, found.fence.owner) from None

    def _put(self, row: ShardRow, condition: str, values: Item) -> None:
        try:
            self._put_item(to_item(row), condition, values | _held(row.fence), FENCE)
        except _ConditionFailed:
            found = self.read(row.key)
            if found != row:  # equal: it was ours, and only the response was lost
                raise Fenced(row.key, found.fence.owner if found else "") from None

    def current_run(self) -> Run | None:
        item = self._get(RUN_KEY)
        return _run(item) if item else None

    def begin_run(self, run: Run, replaces: Run | None) -> bool:
        condition = "run_id = :run_id AND beat = :beat" if replaces else "attribute_not_exists(run_id)"
        values = {":run_id": replaces.run_id, ":beat": replaces.beat} if replaces else {}
        told = {name: value for name in SAYS_OF_ITSELF if (value := getattr(run, name))}
        item = {**RUN_KEY, "run_id": run.run_id, "holder": run.holder, "beat": run.beat, "stop_requests": 0, **told}
        try:
            self._put_item(item, condition, values, ())
        except _ConditionFailed:
            found = self.current_run()
            return found is not None and found.run_id == run.run_id
        return True

    def beat(self, run_id: str) -> Run | None:
        return self._update_run("SET beat = beat + :one", {":one": 1, ":run_id": run_id})

    def end_run(self, run_id: str) -> None:
        self._update_run("REMOVE run_id", {":run_id": run_id})

    def show_fingerprints(self, run_id: str, fingerprints: tuple[str, ...]) -> None:
        values = {":fingerprints": list(fingerprints), ":run_id": run_id}
        self._update_run("SET fingerprints = :fingerprints", values)

    def request_stop(self, run_id: str) -> Run | None:
        values = {":one": 1, ":run_id": run_id}
        return self._update_run("SET stop_requests = stop_requests + :one", values)

    def last_start(self) -> str:
        """Ending a run leaves what it told of itself."""
        return str((self._get(RUN_KEY) or {}).get("start", ""))

    def standby(self) -> Standby | None:
        item = self._get(STANDBY_KEY)
        return standby_from_item(item) if item else None

    def stand_by(self, standby: Standby) -> None:
        self._call("PutItem", "put_item", Item=_item({**STANDBY_KEY, **standby_to_item(standby)}))

    def beat_standby(self, run_id: str, state: StandbyState, told: str) -> Standby | None:
        values = {":one": 1, ":phase": state.value, ":told": told, ":run_id": run_id}
        found = self._update_own(STANDBY_KEY, "SET beat = beat + :one, phase = :phase, told = :told", values)
        return standby_from_item(found) if found else None

    def admit(self, run_id: str) -> bool:
        values = {":yes": True, ":run_id": run_id}
        return self._update_own(STANDBY_KEY, "SET is_admitted = :yes", values) is not None

    def mark(self, stream: str) -> StreamMark | None:
        item = self._get(_mark_key(stream))
        return mark_from_item(item) if item else None

    def set_mark(self, stream: str, mark: StreamMark, before: StreamMark | None) -> StreamMark:
        """Not whether it is paused: a person may say that at any moment, and says it to `pause`."""
        new = mark_to_item(mark)
        try:
            answer = self._call(
                "UpdateItem",
                "update_item",
                Key=_item(_mark_key(stream)),
                UpdateExpression="SET " + ", ".join(f"#{name} = :{name}" for name in new),
                ConditionExpression="incarnation = :before" if before else "attribute_not_exists(incarnation)",
                ExpressionAttributeNames={f"#{name}": name for name in new},
                ExpressionAttributeValues=_item(
                    {f":{name}": value for name, value in new.items()}
                    | ({":before": before.incarnation} if before else {})
                ),
                ReturnValues="ALL_NEW",
            )
        except _ConditionFailed:
            return self.mark(stream) or mark
        return mark_from_item(_plain(answer["Attributes"]))

    def pause(self, stream: str, paused: bool) -> bool:
        try:
            self._call(
                "UpdateItem",
                "update_item",
                Key=_item(_mark_key(stream)),
                UpdateExpression="SET paused = :paused",
                ConditionExpression="attribute_exists(incarnation)",
                ExpressionAttributeValues=_item({":paused": paused}),
            )
        except _ConditionFailed:
            return False
        return True

    def consumer(self, stream: str, name: str) -> ConsumerRecord | None:
        item = self._get(_consumer_key(stream, name))
        return consumer_from_item(item) if item else None

    def consumers(self) -> list[ConsumerRecord]:
        condition = "#stream = :own AND begins_with(shard, :consumers)"
        items = self._query(condition, {":own": OWN_ITEMS, ":consumers": CONSUMERS})
        return [consumer_from_item(item) for item in items]

    def set_consumer(self, record: ConsumerRecord, before: ConsumerRecord | None) -> bool:
        item = {**_consumer_key(record.stream, record.name), **consumer_to_item(record)}
        condition, values = SAME_CONSUMER if before else "attribute_not_exists(asked_by)", {}
        if before:
            values = {":asked_by": before.id, ":arn": before.arn}
        try:
            self._put_item(item, condition, values, ())
        except _ConditionFailed:
            return self.consumer(record.stream, record.name) == record  # then only the response was lost
        return True

    def forget_consumer(self, record: ConsumerRecord) -> None:
        with suppress(_ConditionFailed):
            self._call(
                "DeleteItem",
                "delete_item",
                Key=_item(_consumer_key(record.stream, record.name)),
                ConditionExpression=SAME_CONSUMER,
                ExpressionAttributeValues=_item({":asked_by": record.id, ":arn": record.arn}),
            )

    def _update_run(self, update: str, values: Item) -> Run | None:
        found = self._update_own(RUN_KEY, update, values)
        return _run(found) if found else None

    def _update_own(self, key: Item, update: str, values: Item) -> Item | None:
        """An item of the application's own, where it is still that of the run `:run_id`; as it is then."""
        try:
            answer = self._call(
                "UpdateItem",
                "update_item",
                Key=_item(key),
                UpdateExpression=update,
                ConditionExpression="run_id = :run_id",
                ExpressionAttributeValues=_item(values),
                ReturnValues="ALL_NEW",
            )
        except _ConditionFailed:
            return None
        return _plain(answer["Attributes"])

    def _get(self, key: Item) -> Item | None:
        answer = self._call("GetItem", "get_item", Key=_item(key), ConsistentRead=True)
        return _plain(answer["Item"]) if "Item" in answer else None

    def _query(self, condition: str, values: Item) -> Iterator[Item]:
        page: dict[str, Any] = {}
        while True:
            answer = self._call(
                "Query",
                "query",
                ConsistentRead=True,
                KeyConditionExpression=condition,
                ExpressionAttributeNames={"#stream": "stream"},
                ExpressionAttributeValues=_item(values),
                **page,
            )
            yield from map(_plain, answer["Items"])
            if "LastEvaluatedKey" not in answer:
                return
            page = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    def _put_item(self, item: Item, condition: str, values: Item, names: tuple[str, ...]) -> None:
        used = [name for name in names if f"#{name}" in condition]
        self._call(
            "PutItem",
            "put_item",
            Item=_item(item),
            ConditionExpression=condition,
            **({"ExpressionAttributeNames": {f"#{name}": name for name in used}} if used else {}),
            **({"ExpressionAttributeValues": _item(values)} if values else {}),
        )

    def _call(self, operation: str, method: str, **request: Any) -> Any:
        try:
            return getattr(self._client, method)(TableName=self._table, **request)
        except ClientError as error:
            raise self._explained(operation, error) from error
        except NO_CREDENTIALS as error:
            raise LedgerForbidden(self._table, operation, f"no AWS credentials were found: {error}") from error
        except BotoCoreError as error:
            raise LedgerUnavailable(self._table, str(error)) from error

    def _explained(self, operation: str, error: ClientError) -> LedgerError | _ConditionFailed | _TableExists:
        code, message = error.response["Error"]["Code"], error.response["Error"]["Message"]
        if code == "ConditionalCheckFailedException":
            return _ConditionFailed()
        if code == "ResourceInUseException" and operation == "CreateTable":
            return _TableExists()
        if code == "ResourceNotFoundException":
            return LedgerTableMissing(self._table)
        if code in DENIED:
            return LedgerForbidden(self._table, operation, message)
        if code in STALE:
            return LedgerCredentialsStale(self._table, operation, f"{code}: {message}")
        return LedgerUnavailable(self._table, f"{code}: {message}")


def _mark_key(stream: str) -> Item:
    return {"stream": OWN_ITEMS, "shard": f"@stream/{stream}"}


def _consumer_key(stream: str, name: str) -> Item:
    return {"stream": OWN_ITEMS, "shard": f"{CONSUMERS}{stream}/{name}"}


def _key(key: ShardKey) -> Item:
    return {"stream": key.incarnation, "shard": key.shard_id}


def _held(fence: Fence) -> Item:
    return {":generation": fence.generation, ":owner": fence.owner}


def _item(values: Item) -> Item:
    return {name: _serialize(value) for name, value in values.items()}


def _plain(item: Item) -> Item:
    return {name: _deserialize(value) for name, value in item.items()}


def _run(item: Item) -> Run | None:
    if "run_id" not in item:
        return None
    counts = int(item["beat"]), int(item["stop_requests"])
    return Run(
        item["run_id"],
        item["holder"],
        *counts,
        fingerprints=tuple(item.get("fingerprints", ())),
        configuration=str(item.get("configuration", "")),
        version=str(item.get("version", "")),
        start=str(item.get("start", "")),
    )
