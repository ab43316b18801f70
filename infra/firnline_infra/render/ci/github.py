"""The workflow of GitHub Actions that previews an environment in pull requests, and ups it on merge.

No key is stored anywhere: GitHub's token opens the AWS roles, and those open Snowflake. It installs the release that rendered
it, and runs the toolkit's own commands.
"""

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.environment import Environment
from firnline_infra.render.bootstrap.ci_provider import preview_environment
from firnline_infra.render.ci.jobs import set_up, watched_paths
from firnline_infra.render.ci.tools import TOOLS
from firnline_infra.render.template_file import filled


def workflow_file(environment: Environment) -> str:
    return f".github/workflows/firnline-{environment.name}.yaml"


def workflow(
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
    name, file = blueprint.environment.name, workflow_file(blueprint.environment)
    slots = {
        "NAME": name,
        "BRANCH": branch,
        "PREVIEWS": preview_environment(blueprint.environment),
        "PATHS": watched_paths(name, environment, "stacks/**", file),
        "ENVIRONMENT": environment,
        **set_up("github", blueprint, release=release, environment=environment, tool=TOOLS[tool]),
        "PLAN": TOOLS[tool].plan,
        "KEPT_FOR_COMMENT": filled(__package__, "github-comment-kept.yaml", {}) if comment else "",
    }
    return filled(__package__, "github.yaml", slots) + (
        filled(__package__, "github-comment.yaml", {"NAME": name}) if comment else ""
    )
