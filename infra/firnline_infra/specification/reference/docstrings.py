"""The docstrings under a class's attributes. Python keeps none of them, so they are read from the source.

Only the reference pays for that: reading a source takes longer than loading a specification.
"""

import ast
import inspect
from functools import cache
from itertools import pairwise
from pathlib import Path


def attribute_docs(kind: type) -> dict[str, str]:
    """By attribute, on one line each; inherited ones too."""
    docs: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("firnline_"):
            docs |= _own(base)
    return docs


def _own(kind: type) -> dict[str, str]:
    body = _classes(inspect.getsourcefile(kind) or "")[kind.__name__].body
    return {_target(before): _text(after) for before, after in pairwise(body) if _target(before) and _text(after)}


@cache
def _classes(path: str) -> dict[str, ast.ClassDef]:
    module = ast.parse(Path(path).read_text(encoding="utf-8"))
    return {node.name: node for node in module.body if isinstance(node, ast.ClassDef)}


def _target(node: ast.stmt) -> str:
    match node:
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
            return name
    return ""


def _text(node: ast.stmt) -> str:
    match node:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return " ".join(text.split())
    return ""
