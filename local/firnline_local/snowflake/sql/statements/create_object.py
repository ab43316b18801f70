"""CREATE for the kinds that are a name and settings: databases, schemas, roles, users, policies, network rules."""

from typing import Any

from firnline_local.snowflake.catalog import CatalogObject, Database, Schema
from firnline_local.snowflake.sql.result import Result
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.settings import apply_settings, read_settings, refuse_impossible
from firnline_local.snowflake.sql.statements.creation import Creator, Modifiers, Place, created, kept, place
from firnline_local.snowflake.sql.statements.user_policy import refuse_foreign_policy
from firnline_local.snowflake.sql.words import Words


def create_database(context: Context, words: Words, modifiers: Modifiers) -> Result:
    """The session goes into the new database, as a real one does."""
    where = place(context, words, Database.kind, modifiers)
    return _finish(context, words, where, Database, transient=modifiers.transient)


def create_schema(context: Context, words: Words, modifiers: Modifiers) -> Result:
    where = place(context, words, Schema.kind, modifiers)
    managed = words.accept("WITH MANAGED ACCESS")
    return _finish(context, words, where, Schema, transient=modifiers.transient, managed_access=managed)


def creator_of(made: type[CatalogObject]) -> Creator:
    """For a kind with nothing of its own."""

    def create_object(context: Context, words: Words, modifiers: Modifiers) -> Result:
        return _finish(context, words, place(context, words, made.kind, modifiers), made)

    return create_object


def _finish(context: Context, words: Words, where: Place, made: type[CatalogObject], **fields: Any) -> Result:
    settings = read_settings(words, made.kind)
    words.end()
    refuse_impossible(made.kind, settings.properties)
    refuse_foreign_policy(context, made.kind, settings.parameters)
    if where.kept:
        return kept(where)
    found = where.create(context, made, **fields)
    apply_settings(found, settings)
    _enter(context, found)
    return created(made.kind, where)


def _enter(context: Context, found: CatalogObject) -> None:
    """What is made for use is used from then on."""
    if isinstance(found, Database):
        context.session.use_database(found)
    elif isinstance(found, Schema):
        context.session.use_schema(found)
