"""Compares objects beyond their providers, by the comparisons of their kinds' rows. What was adopted is its owner's affair."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from firnline_infra.accounts.aws import if_there
from firnline_infra.drift.context import DriftContext
from firnline_infra.kinds import KINDS, Kind
from firnline_infra.kinds.comparison import Comparison, Difference, Subject
from firnline_infra.kinds.kind import noun_of
from firnline_infra.kinds.snowflake import SNOWFLAKE_KINDS
from firnline_ingest.checks import Check, Finding


def checks(context: DriftContext) -> Iterator[Check]:
    yield from _in_snowflake(context)
    yield from in_aws(context)


def _in_snowflake(context: DriftContext) -> Iterator[Check]:
    for kind in SNOWFLAKE_KINDS:
        for wanted in kind.subjects(context.blueprint) if kind.comparisons else ():
            noun, name = kind.noun(wanted), ".".join(part.name for part in kind.name(wanted).parts)
            subject = context.subject(wanted, noun, name)
            for each in kind.comparisons:
                run = partial(of_snowflake, noun, name, subject, each)
                yield Check(rule=each.rule, name=f"the {each.what} of {noun} {name}", run=run)


def in_aws(context: DriftContext) -> Iterator[Check]:
    for kind in KINDS:
        for wanted in kind.subjects(context.blueprint) if kind.comparisons else ():
            noun, name = noun_of(kind.token), kind.name(wanted)
            for each in kind.comparisons:
                run = partial(of_aws, kind, context.subject(wanted), each)
                yield Check(rule=each.rule, name=f"the {each.what} of {noun} {name}", run=run)


def of_snowflake(noun: str, name: str, subject: Subject, comparison: Comparison) -> Iterator[Finding]:
    """Raises OutOfSight or SnowflakeRefused."""
    return _findings(noun, name, comparison.find(subject))


def of_aws(kind: Kind, subject: Subject, comparison: Comparison) -> Iterator[Finding]:
    """Nothing of an object that does not exist: the stack misses it. Raises AwsRefused."""
    name, noun = kind.name(subject.wanted), noun_of(kind.token)
    actions = ", ".join(f"{kind.service}:{each}" for each in comparison.actions.split())
    found: Any = if_there(actions, f"{noun} {name}", lambda: list(comparison.find(subject)))
    return _findings(noun, name, found or ())


def _findings(noun: str, name: str, differences: Iterable[Difference]) -> Iterator[Finding]:
    for each in differences:
        yield Finding(
            kind=noun, name=name, path=each.path, expected=each.expected, found=each.found, next_step=each.next_step
        )
