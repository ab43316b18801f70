"""Leaves out the test files that a change does not reach: `scripts/test --changed`, or `--changed=REF` for what differs from REF.

A module reaches a test file if that, one of its conftest files, or what these lead to imports it or names it in a text; a data
file reaches what names it, or its folder, and code that is in no package is data, too. Tests that run whole programs are reached
by all that those consist of. What is none of these, as a script or the lock file, reaches every test. A name that a program
puts together is not seen here: CI runs every test.
"""

import ast
import re
import subprocess
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

from docs.tools import layout

LEFT_OUT = pytest.StashKey[frozenset[str]]()
TO_WORKERS = "test_files_left_out"
DATA = ("docs", "stacks", "examples")
"""Folders of which a test reads the files that it names."""
ALWAYS = re.compile(r"tests/(docs/.*|test_\w+\.py)")
"""The laws, and the tests of the pages."""
TEST = re.compile(r"tests/(.+/)?test_\w+\.py")
PATTERN = re.compile(r"\*\*?|\*\.(?!py$)\w+")
MARK, WORD = re.compile(r"\bmark\.(\w+)"), re.compile(r"\w+")
HOUSES = tuple(house.package for house in layout.HOUSES)
PROGRAMS: Mapping[str, tuple[str, ...]] = {
    "e2e": HOUSES,
    "spark": ("firnline_ingest", "firnline_local"),
    "foreign": ("firnline_ingest", "firnline_local"),
    "chaos": ("firnline_ingest",),
    "pulumi": ("firnline_infra", "firnline_local"),
    "terraform": ("firnline_infra", "firnline_local"),
}
"""The packages of the programs that tests of a marker run."""
Part = ast.Import | ast.ImportFrom | str


def parts(*nodes: ast.AST) -> Sequence[Part]:
    """Returns the imports and the texts of what a program runs: nothing that is imported for types alone."""
    found: list[Part] = []
    todo = list(nodes)
    while todo:
        each = todo.pop()
        match each:
            case ast.Import() | ast.ImportFrom():
                found.append(each)
            case ast.Constant(value=str(text)):
                found.append(text)
            case ast.If() if _is_for_types(each):
                continue
        todo += ast.iter_child_nodes(each)
    return found


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


@dataclass(frozen=True)
class Fixture:
    """A function of a conftest file, or all that is in none."""

    parts: Sequence[Part]
    text: str
    is_always_used: bool


