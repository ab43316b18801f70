"""DynamoDB: the ledger's table."""

from collections.abc import Iterator
from datetime import datetime

from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.aws import LedgerTable
from firnline_infra.blueprint.storage import key_value
from firnline_infra.environment import Environment
from firnline_infra.kinds.asking import made_again, resource_policy
from firnline_infra.kinds.comparison import Comparison, Difference, Subject
from firnline_infra.kinds.kind import COMPARE, TAGS, Kind, Lookup, Right, own_name
from firnline_infra.kinds.resource import Component, Resource


def ledger(environment: Environment) -> Iterator[Component]:
    table = LedgerTable(
        name=environment.names.ledger_table,
        key_arn=key_value(environment),
        migration=environment.ledger.migration,
        durability=environment.durability,
        tags=environment.tags("ledger"),
    )
    yield checkpoint_table("ledger", table)


def checkpoint_table(name: str, args: LedgerTable) -> Component:
    table = _table(f"{name}-table", args)
    beside = () if args.migration_table is None else (_table(f"{name}-migration", args.migration_table),)
    return Component("CheckpointTable", name, (table, *beside), {"name": table["name"], "arn": table["arn"]})


def _table(name: str, args: LedgerTable) -> Resource:
    own_key = args.key_arn is None
    return Resource(
        TABLE.terraform_type,
        name,
        {
            "name": args.name,
            "billing_mode": args.billing_mode,
            "hash_key": args.hash_key,
            "range_key": args.range_key,
            "attribute": [{"name": key, "type": args.key_type} for key in (args.hash_key, args.range_key)],
            "point_in_time_recovery": {"enabled": args.point_in_time_recovery},
            "server_side_encryption": None if own_key else {"enabled": True, "kms_key_arn": args.key_arn},
            "deletion_protection_enabled": args.is_deletion_protected,
            "tags": args.tags,
        },
        durability=args.durability,
    )


def _policy(subject: Subject) -> str | None:
    arn = subject.arns.table(own_name(subject.wanted))
    text: str | None = subject.clients("dynamodb").get_resource_policy(ResourceArn=arn).get("Policy")
    return text


def _expiry(subject: Subject) -> Iterator[Difference]:
    """TTL deletes items, and the ledger's are what keeps records from arriving twice."""
    asked = subject.clients("dynamodb").describe_time_to_live(TableName=own_name(subject.wanted))
    found = asked["TimeToLiveDescription"]
    if found["TimeToLiveStatus"] in ("ENABLED", "ENABLING"):
        name = own_name(subject.wanted)
        step = f"aws dynamodb update-time-to-live --table-name {name}, at once: it deletes what the engine has to know"
        yield Difference.unwanted("ttl", f"by attribute {found.get('AttributeName')}", step)


def table_names(blueprint: Blueprint) -> tuple[str, ...]:
    """The migration's comes and goes."""
    ledger_table = LedgerTable(name=blueprint.names.ledger_table)
    return ledger_table.name, ledger_table.migration_name


def _created(subject: Subject) -> datetime:
    found = subject.clients("dynamodb").describe_table(TableName=own_name(subject.wanted))
    created: datetime = found["Table"]["CreationDateTime"]
    return created


def _without_migrations(blueprint: Blueprint) -> list[Resource]:
    return [each for each in TABLE.instances(blueprint) if own_name(each) == blueprint.names.ledger_table]


TYPE = "aws:dynamodb/table:Table"
TABLE = Kind(
    TYPE,
    "DynamoDB table",
    import_id="{name}",
    service="dynamodb",
    arns=lambda blueprint, arns: [arns.table(name) for name in table_names(blueprint)],
    rows=ledger,
    exists=Lookup("dynamodb", "describe_table", "TableName"),
    rights=(
        Right("Makes it.", create="CreateTable"),
        Right(COMPARE, read="DescribeTable DescribeContinuousBackups DescribeTimeToLive ListTagsOfResource"),
        Right("Its key, its protection against deletion, its expiry (none).", update="UpdateTable UpdateTimeToLive"),
        Right(TAGS, create="TagResource", update="UntagResource"),
        Right("That it can be restored to any second.", create="UpdateContinuousBackups"),
        Right(
            "Removes it: the migration's when that is over, the ledger's with its environment.", delete="DeleteTable"
        ),
    ),
    comparisons=(
        Comparison(what="policy", actions="GetResourcePolicy", find=resource_policy(_policy)),
        Comparison(what="expiry", actions="DescribeTimeToLive", find=_expiry),
        Comparison(what="creation", actions="DescribeTable", find=made_again(TYPE, _created), rule="stack"),
    ),
    drift_instances=_without_migrations,
)
