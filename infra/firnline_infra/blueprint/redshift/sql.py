"""The statements that make, change and remove what Redshift has of an environment.

Their forms are those of AWS's pages: "Getting started with streaming ingestion from Amazon Kinesis Data Streams", CREATE EXTERNAL
SCHEMA, CREATE MATERIALIZED VIEW, ALTER MATERIALIZED VIEW, GRANT. Columns out of JSON are taken as its tutorial on electric
vehicles takes them, which leaves out what JSON_EXTRACT_PATH_TEXT can't read: more than 64 KB.
"""

from collections.abc import Iterator

from firnline_infra.blueprint.redshift.definitions import (
    AggregateColumn,
    DependentViewDefinition,
    ExternalSchema,
    SelectedColumn,
    StreamViewDefinition,
)

RECORD = "kinesis_data"
LONGEST_TEXT = 65_355
"""Bytes of a record whose text JSON_EXTRACT_PATH_TEXT reads, as AWS's tutorial has it."""


def create_schema(schema: ExternalSchema) -> str:
    region = f" REGION {literal(schema.region)}" if schema.region else ""
    role = "default" if schema.role_arn is None else literal(schema.role_arn)
    return f"CREATE EXTERNAL SCHEMA {quoted(schema.name)} FROM KINESIS{region} IAM_ROLE {role}"


def drop_schema(schema: ExternalSchema) -> str:
    return f"DROP SCHEMA {quoted(schema.name)}"


def create_view(view: StreamViewDefinition) -> str:
    """Redshift has no OR REPLACE and no IF NOT EXISTS for it: look first."""
    auto = "YES" if view.auto_refresh else "NO"
    return f"CREATE MATERIALIZED VIEW {qualified(view)} AUTO REFRESH {auto} AS {select(view)}"


def select(view: StreamViewDefinition) -> str:
    groups = (*view.metadata, *_content(view))
    columns = ", ".join((*groups, *(_aggregate(each, lenient=view.skips_unreadable) for each in view.aggregates)))
    conditions = [each for each in (_readable(view), view.where) if each]
    # The last one, which a user wrote, may end with a comment.
    is_followed = len(conditions) > 1 or bool(conditions and view.aggregates)
    together = f"({') AND ('.join(conditions)}\n)" if is_followed else "".join(conditions)
    where = f" WHERE {together}" if together else ""
    grouped = f" GROUP BY {', '.join(map(str, range(1, len(groups) + 1)))}" if view.aggregates and groups else ""
    return f"SELECT {columns} FROM {quoted(view.external_schema)}.{quoted(view.stream)}{where}{grouped}"


def set_refresh(view: StreamViewDefinition) -> str:
    return f"ALTER MATERIALIZED VIEW {qualified(view)} AUTO REFRESH {'YES' if view.auto_refresh else 'NO'}"


def refresh(view: StreamViewDefinition) -> str:
    return f"REFRESH MATERIALIZED VIEW {qualified(view)}"


def drop_view(view: StreamViewDefinition | DependentViewDefinition) -> str:
    kind = "MATERIALIZED VIEW" if getattr(view, "materialized", True) else "VIEW"
    return f"DROP {kind} {qualified(view)}"


def create_dependent(view: DependentViewDefinition) -> str:
    """A plain one is bound late, so that the view below it can be made again."""
    if view.materialized:
        return f"CREATE MATERIALIZED VIEW {qualified(view)} AUTO REFRESH NO AS {view.select}"
    return f"CREATE VIEW {qualified(view)} AS {view.select}\nWITH NO SCHEMA BINDING"


def grants(view: StreamViewDefinition) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """Each with what it gives: privilege, schema or schema.relation, role."""
    for reader in view.readers:
        role = f"TO ROLE {quoted(reader)}"
        yield f"GRANT USAGE ON SCHEMA {quoted(view.schema)} {role}", ("USAGE", view.schema, reader)
        for each in view.with_dependents:
            yield f"GRANT SELECT ON {qualified(each)} {role}", ("SELECT", f"{each.schema}.{each.name}", reader)


def _content(view: StreamViewDefinition) -> Iterator[str]:
    if view.per:
        yield f"DATE_TRUNC({literal(view.per)}, approximate_arrival_timestamp) AS {quoted(f'per_{view.per}')}"
    if not view.columns and not view.aggregates:
        yield f"JSON_PARSE({RECORD}) AS {RECORD}"
    for column in view.columns:
        yield _column(column, null_if_invalid=view.skips_unreadable)


def _column(column: SelectedColumn, *, null_if_invalid: bool) -> str:
    return f"{_text(column.path, null_if_invalid)}::{column.type} AS {quoted(column.name)}"


def _aggregate(column: AggregateColumn, *, lenient: bool) -> str:
    value = f"{_text(column.path, lenient)}{f'::{column.type}' if column.type else ''}" if column.path else "*"
    return f"{column.function.upper()}({value}) AS {quoted(column.name)}"


def _text(path: tuple[str, ...], null_if_invalid: bool) -> str:
    """The text at a path of the record; null where there is none."""
    keys, lenient = ", ".join(map(literal, path)), ", true" if null_if_invalid else ""
    return f"JSON_EXTRACT_PATH_TEXT(FROM_VARBYTE({RECORD}, 'utf-8'), {keys}{lenient})"


def _readable(view: StreamViewDefinition) -> str:
    if not view.skips_unreadable:
        return ""
    has_texts = view.columns or any(each.path for each in view.aggregates)
    long = f" AND LENGTH({RECORD}) < {LONGEST_TEXT}" if has_texts else ""
    return f"CAN_JSON_PARSE({RECORD}){long}"


def qualified(view: StreamViewDefinition | DependentViewDefinition) -> str:
    return f"{quoted(view.schema)}.{quoted(view.name)}"


def quoted(name: str) -> str:
    """The quoted name, with its quotes doubled, though no name of a specification has one."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
