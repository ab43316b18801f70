"""Asks AWS without loading an SDK: whoever looks for something brings the clients."""

import json
from collections.abc import Callable, Collection, Iterator
from datetime import datetime, timedelta
from typing import Any

from firnline_infra.kinds.comparison import Difference, Subject
from firnline_infra.kinds.kind import own_name

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


CLOCKS = timedelta(minutes=5)
"""By how much the clock of whoever ran `up` may differ from the service's."""


def made_again(token: str, created: Callable[[Subject], datetime]) -> Callable[[Subject], Iterator[Difference]]:
    """Compares when the object was made with when the stack made its resource: another one of its name and definition is
    empty. `created` asks the service.
    """

    def find(subject: Subject) -> Iterator[Difference]:
        then = subject.made_at(token, own_name(subject.wanted))
        if then is not None and (now := created(subject)) > then + CLOCKS:
            step = "find out who deleted it and made it again, before an engine goes on: what the first one held is not in it"
            wanted = f"when the stack made it, {then:%Y-%m-%d %H:%M:%S}"
            yield Difference(path="created", expected=wanted, found=f"{now:%Y-%m-%d %H:%M:%S}", next_step=step)

    return find


def says_something(policy: str) -> bool:
    """Some services answer an empty document where there is no policy."""
    return bool(policy and json.loads(policy).get("Statement"))
