"""Answers in pages: `maxResults` items, and a token for the next."""

from collections.abc import Mapping, Sequence
from typing import Any

from firnline_local.runtimes.errors import invalid

LONGEST = 50


def page(name: str, items: Sequence[Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Tokens say how many were answered before. Raises ServiceError for one that is none of ours."""
    token = given.get("nextToken", "0")
    if not token.isdecimal():
        raise invalid("nextToken is not valid.")
    first, count = int(token), int(given.get("maxResults", LONGEST))
    following = {"nextToken": str(first + count)} if first + count < len(items) else {}
    return {name: list(items[first : first + count]), **following}
