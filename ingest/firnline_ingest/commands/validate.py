"""`validate`: checks what an engine needs, and changes nothing."""

import argparse
from typing import TYPE_CHECKING

from firnline_ingest.commands.command import Command
from firnline_ingest.commands.output import add_output, show

if TYPE_CHECKING:
    from firnline_ingest.config.model import EngineConfig


def validate(config: "EngineConfig", options: argparse.Namespace) -> int:
    from firnline_ingest import validate as checks
    from firnline_ingest.checks.listing import report_listing

    report = checks.validate(config)
    show(options, report.as_document, lambda: report_listing(report))
    return report.exit_status


VALIDATE = Command(
    name="validate",
    summary="Check machine, ledger, streams and tables.",
    more="Changes nothing. Exit status: 0 all is good, 3 something is wrong, 2 a check could not be completed.",
    run=validate,
    add_arguments=add_output,
)
