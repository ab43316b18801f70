"""`firnline keys`: the key pairs with which the engine and the reader log in to Snowflake."""

import click

from firnline_infra.cli.lazy_group import LazyGroup


@click.group(
    cls=LazyGroup,
    at={
        "create": "firnline_infra.cli.keys.create:create",
        "rotate": "firnline_infra.cli.keys.rotate:rotate",
    },
)
def keys() -> None:
    """Make and replace the keys of Snowflake's users.

    Private halves are in Secrets Manager and nowhere else.
    """
