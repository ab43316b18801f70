"""Options that no test turns: where each read of a field gives its default, a test that reads another value has to fail.

`scripts/mutate` runs the unit tests once to see which of them reads which option with a value that is not its default, and then
those tests with each mutant: of the engine's configuration, the specification and the sink. Tests of the models themselves do not
count: they show that an option is read, and not that anything obeys it. With `-p tests.mutants` pytest runs with the mutant that
FIRNLINE_MUTANT names, or, where that begins with `readers=`, writes down who reads what into the file behind it.
"""

import dataclasses
import inspect
import json
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel

from firnline_infra.specification import EnvironmentSpec
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.sink.options import SinkOptions

ROOT = Path(__file__).parents[1]
VARIABLE, READERS = "FIRNLINE_MUTANT", "readers="
GIVEN = os.environ.get(VARIABLE, "")
WHO_READS: defaultdict[str, set[str]] = defaultdict(set)
TIERS = "not (contract or spark or e2e or chaos or pulumi or terraform)"
OF_MODELS = (
    "tests/ingest/config",
    "tests/infra/specification",
    "tests/docs",
    "tests/test_mutants.py",
    "tests/infra/blueprint/test_every_field.py",
)
"""Tests that show what a document says and who takes it over, and this tool's own."""
FILES = 12
"""Of the files with such a test at most so many are run."""
TIMEOUT_S = 300
SURVIVED = 3


def sections(model: type[BaseModel], seen: set[type[BaseModel]] | None = None) -> Iterator[type[BaseModel]]:
    """The model, and those of its fields."""
    seen = set() if seen is None else seen
    if model not in seen:
        seen.add(model)
        yield model
        for field in model.model_fields.values():
            for inner in _models_in(field.annotation):
                yield from sections(inner, seen)


def _models_in(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)


def options() -> dict[str, tuple[type, Any]]:
    """By name, `PollingConfig.interval_ms`: the class that declares it, and the default. A section is none; its fields are."""
    found: dict[str, tuple[type, Any]] = {}
    for model in (*sections(EngineConfig), *sections(EnvironmentSpec)):
        for name, field in model.model_fields.items():
            owner = next(each for each in reversed(model.__mro__) if name in inspect.get_annotations(each))
            if name != "type" and not field.is_required():
                default = field.get_default(call_default_factory=True)
                if not isinstance(default, BaseModel):
                    found[f"{owner.__name__}.{name}"] = owner, default
    for each in dataclasses.fields(SinkOptions):
        found[f"SinkOptions.{each.name}"] = SinkOptions, each.default
    return found


def mutate(name: str) -> None:
    """From now on each read of the option gives its default."""
    owner, default = options()[name]
    setattr(owner, name.partition(".")[2], property(lambda _: default, lambda _, __: None))


def watch() -> None:
    """From now on WHO_READS gets, by option, the tests that read another value than its default."""
    for name, (owner, default) in options().items():
        if owner is not SinkOptions:  # its fields are slots; few tests make one
            _watch(owner, name, default, WHO_READS[name])


def _watch(owner: type, name: str, default: object, readers: set[str]) -> None:
    field = name.partition(".")[2]

    def read(instance: BaseModel) -> object:
        value = instance.__dict__[field]
        if value != default:
            readers.add(os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0])
        return value

    setattr(owner, field, property(read))


def pytest_sessionfinish() -> None:
    if GIVEN.startswith(READERS):
        found = {name: sorted(tests) for name, tests in WHO_READS.items()}
        Path(GIVEN.removeprefix(READERS)).write_text(json.dumps(found, indent=1), encoding="utf-8")


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Only the tests are run that read the option."""
    name, _, file = GIVEN.partition("@")
    if file:
        readers = set(json.loads(Path(file).read_text(encoding="utf-8"))[name])
        items[:] = [each for each in items if each.nodeid in readers]


def files_that_read(name: str, readers: Mapping[str, Sequence[str]]) -> list[str]:
    """Files of tests that read the option: those first that name it, and of others those that read few."""
    of_option = {option: {test.partition("::")[0] for test in tests} for option, tests in readers.items()}
    others = Counter(file for files in of_option.values() for file in files)
    word = re.compile(rf"\b{name.partition('.')[2]}\b")

    def distance(file: str) -> tuple[bool, int, str]:
        return word.search((ROOT / file).read_text(encoding="utf-8")) is None, others[file], file

    found = (file for file in of_option[name] if file and not file.startswith(OF_MODELS))
    return sorted(found, key=distance)[:FILES]


def find_readers(file: Path) -> dict[str, list[str]]:
    """Runs the unit tests once, where `file` is not there yet."""
    if not file.exists():
        _pytest(f"{READERS}{file}", "tests", "--deselect", "tests/test_mutants.py")
    found: dict[str, list[str]] = json.loads(file.read_text(encoding="utf-8"))
    sink = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py") if _names_sink(path))
    return {**found, **{name: sink for name, (owner, _) in options().items() if owner is SinkOptions}}


def _names_sink(path: Path) -> bool:
    return "SinkOptions" in path.read_text(encoding="utf-8")


def killer(option: str, files: Sequence[str], *, limited_to: str = "") -> str | None:
    """The first test that fails with the mutant; None where it survives."""
    try:
        said = _pytest(option + limited_to, "-x", *files) if files else ""
    except subprocess.TimeoutExpired:
        return None
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", said, re.MULTILINE)
    return failed[1] if failed else None


def _pytest(mutant: str, *arguments: str) -> str:
    given = ("-q", "-p", "tests.mutants", "-p", "no:randomly", "-m", TIERS, *arguments)
    timeout = None if mutant.startswith(READERS) else TIMEOUT_S
    return subprocess.run(
        [sys.executable, "-m", "pytest", *given],
        check=False,
        cwd=ROOT,
        env={**os.environ, VARIABLE: mutant},
        capture_output=True,
        text=True,
        timeout=timeout,
    ).stdout


def main(names: Sequence[str]) -> int:
    """`names`: of options; the first one may be the file that says who reads what."""
    file = Path(names[0]).absolute() if names and names[0].endswith(".json") else ROOT / ".mutants.json"
    names = [name for name in names if not name.endswith(".json")] or list(options())
    readers, survivors = find_readers(file), 0
    for option in names:
        files = files_that_read(option, readers)
        test = killer(option, files, limited_to="" if option.startswith("SinkOptions.") else f"@{file}")
        survivors += test is None
        verdict, why = ("killed  ", test) if test else ("SURVIVED", f"{len(files)} files of tests read it")
        print(f"{verdict}  {option}  {why}", flush=True)
    print(f"{survivors} of {len(names)} survived")
    return SURVIVED if survivors else 0


if GIVEN.startswith(READERS):
    watch()
elif GIVEN:
    mutate(GIVEN.partition("@")[0])
if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