@dataclass(frozen=True)
class Checkout:
    """The source of the product and of its tests, as text: nothing of it is imported."""

    root: Path

    @cached_property
    def modules(self) -> dict[str, Path]:
        """The files by dotted name, those of what the tests import beside the product among them."""
        found = layout.modules(self.root)
        for folder in ("tests", "bench", "docs"):
            for file in sorted((self.root / folder).rglob("*.py")):
                names = file.relative_to(self.root).with_suffix("").parts
                found[".".join(names[:-1] if names[-1] == "__init__" else names)] = file
        return found

    @cached_property
    def _texts(self) -> dict[str, str]:
        return {name: file.read_text(encoding="utf-8") for name, file in self.modules.items()}

    @cached_property
    def _parts(self) -> dict[str, Sequence[Part]]:
        return {name: parts(ast.parse(text)) for name, text in self._texts.items()}

    @cached_property
    def _fixtures(self) -> dict[str, dict[str, Fixture]]:
        """By the name of the conftest file, then by the fixture's."""
        return {name: dict(_fixtures(text)) for name, text in self._texts.items() if name.endswith("conftest")}

    @cached_property
    def _by_path(self) -> dict[str, str]:
        return {file.relative_to(self.root).as_posix(): name for name, file in self.modules.items()}

    @cached_property
    def _inside(self) -> Mapping[str, list[str]]:
        """The modules in each package, at any depth."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for name in self.modules:
            names = name.split(".")
            for depth in range(1, len(names)):
                found[".".join(names[:depth])].append(name)
        return found

    @cached_property
    def _entry_points(self) -> Mapping[str, list[str]]:
        """The modules that our packages add to each group of entry points."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for file in (self.root / house.folder / "pyproject.toml" for house in layout.HOUSES):
            project = tomllib.loads(file.read_text(encoding="utf-8"))["project"] if file.exists() else {}
            for group, points in project.get("entry-points", {}).items():
                found[group] += (point.partition(":")[0] for point in points.values())
        return found

    @cached_property
    def _imported_by(self) -> Mapping[str, set[str]]:
        found: defaultdict[str, set[str]] = defaultdict(set)
        for name, named in self._parts.items():
            for each in {*self._named(name, named), name.rpartition(".")[0]}:  # a package comes before what is in it
                found[each].add(name)
        return found

    def _named(self, name: str, parts: Iterable[Part]) -> Iterator[str]:
        """Yields the modules that a part of a module imports, inside of functions too, or names in a text: whole, or as a file
        beside it. A module that imports by name may have the rest of a name there, or that of a package which it takes whole."""
        package = name if self.modules[name].name == "__init__.py" else name.rpartition(".")[0]
        by_name = name not in HOUSES and "import_module(" in self._texts[name]
        for each in parts:
            match each:
                case ast.Import():
                    yield from {layout.nearest(alias.name, self.modules) for alias in each.names} - {""}
                case ast.ImportFrom():
                    above = package.split(".")[: len(package.split(".")) - each.level + 1] if each.level else []
                    base = ".".join([*above, *([each.module] if each.module else [])])
                    found = {layout.nearest(f"{base}.{alias.name}", self.modules) for alias in each.names} - {""}
                    yield from found
                    yield from self._homes(base) if base in HOUSES and base in found else ()
                case str():
                    yield from self._in_a_text(each, package, by_name=by_name)

    def _homes(self, package: str) -> Iterator[str]:
        """Yields the modules of the names that a package loads when they are first used."""
        texts = (f"{package}.{text}" for text in self._parts[package] if isinstance(text, str))
        return (each for each in texts if each in self.modules)

    def _in_a_text(self, text: str, package: str, *, by_name: bool) -> Iterator[str]:
        yield from self._entry_points.get(text, ())
        place = text.partition(":")[0].rstrip(".")
        if "." in place and place in self.modules:
            yield place
            yield from self._inside.get(place, ()) if by_name else ()
        beside = f"{package}.{place.removesuffix('.py')}"
        if (by_name or place.endswith(".py")) and beside in self.modules and not beside.endswith(".conftest"):
            yield beside

    def reached_by(self, names: Iterable[str]) -> set[str]:
        """Returns the modules, and all that lead to them."""
        found, todo = set[str](), list(names)
        while todo:
            if (name := todo.pop()) not in found:
                found.add(name)
                todo += self._imported_by.get(name, ())
        return found

    def begins_with(self, test: str) -> set[str]:
        """Returns the modules that a test file begins with: itself, and what its conftest files name. A fixture of theirs counts
        if the file, or a fixture that counts, names it."""
        found = {self._by_path[test]}
        for conftest, each in self._used_by(test):
            found.update(self._named(conftest, each.parts))
        return found

    def _used_by(self, test: str) -> Iterator[tuple[str, Fixture]]:
        """Yields the fixtures that count, each with the name of its conftest file."""
        words = set(WORD.findall(self._texts[self._by_path[test]]))
        for conftest in self._conftests(test):
            yield from ((conftest, each) for each in _used(self._fixtures[conftest], words))

    def _conftests(self, test: str) -> Iterator[str]:
        """Yields the nearest first: its fixtures may ask for those above."""
        for folder in Path(test).parents:
            if (name := self._by_path.get((folder / "conftest.py").as_posix())) is not None:
                yield name

    def left_out(self, changed: Iterable[str]) -> frozenset[str]:
        """Returns the paths of the test files that none of the changed files reaches."""
        code, data = set[str](), set[str]()
        for path in changed:
            is_code, root = path in self._by_path, path.partition("/")[0]
            code |= {self._by_path[path]} if is_code else set()
            if root in DATA or (root == "tests" and not is_code) or path.endswith(".md"):
                data.add(path)
            if is_code and (root == "tests" or self._is_in_a_package(path)):
                continue
            beside = set() if root in DATA or path.endswith(".md") else self._beside(path)
            code |= beside
            if not (is_code or beside or path in data):
                return frozenset()
        readers = {name for name in self._inside["tests"] if _reads_one_of(self._parts[name], data)}
        reached = self.reached_by({*code, *readers})
        houses = {name.partition(".")[0] for name in self.reached_by(code)}
        return frozenset(
            path
            for path in self._by_path
            if TEST.fullmatch(path)
            and not ALWAYS.fullmatch(path)
            and reached.isdisjoint(self.begins_with(path))
            and code.isdisjoint(self._conftests(path))
            and not (data and any(_reads_one_of(each.parts, data) for _, each in self._used_by(path)))
            and houses.isdisjoint(self._programs(path))
        )

    def _programs(self, test: str) -> Iterator[str]:
        """Yields the packages of the programs that the file's tests run, by their markers."""
        for marker in MARK.findall(self._texts[self._by_path[test]]):
            yield from PROGRAMS.get(marker, ())

    def _is_in_a_package(self, path: str) -> bool:
        return (Path(path).parent / "__init__.py").as_posix() in self._by_path

    def _beside(self, path: str) -> set[str]:
        """Returns the modules that may read a data file: those of the nearest package, of tests all below the nearest folder that
        has some. Code that is in no package is what some package holds for others."""
        for folder in map(Path.as_posix, Path(path).parents):
            below = {name for file, name in self._by_path.items() if file.startswith(f"{folder}/")}
            beside = {name for file, name in self._by_path.items() if Path(file).parent.as_posix() == folder}
            if folder.startswith("tests/") and beside:
                return below
            if folder != "tests" and f"{folder}/__init__.py" in self._by_path:
                return beside
        return set()


