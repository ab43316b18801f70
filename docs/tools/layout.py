"""The layout in numbers, and the graph of imports that tests/test_imports.py judges.

`python docs/tools/layout.py` prints the numbers; tests/test_house.py has their bounds. It reads the source as text.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median, quantiles

Graph = Mapping[str, set[str]]
HERE = Path(__file__).parents[2]


@dataclass(frozen=True)
class House:
    """One distribution: its package, and the folder that it is in."""

    package: str
    folder: str


@dataclass(frozen=True)
class Source:
    """Facts of a file that the graph and the bounds need."""

    imports: tuple[ast.Import | ast.ImportFrom, ...]
    functions: Mapping[str, int]
    """Lines of each, by its name and the line where it begins."""
    classes: tuple[str, ...]
    """Those that stand in no function and in no other class."""


HOUSES = (
    House("firnline_ingest", "ingest"),
    House("firnline_infra", "infra"),
    House("firnline_local", "local"),
)


def modules(root: Path = HERE) -> dict[str, Path]:
    """Every module of the houses, by its dotted name."""
    found = {}
    for house in HOUSES:
        for file in sorted((root / house.folder / house.package).rglob("*.py")):
            parts = file.relative_to(root / house.folder).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def module_graph(root: Path = HERE) -> Graph:
    """Returns which module imports which, also inside functions and for types alone."""
    known = modules(root)
    return {name: set(_imports(name, file, known)) - {name} for name, file in known.items()}


def room_of(module: str) -> str:
    """`firnline_ingest.shard` for all that is in it: the first level below a package."""
    return ".".join(module.split(".")[:2])


def room_graph(graph: Graph) -> Graph:
    """Arrows between rooms; a package's own `__init__` is the front door, not a room."""
    rooms: dict[str, set[str]] = {room_of(name): set() for name in graph if "." in name}
    for name, imported in graph.items():
        if "." in name:
            rooms[room_of(name)] |= {room_of(each) for each in imported if "." in each} - {room_of(name)}
    return rooms


def folder_graph(graph: Graph) -> Graph:
    """Arrows between folders of which none holds the other."""
    folders: dict[str, set[str]] = defaultdict(set)
    for name, imported in graph.items():
        here = _folder(name, graph)
        there = {_folder(each, graph) for each in imported}
        folders[here] |= {
            each for each in there if not f"{each}.".startswith(f"{here}.") and not f"{here}.".startswith(f"{each}.")
        }
    return folders


def circles(graph: Graph) -> list[list[str]]:
    """The groups whose members reach each other: strongly connected, more than one (Tarjan's algorithm)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        order[name] = lowest[name] = len(order)
        stack.append(name)
        for other in sorted(graph.get(name, ())):
            if other not in order:
                visit(other)
                lowest[name] = min(lowest[name], lowest[other])
            elif other in stack:
                lowest[name] = min(lowest[name], order[other])
        if lowest[name] == order[name]:
            place = stack.index(name)
            if len(stack) - place > 1:
                found.append(sorted(stack[place:]))
            del stack[place:]

    for name in sorted(graph):
        if name not in order:
            visit(name)
    return found


def _folder(module: str, graph: Graph) -> str:
    is_folder = any(other.startswith(f"{module}.") for other in graph)
    return module if is_folder else module.rpartition(".")[0]


def _imports(name: str, file: Path, known: Mapping[str, Path]) -> Iterator[str]:
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    for node in source_of(file).imports:
        if isinstance(node, ast.Import):
            yield from (nearest(alias.name, known) for alias in node.names if nearest(alias.name, known))
        else:
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            names = (nearest(f"{base}.{alias.name}", known) for alias in node.names)
            yield from (each for each in names if each)


def nearest(name: str, known: Mapping[str, Path]) -> str:
    """The module that a dotted name is in; empty for what is not ours."""
    while name and name not in known:
        name = name.rpartition(".")[0]
    return name


def source_of(file: Path) -> Source:
    return _source(file.read_text(encoding="utf-8"))


@cache
def _source(text: str) -> Source:
    """Parses each text once in a process: that takes longer than all that is asked about it."""
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    functions = (node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return Source(
        imports=tuple(node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)),
        functions={
            f"{each.name}:{each.lineno}": (each.end_lineno or each.lineno) - each.lineno + 1 for each in functions
        },
        classes=tuple(node.name for node in tree.body if isinstance(node, ast.ClassDef)),
    )


def file_length(file: Path) -> int:
    """Counts the lines of a file."""
    return file.read_text(encoding="utf-8").count("\n")


def _row(name: str, files: list[Path]) -> str:
    lines = [file_length(file) for file in files]
    spans = [span for file in files for span in source_of(file).functions.values()]
    return (
        f"| {name} | {len(lines)} | {sum(lines):,} | {median(lines):g} | {quantiles(lines, n=10)[-1]:g} | {max(lines)} "
        f"| {median(spans):g} | {quantiles(spans, n=10)[-1]:g} | {max(spans)} |"
    )


def report(root: Path) -> str:
    files, graph = modules(root), module_graph(root)
    rows = [
        _row(house.package, own)
        for house in HOUSES
        if (own := [file for name, file in files.items() if name.split(".")[0] == house.package])
    ]
    return "\n".join(
        [
            "| distribution | files | lines | median file | 90 % | longest | median function | 90 % | longest |",
            "|---|---|---|---|---|---|---|---|---|",
            *rows,
            _row("together", list(files.values())),
            "",
            f"arrows between rooms: {sum(map(len, room_graph(graph).values()))}",
            f"circles of files: {len(circles(graph))}; of folders: {len(circles(folder_graph(graph)))}; "
            f"of rooms: {len(circles(room_graph(graph)))}",
            f"most imports of ours in one file: {max(map(len, graph.values()))}",
        ]
    )


if __name__ == "__main__":
    print(report(HERE))
