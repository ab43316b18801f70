"""`firnline local`: the embedded environment from the command line."""

import click

from firnline_infra.cli.lazy_group import LazyGroup


@click.group(
    cls=LazyGroup,
    at={
        "up": "firnline_local.cli.up:up",
        "put": "firnline_local.cli.put:put",
        "sql": "firnline_local.cli.sql:sql",
        "env": "firnline_local.cli.env:env",
        "fault": "firnline_local.cli.fault:fault",
        "terraform": "firnline_local.cli.terraform:terraform",
    },
)
def local() -> None:
    """Kinesis, DynamoDB and Snowflake on this machine.

    There is nothing to sign up for, and nothing leaves it.

    \b
    For example, `up` in a terminal of its own, and then:
      firnline local put orders events.ndjson
      firnline local sql "SELECT * FROM FIRNLINE.RAW.ORDERS LIMIT 5"
    """