def _reads_one_of(parts: Iterable[Part], data: Iterable[str]) -> bool:
    """Tells whether a part names one of the files, or what is in one of their folders: it names the folder, of tests with the one
    above it; or one that holds it, and a pattern."""
    words = {word for text in parts if isinstance(text, str) for word in text.split("/")}
    has_patterns = any(PATTERN.fullmatch(word) for word in words)
    return any(_reads(words, path, has_patterns=has_patterns) for path in data)


def _reads(words: set[str], path: str, *, has_patterns: bool) -> bool:
    *folders, name = path.split("/")
    if name in words or (has_patterns and not words.isdisjoint(set(folders) & {*DATA})):
        return True
    if folders[:1] == ["tests"]:
        return len(folders) > 2 and words.issuperset(folders[-2:])
    return not words.isdisjoint({*folders} - {*DATA})


def _fixtures(conftest: str) -> Iterator[tuple[str, Fixture]]:
    body = ast.parse(conftest).body
    outer = [each for each in body if not (isinstance(each, ast.FunctionDef) or _is_for_types(each))]
    yield "", Fixture(parts(*outer), "\n".join(map(ast.unparse, outer)), is_always_used=True)
    for each in body:
        if isinstance(each, ast.FunctionDef):
            text = ast.unparse(each)
            is_always_used = each.name.startswith("pytest_") or "autouse=True" in text
            yield each.name, Fixture(parts(each), text, is_always_used)


def _used(fixtures: Mapping[str, Fixture], words: set[str]) -> list[Fixture]:
    """Returns those of the words, those that they or what is always used name, and adds their words."""
    left, used = dict(fixtures), list[Fixture]()
    while more := [name for name, each in left.items() if each.is_always_used or name in words]:
        used += (left.pop(name) for name in more)
        words.update(word for each in used for word in WORD.findall(each.text))
    return used


def changed_since(ref: str, root: Path) -> set[str]:
    """Returns the paths of what differs from where this branch left REF, what is not committed among them. Raises UsageError."""

    def git(*arguments: str) -> str:
        asked = subprocess.run(["git", *arguments], cwd=root, check=False, capture_output=True, text=True)
        if asked.returncode:
            said = asked.stderr.strip() or "the two have no commit in common"
            raise pytest.UsageError(f"--changed={ref}: {said}. Next: give a branch or a commit, as --changed=HEAD~1.")
        return asked.stdout

    begun = git("merge-base", "HEAD", ref).strip()
    found = git("diff", "--name-only", "--no-renames", begun) + git("ls-files", "--others", "--exclude-standard")
    return set(found.splitlines())


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--changed",
        nargs="?",
        const="origin/main",
        metavar="REF",
        help="leave out the test files that nothing reaches which differs from REF (origin/main if not given)",
    )


def pytest_configure(config: pytest.Config) -> None:
    given = getattr(config, "workerinput", {}).get(TO_WORKERS)
    if given is not None:
        config.stash[LEFT_OUT] = frozenset(given)
    elif ref := config.getoption("--changed"):
        config.stash[LEFT_OUT] = Checkout(config.rootpath).left_out(changed_since(ref, config.rootpath))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: object) -> None:
    """Tells a worker of pytest-xdist what the process that starts it has found."""
    node.workerinput[TO_WORKERS] = sorted(node.config.stash.get(LEFT_OUT, ()))  # type: ignore[attr-defined] # xdist's WorkerController


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves a file out unread; None has other plugins decide."""
    files = config.stash.get(LEFT_OUT, frozenset[str]())
    return True if files and collection_path.relative_to(config.rootpath).as_posix() in files else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if files := config.stash.get(LEFT_OUT, None):
        terminalreporter.write_line(
            f"Test files that the change does not reach: {len(files)}. Next: CI runs them, too."
        )
