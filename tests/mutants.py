"""Options that no test turns: where each read of a field gives its default, a test that names the field has to fail.

`scripts/mutate` tries every option of the engine's configuration and of the sink, `scripts/mutate PollingConfig.interval_ms` one.
Tests of the models themselves do not count: they show that an option is read, and not that anything obeys it. What an
environment passes on is shown by tests/infra/blueprint/test_every_field.py. With `-p tests.mutants` pytest runs with the mutant
that FIRNLINE_MUTANT names.
"""

import dataclasses
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.sink.options import SinkOptions

ROOT = Path(__file__).parents[1]
VARIABLE = "FIRNLINE_MUTANT"
TIERS = "not (contract or spark or e2e or chaos or pulumi or terraform)"
OF_MODELS = ("config", "specification", "docs", "mutants")
"""Parts of the paths of tests that show what a document says, and of this tool's own."""
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
    """By name, `PollingConfig.interval_ms`: the class, and the default. Sections are none, but their fields are."""
    found: dict[str, tuple[type, Any]] = {}
    for model in sections(EngineConfig):
        for name, field in model.model_fields.items():
            default = field.get_default(call_default_factory=True)
            is_one_value = name != "type" and not isinstance(default, BaseModel | list | dict)
            if is_one_value and not field.is_required():
                found[f"{model.__name__}.{name}"] = model, default
    for each in dataclasses.fields(SinkOptions):
        found[f"SinkOptions.{each.name}"] = SinkOptions, each.default
    return found


def mutate(name: str) -> None:
    """From now on each read of the option gives its default."""
    owner, default = options()[name]
    setattr(owner, name.partition(".")[2], property(lambda _: default, lambda _, __: None))


def named_in(option: str) -> list[Path]:
    """The files of tests that name the option's field."""
    word = re.compile(rf"\b{option.partition('.')[2]}\b")
    files = (path for path in (ROOT / "tests").rglob("test_*.py") if not set(OF_MODELS) & {*path.parts, path.stem[5:]})
    return sorted(path for path in files if word.search(path.read_text(encoding="utf-8")))


def killer(option: str) -> str | None:
    """The first test that fails with the mutant; None where it survives."""
    files = named_in(option)
    if not files:
        return None
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-p",
        "tests.mutants",
        "-p",
        "no:randomly",
        "-m",
        TIERS,
        *files,
    ]
    environment = {**os.environ, VARIABLE: option}
    try:
        run = subprocess.run(
            command, check=False, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        return None
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", run.stdout, re.MULTILINE)
    return failed[1] if failed else None


def main(names: Sequence[str]) -> int:
    survivors = []
    for option in names or options():
        test = killer(option)
        survivors += [] if test else [option]
        print(
            f"{'killed  ' if test else 'SURVIVED'}  {option}  {test or f'{len(named_in(option))} files name it'}",
            flush=True,
        )
    print(f"{len(survivors)} of {len(names or options())} survived")
    return SURVIVED if survivors else 0


if VARIABLE in os.environ:
    mutate(os.environ[VARIABLE])
if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
