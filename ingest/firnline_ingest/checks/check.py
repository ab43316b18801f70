"""A check: a named function of a context that yields findings, or raises why it could not be completed."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from firnline_ingest.activity import waiting_for
from firnline_ingest.checks.finding import Finding, unknown, wrong
from firnline_ingest.errors import FirnlineError

Errors = tuple[type[FirnlineError], ...]


@dataclass(frozen=True, kw_only=True)
class Check:
    name: str
    """What is checked, for a person: the rights of iam role firnline-dev-engine."""
    rule: str
    """The rule of the suite that its findings belong to."""
    run: Callable[[], Iterable[Finding]]
    """Bound to its context. Raises a FirnlineError where the check can't be completed."""


def findings_of(check: Check, *, incomplete: Errors = (FirnlineError,)) -> Iterator[Finding]:
    """Yields what the check finds; never raises a FirnlineError. An error of `incomplete` becomes a finding that nothing is
    known, another one that something is wrong.

    What a check yields before it fails is kept.
    """
    try:
        with waiting_for(check.name):
            yield from (replace(each, rule=check.rule) for each in check.run())
    except FirnlineError as error:
        said = unknown if isinstance(error, incomplete) else wrong
        yield replace(said(check.name, error.what, next_step=error.next_step), rule=check.rule, error=error.id)
