"""What the pages tell a person to type exists, and lists that claim to be whole are."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from firnline_infra.cli.main import firnline
from firnline_local.providers.registry import known_types

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
EMBEDDED = ROOT / "local" / "firnline_local"
PAGES = [
    "adopt.md",
    "build.md",
    "doctor.md",
    "drift.md",
    "layered-stacks.md",
    "network.md",
    "rotate-keys.md",
    "tutorial.md",
]
ENGINE = {"run", "validate", "resume"}  # their options are the engine's own


def typed(page: str) -> Iterator[list[str]]:
    """Each `firnline …` of a page, in code blocks and between back quotes."""
    text = (DOCS / page).read_text(encoding="utf-8").replace("\\\n", " ")
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    spans = re.findall(r"`(firnline [^`]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    for line in [line for block in blocks for line in block.splitlines()] + [" ".join(span.split()) for span in spans]:
        if line.startswith("firnline "):
            yield shlex.split(line.replace("…", ""), comments=True)[1:]


def resolved(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command, and what is given to it. Fails for one that does not exist."""
    command: click.Command = firnline
    while isinstance(command, click.Group) and words:
        found = command.get_command(click.Context(command), words[0])
        assert found is not None, f"firnline has no command {words[0]!r}"
        command, words = found, words[1:]
    return command, words


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_a_page_exists_with_its_options(page: str) -> None:
    commands = list(typed(page))
    assert commands
    for words in commands:
        command, given = resolved(words)
        if command.name in ENGINE:
            continue
        known = {option for each in command.params for option in each.opts}
        assert {word for word in given if word.startswith("--")} <= known, words


def links(page: Path) -> set[Path]:
    """The files of this repository that a page links to."""
    targets = re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))
    return {(page.parent / target).resolve() for target in targets if not target.startswith("https://")}


@pytest.mark.parametrize("page", [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))], ids=lambda page: page.name)
def test_every_link_of_a_page_leads_to_a_file(page: Path) -> None:
    assert [target for target in links(page) if not target.exists()] == []


def test_every_page_is_listed_on_the_first_one() -> None:
    assert set(DOCS.rglob("*.md")) - links(DOCS / "README.md") - {DOCS / "README.md"} == set()


def test_the_import_id_of_every_type_is_told() -> None:
    text = (DOCS / "adopt.md").read_text(encoding="utf-8")
    missing = [token for token in known_types() if token not in text and token.partition("index/")[2] not in text]
    assert missing == []


def test_every_file_that_holds_a_belief_about_the_real_services_exists() -> None:
    text = (DOCS / "design" / "beliefs.md").read_text(encoding="utf-8")
    places = set(re.findall(r"`([a-z_/]+(?:\.py|/))`", text))
    assert places
    assert [each for each in places if not any((root / each).exists() for root in (ROOT, EMBEDDED))] == []
