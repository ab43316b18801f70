"""The first sentence of a docstring begins with a verb in the third person or with a noun."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
BLOCKS = (ast.stmt, ast.excepthandler, ast.match_case)
"""No expression holds a docstring."""
FOLDERS = ("infra", "ingest", "local", "bench", "docs/tools", "tests")
CLAUSES = {"as", "how", "if", "of", "what", "when", "where", "whether", "which", "who"}
MAY_BEGIN = re.compile(rf"[\"']\s*(?:\\\s*)?({'|'.join(sorted(CLAUSES))})\b", re.IGNORECASE)
"""A text in quotes that begins with a clause: a file without one has no such docstring, and is not parsed."""
CEILING = {"infra": 0, "ingest": 0, "local": 0, "bench": 0, "docs/tools": 0, "tests": 0}
"""Docstrings that begin with a clause. Each number may only fall."""


def docstrings(folder: str) -> Iterator[tuple[str, str]]:
    """Yields where each docstring is, and its text, of the files in which one may begin with a clause."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        nodes: list[ast.AST] = [ast.parse(source)] if MAY_BEGIN.search(source) else []
        while nodes:
            node = nodes.pop()
            nodes += (each for each in ast.iter_child_nodes(node) if isinstance(each, BLOCKS))
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                text = ast.get_docstring(node)
                if text is not None:
                    yield f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}", text


@cache
def clauses(folder: str) -> tuple[str, ...]:
    return tuple(
        f"{where} {text[:60]!r}" for where, text in docstrings(folder) if re.split(r"\W", text.lower())[0] in CLAUSES
    )


def test_no_more_docstrings_begin_with_a_clause_than_did() -> None:
    found = {folder: clauses(folder) for folder in FOLDERS}
    more = {folder: names for folder, names in found.items() if len(names) > CEILING[folder]}
    assert more == {}, "begin them with a verb in the third person (Returns …) or with a noun"


def test_the_ceilings_are_those_of_today() -> None:
    below = {folder: CEILING[folder] - len(clauses(folder)) for folder in FOLDERS}
    assert {folder: number for folder, number in below.items() if number > 5} == {}
