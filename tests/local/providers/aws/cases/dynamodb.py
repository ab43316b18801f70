"""Tables."""

from typing import Any

from firnline_local.providers.aws import dynamodb
from firnline_local.providers.clients import Clients

from .case import ACCOUNT, Behind, Case, a_key, fresh


def table_inputs(clients: Clients) -> dict[str, Any]:
    return {
        "name": fresh("table"),
        "hashKey": "stream",
        "rangeKey": "shard",
        "attributes": [{"name": "stream", "type": "S"}, {"name": "shard", "type": "S"}],
        "billingMode": "PAY_PER_REQUEST",
        "pointInTimeRecovery": {"enabled": True, "recoveryPeriodInDays": 7},
        "serverSideEncryption": {"enabled": True, "kmsKeyArn": a_key(clients)},
        "ttl": {"enabled": True, "attributeName": "until"},
        "tags": {"a": "1"},
    }


def table_changed(**change: Any) -> Behind:
    return lambda clients, id_: clients.aws("dynamodb").update_table(TableName=id_, **change)


CASES = [
    Case(
        kind=dynamodb.TABLE,
        inputs=table_inputs,
        taken="ResourceInUseException",
        behind={
            "deletionProtectionEnabled": table_changed(DeletionProtectionEnabled=True),
            "billingMode": table_changed(
                BillingMode="PROVISIONED", ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
            ),
            "serverSideEncryption": table_changed(SSESpecification={"Enabled": False}),
            "pointInTimeRecovery": lambda c, i: c.aws("dynamodb").update_continuous_backups(
                TableName=i, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": False}
            ),
            "ttl": lambda c, i: c.aws("dynamodb").update_time_to_live(
                TableName=i, TimeToLiveSpecification={"Enabled": False, "AttributeName": "until"}
            ),
            "streamEnabled": table_changed(StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}),
            "tags": lambda c, i: c.aws("dynamodb").untag_resource(
                ResourceArn=f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/{i}", TagKeys=["a"]
            ),
        },
        changes={
            "pointInTimeRecovery": {"enabled": False},
            "serverSideEncryption": {"enabled": False},
            "ttl": {"enabled": True, "attributeName": "other"},
            "tags": {"b": "2"},
            "streamEnabled": True,
        },
    ),
]
