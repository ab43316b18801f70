"""Asks AWS without loading an SDK: whoever looks for something brings the clients."""

import json
from collections.abc import Callable, Collection, Iterator
from typing import Any

from firnline_infra.kinds.comparison import Difference, Subject

NOT_THERE = {"ResourceNotFoundException", "NotFoundException"}
DENIED = {"AccessDeniedException"}


def unless(codes: Collection[str], ask: Callable[[], Any]) -> Any:
    """The service's answer, or None if it refuses with one of the codes."""
    try:
        return ask()
    except Exception as error:
        if getattr(error, "response", {}).get("Error", {}).get("Code") in codes:
            return None
        raise


def resource_policy(ask: Callable[[Subject], str | None]) -> Callable[[Subject], Iterator[Difference]]:
    """Compares the policy of what has none. `ask` returns its text."""

    def find(subject: Subject) -> Iterator[Difference]:
        if says_something(text := ask(subject) or ""):
            yield Difference.unwanted("resource policy", text, "delete it (delete-resource-policy)")

    return find


def says_something(policy: str) -> bool:
    """Some services answer an empty document where there is no policy."""
    return bool(policy and json.loads(policy).get("Statement"))
