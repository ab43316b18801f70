"""Finds the row of a type. A type without a row is refused by name: nothing here merely remembers its inputs.

The two tables are loaded when the first type of a provider is asked for, so that a plugin pays only for its own.
"""

from functools import cache
from importlib import import_module

from firnline_local.errors import UnknownTypeToken
from firnline_local.providers.kind import Kind

PACKAGES = ("aws", "snowflake")


def kind_of(token: str) -> Kind:
    """Raises UnknownTypeToken."""
    package = token.partition(":")[0]
    found = _kinds_of(package).get(token) if package in PACKAGES else None
    if found is None:
        raise UnknownTypeToken(token, known=known_types())
    return found


def known_types() -> list[str]:
    """All types that there are, sorted."""
    return sorted(token for package in PACKAGES for token in _kinds_of(package))


@cache
def _kinds_of(package: str) -> dict[str, Kind]:
    table = import_module(f"firnline_local.providers.{package}.kinds")
    return {kind.type: kind for kind in table.KINDS}
