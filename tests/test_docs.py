"""Tests of what the pages tell a person to type exists, and lists that claim to be whole are."""

import argparse
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from firnline_infra.cli.main import firnline
from firnline_ingest.commands import COMMANDS
from firnline_local.providers.registry import known_types

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
EMBEDDED = ROOT / "local" / "firnline_local"
PAGES = sorted(DOCS.rglob("*.md"))
ENGINE = {command.name: command for command in COMMANDS}  # run, drain, resume, …: `firnline` hands them to the engine


def typed(page: Path) -> Iterator[list[str]]:
    """Each `firnline …` of a page, in code blocks and between back quotes, without options of `firnline` itself."""
    own = {option for each in firnline.params for option in each.opts}
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    spans = re.findall(r"`(firnline [^`]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    for line in [line for block in blocks for line in block.splitlines()] + [" ".join(span.split()) for span in spans]:
        if line.startswith("firnline "):
            valued = re.sub(r"(--[a-z-]+) …", r"\1 VALUE", line)
            words = shlex.split(valued.replace("…", ""), comments=True)[1:]
            yield [word for word in words if word not in own]


def command_of(words: list[str]) -> tuple[click.Command, list[str]]:
    """Returns the command, and the words behind its name. Fails for one that does not exist."""
    command: click.Command = firnline
    while isinstance(command, click.Group) and words:
        found = command.get_command(click.Context(command), words[0])
        assert found is not None, f"firnline has no command {words[0]!r}"
        command, words = found, words[1:]
    return command, words


def options(words: list[str]) -> set[str]:
    return {option for each in command_of(words)[0].params for option in each.opts}


def surplus(words: list[str]) -> list[str]:
    """The arguments before a pipe or redirection that the command does not take."""
    shell = next((place for place, word in enumerate(words) if word[0] in "|>&"), len(words))
    command, arguments = command_of(words[:shell])
    try:
        return command.make_parser(click.Context(command)).parse_args(arguments)[1]
    except click.BadOptionUsage:
        return []  # a page may name an option without its value


def engine_options(command: str) -> set[str]:
    parser = argparse.ArgumentParser()
    ENGINE[command].add_arguments(parser)
    return {option for action in parser._actions for option in action.option_strings} | {"--config"}


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.stem)
def test_every_command_of_a_page_exists_with_its_options(page: Path) -> None:
    for words in typed(page):
        own = words[: words.index("--")] if "--" in words else words  # the rest is another program's
        given = {word for word in own if word.startswith("--")}
        assert given <= (engine_options(words[0]) if words[0] in ENGINE else options(words)), words
        assert words[0] in ENGINE or surplus(words) == [], words


def links(page: Path) -> set[Path]:
    """The files of this repository that a page links to."""
    targets = re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))
    return {(page.parent / target).resolve() for target in targets if not target.startswith("https://")}


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.name)
def test_every_link_of_a_page_leads_to_a_file(page: Path) -> None:
    assert [target for target in links(page) if not target.exists()] == []


def test_every_page_is_listed_on_the_first_one() -> None:
    assert set(DOCS.rglob("*.md")) - links(DOCS / "README.md") - {DOCS / "README.md"} == set()


def test_no_page_has_the_marks_of_a_merge() -> None:
    pages = [*PAGES, *ROOT.glob("*.md"), *ROOT.glob("*/*.md")]
    assert [
        page.name for page in pages if re.search(r"^(<{7}|>{7}|={7}$)", page.read_text(encoding="utf-8"), re.M)
    ] == []


def test_the_import_id_of_every_type_is_told() -> None:
    text = (DOCS / "adopt.md").read_text(encoding="utf-8")
    missing = [token for token in known_types() if token not in text and token.partition("index/")[2] not in text]
    assert missing == []


def test_every_file_that_holds_a_belief_about_the_real_services_exists() -> None:
    text = (DOCS / "design" / "beliefs.md").read_text(encoding="utf-8")
    places = set(re.findall(r"`([a-z_/]+(?:\.py|/))`", text))
    assert places
    assert [each for each in places if not any((root / each).exists() for root in (ROOT, EMBEDDED))] == []
