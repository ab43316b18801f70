from typing import Any

from firnline_infra.pulumi.aws import Secret, SecretArgs
from tests.infra.pulumi.conftest import Deploy

ARN = "arn:aws:secretsmanager:eu-west-1:111122223333:secret:orders/snowflake/ingest-AbCdEf"


def test_a_secret_is_made_without_a_value(deploy: Deploy) -> None:
    deployment = deploy(lambda: Secret("s", SecretArgs(name="orders/snowflake/ingest")))
    assert deployment.children == {"s-secret": "aws:secretsmanager/secret:Secret"}
    secret = deployment["s-secret"]
    assert (secret.import_id, secret.protect, secret.ignore_changes) == ("", True, ())
    assert secret.inputs["recoveryWindowInDays"] == 30


def test_the_secret_that_has_the_key_already_is_taken_over(deploy: Deploy) -> None:
    secret = deploy(lambda: Secret("s", SecretArgs(name="orders/snowflake/ingest", existing_arn=ARN)))["s-secret"]
    assert secret.import_id == ARN
    assert secret.ignore_changes == ("recoveryWindowInDays", "forceOverwriteReplicaSecret")


def test_one_that_was_taken_over_stays_where_it_could_not_be_had_back(deploy: Deploy) -> None:
    def retained(**given: Any) -> bool:
        args = SecretArgs(name="orders/snowflake/ingest", **given)
        return bool(deploy(lambda: Secret("s", args))["s-secret"].retain_on_delete)

    assert retained(existing_arn=ARN, recovery_days=30)
    assert not retained(existing_arn=ARN, recovery_days=0)
    assert not retained(recovery_days=30)  # made here: the provider knows the window
