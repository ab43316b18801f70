"""`firnline policy`"""

from pathlib import Path

import click

from firnline_infra.cli.environment_argument import environment_argument
from firnline_infra.cli.report_forms import places_of, report_options, write_report


@click.command()
@environment_argument
@click.option(
    "--protected",
    is_flag=True,
    help="Also demand that its data is protected, and encrypted with a key of the account's, whatever ENV says of itself.",
)
@report_options("sarif=policy.sarif")
@click.option(
    "--ignore",
    "ignore_file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Known violations, with reasons and dates; by default <name>.policy.yaml beside the specification.",
)
def policy(environment: Path, *, protected: bool, output: str, also: tuple[str, ...], ignore_file: Path | None) -> None:
    """Check an environment against the rules of security.

    Looks at every resource that it would have, and asks no account: wildcards, open buckets, encryption, retention, protection,
    ownership. Exit status: 0 no violation, 3 violations, 2 it could not be checked.

    \b
    For example:
      firnline policy prod --protected
    """
    from datetime import UTC, datetime

    from firnline_infra.drift.ignore import IgnoreList, ignore_file_of, load_ignore_list
    from firnline_infra.policy import POLICY, declared_by, find_breaches
    from firnline_infra.specification import load_spec
    from firnline_ingest.checks import Report

    places = places_of(output, also)
    list_ = ignore_file or ignore_file_of(environment, POLICY.name)
    ignoring = load_ignore_list(list_, today=datetime.now(UTC).date()) if list_.exists() else IgnoreList()
    spec = load_spec(environment)
    kept, ignored = ignoring.applied(list(find_breaches(declared_by(spec, must_protect=protected))))
    notes = ignoring.idle(ignored)
    report = Report(suite=POLICY, environment=spec.name, findings=kept, ignored=ignored, notes=notes)
    write_report(report, places, environment)
    raise SystemExit(report.exit_status)
