"""DynamoDB: the ledger's table."""

from collections.abc import Iterator
from datetime import datetime

from firnline_infra.blueprint import Blueprint
from firnline_infra.kinds.asking import made_again, resource_policy
from firnline_infra.kinds.comparison import Comparison, Difference, Subject
from firnline_infra.kinds.kind import COMPARE, TAGS, Kind, Lookup, Right, present


def _policy(subject: Subject) -> str | None:
    arn = subject.arns.table(subject.wanted.name)
    text: str | None = subject.clients("dynamodb").get_resource_policy(ResourceArn=arn).get("Policy")
    return text


def _expiry(subject: Subject) -> Iterator[Difference]:
    """TTL deletes items, and the ledger's are what keeps records from arriving twice."""
    asked = subject.clients("dynamodb").describe_time_to_live(TableName=subject.wanted.name)
    found = asked["TimeToLiveDescription"]
    if found["TimeToLiveStatus"] in ("ENABLED", "ENABLING"):
        name = subject.wanted.name
        step = f"aws dynamodb update-time-to-live --table-name {name}, at once: it deletes what the engine has to know"
        yield Difference.unwanted("ttl", f"by attribute {found.get('AttributeName')}", step)


def table_names(blueprint: Blueprint) -> tuple[str, ...]:
    """The migration's comes and goes."""
    return blueprint.ledger.name, blueprint.ledger.migration_name


def _created(subject: Subject) -> datetime:
    found = subject.clients("dynamodb").describe_table(TableName=subject.wanted.name)
    created: datetime = found["Table"]["CreationDateTime"]
    return created


TYPE = "aws:dynamodb/table:Table"
TABLE = Kind(
    TYPE,
    "DynamoDB table",
    import_id="{name}",
    service="dynamodb",
    arns=lambda blueprint, arns: [arns.table(name) for name in table_names(blueprint)],
    made=lambda blueprint: present(blueprint.ledger, blueprint.ledger.migration_table),
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
    compared=lambda _, blueprint: [blueprint.ledger],
)
