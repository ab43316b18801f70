"""Redshift's schemas and views, which no stack holds: what is missing, and what is there otherwise than it should be."""

from collections.abc import Iterator

from firnline_infra.drift.context import DriftContext
from firnline_infra.redshift import RedshiftViews
from firnline_ingest.checks import Check, Finding


def checks(context: DriftContext) -> Iterator[Check]:
    destination = context.blueprint.redshift
    if destination is None:
        return
    views = RedshiftViews(destination, context.accounts.aws, _nothing_is_made)

    def run() -> list[Finding]:
        return views.differences()

    yield Check(rule="view", name="the views of Redshift", run=run)


def _nothing_is_made(_: str) -> None:
    """Looking says nothing."""
