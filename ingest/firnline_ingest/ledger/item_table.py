"""A DynamoDB table of items, one call at a time: each read consistent, each refusal with the table, the operation and the
cause.

The client retries what it can; what is left is wrapped here, once.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from firnline_ingest.aws.codes import DENIED, NO_ANSWER, NO_CREDENTIALS, STALE, UNKNOWN_CALLER
from firnline_ingest.errors import LedgerError
from firnline_ingest.ledger.errors import (
    LedgerCredentialsStale,
    LedgerForbidden,
    LedgerTableMissing,
    LedgerUnauthenticated,
    LedgerUnavailable,
)
from firnline_ingest.ledger.item import Item

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Result = TypeVar("Result")

KEY = ("stream", "shard")
"""The table's key. Both are reserved words of DynamoDB, so an expression names them by placeholders alone (AWS, DynamoDB
Developer Guide, "Reserved words in DynamoDB", read on 2026-11-28).
"""

_serialize, _deserialize = TypeSerializer().serialize, TypeDeserializer().deserialize


class ConditionFailed(Exception):
    pass


class TableExists(Exception):
    pass


class ItemTable:
    """The operations that a ledger needs. Each raises LedgerError; a write also ConditionFailed."""

    def __init__(self, client: "DynamoDBClient", name: str) -> None:
        self.client = client
        self.name = name

    def understood(self, read: Callable[[], Result]) -> Result:
        """What `read` makes of an answer. Raises LedgerUnavailable for a good status over what is no answer of DynamoDB's."""
        try:
            return read()
        except NO_ANSWER as error:
            raise LedgerUnavailable(self.name, f"an answer can't be read ({type(error).__name__}: {error})") from error

    def update_own(self, key: Item, update: str, values: Item, read: Callable[[Item], Result]) -> Result | None:
        """Updates an item of the application if it still belongs to the run `:run_id`; returns what `read` makes of it
        then, else None."""
        try:
            answer = self.call(
                "UpdateItem",
                "update_item",
                Key=serialized(key),
                UpdateExpression=update,
                ConditionExpression="run_id = :run_id",
                ExpressionAttributeValues=serialized(values),
                ReturnValues="ALL_NEW",
            )
        except ConditionFailed:
            return None
        return self.understood(lambda: read(deserialized(answer["Attributes"])))

    def get(self, key: Item, read: Callable[[Item], Result]) -> Result | None:
        """What `read` makes of the item; None where there is none."""
        answer = self.call("GetItem", "get_item", Key=serialized(key), ConsistentRead=True)
        return self.understood(lambda: read(deserialized(answer["Item"]))) if "Item" in answer else None

    def query(self, condition: str, values: Item, read: Callable[[Item], Result]) -> Iterator[Result]:
        """What `read` makes of each item."""
        page: dict[str, Any] = {}
        while True:
            answer = self.call(
                "Query",
                "query",
                ConsistentRead=True,
                KeyConditionExpression=condition,
                ExpressionAttributeNames={f"#{name}": name for name in KEY if f"#{name}" in condition},
                ExpressionAttributeValues=serialized(values),
                **page,
            )
            yield from self.understood(partial(_items_of, answer, read))
            if "LastEvaluatedKey" not in answer:
                return
            page = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    def put(self, item: Item, condition: str, values: Item, names: tuple[str, ...]) -> None:
        used = [name for name in names if f"#{name}" in condition]
        self.call(
            "PutItem",
            "put_item",
            Item=serialized(item),
            ConditionExpression=condition,
            **({"ExpressionAttributeNames": {f"#{name}": name for name in used}} if used else {}),
            **({"ExpressionAttributeValues": serialized(values)} if values else {}),
        )

    def call(self, operation: str, method: str, **request: Any) -> Any:
        send = partial(getattr(self.client, method), TableName=self.name, **request)
        try:
            return self.understood(send)
        except ClientError as error:
            raise self._explained(operation, error) from error
        except NO_CREDENTIALS as error:
            raise LedgerUnauthenticated(self.name, operation, str(error)) from error
        except (BotoCoreError, ResponseParserError) as error:
            raise LedgerUnavailable(self.name, str(error)) from error

    def _explained(self, operation: str, error: ClientError) -> LedgerError | ConditionFailed | TableExists:
        code, message = error.response["Error"]["Code"], error.response["Error"]["Message"]
        if code == "ConditionalCheckFailedException":
            return ConditionFailed()
        if code == "ResourceInUseException" and operation == "CreateTable":
            return TableExists()
        if code == "ResourceNotFoundException":
            return LedgerTableMissing(self.name)
        if code in UNKNOWN_CALLER:
            return LedgerUnauthenticated(self.name, operation, f"{code}: {message}")
        if code in DENIED:
            return LedgerForbidden(self.name, operation, message)
        if code in STALE:
            return LedgerCredentialsStale(self.name, operation, f"{code}: {message}")
        return LedgerUnavailable(self.name, f"{code}: {message}")


def _items_of(answer: Any, read: Callable[[Item], Result]) -> list[Result]:
    return [read(deserialized(item)) for item in answer["Items"]]


def serialized(values: Item) -> Item:
    return {name: _serialize(value) for name, value in values.items()}


def deserialized(item: Item) -> Item:
    return {name: _deserialize(value) for name, value in item.items()}
