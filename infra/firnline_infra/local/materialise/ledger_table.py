"""The ledger's DynamoDB table."""

from typing import Any

from firnline_infra.blueprint.ledger_table import LedgerTable
from firnline_infra.local.errors import NotMaterialised
from firnline_infra.local.materialise.clients import Clients


def make(table: LedgerTable, clients: Clients) -> None:
    """A table with other keys is refused: keys can't be changed, and what is in it may be somebody's ledger."""
    if read(table, clients) is None:
        clients.dynamodb.create_table(
            TableName=table.name,
            AttributeDefinitions=[
                {"AttributeName": table.hash_key, "AttributeType": "S"},
                {"AttributeName": table.range_key, "AttributeType": "S"},
            ],
            KeySchema=[
                {"AttributeName": table.hash_key, "KeyType": "HASH"},
                {"AttributeName": table.range_key, "KeyType": "RANGE"},
            ],
            BillingMode=table.billing_mode,
            Tags=[{"Key": key, "Value": value} for key, value in table.tags.items()],
        )
    found = read(table, clients)
    wanted = {"HASH": table.hash_key, "RANGE": table.range_key}
    if found is None or found["keys"] != wanted:
        raise NotMaterialised(kind=table.kind, name=table.name, wanted=wanted, found=found)


def read(table: LedgerTable, clients: Clients) -> dict[str, Any] | None:
    try:
        found = clients.dynamodb.describe_table(TableName=table.name)["Table"]
    except clients.dynamodb.exceptions.ResourceNotFoundException:
        return None
    return {
        "keys": {key["KeyType"]: key["AttributeName"] for key in found["KeySchema"]},
        "billing_mode": found.get("BillingModeSummary", {}).get("BillingMode"),
        "status": found["TableStatus"],
    }


def remove(table: LedgerTable, clients: Clients) -> None:
    if read(table, clients) is not None:
        clients.dynamodb.delete_table(TableName=table.name)
