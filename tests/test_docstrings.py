"""The first sentence of a docstring begins with a verb in the third person or with a noun."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("infra", "ingest", "local", "bench", "docs/tools", "tests")
CLAUSES = {"as", "how", "if", "of", "what", "when", "where", "whether", "which", "who"}
CEILING = {"infra": 0, "ingest": 0, "local": 0, "bench": 0, "docs/tools": 0, "tests": 74}
"""Docstrings that begin with a clause. Each number may only fall."""


def docstrings(folder: str) -> Iterator[tuple[str, str]]:
    """Yields where each docstring is, and its text."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                text = ast.get_docstring(node)
                if text is not None:
                    yield f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}", text


def clauses(folder: str) -> list[str]:
    return [
        f"{where} {text[:60]!r}" for where, text in docstrings(folder) if re.split(r"\W", text.lower())[0] in CLAUSES
    ]


def test_no_more_docstrings_begin_with_a_clause_than_did() -> None:
    found = {folder: clauses(folder) for folder in FOLDERS}
    more = {folder: names for folder, names in found.items() if len(names) > CEILING[folder]}
    assert more == {}, "begin them with a verb in the third person (Returns …) or with a noun"


def test_the_ceilings_are_those_of_today() -> None:
    counted = Counter({folder: len(clauses(folder)) for folder in FOLDERS})
    assert {
        folder: CEILING[folder] - counted[folder] for folder in FOLDERS if CEILING[folder] - counted[folder] > 5
    } == {}
