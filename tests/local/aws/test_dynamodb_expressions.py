"""The embedded DynamoDB refuses what the service refuses of an expression, before it looks for the table."""

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from firnline_local.aws.dynamodb_expressions import refusal_of

ClientOf = Callable[[str], Any]
KEY = {"stream": {"S": "a"}, "shard": {"S": "b"}}
VALUE = {":v": {"S": "a"}}
RESERVED = "Attribute name is a reserved keyword; reserved keyword:"


@pytest.mark.parametrize(
    ("operation", "parameters", "message"),
    [
        (
            "Query",
            {"KeyConditionExpression": "shard = :v", "ExpressionAttributeValues": VALUE},
            f"Invalid KeyConditionExpression: {RESERVED} shard",
        ),
        (
            "PutItem",
            {"ConditionExpression": "attribute_exists(Stream)"},
            f"Invalid ConditionExpression: {RESERVED} Stream",
        ),
        ("UpdateItem", {"UpdateExpression": "REMOVE held, status"}, f"Invalid UpdateExpression: {RESERVED} status"),
        (
            "Scan",
            {"FilterExpression": "held.#n[0].Name = :v", "ExpressionAttributeValues": VALUE},
            f"Invalid FilterExpression: {RESERVED} Name",
        ),
        ("GetItem", {"ProjectionExpression": "held[3], owner"}, f"Invalid ProjectionExpression: {RESERVED} owner"),
        (
            "Scan",
            {"FilterExpression": "held = :v AND NOT #n IN (:w)", "ExpressionAttributeValues": VALUE},
            "Invalid FilterExpression: An expression attribute name used in the document path is not defined; attribute name: #n",
        ),
        (
            "Scan",
            {"FilterExpression": "held = :v", "ExpressionAttributeValues": {":w": {"S": "a"}}},
            "Invalid FilterExpression: An expression attribute value used in expression is not defined; attribute value: :v",
        ),
        (
            "Scan",
            {
                "FilterExpression": "held = :v",
                "ExpressionAttributeNames": {"#x": "x"},
                "ExpressionAttributeValues": VALUE,
            },
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}",
        ),
        (
            "PutItem",
            {"ConditionExpression": "attribute_exists(held)", "ExpressionAttributeValues": VALUE},
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}",
        ),
        (
            "PutItem",
            {"ConditionExpression": "attribute_exists(held)", "ExpressionAttributeNames": {}},
            "ExpressionAttributeNames must not be empty",
        ),
        (
            "PutItem",
            {"ConditionExpression": "attribute_exists(#a-b)", "ExpressionAttributeNames": {"#a-b": "c"}},
            'ExpressionAttributeNames contains invalid key: Syntax error; key: "#a-b"',
        ),
        (
            "PutItem",
            {"ExpressionAttributeNames": {"#n": "n"}},
            "ExpressionAttributeNames can only be specified when using expressions",
        ),
        (
            "Query",
            {"ExpressionAttributeValues": VALUE},
            "ExpressionAttributeValues can only be specified when using expressions: FilterExpression and "
            "KeyConditionExpression are null",
        ),
        ("PutItem", {"ConditionExpression": ""}, "Invalid ConditionExpression: The expression can not be empty;"),
        (
            "TransactWriteItems",
            {"TransactItems": [{"Put": {"ConditionExpression": "attribute_exists(shard)"}}]},
            f"Invalid ConditionExpression: {RESERVED} shard",
        ),
        (
            "BatchGetItem",
            {"RequestItems": {"rows": {"ProjectionExpression": "shard"}}},
            f"Invalid ProjectionExpression: {RESERVED} shard",
        ),
    ],
)
def test_a_malformed_expression_is_refused(operation: str, parameters: dict[str, Any], message: str) -> None:
    assert refusal_of(operation, parameters) == message


@pytest.mark.parametrize(
    ("operation", "parameters"),
    [
        (
            "UpdateItem",
            {
                "UpdateExpression": "SET #s = if_not_exists(#s, :v), held[0].beat = beat + :v REMOVE run_id ADD x :v DELETE y :v",
                "ConditionExpression": "(size(held) BETWEEN :v AND :v) OR NOT contains (held, :v)",
                "ExpressionAttributeNames": {"#s": "shard"},
                "ExpressionAttributeValues": VALUE,
            },
        ),
        ("PutItem", {"Item": KEY}),
        ("BatchWriteItem", {"RequestItems": {"rows": [{"PutRequest": {"Item": KEY}}]}}),
    ],
)
def test_an_expression_in_order_is_not_refused(operation: str, parameters: dict[str, Any]) -> None:
    assert refusal_of(operation, parameters) is None


@pytest.mark.contract
def test_the_embedded_dynamodb_says_it_before_it_looks_for_the_table(client_of: ClientOf) -> None:
    with pytest.raises(ClientError) as refused:
        client_of("dynamodb").query(
            TableName="there-is-none", KeyConditionExpression="shard = :v", ExpressionAttributeValues=VALUE
        )
    assert refused.value.response["Error"]["Code"] == "ValidationException"
    assert refused.value.response["Error"]["Message"] == f"Invalid KeyConditionExpression: {RESERVED} shard"
