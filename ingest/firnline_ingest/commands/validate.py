"""`validate`: checks what an engine needs, and changes nothing."""

import argparse
from typing import TYPE_CHECKING

from firnline_ingest.commands.command import REFUSED, Command

if TYPE_CHECKING:
    from firnline_ingest.config.model import EngineConfig


def validate(config: "EngineConfig", _options: argparse.Namespace) -> int:
    from firnline_ingest import validate as checks

    problems = 0
    for check in checks.validate(config):
        print(f"{'ok  ' if check.problem is None else 'FAIL'}  {check.name}: {check.problem or check.found}")
        problems += check.problem is not None
    return REFUSED if problems else 0


VALIDATE = Command(
    name="validate",
    summary="Check machine, ledger, streams and tables.",
    more="Exit status: 0 all is good, 2 not.",
    run=validate,
)
