"""Telling that something does not exist from every other refusal, for services whose errors are told apart by code."""

from typing import Any


def none_if(error: Any, *codes: str) -> None:
    """Raises the client's error again unless its code is one of these."""
    if error.response["Error"]["Code"] not in codes:
        raise error
