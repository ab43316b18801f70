"""The last `firnline drift` and `firnline audit` of an application, remembered on the machine where they ran, for its status.

In `.firnline/checks` of the current folder: both commands read an account and write nothing to it.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from firnline_infra.status.model import CheckStatus

FOLDER = Path(".firnline") / "checks"
NAMES = ("drift", "audit")


def remember_check(application: str, name: str, exit_status: int, summary: str, *, folder: Path = FOLDER) -> None:
    """Where the folder can't be written, nothing is remembered."""
    at = datetime.now(UTC).isoformat(timespec="seconds")
    check = CheckStatus(name=name, at=at, exit_status=exit_status, summary=summary)
    with suppress(OSError):
        file = folder / f"{application}.{name}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(asdict(check)) + "\n", encoding="utf-8")


def last_checks(application: str, folder: Path = FOLDER) -> Sequence[CheckStatus]:
    """Of those that have run here; a file that this release can't read is none."""
    found = []
    for name in NAMES:
        with suppress(OSError, ValueError, TypeError):
            found.append(CheckStatus(**json.loads((folder / f"{application}.{name}.json").read_text(encoding="utf-8"))))
    return found
