"""`firnline preview`"""

from pathlib import Path

import click

from firnline_infra.cli.accounts_option import ChosenAccounts, accounts_options
from firnline_infra.cli.deployment import refresh_option
from firnline_infra.cli.environment_argument import environment_argument


@click.command()
@environment_argument
@accounts_options
@refresh_option
@click.option("--expect-no-changes", is_flag=True, help="Exit status 3 where `up` would change anything.")
@click.option(
    "--save-plan",
    type=click.Path(path_type=Path, dir_okay=False, writable=True),
    help="Keep what `up` would do in this file, for `firnline up --plan`.",
)
def preview(
    environment: Path, accounts: ChosenAccounts, refresh: bool, expect_no_changes: bool, save_plan: Path | None
) -> None:
    """Preview changes, and drift that Pulumi can't see.

    Also reads back what Pulumi can't see: properties of tables that were set by a statement. Changes nothing, and needs no
    keys yet. Exit status: 0 good, 3 something was changed where Pulumi can't see it (with --expect-no-changes: or anything
    `up` would change), 2 `up` would be refused, or the check could not be completed.
    """
    from firnline_infra.cli.deployment import deployment
    from firnline_infra.observe.changes import changes_table
    from firnline_infra.observe.text import grouped

    lines: list[str] = []

    def say(line: str) -> None:
        lines.append(line)
        click.echo(line)

    found = deployment(environment, accounts, say=say).preview(
        refresh=refresh, expect_no_changes=expect_no_changes, save_plan=save_plan.resolve() if save_plan else None
    )
    if counts := changes_table(lines):
        click.echo(f"\nBy kind of object:\n{counts}")
    if found.findings:
        click.echo("\nDiffers from the specification, where Pulumi does not look:")
        columns = ("object", "property", "expected", "found")
        shown = grouped(found.findings, columns, lambda each: (each.object, each.path, each.expected, each.found))
        click.echo("\n".join(shown))
        click.echo(
            "Next: find out who changed it. `firnline up` makes what is not there, and sets back what a statement can:"
        )
        click.echo("\n".join(f"  {each.repair};" for each in found.findings if each.repair) or "  (none of it)")
    for refusal in found.refusals:
        click.echo(f"\n`firnline up` will be refused: {refusal}", err=True)
    raise SystemExit(found.exit_status)
