"""Rights to read the engine's status report in its ledger; used by the drift and key-rotation roles."""

from collections.abc import Iterator

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.environment_key import key_of
from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.iam.statement import allow, via
from firnline_ingest.permissions.narrowing import ledger_partitions

OURS = "firnline:application"
SEE_RUN = {"dynamodb:GetItem": "The engine writes into its run's item which configuration, version and key it uses."}
USE_LEDGERS_KEY = {"kms:Decrypt": "DynamoDB opens the table's key in the caller's name."}


def see_run(blueprint: Blueprint) -> PolicyStatement:
    """No row of a shard: they lie under other keys."""
    return allow(
        "SeeRun",
        SEE_RUN,
        resources=(blueprint.environment.arns.table(blueprint.names.ledger_table),),
        conditions={"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ledger_partitions(())}},
    )


def use_ledgers_key(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    environment = blueprint.environment
    if (key := key_of(environment)) is None:
        return
    yield allow(
        "KeyOfLedger",
        USE_LEDGERS_KEY,
        resources=(key,),
        conditions=via("dynamodb", environment.aws.region, {"aws:dynamodb:tableName": blueprint.names.ledger_table}),
    )
