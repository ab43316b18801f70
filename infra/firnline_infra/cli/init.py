"""`firnline init`: writes the files that a team's repository needs for an environment; asks for what no option gives."""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from firnline_infra.cli.bootstrap import (
    bootstrap,
    branch_option,
    comment_option,
    file_errors_explained,
    tool_option,
)
from firnline_infra.cli.environment_argument import SPECS, env_argument, env_of
from firnline_ingest.errors import UsageError

if TYPE_CHECKING:
    from firnline_infra.specification.other_connectors import TakenOver

OLD_FORM = "--bootstrap"


@dataclass(frozen=True, kw_only=True)
class Question:
    """A value that must be known: an option, or a question if there is somebody to ask."""

    name: str
    """As specification/starter.py calls the answer."""
    option: str
    help: str
    default: str | None = None
    """Offered where it is asked; never taken silently."""
    is_list: bool = False
    place: str = ""
    """A pattern of the paths in the specification at which the answer stands."""
    of_runtimes: tuple[str, ...] = ()
    """It is asked where the engine runs there; always where there are none."""


BY_HAND = "by-hand"
RUNTIMES = ("emr-serverless", "emr-ec2", "emr-eks", "kubernetes", BY_HAND)
ON_PODS = ("emr-eks", "kubernetes")
QUESTIONS = (
    Question(name="name", option="--name", place=r"name", help="The environment's name, such as dev.", default="dev"),
    Question(name="region", option="--region", place=r"aws\.region", help="The AWS region, such as eu-central-1."),
    Question(name="aws_account", option="--aws-account", place=r"aws\.account", help="The AWS account: twelve digits."),
    Question(
        name="snowflake_account",
        option="--snowflake-account",
        place=r"snowflake\.account",
        help="The Snowflake account, as <organisation>-<account>.",
    ),
    Question(
        name="warehouse",
        option="--warehouse",
        place=r"snowflake\.warehouse",
        help="A Snowflake warehouse that exists, for what is asked of the tables; the engine needs none.",
    ),
    Question(
        name="streams",
        option="--stream",
        place=r"streams\[\d+\]\.name|pipelines\[\d+\]\.stream",
        help="A Kinesis stream to read; repeatable.",
        is_list=True,
    ),
    Question(
        name="database",
        option="--database",
        place=r"pipelines\[\d+\]\.database",
        help="The Snowflake database that tables are created in.",
    ),
    Question(
        name="schema", option="--schema", place=r"pipelines\[\d+\]\.schema", help="The schema in it.", default="RAW"
    ),
    Question(
        name="runtime",
        option="--runtime",
        help=f"Where the engine runs: {', '.join(RUNTIMES[:-1])}; or {RUNTIMES[-1]}, which starts none.",
        default=RUNTIMES[0],
    ),
    Question(
        name="subnets",
        option="--subnet",
        place=r"aws\.runtime\.emr_(serverless\.subnets|ec2\.subnet)(\[\d+\])?",
        help="A private subnet with a route to Snowflake, of emr-serverless (repeatable) or emr-ec2 (one).",
        is_list=True,
        of_runtimes=("emr-serverless", "emr-ec2"),
    ),
    Question(
        name="vpc",
        option="--vpc",
        place=r"aws\.runtime\.emr_serverless\.security_group\.vpc",
        help="The VPC of emr-serverless's subnets.",
        of_runtimes=("emr-serverless",),
    ),
    Question(
        name="cluster",
        option="--cluster",
        place=r"aws\.runtime\.cluster",
        help="The EKS cluster of emr-eks or kubernetes.",
        of_runtimes=ON_PODS,
    ),
    Question(
        name="namespace",
        option="--namespace",
        place=r"aws\.runtime\.namespace",
        help="The Kubernetes namespace in it, which exists.",
        default="firnline",
        of_runtimes=ON_PODS,
    ),
    Question(
        name="operator",
        option="--operator",
        place=r"aws\.runtime\.kubernetes\.operator",
        help="The Spark operator that the cluster has: kubeflow or apache.",
        default="kubeflow",
        of_runtimes=("kubernetes",),
    ),
    Question(
        name="context",
        option="--context",
        place=r"aws\.runtime\.kubernetes\.context",
        help="The cluster's context in the kubeconfig of who deploys.",
        of_runtimes=("kubernetes",),
    ),
)


