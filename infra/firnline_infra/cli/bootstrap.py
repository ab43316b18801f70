"""`firnline bootstrap`: prints, or writes, what an administrator has to make once."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from firnline_infra.cli.environment_argument import env_argument, env_of, environment_argument
from firnline_ingest.errors import UsageError

if TYPE_CHECKING:
    from firnline_infra.blueprint import Blueprint
    from firnline_infra.render.bootstrap.ci_provider import GitHub, GitLab

REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+|[A-Za-z0-9_.-]+@\d+/[A-Za-z0-9_.-]+@\d+")
PROJECT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_.-]+)+")
GITLAB_HOST = re.compile(r"[a-z0-9.-]+\.[a-z]+")
BRANCH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*")

CAPABILITIES = "--capabilities CAPABILITY_NAMED_IAM"
SENT_BYTES = 51_200
"""CloudFormation's quota for a template that is sent with the request; a larger one lies in a bucket of the region."""
THROUGH_A_BUCKET = (
    f"{CAPABILITIES} \\\n       --s3-bucket BUCKET (any that you have there: the template is too large to be sent)"
)

MANY_POLICIES = (
    "A role of the template has more managed policies than an account lets a role have at first: ask Service Quotas for 25\n"
    "(IAM, Managed policies per role) before it is applied, or split the environment."
)


class Branch(click.ParamType[str]):
    """One branch by its name: the workflow compares it as it is, so no pattern means anything."""

    name = "branch"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not BRANCH.fullmatch(value):
            self.fail(f"{value!r} is not a plain name of a branch, such as main or release/2.", param, ctx)
        return value


branch_option = click.option(
    "--branch", type=Branch(), default="main", show_default=True, help="The branch whose merges are deployed."
)

tool_option = click.option(
    "--tool",
    type=click.Choice(["pulumi", "terraform", "opentofu"]),
    default="pulumi",
    show_default=True,
    help="The tool that deploys the environment in CI.",
)

comment_option = click.option(
    "--comment",
    is_flag=True,
    help="Previews as a comment, too: by a job that may write to pull requests, on GitLab with a token that you store.",
)


@contextmanager
def file_errors_explained() -> Iterator[None]:
    """Explains errors of files that a command writes: the user can fix a path that can't be written or read; it is no
    defect."""
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"{error.filename}: {error.strerror}. The files above were written.",
            next_step="put that right (a folder where a file stands, or rights that are missing), and run the command again.",
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(
            f"A file that is there is not UTF-8: {error.object[:40]!r} …. The files above were written.",
            next_step="move it away or write it as UTF-8, and run the command again.",
        ) from error


@click.command()
@environment_argument
@click.option(
    "--github",
    metavar="OWNER/REPO",
    help="The repository whose workflow deploys; OWNER@ID/REPO@ID where its tokens have immutable subjects.",
)
@click.option("--gitlab", metavar="GROUP/PROJECT", help="In its place, the project of GitLab whose pipeline deploys.")
@click.option(
    "--gitlab-host", default="gitlab.com", show_default=True, help="Of a GitLab of your own; AWS has to reach it."
)
@branch_option
@tool_option
@comment_option
@click.option(
    "--into",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write files into this folder instead of printing them.",
)
@click.option("--force", is_flag=True, help="Write over files that exist.")
def bootstrap(
    environment: Path,
    *,
    github: str | None,
    gitlab: str | None,
    gitlab_host: str,
    branch: str,
    tool: str,
    comment: bool,
    into: Path | None,
    force: bool,
) -> None:
    """Generate the administrator's bootstrap templates.

    Makes nothing: an administrator reviews it, and makes it once.

    \b
    For example:
      firnline bootstrap dev --github acme/data-platform --into bootstrap
    """
    provider = _ci_provider(github, gitlab, gitlab_host, branch)
    from firnline_infra.blueprint import blueprint_of
    from firnline_infra.render.bootstrap.deployer import boundary_arn
    from firnline_infra.render.bootstrap.template import USUAL_POLICIES, managed_policies
    from firnline_infra.specification import load_spec

    spec = load_spec(environment)
    blueprint = blueprint_of(spec)
    documents = _documents(blueprint, environment, provider, tool, comment=comment)
    _write_or_show(documents, into=into, force=force)
    steps = _steps(spec.name, spec.aws.region, into, provider=provider, environment=env_argument(environment))
    if len(documents[f"{spec.name}-aws.yaml"].encode()) > SENT_BYTES:
        steps = steps.replace(CAPABILITIES, THROUGH_A_BUCKET, 1)
    if managed_policies(blueprint) > USUAL_POLICIES:
        steps = f"{MANY_POLICIES}\n{steps}"
    if spec.aws.permissions_boundary is None:
        steps = (
            f"Add to {environment}, under aws:  permissions_boundary: {boundary_arn(blueprint.environment)}\n{steps}"
        )
    click.echo(steps, err=True)


