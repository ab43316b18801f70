"""The kinds that statements name, and how one finds the object that is meant."""

from collections.abc import Sequence

from firnline_local.snowflake.catalog import (
    AuthenticationPolicy,
    CatalogObject,
    Database,
    ExternalVolume,
    NetworkPolicy,
    NetworkRule,
    Pipe,
    Role,
    Schema,
    Table,
    User,
    Warehouse,
)
from firnline_local.snowflake.catalog.errors import WrongKind
from firnline_local.snowflake.catalog.kinds import TABLE_VARIETIES
from firnline_local.snowflake.sql.scope import Context

NAMED: dict[str, type[CatalogObject]] = {
    **{
        made.kind.name: made
        for made in (
            Database, Schema, Table, Pipe, Role, User, Warehouse, NetworkPolicy, NetworkRule, AuthenticationPolicy,
            ExternalVolume,
        )
    },
    **dict.fromkeys(TABLE_VARIETIES, Table),
}  # fmt: skip # a paragraph, not a column
"""By the words that stand in front of the name."""


def find_named(context: Context, words: str, names: Sequence[str]) -> CatalogObject:
    """Raises DoesNotExist, and WrongKind where another variety of table was named."""
    return checked_variety(words, context.find(NAMED[words], names))


def find_securable(context: Context, words: str, names: Sequence[str]) -> CatalogObject:
    """For grants: whoever manages them finds what their role sees nothing of."""
    kind = NAMED[words].kind
    found = context.catalog.directory.find(kind, context.path(kind, names))
    if found is None or not context.catalog.grants.manages_grants(context.role, context.account):
        return find_named(context, words, names)
    return checked_variety(words, found)


def checked_variety(words: str, found: CatalogObject) -> CatalogObject:
    """TABLE stands for every variety."""
    if isinstance(found, Table) and words not in (found.kind.name, found.variety):
        raise WrongKind(found=found.variety, named=words)
    return found
