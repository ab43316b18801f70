"""CREATE TABLE: from columns, like another table, or as its clone."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from firnline_local.snowflake.catalog import Column, Table, kinds
from firnline_local.snowflake.catalog.catalog import refuse_case_clash
from firnline_local.snowflake.catalog.errors import NotKnown
from firnline_local.snowflake.catalog.names import display
from firnline_local.snowflake.sql.parameters import ICEBERG_PARAMETERS
from firnline_local.snowflake.sql.result import Result
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.settings import Settings, apply_settings, read_settings
from firnline_local.snowflake.sql.statements.columns import read_columns
from firnline_local.snowflake.sql.statements.creation import Modifiers, created, kept, place
from firnline_local.snowflake.sql.words import Words

FLAGS = {
    "ENABLE_SCHEMA_EVOLUTION": "enable_schema_evolution",
    "ERROR_LOGGING": "error_logging",
    "ROW_TIMESTAMP": "row_timestamp",
    "CHANGE_TRACKING": "change_tracking",
}
"""The table's properties, by the field that holds each."""


ICEBERG_PROPERTIES = frozenset({"ICEBERG_VERSION", "BASE_LOCATION"})


@dataclass
class Definition:
    """All that was said about the new table."""

    columns: Sequence[Column] = ()
    cluster_by: tuple[str, ...] = ()
    settings: Settings = field(default_factory=Settings)
    copy_grants: bool = False
    clone_of: Table | None = None


def create_table(context: Context, words: Words, modifiers: Modifiers) -> Result:
    where = place(context, words, kinds.TABLE, modifiers)
    definition = read_definition(context, words)
    words.end()
    refuse_iceberg_settings(definition.settings)
    if where.kept:
        return kept(where)
    refuse_case_clash(display(*where.container.path, where.name), definition.columns)
    before = where.container.of_kind(kinds.TABLE).get(where.name)
    flags: dict[str, Any] = {FLAGS[key]: value == "true" for key, value in definition.settings.properties.items()}
    table = where.create(
        context,
        Table,
        columns=list(definition.columns),
        cluster_by=definition.cluster_by,
        transient=modifiers.transient,
        **flags,
    )
    apply_settings(table, definition.settings)
    if definition.copy_grants and before is not None:
        for grant in context.catalog.grants.on(before):
            context.catalog.grants.allow(replace(grant, on=table))
    if definition.clone_of is not None:
        context.catalog.store.copy_rows(definition.clone_of, table)
    return created(kinds.TABLE, where)


def read_cluster_by(words: Words) -> tuple[str, ...]:
    """`(a, to_date(b))` behind CLUSTER BY, as written."""
    words.accept("LINEAR")
    words.expect("(")
    expressions = [words.until(frozenset({","}))]
    while words.accept(","):
        expressions.append(words.until(frozenset({","})))
    words.expect(")")
    return tuple(expressions)


def refuse_iceberg_settings(settings: Settings) -> None:
    """Raises NotKnown for what only an Iceberg table can be given."""
    foreign = (ICEBERG_PARAMETERS | ICEBERG_PROPERTIES) & {*settings.parameters, *settings.properties}
    if foreign:
        raise NotKnown(f"the property {min(foreign)} of TABLE")


def read_definition(context: Context, words: Words) -> Definition:
    match words.accept_one("LIKE", "CLONE"):
        case "LIKE":
            return _like(context.readable_table(words.name()))
        case "CLONE":
            original = context.readable_table(words.name())
            return replace(_like(original), clone_of=original)
    if words.starts("AS") or words.starts("USING TEMPLATE"):
        raise NotKnown("CREATE TABLE … AS SELECT or USING TEMPLATE: create the table, then INSERT INTO it")
    definition = Definition(columns=read_columns(context, words))
    while not words.at_end:
        if words.accept("CLUSTER BY"):
            definition.cluster_by = read_cluster_by(words)
        elif words.accept("COPY GRANTS"):
            definition.copy_grants = True
        elif words.starts("AS"):
            raise NotKnown("CREATE TABLE … AS SELECT: create the table, then INSERT INTO it")
        else:
            more = read_settings(words, kinds.TABLE, stops=("CLUSTER BY", "COPY GRANTS", "AS"))
            definition.settings = _merged(definition.settings, more)
    return definition


def _like(original: Table) -> Definition:
    properties = {key: str(getattr(original, name)).lower() for key, name in FLAGS.items()}
    columns = [replace(column, evolution=None) for column in original.columns]
    return Definition(columns, original.cluster_by, Settings(original.comment, dict(original.parameters), properties))


def _merged(first: Settings, second: Settings) -> Settings:
    return Settings(
        second.comment if second.comment is not None else first.comment,
        {**first.parameters, **second.parameters},
        {**first.properties, **second.properties},
    )
