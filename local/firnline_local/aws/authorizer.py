"""The seam for what decides about the calls of the embedded AWS. As shipped, every caller may do everything.

The tests put an authorizer here that enforces the policies of IAM and keeps a log of all calls (tests/iam).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from firnline_local.aws.parsed_call import ParsedCall
from firnline_local.wsgi import Answer


def _ignore(succeeded: bool) -> None:
    """Keeps no log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Decision of an authorizer about one call before moto sees it."""

    refusal: Answer | None = None
    """What is answered instead of calling moto."""
    principal: str | None = None
    """The ARN that the access key stands for; None leaves it to moto's users and sessions."""
    record: Callable[[bool], None] = _ignore
    """Called once when the call is over, with whether it succeeded."""


class Authorizer(Protocol):
    """Called, like a decision's `record`, while moto's lock is held: one call at a time, and moto doesn't change."""

    def __call__(self, call: ParsedCall, /) -> Decision: ...


def allow_everything(_: ParsedCall, /) -> Decision:
    """The default authorizer."""
    return Decision()