class Init(click.Command):
    """Knows the form that `firnline bootstrap` had before it was a command of its own."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        split = [part for arg in args for part in (arg.split("=", 1) if arg.startswith(f"{OLD_FORM}=") else [arg])]
        if OLD_FORM not in split:
            return super().make_context(info_name, args, parent, **extra)
        split.remove(OLD_FORM)
        click.echo("`firnline init --bootstrap ENV` is `firnline bootstrap ENV` now.", err=True)
        return bootstrap.make_context("bootstrap", split, parent, **extra)


def _asked(command: Any) -> Any:
    for question in reversed(QUESTIONS):
        command = click.option(question.option, question.name, multiple=question.is_list, help=question.help)(command)
    return command


@click.command(cls=Init)
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@_asked
@click.option(
    "--from",
    "source",
    metavar="FILE",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Take over a configuration: Flink's CREATE TABLE, the Kafka connector's JSON, Openflow's parameters.",
)
@click.option("--ephemeral", is_flag=True, help="Data goes with the environment; by default, it is protected.")
@branch_option
@tool_option
@comment_option
@click.option("--gitlab", is_flag=True, help="A pipeline of GitLab in place of a workflow of GitHub Actions.")
@click.option("--force", is_flag=True, help="Write over a specification that exists; never over another file.")
def init(
    *,
    file: Path | None,
    source: Path | None,
    ephemeral: bool,
    branch: str,
    tool: str,
    comment: bool,
    gitlab: bool,
    force: bool,
    **given: Any,
) -> None:
    """Scaffold a project: specification, program, workflow.

    Its specification FILE (stacks/environments/NAME.yaml by default), the Pulumi program and its settings where Pulumi is the
    tool, a workflow of GitHub Actions, lines of .gitignore. What is there and differs stays as it is. Asks for what no option
    says, if there is somebody to ask.

    With --from, streams, tables and options come from another connector's configuration; what has no counterpart is listed
    with the reason, and stands in the specification as a comment.

    \b
    For example:
      firnline init --name dev --region eu-central-1 \\
        --aws-account 123456789012 --snowflake-account ORG-ACCOUNT \\
        --warehouse COMPUTE_WH --stream orders --database LAKE --schema RAW \\
        --runtime emr-serverless --subnet subnet-0a1b2c3d4e5f60718 \\
        --vpc vpc-0a1b2c3d4e5f60718 --ephemeral
    """
    taken = _taken_over(source, given) if source is not None else None
    answers = _answered({**given, **(taken.answers if taken else {})}, ask=sys.stdin.isatty())
    path = _inside(file or SPECS / f"{answers['name']}.yaml")
    with file_errors_explained():
        _write(path, _first(path, answers | {"taken_over": taken}, ephemeral=ephemeral), force=force)
        _write_the_rest(path, branch=branch, gitlab=gitlab, tool=tool, comment=comment)
    if taken is not None:
        click.echo(_report(taken))
    click.echo(_steps(env_argument(path), branch, gitlab=gitlab, tool=tool, comment=comment))


def _taken_over(source: Path, given: Mapping[str, Any]) -> "TakenOver":
    """Raises ConfigError, and UsageError for an option that the file answers."""
    from firnline_infra.specification.other_connectors import take_over

    taken = take_over(source)
    options = {question.name: question.option for question in QUESTIONS}
    if twice := [options[name] for name in taken.answers if given.get(name)]:
        raise UsageError(
            f"{source} says what {', '.join(twice)} says.",
            next_step="leave the option out, and edit the specification that is written.",
        )
    return taken


def _report(taken: "TakenOver") -> str:
    """Each option with the place where it is now, and each that has none with the reason."""
    from firnline_ingest.terminal import in_a_line

    lines = [f"\nTaken over from {taken.connector}:"]
    lines += [in_a_line(f"  {option}: {path}") for option, path in taken.taken]
    if taken.left:
        lines += ["\nWithout counterpart:", *(f"  {each}" for each in taken.left)]
    return "\n".join(lines)


def _answered(given: Mapping[str, Any], *, ask: bool) -> dict[str, Any]:
    """All of them. Raises UsageError with every option that is missing where nobody can be asked."""
    answers: dict[str, Any] = {}
    for question in QUESTIONS:
        if not question.of_runtimes or answers["runtime"] in question.of_runtimes:
            answers[question.name] = given[question.name] or (_ask(question) if ask else None)
    if missing := [question.option for question in QUESTIONS if answers.get(question.name, "") in (None, ())]:
        raise UsageError(
            f"firnline init needs {', '.join(missing)}.",
            next_step="give these options, or run it on a terminal, which asks for them.",
        )
    return answers


def _ask(question: Question) -> Any:
    text = question.help.partition(";")[0].rstrip(".")
    answer = click.prompt(text, default=question.default, type=str)
    return tuple(answer.replace(",", " ").split()) if question.is_list else answer


def _inside(file: Path) -> Path:
    """Checks that commands and the workflow will find the file again. Raises UsageError."""
    if file.suffix not in (".yaml", ".yml") or file.is_absolute() or ".." in file.parts:
        raise UsageError(
            f"{file} is not a place that a workflow of this repository could name.",
            next_step="name a .yaml file by its path from here, such as stacks/environments/dev.yaml.",
        )
    return file


def _first(path: Path, answers: dict[str, Any], *, ephemeral: bool) -> str:
    """Raises ConfigError with all that is wrong with the answers."""
    from firnline_infra.specification.model import Durability
    from firnline_infra.specification.starter import Answers, first_spec
    from firnline_ingest.errors import ConfigError, did_you_mean

    durability, runtime = Durability.EPHEMERAL if ephemeral else Durability.PROTECTED, answers["runtime"]
    source, wrong = f"The specification that these options make (nothing is written to {path})", list[str]()
    if runtime not in RUNTIMES:
        wrong.append(f"--runtime: {runtime!r} is not a valid runtime; {did_you_mean(runtime, RUNTIMES)}")
        answers = {**answers, "runtime": BY_HAND}  # so that the others are looked at, too
    try:
        text = first_spec(Answers(**answers, durability=durability), source)
    except ConfigError as error:
        raise ConfigError(source, [*wrong, *(_with_origin(each, answers) for each in error.problems)]) from None
    if wrong:
        raise ConfigError(source, wrong)
    return text


def _with_origin(problem: str, answers: Mapping[str, Any]) -> str:
    """Returns the problem with what has said the value: an option of another connector's file, or of this command."""
    path, taken = problem.partition(": ")[0], answers["taken_over"]
    for option, place in taken.taken if taken is not None else ():
        if path == place.partition(";")[0]:
            return f"{problem.rstrip('.')}; it is {option} of {taken.connector}"
    for question in QUESTIONS:
        if re.fullmatch(question.place or "(?!)", path) and answers.get(question.name):
            return f"{problem.rstrip('.')}; it is {question.option}"
    return problem


