"""`firnline bootstrap`: prints, or writes, what somebody with more rights has to make once."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from firnline_infra.cli.environment_argument import env_argument, environment_argument
from firnline_ingest.errors import UsageError

if TYPE_CHECKING:
    from firnline_infra.specification import EnvironmentSpec

REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
BRANCH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*")


class Branch(click.ParamType[str]):
    """One branch by its name: the workflow compares it as it is, so no pattern means anything."""

    name = "branch"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not BRANCH.fullmatch(value):
            self.fail(f"{value!r} is no plain name of a branch, such as main or release/2.", param, ctx)
        return value


branch_option = click.option(
    "--branch", type=Branch(), default="main", show_default=True, help="The branch whose merges are deployed."
)


@contextmanager
def file_errors_explained() -> Iterator[None]:
    """For what writes files: a path that can't be written or read is somebody's to mend, and no defect."""
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"{error.filename}: {error.strerror}. What is named above was written.",
            next_step="put that right (a folder where a file stands, or rights that are missing), and say it again.",
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(
            f"A file that is there is not UTF-8: {error.object[:40]!r} …. What is named above was written.",
            next_step="move it away or write it as UTF-8, and say it again.",
        ) from error


@click.command()
@environment_argument
@click.option("--github", metavar="OWNER/REPO", help="The repository whose workflow deploys.")
@branch_option
@click.option(
    "--into",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write files into this folder instead of printing them.",
)
@click.option("--force", is_flag=True, help="Write over files that exist.")
def bootstrap(environment: Path, github: str | None, branch: str, into: Path | None, force: bool) -> None:
    """Render what has to exist before the first `up` of ENV.

    Makes nothing: an administrator reviews it, and makes it once.

    \b
    For example:
      firnline bootstrap dev --github acme/data-platform --into bootstrap
    """
    if github is None or not REPOSITORY.fullmatch(github):
        raise UsageError(
            "firnline bootstrap needs the repository that the roles of CI are for.",
            next_step="say it as OWNER/NAME: --github acme/data-platform",
        )
    from firnline_infra.blueprint.bootstrap.deployer import boundary_arn
    from firnline_infra.specification import load_spec

    spec = load_spec(environment)
    _write_or_show(spec, environment, github=github, branch=branch, into=into, force=force)
    steps = _steps(spec.name, spec.aws.region, into, environment=env_argument(environment))
    if spec.aws.permissions_boundary is None:
        steps = f"Add to {environment}, under aws:  permissions_boundary: {boundary_arn(spec)}\n{steps}"
    click.echo(steps, err=True)


def _write_or_show(
    spec: "EnvironmentSpec", environment: Path, *, github: str, branch: str, into: Path | None, force: bool
) -> None:
    documents = _documents(spec, environment, github=github, branch=branch)
    if into is None:
        for name, text in documents.items():
            click.echo(f"#### {name}\n{text}")
    else:
        with file_errors_explained():
            _write(into, documents, force=force)


def _documents(spec: "EnvironmentSpec", spec_file: Path, *, github: str, branch: str) -> dict[str, str]:
    from importlib.metadata import version

    import yaml

    from firnline_infra.blueprint import blueprint_of
    from firnline_infra.blueprint.bootstrap import settings_file, snowflake, template, workflow

    blueprint, environment = blueprint_of(spec), env_argument(spec_file)
    release = version("firnline-infra")
    aws = yaml.safe_dump(template(spec, blueprint, repository=github, branch=branch), sort_keys=False, width=120)
    return {
        f"{spec.name}-aws.yaml": aws,
        f"{spec.name}-snowflake.sql": snowflake.statements(spec, blueprint),
        f"{spec.name}.env": settings_file(spec, str(blueprint.names.deploy_role)),
        f"{spec.name}-workflow.yaml": workflow(
            spec, blueprint, release=release, environment=environment, branch=branch
        ),
    }


def _write(into: Path, documents: dict[str, str], *, force: bool) -> None:
    there = [name for name in documents if (into / name).exists()]
    if there and not force:
        raise UsageError(
            f"{into} has {', '.join(there)} already.", next_step="name another folder, or write over them with --force."
        )
    into.mkdir(parents=True, exist_ok=True)
    for name, text in documents.items():
        (into / name).write_text(text, encoding="utf-8")
        click.echo(str(into / name))


def _steps(name: str, region: str, into: Path | None, *, environment: str) -> str:
    folder = f"{into}/" if into else ""
    return (
        "Nothing was made. Review it, then, with the rights of an administrator and once:\n"
        f"  1. aws cloudformation deploy --region {region} --stack-name firnline-{name}-bootstrap \\\n"
        f"       --template-file {folder}{name}-aws.yaml --capabilities CAPABILITY_NAMED_IAM\n"
        f"       (add --parameter-overrides GitHubProviderExists=true where the account trusts GitHub already)\n"
        f"     and attach its KeysPolicy to whoever runs firnline keys: it opens the private keys, which CI never sees\n"
        f"  2. run {folder}{name}-snowflake.sql in Snowflake, with the public key of whoever deploys by hand put in\n"
        f"  3. put {folder}{name}-workflow.yaml in the place of .github/workflows/firnline-{name}.yaml, and make its three\n"
        f"     environments on GitHub\n"
        f"  4. to deploy by hand: set -a; . {folder or './'}{name}.env; set +a\n"
        f"Then: firnline keys create {environment} ingest"
    )
