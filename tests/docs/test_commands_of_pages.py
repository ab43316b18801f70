"""Commands that a page shows with their output (```console blocks) print that, on this repository's environments."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES = sorted(page for page in (ROOT / "docs").rglob("*.md") if BLOCK.search(page.read_text(encoding="utf-8")))
BEGIN_WITH_ONE = {"environments.md", "estimate.md", "network.md", "policy.md"}
"""How-tos whose first block is such a command. A page joins them, and none leaves."""
FIRST_BLOCK = re.compile(r"^```(\w+)", re.MULTILINE)


def commands(page: Path) -> list[tuple[str, str]]:
    """Returns each command of a page, and the output that is shown of it."""
    found = []
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def shape(shown: str) -> re.Pattern[str]:
    """Returns a pattern of the output: a line `…` stands for any lines, and `…` in a line for its rest."""
    lines = [
        r"(?:.*\n)*?" if line == "…" else re.escape(line).replace("…", ".*") + r" *\n" for line in shown.splitlines()
    ]
    return re.compile("".join(lines))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_shows_of_a_command_is_what_it_prints(page: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "stacks", tmp_path / "stacks")
    assert commands(page), "a console block has lines that begin with `$ `; others are of sh"
    for command, shown in commands(page):
        assert shown.strip("…\n"), f"{command} shows no output"
        program, *arguments = shlex.split(command)
        assert program == "firnline", command
        done = subprocess.run(
            [str(Path(sys.executable).with_name("firnline")), *arguments],
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert shape(shown).match(done.stdout), f"{page.name}: $ {command}\n{done.stdout}"


def test_these_pages_begin_with_a_command_and_its_output() -> None:
    begin = {page.name for page in PAGES if FIRST_BLOCK.findall(page.read_text(encoding="utf-8"))[0] == "console"}
    assert begin == BEGIN_WITH_ONE
