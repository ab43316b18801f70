"""Pages of the Python API, made of the docstrings of what is promised: the `__all__` of each module that a page names.

mkdocstrings reads the source and imports nothing of it.
"""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = "python-api"
PAGES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "index": ("Specification and blueprint", ("firnline_infra",)),
    "components": (
        "Pulumi programs and components",
        ("firnline_infra.pulumi", "firnline_infra.pulumi.aws", "firnline_infra.pulumi.snowflake"),
    ),
    "audit": ("The audit", ("firnline_infra.audit",)),
    "engine": ("The engine, and DataFrames", ("firnline_ingest", "firnline_ingest.datasource")),
    "local": ("Without an account, and FakeKinesis", ("firnline_local", "firnline_local.kinesis")),
}
"""Each page's title and its modules, by the page's name."""


def generated() -> Iterator[tuple[str, str]]:
    """Yields each page's path below docs/, and its text."""
    for name, (title, modules) in PAGES.items():
        yield f"{FOLDER}/{name}.md", _page(title, modules)


def promised(module: str) -> tuple[str, list[str]]:
    """Returns a module's docstring and its `__all__`, read from its source."""
    tree = ast.parse(_source(module).read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return ast.get_docstring(tree) or "", list(ast.literal_eval(node.value))
    raise ValueError(f"{module} has no __all__")


def _source(module: str) -> Path:
    package = module.partition(".")[0]
    folder = ROOT / package.removeprefix("firnline_") / Path(*module.split("."))
    front = folder / "__init__.py"
    return front if front.exists() else folder.with_suffix(".py")


def _page(title: str, modules: tuple[str, ...]) -> str:
    text = [f"# Python API: {title[:1].lower()}{title[1:]}", ""]
    for module in modules:
        docstring, names = promised(module)
        text += [f"## `{module}`", "", docstring, ""]
        for name in names:
            text += [f"::: {module}.{name}", ""]
    return "\n".join(text)
