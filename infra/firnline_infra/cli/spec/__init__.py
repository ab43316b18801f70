"""`firnline spec`: the specification of an environment, checked and explained."""

import click

from firnline_infra.cli.lazy_group import LazyGroup


@click.group(
    cls=LazyGroup,
    at={
        "check": "firnline_infra.cli.spec.check:check",
        "reference": "firnline_infra.cli.spec.reference:reference",
        "schema": "firnline_infra.cli.spec.schema:schema",
    },
)
def spec() -> None:
    """Check and explain the specification of an environment."""
