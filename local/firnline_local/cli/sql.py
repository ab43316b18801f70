"""`firnline local sql`"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from firnline_infra.cli.output import output_option, show
from firnline_local.cli.options import folder_option

if TYPE_CHECKING:
    from firnline_local.running import RunningEnvironment


@click.command()
@click.argument("statement")
@click.option(
    "--role", type=click.Choice(["reader", "admin"]), default="reader", show_default=True, help="The user that asks."
)
@output_option()
@folder_option
def sql(statement: str, role: str, output: str, folder: Path) -> None:
    """Run one statement in the embedded Snowflake.

    \b
    For example:
      firnline local sql "SELECT * FROM FIRNLINE.RAW.ORDERS LIMIT 5"
      firnline local sql "SHOW TABLES IN ACCOUNT" --role admin
    """
    from firnline_ingest.terminal import text_table
    from firnline_local.running import RunningEnvironment

    columns, rows = _answered(RunningEnvironment.attach(folder), statement, role)
    count = f"({len(rows):,} row{'' if len(rows) == 1 else 's'})"
    show(
        output,
        lambda: [dict(zip(columns, row, strict=True)) for row in rows],
        lambda: f"{text_table(columns, rows)}\n{count}",
    )


def _answered(environment: "RunningEnvironment", statement: str, role: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The environment knows no reader before one was made, and not the key of one that `firnline keys` gave one."""
    from firnline_ingest.errors import UsageError
    from firnline_ingest.snowflake.errors import KeyRefused

    try:
        return environment.query(statement, login=role)
    except KeyRefused as error:
        raise UsageError(
            f"The environment can't log in as its {role}: `firnline up` has not made one, or made it with a key of "
            "`firnline keys create`, which lies in Secrets Manager alone.",
            next_step="look as the administrator: --role admin",
        ) from error
