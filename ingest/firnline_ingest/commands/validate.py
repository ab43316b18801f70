"""`validate`: checks what an engine needs, and changes nothing."""

import argparse
import json
from typing import TYPE_CHECKING

from firnline_ingest.commands.command import Command

if TYPE_CHECKING:
    from firnline_ingest.config.model import EngineConfig


def validate(config: "EngineConfig", options: argparse.Namespace) -> int:
    from firnline_ingest import validate as checks
    from firnline_ingest.checks.listing import report_listing

    report = checks.validate(config)
    print(json.dumps(report.as_document(), indent=2) if options.output == "json" else report_listing(report))
    return report.exit_status


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    forms = ("table", "json")  # where the engine alone is installed there is no YAML
    parser.add_argument(
        "-o", "--output", choices=forms, default="table", help="For people, or as a document for programs."
    )


VALIDATE = Command(
    name="validate",
    summary="Check machine, ledger, streams and tables.",
    more="Changes nothing. Exit status: 0 all is good, 3 something is wrong, 2 a check could not be completed.",
    run=validate,
    add_arguments=_add_arguments,
)
