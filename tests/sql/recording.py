"""Hooks of pytest: a run records the SQL that the embedded databases carry out, and lists at its end what the corpus lacks."""

import os
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from firnline_local.record import STATEMENTS

FOLDER = pytest.StashKey[Path]()
MOST_LISTED = 20


def pytest_configure(config: pytest.Config) -> None:
    """Workers of pytest-xdist, and whatever a test starts, find the variable set."""
    if STATEMENTS not in os.environ:
        config.stash[FOLDER] = Path(tempfile.mkdtemp(prefix="firnline-statements-"))
        os.environ[STATEMENTS] = str(config.stash[FOLDER])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    folder = config.stash.get(FOLDER, None)
    if folder is None:
        return
    if find_spec("sqlfluff") is None:
        shutil.rmtree(folder)
        terminalreporter.write_line("The SQL that was carried out is not listed: scripts/setup brings sqlfluff.")
        return
    new = _new(folder) if any(folder.iterdir()) else {}
    if not new:
        shutil.rmtree(folder)
        return
    terminalreporter.section("SQL that tests/sql/statements.txt does not have")
    for (dialect, _), sql in sorted(new.items())[:MOST_LISTED]:
        terminalreporter.write_line(f"{dialect}: {sql[:200]}")
    terminalreporter.write_line(f"{len(new)} in all. Next: python -m tests.sql {folder}, then pytest tests/sql.")


def _new(folder: Path) -> dict[tuple[str, str], str]:
    from tests.sql.corpus import committed, of_lines, recorded

    known = committed()
    return {key: sql for key, sql in of_lines(recorded(folder)).items() if key not in known}
