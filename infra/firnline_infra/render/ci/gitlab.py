"""The pipeline of GitLab that previews an environment in merge requests, and ups it from the kept plan after a merge.

What the workflow of GitHub does, with the same commands and guards.
"""

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.environment import Environment
from firnline_infra.render.bootstrap.ci_provider import (
    PREVIEW_TIER,
    SUBJECT_OF_GITLAB,
    GitLab,
    preview_environment,
    tier_of,
)
from firnline_infra.render.ci.jobs import set_up, watched_paths
from firnline_infra.render.ci.tools import TOOLS
from firnline_infra.render.template_file import filled


def pipeline_file(environment: Environment) -> str:
    return f".gitlab/firnline-{environment.name}.yml"


def pipeline(
    blueprint: Blueprint,
    *,
    release: str,
    environment: str,
    provider: GitLab,
    tool: str = "pulumi",
    comment: bool = False,
) -> str:
    """`release` is a version of firnline-infra, `environment` what commands call the specification (a name, or a path),
    `tool` one of TOOLS. With `comment` a job of its own shows the preview as a note of the merge request.
    """
    name, file = blueprint.environment.name, pipeline_file(blueprint.environment)
    job, notes = f"firnline-{name}", f"{name}-notes"
    slots = {
        "NAME": name,
        "BRANCH": provider.branch,
        "FILE": file,
        "HOST": provider.host,
        "COMPONENTS": "&".join(f"ci_id_token_sub_claim_components[]={each}" for each in SUBJECT_OF_GITLAB),
        "TIER": tier_of(blueprint.environment),
        "PREVIEWS": preview_environment(blueprint.environment),
        "PREVIEW_TIER": PREVIEW_TIER,
        "EXPOSED_AS": f"Preview of {name}",
        "PREVIEW_JOB": f"{job}-preview",
        "JOB": job,
        "DRIFT_JOB": f"{job}-drift",
        "PATHS": watched_paths(name, environment, "stacks/**/*", file),
        "ENVIRONMENT": environment,
        **set_up("gitlab", blueprint, release=release, environment=environment, tool=TOOLS[tool]),
        "PLAN": TOOLS[tool].plan,
        "TOKEN_FOR_NOTES": filled(__package__, "gitlab-note-token.yaml", {"NOTES": notes}) if comment else "",
    }
    of_note = {name: slots[name] for name in ("NAME", "PREVIEW_JOB", "PATHS")}
    of_note |= {"NOTES": notes, "NOTE_JOB": f"{job}-note", "IMAGE": TOOLS[tool].image}
    return filled(__package__, "gitlab.yaml", slots) + (
        filled(__package__, "gitlab-note.yaml", of_note) if comment else ""
    )
