"""The typings that mypy reads instead of those of Pulumi's SDKs have the SDKs' types."""

import ast
from importlib import import_module
from inspect import getfile
from pathlib import Path

import pytest

TYPINGS = Path(__file__).parents[1] / "typings"
CLASSES = [
    (".".join([*file.relative_to(TYPINGS).parts[:-1], file.stem]).removesuffix(".__init__"), node)
    for file in sorted(TYPINGS.rglob("*.pyi"))
    for node in ast.parse(file.read_text(encoding="utf-8")).body
    if isinstance(node, ast.ClassDef)
]


@pytest.mark.parametrize(("module", "ours"), CLASSES, ids=[f"{module}.{node.name}" for module, node in CLASSES])
def test_a_class_has_the_parameters_and_the_outputs_of_the_sdks(module: str, ours: ast.ClassDef) -> None:
    file = getfile(getattr(import_module(module), ours.name))
    (theirs,) = (
        node
        for node in ast.parse(Path(file).read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and node.name == ours.name
    )
    assert typed(ours.bases) == typed(theirs.bases)
    theirs_takes, ours_takes = parameters(theirs, "_internal_init"), parameters(ours, "__init__")
    assert ours_takes.keys() >= {"resource_name", "opts"}
    assert {name: theirs_takes.get(name) for name in ours_takes} == ours_takes
    assert {name: outputs(theirs).get(name) for name in outputs(ours)} == outputs(ours)


class Shorter(ast.NodeTransformer):
    """Writes `X | None` for `Optional[X]`."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        is_optional = ast.unparse(node.value) == "Optional"
        return ast.BinOp(node.slice, ast.BitOr(), ast.Constant(None)) if is_optional else node


def typed(nodes: list[ast.expr]) -> list[str]:
    return [ast.unparse(Shorter().visit(each)).replace("_builtins.", "") for each in nodes]


def methods(of: ast.ClassDef) -> list[ast.FunctionDef]:
    return [each for each in of.body if isinstance(each, ast.FunctionDef)]


def parameters(of: ast.ClassDef, name: str) -> dict[str, list[str]]:
    (method,) = (each for each in methods(of) if each.name == name)
    taken = [*method.args.args, *method.args.kwonlyargs]
    return {each.arg: typed([each.annotation]) for each in taken if each.annotation is not None}


def outputs(of: ast.ClassDef) -> dict[str, list[str]]:
    return {
        each.name: typed([each.returns])
        for each in methods(of)
        if each.returns is not None and any("property" in ast.unparse(how) for how in each.decorator_list)
    }