def _write(path: Path, text: str, *, force: bool) -> None:
    """Raises SpecificationExists."""
    from firnline_infra.specification.errors import SpecificationExists

    if path.exists() and path.read_text(encoding="utf-8") == text:
        click.echo(f"{path}: was there")
        return
    if path.exists() and not force:
        raise SpecificationExists(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    click.echo(f"{path}: written")


def _write_the_rest(path: Path, *, branch: str, gitlab: bool, tool: str, comment: bool) -> None:
    from importlib.metadata import version

    from firnline_infra.specification import load_spec
    from firnline_infra.stack.repository import Became, write_repository

    spec, release = load_spec(path), version("firnline-infra")
    kept = False
    written = write_repository(
        spec,
        path,
        release=release,
        environment=env_of(path),
        branch=branch,
        on_gitlab=gitlab,
        tool=tool,
        comment=comment,
    )
    for file, became in written:
        click.echo(f"{file}: {became.value}")
        kept = kept or became is Became.KEPT
    if kept:
        click.echo("To see what would have been written for a file that differs: move it away, and run this again.")


def _steps(environment: str, branch: str, *, gitlab: bool, tool: str, comment: bool) -> str:
    other = "" if not comment else " --comment"
    other += "" if branch == "main" else f" --branch {branch}"
    other += "" if tool == "pulumi" else f" --tool {tool}"
    where = "--gitlab GROUP/PROJECT" if gitlab else "--github OWNER/REPO"
    return (
        "\nNext:\n"
        "  1. edit what you need (every field: `firnline spec reference`), then commit everything\n"
        f"  2. firnline spec check {environment}\n"
        f"  3. firnline bootstrap {environment} {where}{other} --into bootstrap   (once)\n"
        f"  4. firnline keys create {environment} ingest; firnline keys create {environment} reader\n"
        f"{_module_step(environment, tool)}"
        f"  {5 if tool == 'pulumi' else 6}. firnline up {environment}"
    )


def _module_step(environment: str, tool: str) -> str:
    return "" if tool == "pulumi" else f"  5. firnline terraform {environment}; review and commit stacks/terraform\n"