def _ci_provider(github: str | None, gitlab: str | None, host: str, branch: str) -> "GitHub | GitLab":
    """Raises UsageError."""
    from firnline_infra.render.bootstrap.ci_provider import GitHub, GitLab

    if gitlab is not None and github is None and PROJECT.fullmatch(gitlab) and GITLAB_HOST.fullmatch(host):
        return GitLab(project=gitlab, branch=branch, host=host)
    if github is not None and gitlab is None and REPOSITORY.fullmatch(github):
        return GitHub(repository=github, branch=branch)
    raise UsageError(
        "firnline bootstrap needs the one repository that the roles of CI are for.",
        next_step="give it as OWNER/NAME: --github acme/data-platform, or --gitlab acme/data-platform (with "
        "--gitlab-host gitlab.acme.com for one of your own)",
    )


def _write_or_show(documents: dict[str, str], *, into: Path | None, force: bool) -> None:
    if into is None:
        for name, text in documents.items():
            click.echo(f"#### {name}\n{text}")
    else:
        with file_errors_explained():
            _write(into, documents, force=force)


def _documents(
    blueprint: "Blueprint", spec_file: Path, provider: "GitHub | GitLab", tool: str, *, comment: bool
) -> dict[str, str]:
    import yaml

    from firnline_infra.render.bootstrap import settings_file, snowflake, template
    from firnline_infra.render.ci.tools import TOOLS

    environment, (variable, value) = blueprint.environment, TOOLS[tool].variable
    return {
        f"{environment.name}-aws.yaml": yaml.safe_dump(
            template(blueprint, provider=provider), sort_keys=False, width=120
        ),
        f"{environment.name}-snowflake.sql": snowflake.statements(blueprint),
        f"{environment.name}.env": settings_file(
            environment, str(blueprint.names.deploy_role), {variable: value(environment)}
        ),
        **_pipeline(blueprint, provider, environment=env_of(spec_file), tool=tool, comment=comment),
    }


def _pipeline(
    blueprint: "Blueprint",
    provider: "GitHub | GitLab",
    *,
    environment: str,
    tool: str,
    comment: bool,
) -> dict[str, str]:
    from importlib.metadata import version

    from firnline_infra.render.bootstrap.ci_provider import GitLab
    from firnline_infra.render.ci.github import workflow
    from firnline_infra.render.ci.gitlab import pipeline

    name, release = blueprint.environment.name, version("firnline-infra")
    if isinstance(provider, GitLab):
        text = pipeline(
            blueprint, release=release, environment=environment, provider=provider, tool=tool, comment=comment
        )
        return {f"{name}-gitlab-ci.yaml": text}
    text = workflow(
        blueprint,
        release=release,
        environment=environment,
        branch=provider.branch,
        tool=tool,
        comment=comment,
    )
    return {f"{name}-workflow.yaml": text}


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


def _steps(name: str, region: str, into: Path | None, *, provider: "GitHub | GitLab", environment: str) -> str:
    folder = f"{into}/" if into else ""
    return (
        "Nothing was created. Review it, then, with the rights of an administrator and once:\n"
        f"  1. aws cloudformation deploy --region {region} --stack-name firnline-{name}-bootstrap \\\n"
        f"       --template-file {folder}{name}-aws.yaml {CAPABILITIES}\n"
        f"       (add --parameter-overrides {provider.title}ProviderExists=true where the account trusts it already)\n"
        f"     and attach its KeysPolicy to whoever runs firnline keys: it opens the private keys, which CI never sees\n"
        f"     and its DeadLettersPolicy to whoever runs firnline dead-letters: it opens records, and the engine's private key\n"
        f"  2. run {folder}{name}-snowflake.sql in Snowflake, with the public key of the deployer by hand put in\n"
        f"{_place_of_the_pipeline(name, folder, provider)}"
        f"  4. to deploy by hand: set -a; . {folder or './'}{name}.env; set +a\n"
        f"Then: firnline keys create {environment} ingest"
    )


def _place_of_the_pipeline(name: str, folder: str, provider: "GitHub | GitLab") -> str:
    if provider.title == "GitLab":
        return (
            f"  3. put {folder}{name}-gitlab-ci.yaml in the place of .gitlab/firnline-{name}.yml, and do in the project what it\n"
            "     says at its beginning: without that AWS lets no job in\n"
        )
    return (
        f"  3. put {folder}{name}-workflow.yaml in the place of .github/workflows/firnline-{name}.yaml, and make its two\n"
        "     environments on GitHub, each with reviewers\n"
    )
