"""The table function POLICY_REFERENCES: which policies are attached to a user. Tables have none here."""

from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from firnline_local.snowflake.catalog import Column, User
from firnline_local.snowflake.catalog.errors import CompilationFault, NotKnown
from firnline_local.snowflake.catalog.names import read_name
from firnline_local.snowflake.sql.query.information_schema import View
from firnline_local.snowflake.sql.result import TEXT
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.statements.named import NAMED, find_named

POLICY_REFERENCES = "POLICY_REFERENCES"
COLUMNS = (
    "POLICY_DB", "POLICY_SCHEMA", "POLICY_NAME", "POLICY_KIND", "REF_DATABASE_NAME", "REF_SCHEMA_NAME",
    "REF_ENTITY_NAME", "REF_ENTITY_DOMAIN", "REF_COLUMN_NAME", "REF_ARG_COLUMN_NAMES", "TAG_DATABASE", "TAG_SCHEMA",
    "TAG_NAME", "POLICY_STATUS",
)  # fmt: skip # a paragraph, not a column
DOMAINS = ("USER", "TABLE")


def policy_references(context: Context, function: exp.Anonymous) -> View:
    """Raises DoesNotExist, as the real one does, for an entity that isn't there."""
    given = {each.this.name.upper(): each.expression.name for each in function.find_all(exp.Kwarg)}
    if set(given) != {"REF_ENTITY_NAME", "REF_ENTITY_DOMAIN"}:
        raise CompilationFault(f"{POLICY_REFERENCES} takes REF_ENTITY_NAME and REF_ENTITY_DOMAIN.")
    domain = given["REF_ENTITY_DOMAIN"].upper()
    if domain not in DOMAINS:
        raise NotKnown(f"{POLICY_REFERENCES} of a {domain}")
    found = find_named(context, domain, read_name(given["REF_ENTITY_NAME"]))
    assert type(found) is NAMED[domain]
    listed = [Column(name=name, type=TEXT) for name in COLUMNS]
    rows = list(_rows(found)) if isinstance(found, User) else []
    return View(f"v{context.catalog.directory.next_id()}", listed, rows)


def _rows(user: User) -> Iterator[dict[str, Any]]:
    policy = user.authentication_policy
    if policy is not None and policy.is_live:
        database, schema, name = policy.path
        yield {
            **dict.fromkeys(COLUMNS),
            "POLICY_DB": database,
            "POLICY_SCHEMA": schema,
            "POLICY_NAME": name,
            "POLICY_KIND": "AUTHENTICATION_POLICY",
            "REF_ENTITY_NAME": user.name,
            "REF_ENTITY_DOMAIN": "USER",
            "POLICY_STATUS": "ACTIVE",
        }
