"""`firnline local sql`"""

from pathlib import Path

import click

from firnline_infra.cli.local.folder_option import folder_option


@click.command()
@click.argument("statement")
@click.option("--role", type=click.Choice(["reader", "admin"]), default="reader", show_default=True, help="Whose eyes.")
@click.option("--json", "as_json", is_flag=True, help="A JSON list of rows instead of a table.")
@folder_option
def sql(statement: str, role: str, as_json: bool, folder: Path) -> None:
    """Run one statement in the embedded Snowflake."""
    import json

    from firnline_infra.cli.text_table import text_table
    from firnline_infra.local.running import RunningEnvironment

    columns, rows = RunningEnvironment.attach(folder).query(statement, login=role)
    if as_json:
        click.echo(json.dumps([dict(zip(columns, row, strict=True)) for row in rows], default=str, indent=2))
        return
    click.echo(text_table(columns, rows))
    click.echo(f"({len(rows):,} row{'' if len(rows) == 1 else 's'})")
