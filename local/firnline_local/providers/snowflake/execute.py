"""Statements of the user's own: one makes something, one takes it back, one looks at it.

What the query finds is an output and never an input, so nothing of it drifts in the provider's eyes. Rules: provider source,
pkg/resources/execute.go.
"""

from contextlib import closing
from typing import Any
from uuid import uuid4

from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import Properties, Rules
from firnline_local.providers.snowflake.kind import StatementKind

STATEMENTS = ("execute", "revert", "query")


def _execute(inputs: Properties, clients: Clients) -> str:
    """Anything may be executed twice; what the statement makes decides whether it can be."""
    clients.execute(inputs["execute"])
    return str(uuid4())


def _look(_: str, properties: Properties, clients: Clients) -> Properties:
    """Never returns None. A query that fails has found nothing, as for the stock provider."""
    found = {name: properties[name] for name in STATEMENTS if properties.get(name)}
    return {**found, "queryResults": _results(found["query"], clients) if "query" in found else []}


def _results(query: str, clients: Clients) -> list[dict[str, str]]:
    from snowflake.connector.errors import Error

    with closing(clients.snowflake.cursor()) as cursor:
        try:
            rows: list[Any] = cursor.execute(query).fetchall()
        except Error:
            return []
        names = [str(column[0]) for column in cursor.description or ()]
    return [{name: str(value) for name, value in zip(names, row, strict=True) if value is not None} for row in rows]


EXECUTE = StatementKind(
    type="snowflake:index/execute:Execute",
    rules=Rules.of("execute"),
    inputs=frozenset(STATEMENTS),
    make=_execute,
    look=_look,
    change=lambda _old, _new, _clients: None,  # another revert or query is only noted
    # Errors of the statement are raised: the provider doesn't know what it was to take back.
    remove=lambda _, properties, clients: clients.execute(properties["revert"]),
)
KINDS = (EXECUTE,)
