"""Patterns of sentences that a reader of AWS's and Snowflake's pages stumbles over, in how-tos and in messages.

tests/test_words.py holds the uses of each to a number that may only fall. `python docs/tools/sentences.py` lists those that are
left.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

HERE = Path(__file__).parents[2]
PRODUCT = ("ingest/firnline_ingest", "infra/firnline_infra", "local/firnline_local")
GENERATED = ("options.md", "permissions.md", "runbook.md", "spec.md")
"""Pages that are made of messages, of descriptions and of docstrings."""
CLOUD_OBJECT = (
    "stream|table|bucket|role|user|pipe|stage|schema|database|secret|key|queue|view|alarm|policy|application|cluster|endpoint|"
    "ledger|environment|object|resource|consumer|stack|group|topic|warehouse|volume|repository|namespace|account"
)
DETERMINERS = "the|a|an|its|one|new|each|another|all|your|that|both|three|two|no|whole|first|second|missing"


class Kind(StrEnum):
    """Kind of text that a pattern is looked for in."""

    HOW_TOS = "README.md and docs/*.md"
    MESSAGES = "messages, help and descriptions of the product"


@dataclass(frozen=True)
class Pattern:
    """A pattern, with what to write instead."""

    name: str
    regex: str
    instead: str


PATTERNS = (
    Pattern(
        "is no", r"(?<!there )(?<!There )\b(?:is|are|was|were|be) no (?!longer\b|more\b|less\b|other\b)", "is not a …"
    ),
    Pattern(
        "where for if",
        r"(?:[.!?;:] |\| )[Ww]here [^.?!;|]*,|\b[Ww]here (?:absent|there (?:is|are|was)|nothing|none|something|it is not)\b",
        "if …",
    ),
    Pattern("of for possession", r"\b(?:is|are|was|were) of (?:the|a|an|one|another|our|its|that)\b", "belongs to …"),
    Pattern(
        "say for set",
        r"\b[Ss]ay `|\b(?:specification|configuration|pipeline|route|option) says? (?!FL-)|\bsay it (?:again|as|of|so)\b",
        "set, give, specify",
    ),
    Pattern(
        "make for create",
        rf"\b[Mm]ak(?:es?|ing) (?:(?:{DETERMINERS}) )+(?:\w+ )?(?:{CLOUD_OBJECT})s?\b"
        rf"|\b(?:{CLOUD_OBJECT})s? (?:(?:that|which) )?(?:is|are|was|were|be) (?:not |never )?made\b(?! of)|\bNothing was made\b",
        "create",
    ),
    Pattern(
        "a clause as subject", r"(?:^|[.:;!?] |\| )(?:Who|What) (?![^.?!|]*\?)[^.|]*", "a noun: the caller, rows that …"
    ),
)


def uses_of(pattern: Pattern, kind: Kind) -> Iterator[str]:
    """Yields `place: text` of each use."""
    regex = re.compile(pattern.regex)
    for place, text in _texts(kind):
        for found in regex.finditer(text):
            yield f"{place}: {text[max(0, found.start() - 40) : found.end() + 40]}"


@cache
def _texts(kind: Kind) -> tuple[tuple[str, str], ...]:
    """Texts on one line each, with their places."""
    return tuple(_paragraphs() if kind is Kind.HOW_TOS else _messages())


def _paragraphs() -> Iterator[tuple[str, str]]:
    """Yields the paragraphs of the pages; headings and blocks of code are not prose."""
    for page in (HERE / "README.md", *sorted((HERE / "docs").glob("*.md"))):
        if page.name not in GENERATED:
            prose = re.sub(r"^```.*?^```|^#.*?$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
            for paragraph in re.split(r"\n\s*\n|\n(?=[*|-]|\d+\.)", prose):
                yield page.name, " ".join(paragraph.split())


def _messages() -> Iterator[tuple[str, str]]:
    """Yields the texts of more than one word that are not docstrings; `…` stands for each slot."""
    for folder in PRODUCT:
        for file in sorted((HERE / folder).rglob("*.py")):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            for line, text in _strings(tree):
                if " " in text.strip():
                    yield f"{file.relative_to(HERE).as_posix()}:{line}", " ".join(text.split())


def _strings(node: ast.AST) -> Iterator[tuple[int, str]]:
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.Expr(value=ast.Constant()):
                continue
            case ast.JoinedStr(values=parts):
                yield (
                    child.lineno,
                    "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in parts),
                )
            case ast.Constant(value=str(text)):
                yield child.lineno, text
            case _:
                yield from _strings(child)


if __name__ == "__main__":
    for each in PATTERNS:
        for where in Kind:
            uses = list(uses_of(each, where))
            print(f"{each.name} -> {each.instead}: {len(uses)} in {where}")
            print("".join(f"    {use}\n" for use in uses), end="")
