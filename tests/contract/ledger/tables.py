"""The table that the suite of ledgers has in DynamoDB: moto's, dynalite's, or an account's where `scripts/live` asks."""

import os
from typing import Any

from firnline_ingest.ledger.dynamodb import KEY_SCHEMA, DynamoLedger

IN_AN_ACCOUNT = os.environ.get("FIRNLINE_LIVE_TABLE")
"""Its name, which scripts/live removes with all that it has made."""
TABLE = IN_AN_ACCOUNT or "ledger"
NAMES = dict(zip(("#a", "#b"), KEY_SCHEMA, strict=True))


def dynamo_ledger(client: Any) -> DynamoLedger:
    """Over an empty table."""
    if TABLE not in client.list_tables()["TableNames"]:
        client.create_table(
            TableName=TABLE,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in KEY_SCHEMA],
            KeySchema=[{"AttributeName": name, "KeyType": kind} for name, kind in KEY_SCHEMA.items()],
        )
        client.get_waiter("table_exists").wait(TableName=TABLE, WaiterConfig={"Delay": 1})
    what = {"ProjectionExpression": "#a, #b", "ExpressionAttributeNames": NAMES, "ConsistentRead": True}
    for item in client.scan(TableName=TABLE, **what)["Items"]:
        client.delete_item(TableName=TABLE, Key=item)
    return DynamoLedger(client, TABLE)
