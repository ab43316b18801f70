"""`validate`: checks what an engine needs, and changes nothing."""

import argparse
from typing import TYPE_CHECKING

from firnline_ingest.commands.command import Command

if TYPE_CHECKING:
    from firnline_ingest.config.model import EngineConfig


def validate(config: "EngineConfig", options: argparse.Namespace) -> int:
    from firnline_ingest import validate as checks
    from firnline_ingest.checks.listing import report_listing

    report = checks.validate(config)
    print(report.to_json() if options.json else report_listing(report))
    return report.exit_status


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="One JSON document instead of a table.")


VALIDATE = Command(
    name="validate",
    summary="Check machine, ledger, streams and tables.",
    more="Changes nothing. Exit status: 0 all is good, 3 something is wrong, 2 a check could not be completed.",
    run=validate,
    add_arguments=_add_arguments,
)
