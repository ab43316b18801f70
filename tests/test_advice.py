"""Advice in messages, next steps and pages: what they quote for a document, the document takes. `audit: off` would be text."""

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import create_model

from firnline_infra.specification.document import read_yaml
from firnline_infra.specification.model import EnvironmentSpec
from firnline_ingest.config.document import Section, parse
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.errors import ConfigError
from tests.mutants import sections

ROOT = Path(__file__).parents[1]
SOURCES = tuple(path for package in ("ingest", "infra", "local") for path in ROOT.glob(f"{package}/firnline_*/**/*.py"))
PAGES = (ROOT / "README.md", ROOT / "CHANGELOG.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md"))

KEY = r"([a-z]\w*(?:\.[a-z]\w*)*): "
QUOTED = re.compile(rf"`{KEY}([^`\n]+)`")
VALUE = r"""([\w*][\w*.-]*(?<!\.)|\[[^\]\n]+\]|\{[^}\n]+\})(?=[\s,;:.)`]|$)"""
ADVISED = re.compile(rf"\b(?:say|set|give|with|or|goes with) {KEY}{VALUE}")
BLANK = "…"
"""Stands for what a message fills in, or what a page leaves to its reader."""
PROSE = ("a", "the", "with", "without")
"""Begin a sentence behind a colon."""
NAMES_ALONE = re.compile(r"\{\w+(, \w+)*\}")
"""Says which options a section has, without their values."""


def advice_in(text: str) -> Iterator[tuple[str, str]]:
    """Yields each key and value that is quoted, or that a sentence says to give."""
    for found in (*QUOTED.finditer(text), *ADVISED.finditer(text)):
        key, value = found.groups()
        if BLANK not in value and value not in PROSE and not NAMES_ALONE.fullmatch(value):
            yield key, value


def texts_of(tree: ast.AST) -> Iterator[str]:
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else BLANK for part in node.values)  # type: ignore[misc]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            yield node.value


def all_advice() -> Iterator[tuple[str, str, str]]:
    for path in SOURCES:
        for text in texts_of(ast.parse(path.read_text(encoding="utf-8"))):
            yield from ((str(path.relative_to(ROOT)), *each) for each in advice_in(text))
    for path in PAGES:
        yield from ((str(path.relative_to(ROOT)), *each) for each in advice_in(path.read_text(encoding="utf-8")))


@cache
def takers() -> dict[str, list[type[Section]]]:
    """For each name of an option a model of that field alone, for each section that has one."""
    found: dict[str, list[type[Section]]] = {}
    for section in {each for model in (EngineConfig, EnvironmentSpec) for each in sections(model)}:
        for name, field in section.model_fields.items():
            own: dict[str, Any] = {name: (field.annotation, field)}
            alone = create_model(section.__name__, __base__=Section, **own)
            found.setdefault(field.alias or name, []).append(alone)
    return found


def refusal(key: str, value: str) -> str:
    """Returns why no option of that name takes the value; empty where one does, or where it is no option's name."""
    *way, name = key.split(".")
    if way and way[-1] in takers() and name not in takers():
        return f"{name} is an option of no section"
    document: object = None
    for text in (f"{name}: {value}", f"{{{name}: {value}}}"):  # a line, or several options in one
        with suppress(ConfigError):
            document = document or read_yaml(text, "advice")
    if not isinstance(document, dict):
        return f"{name}: {value} is not YAML"
    return " ".join(why for each in document if (why := _refusal(each, document[each])))


def _refusal(name: str, value: object) -> str:
    why = ""
    for alone in takers().get(name, ()):
        try:
            parse(alone, {name: value}, "advice")
            return ""
        except ConfigError as error:
            why = " ".join(error.problems)
    return why


def test_every_key_and_value_that_is_advised_is_taken() -> None:
    refused = {(where, f"{key}: {value}", why) for where, key, value in all_advice() if (why := refusal(key, value))}
    assert sorted(refused) == []


def test_advice_is_found_in_quotes_and_in_sentences() -> None:
    text = "add it, or `audit: off`; say audit: off, if that is meant, or reader: polling. Set `a.b: {c: 1}`; routes: the own"
    assert list(advice_in(text)) == [
        ("audit", "off"), ("a.b", "{c: 1}"), ("audit", "off"), ("reader", "polling"),
    ]  # fmt: skip


def test_advice_that_a_document_refuses_is_told() -> None:
    assert "valid boolean (got 'off')" in refusal("audit", "off")
    assert refusal("audit", "false") == ""
    assert "tombstones is an option of no section" in refusal("format.tombstones", "ingest")
