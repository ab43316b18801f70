"""Commands that a page shows with their output (```console blocks) print that, on this repository's environments.

Each how-to begins with one, but for those of EXEMPT.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from docs.tools.site import navigation

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES = sorted(page for page in (ROOT / "docs").rglob("*.md") if BLOCK.search(page.read_text(encoding="utf-8")))
A_SECTION = "describes a section of the specification, and begins with it or with what it decides"
A_PROGRAM = "describes a library, and begins with a program"
BY_HAND = "is a procedure of steps, each with its own command or statement"
A_REFERENCE = "says what there is, or compares; nothing is run"
NEEDS_MORE = "shows commands whose output takes an index of packages, an account or a roll-out; other tests run them"
EXEMPT = {
    **dict.fromkeys(
        ("fan-out", "latest", "many-streams", "positions", "proxy", "records", "redshift", "routes", "secrets"),
        A_SECTION,
    ),
    **dict.fromkeys(("alignment", "transforms", "adopt"), A_SECTION),
    **dict.fromkeys(
        ("runtimes/emr-serverless", "runtimes/emr-eks", "runtimes/emr-ec2", "runtimes/kubernetes"), A_SECTION
    ),
    **dict.fromkeys(("any-language", "fake-kinesis", "spark", "spark-to-snowflake"), A_PROGRAM),
    **dict.fromkeys(("backfill", "files", "layered-stacks", "moving", "uninstall", "from-other-connectors"), BY_HAND),
    **dict.fromkeys(
        ("aggregates", "dynamodb", "embedded-runtimes", "embedded-snowflake", "metrics", "options", "ordering"),
        A_REFERENCE,
    ),
    **dict.fromkeys(("runtimes/README", "s3", "which-lane"), A_REFERENCE),
    **dict.fromkeys(("build", "real-accounts", "rollout"), NEEDS_MORE),
    **dict.fromkeys(
        ("audit", "beside-terraform", "dead-letters", "deploy", "doctor", "drift", "latency", "put", "rotate-keys"),
        NEEDS_MORE,
    ),
    "status": NEEDS_MORE,
}
"""How-tos that begin with something else, each with the reason. A page leaves them, and none joins."""
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


def how_tos() -> set[str]:
    """Returns the pages that the navigation has as how-tos."""
    (groups,) = (
        each["How to"] for each in navigation((ROOT / "docs" / "README.md").read_text("utf-8")) if "How to" in each
    )
    return {page.removesuffix(".md") for group in groups for pages in group.values() for page in pages}


def test_each_how_to_begins_with_a_command_and_its_output_or_says_why_not() -> None:
    begin = {
        page
        for page in how_tos()
        if (FIRST_BLOCK.findall((ROOT / "docs" / f"{page}.md").read_text("utf-8")) or [""])[0] == "console"
    }
    assert how_tos() - begin == EXEMPT.keys()
