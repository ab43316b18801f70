"""A DynamoDB table of items, one call at a time: each read consistent, each refusal with the table, the operation and the
cause.

The client retries what it can; what is left is wrapped here, once.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from boto3.dynamodb.conditions import Attr, ConditionBase
from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from firnline_ingest.aws.codes import DENIED, MALFORMED, NO_ANSWER, NO_CREDENTIALS, STALE, UNKNOWN_CALLER
from firnline_ingest.aws.request_parts import described
from firnline_ingest.aws.trust import said
from firnline_ingest.errors import LedgerError
from firnline_ingest.ledger.direct import direct_calls
from firnline_ingest.ledger.errors import (
    LedgerCredentialsStale,
    LedgerForbidden,
    LedgerRequestMalformed,
    LedgerTableMissing,
    LedgerUnauthenticated,
    LedgerUnavailable,
)
from firnline_ingest.ledger.expressions import ItemUpdate, of_query, of_write
from firnline_ingest.ledger.item import Item

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import WaiterConfigTypeDef

Result = TypeVar("Result")
NEW_TABLE: "WaiterConfigTypeDef" = {"Delay": 2, "MaxAttempts": 250}
"""How a table that was just created is waited for: it takes seconds, and botocore's own waiter looks each twenty."""

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
        self._direct = direct_calls(client)

    def understood(self, read: Callable[[], Result]) -> Result:
        """Returns what `read` makes of an answer.

        Raises LedgerUnavailable for a good status over something else than DynamoDB's.
        """
        try:
            return read()
        except NO_ANSWER as error:
            raise LedgerUnavailable(self.name, f"an answer can't be read ({type(error).__name__}: {error})") from error

    def update(self, key: Item, update: ItemUpdate, condition: ConditionBase, read: Callable[[Item], Result]) -> Result:
        """Returns what `read` makes of the item as it is then."""
        request = of_write(condition, update)
        answer = self.call("UpdateItem", "update_item", Key=serialized(key), ReturnValues="ALL_NEW", **request)
        return self.understood(lambda: read(deserialized(answer["Attributes"])))

    def update_own(self, key: Item, update: ItemUpdate, run_id: str, read: Callable[[Item], Result]) -> Result | None:
        """Updates an item of the application if it still belongs to the run; returns what `read` makes of it then, else
        None."""
        try:
            return self.update(key, update, Attr("run_id").eq(run_id), read)
        except ConditionFailed:
            return None

    def get(self, key: Item, read: Callable[[Item], Result]) -> Result | None:
        """Returns what `read` makes of the item; None if there is none."""
        answer = self.call("GetItem", "get_item", Key=serialized(key), ConsistentRead=True)
        return self.understood(lambda: read(deserialized(answer["Item"]))) if "Item" in answer else None

    def query(self, condition: ConditionBase, read: Callable[[Item], Result]) -> Iterator[Result]:
        """Yields what `read` makes of each item."""
        page: dict[str, Any] = {}
        while True:
            answer = self.call("Query", "query", ConsistentRead=True, **of_query(condition), **page)
            yield from self.understood(partial(_items_of, answer, read))
            if "LastEvaluatedKey" not in answer:
                return
            page = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    def put(self, item: Item, condition: ConditionBase) -> None:
        self.call("PutItem", "put_item", Item=serialized(item), **of_write(condition))

    def delete(self, key: Item, condition: ConditionBase) -> None:
        self.call("DeleteItem", "delete_item", Key=serialized(key), **of_write(condition))

    def call(self, operation: str, method: str, **request: Any) -> Any:
        call: Callable[..., Any] = self._direct.get(method) or getattr(self.client, method)
        send = partial(call, TableName=self.name, **request)
        try:
            return self.understood(send)
        except ClientError as error:
            raise self._explained(operation, error, request) from error
        except NO_CREDENTIALS as error:
            raise LedgerUnauthenticated(self.name, operation, str(error)) from error
        except (BotoCoreError, ResponseParserError) as error:
            raise LedgerUnavailable(self.name, said(error)) from error

    def _explained(
        self, operation: str, error: ClientError, request: Item
    ) -> LedgerError | ConditionFailed | TableExists:
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
        if code in MALFORMED:
            return LedgerRequestMalformed(self.name, operation, f"{code}: {message}", described(request))
        return LedgerUnavailable(self.name, f"{code}: {message}")


def _items_of(answer: Any, read: Callable[[Item], Result]) -> list[Result]:
    return [read(deserialized(item)) for item in answer["Items"]]


def serialized(values: Item) -> Item:
    return {name: _serialize(value) for name, value in values.items()}


def deserialized(item: Item) -> Item:
    return {name: _plain(value) for name, value in item.items()}


def _plain(value: Any) -> Any:
    """Returns what boto3's deserializer does, in half of its time: a plan of 10,000 shards has 400,000 values. A number of digits
    alone is an int.
    """
    ((kind, inner),) = value.items()
    match kind:
        case "S" | "BOOL":
            return inner
        case "N":
            return int(inner) if inner.isdigit() else _deserialize(value)
        case "M":
            return {name: _plain(each) for name, each in inner.items()}
        case "L":
            return [_plain(each) for each in inner]
    return _deserialize(value)
