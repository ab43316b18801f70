"""Asks AWS without loading an SDK: whoever looks for something brings the clients."""

from collections.abc import Callable, Collection
from typing import Any

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
