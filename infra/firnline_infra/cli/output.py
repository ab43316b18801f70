"""`--output`: the form of a command's answer. It is declared and printed here, for every command that answers something.

Standard output has the answer and nothing else; progress and errors go to standard error.
"""

from collections.abc import Callable
from typing import Any

import click

from firnline_infra.cli.colour import coloured

OUTPUTS = ("table", "json", "yaml")


def output_option(*further: str, text: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds `--output`, a parameter `output`. `further` are forms that this command has besides, `text` what its help adds."""
    said = f"For people, or as a document for programs. {text}".rstrip()
    forms = click.Choice((*OUTPUTS, *further))
    return click.option("-o", "--output", type=forms, default=OUTPUTS[0], show_default=True, help=said)


def show(output: str, document: Callable[[], object], text: Callable[[], str], *, is_one_of_many: bool = False) -> None:
    """Prints an answer. One of many is a line of JSON, or YAML behind `---`."""
    said = rendered(output, document, text, is_one_of_many=is_one_of_many)
    click.echo(coloured(said) if output == OUTPUTS[0] else said)


def rendered(
    output: str, document: Callable[[], object], text: Callable[[], str], *, is_one_of_many: bool = False
) -> str:
    """Renders the form that was asked for, and no other."""
    import json

    match output:
        case "json":
            return json.dumps(document(), default=str, indent=None if is_one_of_many else 2)
        case "yaml":
            return _yaml(document(), is_one_of_many).rstrip("\n")
        case _:
            return text()


def _yaml(document: object, is_one_of_many: bool) -> str:
    """The same values as in JSON, so that a program reads the same from either."""
    import json

    import yaml

    plain = json.loads(json.dumps(document, default=str))
    return yaml.safe_dump(plain, explicit_start=is_one_of_many, sort_keys=False, allow_unicode=True, width=120)
