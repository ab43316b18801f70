"""Databases, schemas, tables of every kind, and the pipes in front of them.

A table's columns are its own affair once it is made: schema evolution adds to them, or whoever designs them does.
"""

from typing import Any

from firnline_infra.blueprint.latest import LatestTable
from firnline_infra.blueprint.snowflake import (
    Database,
    DeadLetterPipe,
    DeadLetterStage,
    IcebergTable,
    InteractiveTable,
    InteractiveWarehouse,
    Pipe,
    Schema,
    Table,
)
from firnline_infra.kinds.resource import Resource, WaitingValue
from firnline_infra.kinds.snowflake_registry import LandingRegistry, ObjectKind
from firnline_infra.specification.iceberg_types import with_size
from firnline_infra.specification.identifier import QualifiedName

OWN = ("column",)
OWN_STATEMENT = ("execute",)
"""It holds the columns, and another statement would make the table anew. `firnline preview` says what differs."""


def database(registry: LandingRegistry, args: Database) -> None:
    said = {"name": args.name.name, "comment": args.comment}
    made = registry.add("database", ("database", args.name), said, durability=args.durability)
    registry.makes(ObjectKind.DATABASE, args.name, made)


def schema(registry: LandingRegistry, args: Schema) -> None:
    of_database, name = args.name.parts
    said = {
        "database": registry.stored(ObjectKind.DATABASE, of_database),
        "name": name.name,
        "comment": args.comment,
    }
    made = registry.add("schema", ("schema", args.name), said, durability=args.durability)
    registry.makes(ObjectKind.SCHEMA, args.name, made)


def table(registry: LandingRegistry, args: Table | IcebergTable | InteractiveTable) -> None:
    """The table, and what is altered on it."""
    match args:
        case InteractiveTable():
            made = _by_statement(registry, args)
        case IcebergTable() if args.needs_statement:
            more: dict[str, Any] = {
                "waits_with_component": True,
                "ignore_changes": OWN_STATEMENT,
                "uses_new_role": True,
            }
            made = _by_statement(registry, args, **more)
        case IcebergTable():
            made = _iceberg(registry, args)
        case Table():
            columns = [_column(each, each.type, {"nullable": False}) for each in (*args.metadata, *args.columns)]
            said = {**registry.in_schema(args.name), "column": columns, "comment": args.comment}
            said |= {"cluster_by": list(args.clustering)} if args.cluster_by else {}
            said |= {"change_tracking": True} if args.change_tracking else {}
            made = registry.add("table", ("table", args.name), said, durability=args.durability, ignore_changes=OWN)
    registry.makes(ObjectKind.TABLE, args.name, made)
    if not isinstance(args, InteractiveTable):
        _alter(registry, args)


def _iceberg(registry: LandingRegistry, args: IcebergTable) -> Resource:
    columns = [_column(each, with_size(each.type), {"not_null": "true"}) for each in (*args.metadata, *args.columns)]
    said = {
        **registry.in_schema(args.name),
        "column": columns,
        "external_volume": args.volume.name,
        "catalog": args.catalog,
        "base_location": None if args.is_in_snowflake else args.base_location,
        "iceberg_version": args.format_version,
        "error_logging": str(args.error_logging).lower(),
        "comment": args.comment,
    }
    return registry.add(
        "iceberg_table",
        ("table", args.name),
        said,
        durability=args.durability,
        ignore_changes=OWN,
        uses_new_role=True,
        waits_with_component=True,
    )


def _column(column: Any, type_: str, if_required: dict[str, Any]) -> dict[str, Any]:
    return {"name": column.name.name, "type": type_} | ({} if column.nullable else if_required)


def _by_statement(
    registry: LandingRegistry,
    args: InteractiveTable | IcebergTable | DeadLetterStage,
    *,
    word: str = "table",
    **more: Any,
) -> Resource:
    *schema, _ = args.name.parts
    said = {
        "execute": registry.after(ObjectKind.SCHEMA, QualifiedName(tuple(schema)), args.create),
        "revert": args.drop,
        "query": args.query,
    }
    return registry.add("execute", (word, args.name), said, durability=args.durability, **more)


def _alter(registry: LandingRegistry, args: Table | IcebergTable) -> None:
    """The alterations, without a query: its answer would show every row that arrives as a change. `firnline preview` reads
    them back."""
    for each in args.alterations:
        statement = registry.after(ObjectKind.TABLE, args.name, each.execute)
        suffix = ("table", args.name, each.property.lower())
        registry.add("execute", suffix, {"execute": statement, "revert": each.revert})


def stage(registry: LandingRegistry, args: DeadLetterStage) -> None:
    registry.makes(ObjectKind.STAGE, args.name, _by_statement(registry, args, word="stage"))


def pipe(registry: LandingRegistry, args: Pipe | DeadLetterPipe) -> None:
    """A pipe from a stage waits for both."""
    waits = [registry.after(ObjectKind.TABLE, args.table, args.copy_statement)]
    if isinstance(args, DeadLetterPipe):
        waits.append(registry.after(ObjectKind.STAGE, args.name, args.copy_statement))
    after = tuple(resource for each in waits if isinstance(each, WaitingValue) for resource in each.after)
    said = {
        **registry.in_schema(args.name),
        "copy_statement": WaitingValue(args.copy_statement, after) if after else args.copy_statement,
        "comment": args.comment,
    }
    made = registry.add("pipe", ("pipe", args.name), said, durability=args.durability)
    registry.makes(ObjectKind.PIPE, args.name, made)


def latest(registry: LandingRegistry, args: LatestTable) -> None:
    """After its table, with all that is altered on it."""
    said = {
        **registry.in_schema(args.name),
        "query": registry.after(ObjectKind.TABLE, args.table, args.query),
        "warehouse": args.warehouse.name,
        "target_lag": {"maximum_duration": args.target_lag},
        "refresh_mode": args.refresh_mode,
        "initialize": args.initialize,
        "comment": args.comment,
    }
    made = registry.add("dynamic_table", ("latest", args.name), said)
    registry.makes(ObjectKind.TABLE, args.name, made)


def warehouse(registry: LandingRegistry, args: InteractiveWarehouse) -> None:
    said = {
        "name": args.name.name,
        "warehouse_size": args.size,
        "tables": [registry.quoted(ObjectKind.TABLE, table) for table in args.tables],
        "comment": args.comment,
    }
    registry.makes(ObjectKind.WAREHOUSE, args.name, registry.add("warehouse_interactive", ("warehouse",), said))
