"""Operations of a client: the request of each, and the function that answers it.

An operation that is not in the table is refused by name.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

from firnline_local.kinesis.errors import not_carried
from firnline_local.kinesis.operations import consumers, records, shards, streams, tags_and_policies
from firnline_local.kinesis.stream import KinesisAccount


class ApiOperation(NamedTuple):
    """`answer` gives the answer's fields, or its finished body, or nothing where there is nothing to say."""

    request: type[Any]
    answer: Callable[[KinesisAccount, Any], dict[str, Any] | bytes | None]


OPERATIONS = {
    name: ApiOperation(*operation)
    for part in (streams, consumers, tags_and_policies, shards, records)
    for name, operation in part.OPERATIONS.items()
}


def find_operation(name: str) -> ApiOperation:
    """Raises UnknownOperationException."""
    return OPERATIONS.get(name) or _refuse(name)


def _refuse(name: str) -> NoReturn:
    raise not_carried(name, f"it answers {', '.join(sorted(OPERATIONS))}")
