"""`firnline redshift`"""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from firnline_infra.cli.accounts_option import ChosenAccounts, accounts_options
from firnline_infra.cli.audit import Moment
from firnline_infra.cli.environment_argument import environment_argument
from firnline_infra.cli.lazy_group import LazyGroup
from firnline_infra.cli.output import output_option, show

if TYPE_CHECKING:
    from firnline_infra.redshift import RedshiftViews


@click.group(cls=LazyGroup)
def redshift() -> None:
    """Look after the views that read streams into Redshift."""


@redshift.command()
@environment_argument
@accounts_options
def apply(environment: Path, accounts: ChosenAccounts) -> None:
    """Make the schemas and views that are missing.

    `firnline up` does so too. A view that is there is left as it is, but for its AUTO REFRESH. Exit status: 0 all is as the
    specification says, 1 something else is there, 2 it could not be done.

    \b
    For example:
      firnline redshift apply dev
    """
    from firnline_ingest.terminal import in_a_line

    found = views_of(environment, accounts).apply()
    for finding in found:
        click.echo(in_a_line(f"{finding}. Next: {finding.next_step}"))
    click.echo("All views match the specification." if not found else f"{len(found)} differ.")
    raise SystemExit(1 if found else 0)


@redshift.command()
@environment_argument
@accounts_options
@output_option()
def status(environment: Path, accounts: ChosenAccounts, output: str) -> None:
    """Show how far each view has read, and what blocks it.

    With when it was refreshed last. Exit status: 0 all are there and none is blocked, 3 one is not, 2 the check could not be
    completed.

    \b
    For example:
      firnline redshift status dev
    """
    from datetime import UTC

    from firnline_infra.redshift.status import view_lines

    found, now = views_of(environment, accounts).status(), datetime.now(UTC)
    show(output, lambda: [each.as_document(now) for each in found], lambda: "\n".join(view_lines(found, now)))
    raise SystemExit(0 if all(each.is_good for each in found) else 3)


@redshift.command()
@environment_argument
@click.argument("views", nargs=-1)
@accounts_options
def refresh(environment: Path, views: tuple[str, ...], accounts: ChosenAccounts) -> None:
    """Refresh VIEWS, or all that are not refreshed by themselves.

    \b
    For example:
      firnline redshift refresh dev
      firnline redshift refresh dev public.orders
    """
    views_of(environment, accounts).refresh(views)


@redshift.command()
@environment_argument
@click.argument("views", nargs=-1)
@accounts_options
@click.option(
    "--since", type=Moment(), help="Only records that arrived from then on; all that the stream has by default."
)
@click.option("--until", type=Moment(), help="Only records that had arrived by then; now by default.")
@output_option()
def audit(
    environment: Path,
    views: tuple[str, ...],
    accounts: ChosenAccounts,
    *,
    since: datetime | None,
    until: datetime | None,
    output: str,
) -> None:
    """Compare VIEWS, or all, with their streams by position.

    Reads each shard, at four reads a second. Exit status: 0 each record is in its view once, or is skipped or still to come,
    1 one is missing or twice, or a row has no record, 2 the audit could not be completed.

    \b
    For example:
      firnline redshift audit dev
      firnline redshift audit dev public.orders --since 2026-11-23T00:00:00+00:00
    """
    from dataclasses import asdict

    from firnline_infra.redshift.audit import audit_lines

    found = list(views_of(environment, accounts).audit(views, since=since, until=until))
    show(output, lambda: [asdict(each) for each in found], lambda: "\n".join(audit_lines(found)))
    raise SystemExit(0 if all(each.is_good for each in found) else 1)


@redshift.command()
@environment_argument
@click.argument("view")
@accounts_options
@click.option("--yes", is_flag=True, help="Don't ask for the view's name first.")
def rebuild(environment: Path, view: str, accounts: ChosenAccounts, yes: bool) -> None:
    """Drop VIEW and make it again, as the specification says it now.

    What is over it goes and comes back with it. It begins with the oldest record that the stream still has: what is older is
    gone from Redshift.

    \b
    For example:
      firnline redshift rebuild dev public.orders
    """
    found = views_of(environment, accounts)
    if not yes and click.prompt(f"Records that the stream no longer has go with {view}. Type its name") != view:
        raise click.Abort
    found.rebuild(view)


def views_of(environment: Path, accounts: ChosenAccounts) -> "RedshiftViews":
    from firnline_infra.accounts import check_aws
    from firnline_infra.blueprint import blueprint_of
    from firnline_infra.redshift import RedshiftViews
    from firnline_infra.specification import load_spec

    spec = load_spec(environment)
    destination = blueprint_of(spec).redshift
    if destination is None:
        raise click.UsageError(f"{spec.name} has no section redshift (docs/redshift.md).")
    chosen = accounts.of(spec)
    check_aws(spec, chosen)
    return RedshiftViews(destination, chosen.aws, click.echo)
