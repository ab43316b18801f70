"""`firnline drift`"""

from pathlib import Path

import click

from firnline_infra.cli.accounts_option import ChosenAccounts, accounts_options
from firnline_infra.cli.environment_argument import environment_argument
from firnline_infra.cli.report_forms import places_of, report_options, write_report


@click.command()
@environment_argument
@accounts_options
@report_options("sarif=drift.sarif")
@click.option(
    "--ignore",
    "ignore_file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Known differences, with reasons and dates; by default <name>.drift.yaml beside the specification.",
)
@click.option(
    "--verify-volumes", is_flag=True, help="Has Snowflake verify external volumes, for which it writes a file there."
)
@click.option(
    "--bootstrap",
    is_flag=True,
    help="Compares what an administrator applied in AWS, too; with an administrator's rights, which CI does not have.",
)
def drift(
    environment: Path,
    accounts: ChosenAccounts,
    *,
    output: str,
    also: tuple[str, ...],
    ignore_file: Path | None,
    verify_volumes: bool,
    bootstrap: bool,
) -> None:
    """Detect drift from the specification.

    One finding for each object and property: what Pulumi made, what no provider reads, rights that were given by hand, and
    the engine that runs. Writes nothing to any account. Exit status: 0 no difference, 3 differences, 2 something could not be
    seen.
    """
    from datetime import UTC, datetime

    from firnline_infra.cli.deployment import deployment
    from firnline_infra.drift import find_drift
    from firnline_infra.drift.bootstrap import with_bootstrap
    from firnline_infra.drift.ignore import IgnoreList, ignore_file_of, load_ignore_list
    from firnline_infra.specification.names import Names
    from firnline_infra.status.checks import embedded_at, findings_of_report, remember_check

    wanted = places_of(output, also)
    list_ = ignore_file or ignore_file_of(environment)
    ignoring = load_ignore_list(list_, today=datetime.now(UTC).date()) if list_.exists() else IgnoreList()
    found = deployment(environment, accounts, quiet=True)
    report = find_drift(found, ignoring, verify_volumes=verify_volumes, further=with_bootstrap if bootstrap else None)
    unseen = f", {len(report.unseen)} not seen" if report.unseen else ""
    summary = f"{len(report.differences) or 'no'} differences{unseen}"
    findings = tuple(findings_of_report(report))
    place = embedded_at({}, found.accounts.variables)
    remember_check(
        Names.of(found.spec).application, "drift", report.exit_status, summary, findings=findings, embedded_at=place
    )
    write_report(report, wanted, environment)
    raise SystemExit(report.exit_status)
