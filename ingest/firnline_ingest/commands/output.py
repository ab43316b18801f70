"""`--output` of the engine's commands, and what prints: the same forms as those of `firnline`'s other commands."""

import argparse
import json
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Protocol


class Echo(Protocol):
    """Prints a line for a person, or a document: to standard output, which has the answer alone, or with `err` what goes on."""

    def __call__(self, text: str, *, err: bool = False) -> None: ...


def plain_echo(text: str, *, err: bool = False) -> None:
    print(text, file=sys.stderr if err else sys.stdout, flush=err)


def add_output(parser: argparse.ArgumentParser) -> None:
    """Adds `-o`. YAML is offered where PyYAML is installed: where the engine runs alone there is none."""
    forms = ("table", "json", "yaml") if find_spec("yaml") else ("table", "json")
    parser.add_argument(
        "-o", "--output", choices=forms, default="table", help="For people, or as a document for programs."
    )


def show(options: argparse.Namespace, document: Callable[[], object], text: Callable[[], str]) -> None:
    """Prints an answer in the form that was asked for."""
    if options.output == "table":
        options.echo(text())
        return
    as_json = json.dumps(document(), default=str, indent=2)
    options.echo(as_json if options.output == "json" else _yaml(as_json))


def _yaml(as_json: str) -> str:
    import yaml

    dumped: str = yaml.safe_dump(json.loads(as_json), sort_keys=False, allow_unicode=True, width=120)
    return dumped.rstrip("\n")
