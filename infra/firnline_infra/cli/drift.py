"""`firnline drift`"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from firnline_infra.cli.accounts_option import ChosenAccounts, accounts_options
from firnline_infra.cli.environment_argument import environment_argument

if TYPE_CHECKING:
    from firnline_infra.observe import Report

FORMATS = ("table", "json", "sarif", "markdown", "codequality")


@click.command()
@environment_argument
@accounts_options
@click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True, help="Of the report.")
@click.option("--json", "form", flag_value="json", help="The same as --format json.")
@click.option(
    "--also",
    metavar="FORMAT=FILE",
    multiple=True,
    help="Another format of the report, into a file; repeatable: sarif=drift.sarif.",
)
@click.option(
    "--ignore",
    "ignore_file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Known differences, with reasons and dates; by default <name>.drift.yaml beside the specification.",
)
@click.option(
    "--verify-volumes", is_flag=True, help="Has Snowflake verify external volumes, for which it writes a file there."
)
def drift(
    environment: Path,
    accounts: ChosenAccounts,
    *,
    form: str,
    also: tuple[str, ...],
    ignore_file: Path | None,
    verify_volumes: bool,
) -> None:
    """Detect drift from the specification.

    One finding for each object and property: what Pulumi made, what no provider reads, rights that somebody gave by hand, and
    the engine that runs. Writes nothing to any account. Exit status: 0 no difference, 3 differences, 2 something could not be
    seen.
    """
    from datetime import UTC, datetime

    from firnline_infra.cli.deployment import deployment
    from firnline_infra.drift import find_drift
    from firnline_infra.drift.ignore import IgnoreList, ignore_file_of, load_ignore_list
    from firnline_infra.specification.names import Names
    from firnline_infra.status.checks import remember_check

    wanted = [(form, None), *map(_place, also)]
    list_ = ignore_file or ignore_file_of(environment)
    ignoring = load_ignore_list(list_, today=datetime.now(UTC).date()) if list_.exists() else IgnoreList()
    found = deployment(environment, accounts, quiet=True)
    report = find_drift(found, ignoring, verify_volumes=verify_volumes)
    unseen = f", {len(report.unseen)} not seen" if report.unseen else ""
    summary = f"{len(report.differences) or 'no'} differences{unseen}"
    remember_check(Names.of(found.spec).application, "drift", report.exit_status, summary)
    for each, file in wanted:
        text = _text(report, each, environment)
        if file is None:
            click.echo(text)
        else:
            file.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
    raise SystemExit(report.exit_status)


def _place(text: str) -> tuple[str, Path | None]:
    form, _, file = text.partition("=")
    if form not in FORMATS or not file:
        raise click.BadParameter(f"{text!r}: give FORMAT=FILE, with one of {', '.join(FORMATS)}.", param_hint="--also")
    return form, Path(file)


def _text(report: "Report", form: str, spec_file: Path) -> str:
    from firnline_infra.observe.code_quality import report_code_quality
    from firnline_infra.observe.sarif import report_sarif
    from firnline_infra.observe.text import report_markdown, report_table

    match form:
        case "json":
            return report.to_json()
        case "sarif":
            return report_sarif(report, spec_file=spec_file.as_posix())
        case "codequality":
            return report_code_quality(report, spec_file=spec_file.as_posix())
        case "markdown":
            return report_markdown(report)
        case _:
            return report_table(report)
