"""The statements that make, change and remove what Redshift has of an environment.

Their forms are those of AWS's pages: "Getting started with streaming ingestion from Amazon Kinesis Data Streams", CREATE EXTERNAL
SCHEMA, CREATE MATERIALIZED VIEW, ALTER MATERIALIZED VIEW, GRANT. Columns out of JSON are taken as its tutorial on electric
vehicles takes them, which leaves out what JSON_EXTRACT_PATH_TEXT can't read: more than 64 KB.
"""

from collections.abc import Iterator

from firnline_infra.blueprint.redshift.definitions import (
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
    columns = ", ".join((*view.metadata, *_content(view)))
    conditions = [each for each in (_readable(view), view.where) if each]
    # The last one, which a user wrote, may end with a comment.
    together = f"({') AND ('.join(conditions)}\n)" if len(conditions) > 1 else "".join(conditions)
    where = f" WHERE {together}" if together else ""
    return f"SELECT {columns} FROM {quoted(view.external_schema)}.{quoted(view.stream)}{where}"


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
    if not view.columns:
        yield f"JSON_PARSE({RECORD}) AS {RECORD}"
    for column in view.columns:
        yield _column(column, null_if_invalid=view.skips_unreadable)


def _column(column: SelectedColumn, *, null_if_invalid: bool) -> str:
    path = ", ".join(map(literal, column.path))
    lenient = ", true" if null_if_invalid else ""
    text = f"JSON_EXTRACT_PATH_TEXT(FROM_VARBYTE({RECORD}, 'utf-8'), {path}{lenient})"
    return f"{text}::{column.type} AS {quoted(column.name)}"


def _readable(view: StreamViewDefinition) -> str:
    if not view.skips_unreadable:
        return ""
    long = f" AND LENGTH({RECORD}) < {LONGEST_TEXT}" if view.columns else ""
    return f"CAN_JSON_PARSE({RECORD}){long}"


def qualified(view: StreamViewDefinition | DependentViewDefinition) -> str:
    return f"{quoted(view.schema)}.{quoted(view.name)}"


def quoted(name: str) -> str:
    """The quoted name, with its quotes doubled, though no name of a specification has one."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
