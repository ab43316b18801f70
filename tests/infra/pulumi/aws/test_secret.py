from typing import Any

from firnline_infra.pulumi.aws import Secret, SecretArgs

ARN = "arn:aws:secretsmanager:eu-west-1:111122223333:secret:orders/snowflake/ingest-AbCdEf"


def test_a_secret_is_made_without_a_value(deploy: Any) -> None:
    deployment = deploy(lambda: Secret("s", SecretArgs(name="orders/snowflake/ingest")))
    assert deployment.children == {"s-secret": "aws:secretsmanager/secret:Secret"}
    secret = deployment["s-secret"]
    assert (secret.import_id, secret.protect, secret.ignore_changes) == ("", True, ())
    assert secret.inputs["recoveryWindowInDays"] == 30


def test_the_secret_that_has_the_key_already_is_taken_over(deploy: Any) -> None:
    secret = deploy(lambda: Secret("s", SecretArgs(name="orders/snowflake/ingest", existing_arn=ARN)))["s-secret"]
    assert secret.import_id == ARN
    assert secret.ignore_changes == ("recoveryWindowInDays", "forceOverwriteReplicaSecret")
