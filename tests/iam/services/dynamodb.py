"""DynamoDB (Service Authorization Reference, `list_amazondynamodb`).

A transaction is not an action of its own: it needs the ones of its items. Actions on items say which partitions they touch
(dynamodb:LeadingKeys).
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from firnline_local.aws.policy import Context
from tests.iam.request import Access, Request

EVERYWHERE = {
    *("DescribeEndpoints", "DescribeLimits", "ListBackups", "ListContributorInsights", "ListExports"),
    *("ListGlobalTables", "ListImports", "ListTables"),
}
BATCHES = {"BatchGetItem", "BatchWriteItem"}
TRANSACTIONS = {"TransactGetItems", "TransactWriteItems"}
OF_TRANSACTION = {
    "Get": "dynamodb:GetItem",
    "Put": "dynamodb:PutItem",
    "Update": "dynamodb:UpdateItem",
    "Delete": "dynamodb:DeleteItem",
    "ConditionCheck": "dynamodb:ConditionCheckItem",
}
ON_ITEMS = {"DeleteItem", "GetItem", "PutItem", "Query", "Scan", "UpdateItem"}


def accesses(request: Request) -> Iterator[Access] | None:
    operation, parameters = request.operation, request.parameters
    if operation in EVERYWHERE:
        return iter((Access(f"dynamodb:{operation}", "*"),))
    if operation in TRANSACTIONS:
        return _transaction(request)
    if operation in BATCHES:
        return _batch(request)
    if "TableName" not in parameters and "ResourceArn" not in parameters:
        return None
    return _one(request)


def table_arn(request: Request, table: str) -> str:
    return table if table.startswith("arn:") else request.arn(f"table/{table}")


def _one(request: Request) -> Iterator[Access]:
    operation, parameters = request.operation, request.parameters
    if "TableName" not in parameters:
        yield Access(f"dynamodb:{operation}", str(parameters["ResourceArn"]))
        return
    arn = table_arn(request, parameters["TableName"])
    context = _leading_keys(request, parameters["TableName"], parameters) if operation in ON_ITEMS else {}
    index = parameters.get("IndexName")
    yield Access(f"dynamodb:{operation}", f"{arn}/index/{index}" if index else arn, context)
    if operation == "CreateTable" and parameters.get("Tags"):
        yield Access("dynamodb:TagResource", arn)


def _batch(request: Request) -> Iterator[Access]:
    for table, wanted in request.parameters.get("RequestItems", {}).items():
        items = wanted.get("Keys", []) if isinstance(wanted, Mapping) else [_written(each) for each in wanted]
        keys = [value for item in items for value in _leading_keys(request, table, {"Key": item}).values()]
        context = {"dynamodb:LeadingKeys": [str(each) for value in keys for each in value]} if keys else {}
        yield Access(f"dynamodb:{request.operation}", table_arn(request, table), context)


def _written(write: Mapping[str, Any]) -> Mapping[str, Any]:
    request = write.get("PutRequest") or write.get("DeleteRequest") or {}
    found: Mapping[str, Any] = request.get("Item") or request.get("Key") or {}
    return found


def _transaction(request: Request) -> Iterator[Access]:
    for item in request.parameters.get("TransactItems", []):
        for kind, wanted in item.items():
            context = _leading_keys(request, wanted["TableName"], wanted)
            yield Access(OF_TRANSACTION[kind], table_arn(request, wanted["TableName"]), context)


def _leading_keys(request: Request, table: str, wanted: Mapping[str, Any]) -> Context:
    """Empty for a scan: it touches every partition, and a condition on some of them fails for it."""
    attribute = request.directory.hash_key(table)
    item = wanted.get("Key") or wanted.get("Item")
    if attribute is None:
        return {}
    value = item.get(attribute) if item else _of_condition(attribute, wanted)
    return {"dynamodb:LeadingKeys": [str(next(iter(value.values())))]} if value else {}


def _of_condition(attribute: str, wanted: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The value that a query's KeyConditionExpression sets the partition key equal to."""
    names = {name: placeholder for placeholder, name in wanted.get("ExpressionAttributeNames", {}).items()}
    spelling = "|".join(re.escape(each) for each in (attribute, names.get(attribute)) if each)
    found = re.search(rf"(?<![\w#])(?:{spelling})\s*=\s*(:\w+)", wanted.get("KeyConditionExpression", ""))
    value: Mapping[str, Any] | None = wanted.get("ExpressionAttributeValues", {}).get(found[1]) if found else None
    return value
