"""`firnline init`"""

import sys
from pathlib import Path
from typing import Any

import click

from firnline_infra.cli.environment_argument import SPECS, EnvironmentFile
from firnline_infra.cli.init.questions import QUESTIONS, answered


def _asked(command: Any) -> Any:
    for question in reversed(QUESTIONS):
        command = click.option(question.option, question.name, multiple=question.is_list, help=question.help)(command)
    return command


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@_asked
@click.option("--ephemeral", is_flag=True, help="Data goes with the environment; where absent, it is protected.")
@click.option("--force", is_flag=True, help="Write over a file that exists.")
@click.option(
    "--bootstrap",
    type=EnvironmentFile(),
    metavar="ENV",
    help="Instead, render what has to exist before the first up of ENV.",
)
@click.option("--github", metavar="OWNER/REPO", help="With --bootstrap: the repository whose workflow deploys.")
@click.option(
    "--branch", default="main", show_default=True, help="With --bootstrap: the branch whose merges are deployed."
)
@click.option(
    "--into",
    type=click.Path(path_type=Path, file_okay=False),
    help="With --bootstrap: write files into this folder instead of printing them.",
)
def init(
    *,
    file: Path | None,
    ephemeral: bool,
    force: bool,
    bootstrap: Path | None,
    github: str | None,
    branch: str,
    into: Path | None,
    **given: Any,
) -> None:
    """Write the first specification of an environment.

    FILE is stacks/environments/NAME.yaml where absent. Asks for what no option says, if there is somebody to ask.

    \b
    For example:
      firnline init --name dev --region eu-central-1 --aws-account 123456789012 \\
        --snowflake-account ORG-ACCOUNT --stream orders --database LAKE --schema RAW --ephemeral
      firnline init --bootstrap dev --github acme/data-platform --into bootstrap
    """
    if bootstrap is not None:
        from firnline_infra.cli.init.bootstrap import render

        render(bootstrap, github=github, branch=branch, into=into, force=force)
        return
    answers = answered(given, ask=sys.stdin.isatty())
    _write(file or SPECS / f"{answers['name']}.yaml", answers, ephemeral=ephemeral, force=force)


def _write(path: Path, answers: dict[str, Any], *, ephemeral: bool, force: bool) -> None:
    from firnline_infra.cli.environment_argument import env_argument
    from firnline_infra.deploy.program import write_settings
    from firnline_infra.specification.errors import SpecificationExists
    from firnline_infra.specification.first import Answers, first_spec
    from firnline_infra.specification.model import Durability
    from firnline_infra.specification.reference.json_schema import json_schema_text

    if path.exists() and not force:
        raise SpecificationExists(path)
    durability = Durability.EPHEMERAL if ephemeral else Durability.PROTECTED
    text = first_spec(Answers(**answers, durability=durability), str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    schema = path.with_name("schema.json")
    if not schema.exists():
        schema.write_text(json_schema_text(), encoding="utf-8")
    environment = env_argument(path)
    settings = write_settings(answers["name"], path)
    for_pulumi = f"{settings} names it to Pulumi; commit both.\n" if settings else ""
    click.echo(
        f"{path} is written; {schema} helps editors with it.\n"
        f"{for_pulumi}"
        "Next:\n"
        f"  1. read it, and change what should be otherwise: docs/spec.md has every field\n"
        f"  2. firnline spec check {environment}\n"
        f"  3. firnline init --bootstrap {environment} --github OWNER/REPO   what has to exist before the first up\n"
        f"  4. firnline keys create {environment} ingest; firnline keys create {environment} reader\n"
        f"  5. firnline up {environment}"
    )
