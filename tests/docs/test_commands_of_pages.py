"""Commands that a page shows with their output (```console blocks) print that, on this repository's environments.

Each how-to begins with one, but for those of EXEMPT. Commands that ask the embedded environment are run by
tests/e2e/test_pages_of_the_embedded_environment.py.
"""

import shutil
from pathlib import Path

import pytest

from docs.tools.site import navigation
from tests.docs.console_blocks import FIRST_BLOCK, PAGES, ROOT, check, commands, is_local, name_of

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
    **dict.fromkeys(("beside-terraform", "status"), NEEDS_MORE),
}
"""How-tos that begin with something else, each with the reason. A page leaves them, and none joins."""


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_what_a_page_shows_of_a_command_is_what_it_prints(page: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "stacks", tmp_path / "stacks")
    assert commands(page), "a console block has lines that begin with `$ `; others are of sh"
    for command, shown in commands(page):
        if not is_local(command):
            check(page, command, shown, tmp_path)


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
