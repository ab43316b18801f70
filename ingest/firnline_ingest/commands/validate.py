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
        verdict = "FAIL" if check.problem else "ok  " if check.is_checked else "????"
        print(f"{verdict}  {check.name}: {check.problem or check.found}")
        problems += check.problem is not None
    return REFUSED if problems else 0


VALIDATE = Command(
    name="validate",
    summary="Check machine, ledger, streams and tables.",
    more="Exit status: 0 nothing is wrong, 2 something is. A line with ???? could not be checked, and says why.",
    run=validate,
)
