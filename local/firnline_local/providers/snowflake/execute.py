"""Statements of the user's own: one makes something, one takes it back, one looks at it.

What the query finds is an output and never an input, so nothing of it drifts in the provider's eyes.
"""

from contextlib import closing
from typing import Any
from uuid import uuid4

from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import CreatedResource, Properties, Rules
from firnline_local.providers.snowflake.object import refuse_others

TYPE = "snowflake:index/execute:Execute"
KNOWN = frozenset({"execute", "revert", "query"})
RULES = Rules(replaced_by=frozenset({"execute"}))  # provider source, pkg/resources/execute.go


def create(inputs: Properties, clients: Clients) -> CreatedResource:
    """Anything may be executed twice; what the statement makes decides whether it can be."""
    refuse_others(TYPE, inputs, KNOWN)
    clients.execute(inputs["execute"])
    id_ = str(uuid4())
    return CreatedResource(id=id_, properties=read(id_, inputs, clients))


def read(_id: str, properties: Properties, clients: Clients) -> Properties:
    """Never None. A query that fails has found nothing, as the stock provider has it."""
    found = {name: properties[name] for name in ("execute", "revert", "query") if properties.get(name)}
    return {**found, "queryResults": _results(found["query"], clients) if "query" in found else []}


def update(id_: str, _old: Properties, new: Properties, clients: Clients) -> Properties:
    """Another revert or query is only noted."""
    return read(id_, new, clients)


def delete(_id: str, properties: Properties, clients: Clients) -> None:
    """Errors of the statement are raised: the provider doesn't know what it was to take back."""
    clients.execute(properties["revert"])


def _results(query: str, clients: Clients) -> list[dict[str, str]]:
    from snowflake.connector.errors import Error

    with closing(clients.snowflake.cursor()) as cursor:
        try:
            rows: list[Any] = cursor.execute(query).fetchall()
        except Error:
            return []
        names = [str(column[0]) for column in cursor.description or ()]
    return [{name: str(value) for name, value in zip(names, row, strict=True) if value is not None} for row in rows]
