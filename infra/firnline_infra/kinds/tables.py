"""DynamoDB: the ledger's table."""

from firnline_infra.blueprint import Blueprint
from firnline_infra.kinds.kind import COMPARE, DRIFT, TAGS, Kind, Lookup, Right


def table_names(blueprint: Blueprint) -> tuple[str, ...]:
    """The migration's comes and goes."""
    return blueprint.ledger.name, blueprint.ledger.migration_name


TABLE = Kind(
    "aws:dynamodb/table:Table",
    "DynamoDB table",
    import_id="{name}",
    service="dynamodb",
    arns=lambda blueprint, arns: [arns.table(name) for name in table_names(blueprint)],
    made=lambda blueprint: [each for each in (blueprint.ledger, blueprint.ledger.migration_table) if each is not None],
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
        Right(DRIFT, compare="GetResourcePolicy"),
    ),
)
