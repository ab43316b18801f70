"""The first sentence of a docstring begins with a verb in the third person or with a noun."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import chain, pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BLOCKS = (ast.stmt, ast.excepthandler, ast.match_case)
"""No expression holds a docstring."""
FOLDERS = ("infra", "ingest", "local", "bench", "docs/tools", "tests")
CLAUSES = ("as", "how", "if", "of", "up to", "what", "when", "where", "whether", "which", "who", "why")
PRONOUNS = ("it", "its", "those", "whose")
BEGINS = re.compile(rf"({'|'.join((*CLAUSES, *PRONOUNS))})\b", re.IGNORECASE)
MAY_BEGIN = re.compile(rf"[\"']\s*(?:\\\s*)?{BEGINS.pattern}", re.IGNORECASE)
"""A text in quotes that begins so: a file without one has no such docstring, and is not parsed."""
CEILING = {"infra": 0, "ingest": 0, "local": 0, "bench": 0, "docs/tools": 0, "tests": 0}
"""Docstrings that begin with a clause or a pronoun. Each number may only fall."""
ATTRIBUTES = {"infra": 236, "ingest": 235, "local": 85, "bench": 9, "docs/tools": 2, "tests": 66}
"""The same of the texts behind the fields of classes."""


def blocks(folder: str) -> Iterator[tuple[Path, ast.AST]]:
    """Yields the statements of the files in which a docstring may begin with a clause or a pronoun."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        nodes: list[ast.AST] = [ast.parse(source)] if MAY_BEGIN.search(source) else []
        while nodes:
            node = nodes.pop()
            nodes += (each for each in ast.iter_child_nodes(node) if isinstance(each, BLOCKS))
            yield path, node


def docstrings(path: Path, node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yields where a docstring is, and its text."""
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        text = ast.get_docstring(node)
        if text is not None:
            yield f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}", text


def attributes(path: Path, node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yields where a text behind a field of a class is, and the text."""
    for field, text in pairwise(node.body) if isinstance(node, ast.ClassDef) else ():
        match field, text:
            case ast.Assign() | ast.AnnAssign(), ast.Expr(value=ast.Constant(value=str(described))):
                yield f"{path.relative_to(ROOT)}:{text.lineno}", described


@cache
def unclear(folder: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the docstrings, and the texts behind fields, that begin with a clause or a pronoun."""
    found = [(docstrings(path, node), attributes(path, node)) for path, node in blocks(folder)]
    kinds = (chain.from_iterable(kind) for kind in zip(*found, strict=True))
    documented, described = (
        tuple(f"{where} {text[:60]!r}" for where, text in texts if BEGINS.match(text.strip())) for texts in kinds
    )
    return documented, described


@pytest.mark.parametrize(("kind", "ceiling"), [(0, CEILING), (1, ATTRIBUTES)], ids=["docstrings", "attributes"])
def test_no_more_begin_with_a_clause_or_a_pronoun_than_did(kind: int, ceiling: dict[str, int]) -> None:
    found = {folder: unclear(folder)[kind] for folder in FOLDERS}
    more = {folder: names for folder, names in found.items() if len(names) > ceiling[folder]}
    assert more == {}, "begin them with a verb in the third person (Returns …) or with a noun"


@pytest.mark.parametrize(("kind", "ceiling"), [(0, CEILING), (1, ATTRIBUTES)], ids=["docstrings", "attributes"])
def test_the_ceilings_are_those_of_today(kind: int, ceiling: dict[str, int]) -> None:
    below = {folder: ceiling[folder] - len(unclear(folder)[kind]) for folder in FOLDERS}
    assert {folder: number for folder, number in below.items() if number > 5} == {}
