"""`firnline spec`: the specification of an environment, checked and explained."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from firnline_infra.cli.environment_argument import WHAT_ENV_IS, complete_environments, known_instead, spec_file_of
from firnline_infra.cli.lazy_group import LazyGroup
from firnline_infra.cli.output import output_option, show

if TYPE_CHECKING:
    from firnline_infra.specification import EnvironmentSpec
    from firnline_infra.specification.name_collisions import Made
    from firnline_infra.specification.pipeline import Pipeline
    from firnline_ingest.errors import FirnlineError

EXIT_PROBLEMS = 2


@click.group(cls=LazyGroup)
def spec() -> None:
    """Check and explain the specification of an environment."""


@spec.command(epilog=f"{WHAT_ENV_IS} For example: firnline spec check dev prod")
@click.argument("environments", metavar="ENV...", nargs=-1, required=True, shell_complete=complete_environments)
@output_option(text="One document for each specification.")
def check(environments: tuple[str, ...], output: str) -> None:
    """Report every problem of specifications at once.

    No account is asked for anything. A file of keys (dev.keys.yaml) is checked with the specification that it belongs to.
    Exit status: 0 all of them are good, 2 at least one is not.
    """
    from firnline_infra.specification.keys_file import is_keys_file
    from firnline_ingest.errors import FirnlineError

    refused = False
    for environment in environments:
        path = spec_file_of(environment)
        if is_keys_file(path):
            continue
        try:
            checked = _checked(path, environment)
            others = _others(path, [spec_file_of(each) for each in environments])
            _refuse_collisions(path, checked, others)
            show(
                output, partial(_document, path, checked), partial(_summary, path, checked, others), is_one_of_many=True
            )
        except FirnlineError as error:
            refused = True
            if output == "table":
                click.echo(str(error), err=True)
            else:
                show(output, partial(_refused, path, error), str, is_one_of_many=True)
    if refused:
        raise SystemExit(EXIT_PROBLEMS)


def _others(path: Path, given: Sequence[Path]) -> "dict[str, EnvironmentSpec]":
    """The specifications in the same folder, and those that are checked with it, by their files; a wrong one is reported when it
    is checked itself."""
    from firnline_infra.specification import load_spec
    from firnline_infra.specification.keys_file import is_keys_file
    from firnline_ingest.errors import FirnlineError

    own = path.resolve()
    beside = {each.resolve(): each.name for each in own.parent.glob("*.yaml")}
    files = {**{each.resolve(): str(each) for each in given if each.is_file()}, **beside}
    others = {}
    for file, name in sorted(files.items()):
        if file != own and not is_keys_file(file):
            try:
                others[name] = load_spec(file)
            except FirnlineError:
                continue
    return others


def _refuse_collisions(path: Path, spec: "EnvironmentSpec", others: "dict[str, EnvironmentSpec]") -> None:
    """Raises ConfigError."""
    from firnline_infra.specification.name_collisions import collisions
    from firnline_ingest.errors import ConfigError

    if others and (found := sorted(collisions(spec, others, _made_by_a_stack))):
        raise ConfigError(str(path), found)


def _made_by_a_stack(spec: "EnvironmentSpec") -> "Made":
    """Nothing of a specification that only its blueprint shows to be wrong: that is reported when it is checked itself."""
    from firnline_infra.blueprint import blueprint_of
    from firnline_infra.kinds.fixed_names import fixed_names
    from firnline_ingest.errors import ConfigError

    try:
        return fixed_names(blueprint_of(spec))
    except ConfigError:
        return {}


def _checked(path: Path, environment: str) -> "EnvironmentSpec":
    """Raises ConfigError or DocumentMissing."""
    from firnline_infra.blueprint import blueprint_of
    from firnline_infra.specification import load_spec
    from firnline_ingest.errors import DocumentMissing

    if not path.is_file():
        raise DocumentMissing(str(path), "give ENV or the path of a specification.", known=known_instead(environment))
    spec = load_spec(path)
    blueprint_of(spec)  # refuses what no service would take, such as a policy that is too long
    if spec.aws.runtime.native_wheel is not None:
        from firnline_infra.artefact import native_wheel_of, target_of_specification

        native_wheel_of(spec, target_of_specification(spec), click.echo)
    return spec


def _summary(path: Path, spec: "EnvironmentSpec", others: "dict[str, EnvironmentSpec]") -> str:
    from firnline_infra.specification.name_collisions import is_same_environment
    from firnline_ingest.errors import counted

    streams, pipelines = counted(len(spec.streams), "stream"), counted(len(spec.pipelines), "pipeline")
    good = f"{path}: good. Environment {spec.name}, {spec.durability.value}, {streams}, {pipelines}."
    whole = (
        f"\n  pipelines[{index}].content_column: whole records in one column cost queries speed: declare columns for what is "
        f"queried.{_cost_of_metadata(pipeline)}"
        for index, pipeline in enumerate(spec.pipelines)
        if pipeline.content_column is not None
    )
    return (
        good
        + "".join(whole)
        + "".join(
            f"\n  {file} is environment {spec.name} too: if they are to be two, give one of them another name."
            for file, other in others.items()
            if is_same_environment(spec, other)
        )
    )


def _cost_of_metadata(pipeline: "Pipeline") -> str:
    from firnline_infra.estimate.metadata import metadata_bytes

    if not (size := metadata_bytes(pipeline)):
        return ""
    return (
        f" Their metadata adds up to {size:,} bytes to each row, which Snowflake bills as ingested (`firnline estimate "
        f"--record-bytes` counts it); `metadata` can switch off parts that nobody needs."
    )


def _document(path: Path, spec: "EnvironmentSpec") -> dict[str, object]:
    counts = {"streams": len(spec.streams), "pipelines": len(spec.pipelines)}
    known = {"environment": spec.name, "durability": spec.durability.value, **counts}
    return {"file": str(path), "is_good": True, **known, "problems": []}


def _refused(path: Path, error: "FirnlineError") -> dict[str, object]:
    """The result for a wrong specification: each problem, or the error that kept it from being read."""
    from firnline_ingest.errors import url_of

    problems = getattr(error, "problems", None) or [str(error)]
    return {"file": str(path), "is_good": False, "id": error.id, "url": url_of(error.id), "problems": problems}


@spec.command()
def reference() -> None:
    """Print the reference of every field, as Markdown."""
    from firnline_infra.specification.reference import page

    click.echo(page(), nl=False)


@spec.command()
def schema() -> None:
    """Print the JSON Schema of specifications, for editors.

    \b
    An editor finds it by the first line of a specification:
      # yaml-language-server: $schema=schema.json
    """
    from firnline_infra.specification.reference.json_schema import json_schema_text

    click.echo(json_schema_text(), nl=False)
