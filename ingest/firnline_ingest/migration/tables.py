"""The two tables of a migration besides the ledger: the other consumer's, which is only read, and the journal."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.conditions import Key
from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from botocore.exceptions import BotoCoreError, ClientError

from firnline_ingest.aws.codes import MALFORMED
from firnline_ingest.aws.request_parts import described
from firnline_ingest.ledger.expressions import of_query
from firnline_ingest.ledger.item_table import NEW_TABLE
from firnline_ingest.migration import kcl, openflow
from firnline_ingest.migration.errors import (
    JournalMissing,
    SourceForeign,
    SourceMissing,
    TableRequestMalformed,
    TableTrouble,
)
from firnline_ingest.migration.lease import Leases

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Item = dict[str, Any]
Items = Mapping[str, Item]
"""A table's items by their key, as text."""

HEAD = "@migration"
JOURNAL_KEY = {"stream": "HASH", "shard": "RANGE"}

_serialize, _deserialize = TypeSerializer().serialize, TypeDeserializer().deserialize


class Source:
    """Another consumer's table. Nothing here writes."""

    def __init__(self, client: "DynamoDBClient", table: str) -> None:
        self.table = table
        self._client = client
        self._key: dict[str, str] = {}

    def check(self) -> None:
        """Raises SourceMissing, SourceForeign or TableTrouble."""
        try:
            schema = _call(self._client, "describe_table", self.table)["Table"]["KeySchema"]
        except _NoTable as error:
            raise SourceMissing(self.table) from error
        self._key = {part["AttributeName"]: part["KeyType"] for part in schema}
        if self._key not in (kcl.KEY, openflow.KEY):
            raise SourceForeign(self.table, ", ".join(self._key))

    @property
    def kind(self) -> str:
        return "the Kinesis Client Library" if self._key == kcl.KEY else "Openflow"

    def items(self) -> Items:
        """All of them, as they are now."""
        found: dict[str, Item] = {}
        page: dict[str, Any] = {}
        while True:
            answer = _call(self._client, "scan", self.table, ConsistentRead=True, **page)
            for item in map(plain, answer["Items"]):
                found[" ".join(str(item[name]) for name in self._key)] = item
            if "LastEvaluatedKey" not in answer:
                return found
            page = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    def leases(self, items: Items, stream: str, created_ms: int, epoch: int | None) -> Leases:
        if self._key == kcl.KEY:
            return kcl.leases_of(items.values(), stream, created_ms, epoch)
        return openflow.leases_of(items.values(), stream)


def changed(before: Items, after: Items) -> list[str]:
    """The keys of what is not the same in both."""
    return sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))


def owners(items: Items, keys: Sequence[str]) -> list[str]:
    found = {str(item["leaseOwner"]) for key in keys if (item := items.get(key)) and item.get("leaseOwner")}
    return sorted(found)


class MigrationJournal:
    """Items that a migration has written, beside those that it was made of: <ledger>_migration, with the ledger's keys."""

    def __init__(self, client: "DynamoDBClient", table: str) -> None:
        self.table = table
        self._client = client

    def open(self, *, create: bool) -> None:
        """Raises JournalMissing where it is not there and may not be made."""
        try:
            _call(self._client, "describe_table", self.table)
        except _NoTable as error:
            if not create:
                raise JournalMissing(self.table) from error
            _call(
                self._client,
                "create_table",
                self.table,
                BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in JOURNAL_KEY],
                KeySchema=[{"AttributeName": name, "KeyType": kind} for name, kind in JOURNAL_KEY.items()],
            )
            self._client.get_waiter("table_exists").wait(TableName=self.table, WaiterConfig=NEW_TABLE)

    def write(self, incarnation: str, shard: str, noted: Item) -> None:
        item = {"stream": incarnation, "shard": shard, **noted}
        self._ask("put_item", Item=wire(item))

    def remove(self, incarnation: str, shard: str) -> None:
        self._ask("delete_item", Key=wire({"stream": incarnation, "shard": shard}))

    def read(self, incarnation: str) -> dict[str, Item]:
        """The items by shard; HEAD holds what concerns the whole migration."""
        found: dict[str, Item] = {}
        page: dict[str, Any] = {}
        while True:
            answer = self._ask(
                "query",
                ConsistentRead=True,
                **of_query(Key("stream").eq(incarnation)),
                **page,
            )
            for item in map(plain, answer["Items"]):
                found[str(item["shard"])] = item
            if "LastEvaluatedKey" not in answer:
                return found
            page = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    def all_noted(self) -> dict[str, dict[str, Item]]:
        """Everything in it: by incarnation of a stream, then by shard. Raises JournalMissing."""
        found: dict[str, dict[str, Item]] = {}
        page: dict[str, Any] = {}
        while True:
            answer = self._ask("scan", ConsistentRead=True, **page)
            for item in map(plain, answer["Items"]):
                found.setdefault(str(item["stream"]), {})[str(item["shard"])] = item
            if "LastEvaluatedKey" not in answer:
                return found
            page = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    def drop(self) -> None:
        """Removes the table, and waits until it is gone. Raises JournalMissing."""
        self._ask("delete_table")
        self._client.get_waiter("table_not_exists").wait(TableName=self.table, WaiterConfig=NEW_TABLE)

    def _ask(self, method: str, **request: Any) -> Any:
        try:
            return _call(self._client, method, self.table, **request)
        except _NoTable as error:
            raise JournalMissing(self.table) from error


class _NoTable(Exception):
    pass


def _call(client: "DynamoDBClient", method: str, table: str, **request: Any) -> Any:
    operation = "".join(part.title() for part in method.split("_"))
    try:
        return getattr(client, method)(TableName=table, **request)
    except ClientError as error:
        told = error.response["Error"]
        if told["Code"] == "ResourceNotFoundException":
            raise _NoTable(table) from error
        cause = f"{told['Code']}: {told.get('Message', '')}"
        if told["Code"] in MALFORMED:
            raise TableRequestMalformed(table, operation, cause, described(request)) from error
        raise TableTrouble(table, operation, cause) from error
    except BotoCoreError as error:
        raise TableTrouble(table, operation, str(error)) from error


def wire(item: Item) -> Item:
    return {name: _serialize(value) for name, value in item.items()}


def plain(item: Item) -> Item:
    return {name: _native(_deserialize(value)) for name, value in item.items()}


def _native(value: Any) -> Any:
    """A whole number as one: a Decimal can't go where a count is meant."""
    return int(value) if isinstance(value, Decimal) and value == value.to_integral_value() else value
