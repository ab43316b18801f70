"""The workflow of GitHub Actions that previews an environment in pull requests, and ups it on merge.

No key is stored anywhere: GitHub's token opens the AWS roles, and those open Snowflake. It installs the release that rendered
it, and runs the toolkit's own commands.
"""

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.render.bootstrap.ci_provider import preview_environment
from firnline_infra.render.ci.jobs import set_up, watched_paths
from firnline_infra.render.ci.tools import TOOLS
from firnline_infra.render.template_file import filled
from firnline_infra.specification.model import EnvironmentSpec


def workflow_file(spec: EnvironmentSpec) -> str:
    return f".github/workflows/firnline-{spec.name}.yaml"


def workflow(
    spec: EnvironmentSpec,
    blueprint: Blueprint,
    *,
    release: str,
    environment: str,
    branch: str = "main",
    tool: str = "pulumi",
    comment: bool = False,
) -> str:
    """`release` is a version of firnline-infra, `environment` what commands call the specification (a name, or a path),
    `tool` one of TOOLS. With `comment` a job of its own shows the preview as a comment of the pull request.
    """
    slots = {
        "NAME": spec.name,
        "BRANCH": branch,
        "PREVIEWS": preview_environment(spec),
        "PATHS": watched_paths(spec, environment, "stacks/**", workflow_file(spec)),
        "ENVIRONMENT": environment,
        **set_up("github", spec, blueprint, release=release, environment=environment, tool=TOOLS[tool]),
        "PLAN": TOOLS[tool].plan,
        "KEPT_FOR_COMMENT": filled(__package__, "github-comment-kept.yaml", {}) if comment else "",
    }
    return filled(__package__, "github.yaml", slots) + (
        filled(__package__, "github-comment.yaml", {"NAME": spec.name}) if comment else ""
    )
