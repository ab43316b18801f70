"""Under which id `pulumi import` finds what a create was making: the row of its kind says it."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from firnline_infra.kinds import RESOURCE_TYPES
from firnline_infra.kinds.comparison import Clients
from firnline_infra.kinds.kind import Properties
from firnline_infra.kinds.snowflake import SNOWFLAKE_KINDS

Lookup = Callable[[Properties], Sequence[str]]
"""Ids that the service knows for these inputs, best first."""


def _filled(template: str, inputs: Properties) -> Sequence[str]:
    return [template.format_map(inputs)]


def _no_client(service: str) -> Any:
    raise AssertionError(f"an id of Snowflake's follows from names, and {service} is not asked")


IMPORT_IDS = {kind.token: kind.import_id for kind in RESOURCE_TYPES}
BY_NAME: Mapping[str, Lookup] = {
    **{token: partial(_filled, template) for token, template in IMPORT_IDS.items() if isinstance(template, str)},
    **{kind.token: partial(kind.import_id, _no_client) for kind in SNOWFLAKE_KINDS if callable(kind.import_id)},
}
REPEATED = frozenset(token for token, import_id in IMPORT_IDS.items() if import_id is None)
"""Types whose create can be repeated over the object that it has made, so that it needs no lookup."""


def lookup_of(type_: str, more: Mapping[str, Lookup]) -> Lookup | None:
    """Returns how an object of the type is looked for; None for an unknown type. `more` wins over the table."""
    return more.get(type_) or BY_NAME.get(type_)


def aws_lookups(clients: Clients) -> Mapping[str, Lookup]:
    """The lookups of types whose ids the service makes."""
    return {token: partial(ask, clients) for token, ask in IMPORT_IDS.items() if callable(ask) and token not in BY_NAME}
