"""Commands that pages show with their output, in ```console blocks: lines that begin with `$ `, and what is printed below.

A line `…` stands for any lines, and `…` in a line for what differs from run to run.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FIRST_BLOCK = re.compile(r"^```(\w+)", re.MULTILINE)
PAGES = sorted(page for page in (ROOT / "docs").rglob("*.md") if BLOCK.search(page.read_text(encoding="utf-8")))


def name_of(page: Path) -> str:
    """Returns a page's path below docs/, without its suffix."""
    return page.relative_to(ROOT / "docs").with_suffix("").as_posix()


def commands(page: Path) -> list[tuple[str, str]]:
    """Returns each command of a page, and the output that is shown of it."""
    found = []
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def is_local(command: str) -> bool:
    """Returns whether a command asks the embedded environment."""
    return " --local" in command or command.startswith("firnline local ")


def shape(shown: str) -> re.Pattern[str]:
    """Returns a pattern of the output."""
    lines = [
        r"(?:.*\n)*?" if line == "…" else re.escape(line).replace("…", ".*") + r" *\n" for line in shown.splitlines()
    ]
    return re.compile("".join(lines))


def check(page: Path, command: str, shown: str, folder: Path) -> None:
    """Runs a command in a folder with `stacks`, and compares what it prints with what the page shows."""
    assert shown.strip("…\n"), f"{command} shows no output"
    program, *arguments = shlex.split(command)
    assert program == "firnline", command
    around = {name: value for name, value in os.environ.items() if not name.startswith("FIRNLINE_")}
    done = subprocess.run(
        [str(Path(sys.executable).with_name("firnline")), *arguments],
        cwd=folder,
        env={**around, "COLUMNS": "200", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{page.name}: $ {command}\n{done.stdout}{done.stderr}"
    assert shape(shown).match(done.stdout), f"{page.name}: $ {command}\n{done.stdout}"
