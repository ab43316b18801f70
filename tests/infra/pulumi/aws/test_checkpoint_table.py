from firnline_infra.pulumi.aws import CheckpointTable, CheckpointTableArgs
from tests.infra.pulumi.conftest import Deploy


def test_a_ledger_can_be_restored_and_nobody_deletes_it(deploy: Deploy) -> None:
    deployment = deploy(lambda: CheckpointTable("l", CheckpointTableArgs(name="ledger")))
    assert list(deployment.children) == ["l-table"]
    table = deployment["l-table"]
    assert table.protect
    assert table.inputs == {
        "name": "ledger",
        "billingMode": "PAY_PER_REQUEST",
        "hashKey": "stream",
        "rangeKey": "shard",
        "attributes": [{"name": "stream", "type": "S"}, {"name": "shard", "type": "S"}],
        "pointInTimeRecovery": {"enabled": True},
        "deletionProtectionEnabled": True,
        "tags": {},
    }


def test_the_migrations_table_is_there_while_migrating_and_can_go_afterwards(deploy: Deploy) -> None:
    deployment = deploy(lambda: CheckpointTable("l", CheckpointTableArgs(name="ledger", migration=True)))
    companion = deployment["l-migration"]
    assert companion.inputs["name"] == "ledger_migration"
    assert (companion.protect, companion.inputs["deletionProtectionEnabled"]) == (False, False)
    assert deployment["l-table"].protect


def test_a_key_of_ones_own_encrypts_it(deploy: Deploy) -> None:
    key = "arn:aws:kms:eu-west-1:111122223333:key/k"
    table = deploy(lambda: CheckpointTable("l", CheckpointTableArgs(name="ledger", key_arn=key)))["l-table"]
    assert table.inputs["serverSideEncryption"] == {"enabled": True, "kmsKeyArn": key}
