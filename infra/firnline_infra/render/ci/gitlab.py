"""The pipeline of GitLab that previews an environment in merge requests, and ups it from the kept plan after a merge.

What the workflow of GitHub does, with the same commands and guards.
"""

from firnline_infra.blueprint.environment import Blueprint
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
from firnline_infra.specification.model import EnvironmentSpec


def pipeline_file(spec: EnvironmentSpec) -> str:
    return f".gitlab/firnline-{spec.name}.yml"


def pipeline(
    spec: EnvironmentSpec,
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
    job, notes = f"firnline-{spec.name}", f"{spec.name}-notes"
    slots = {
        "NAME": spec.name,
        "BRANCH": provider.branch,
        "FILE": pipeline_file(spec),
        "HOST": provider.host,
        "COMPONENTS": "&".join(f"ci_id_token_sub_claim_components[]={each}" for each in SUBJECT_OF_GITLAB),
        "TIER": tier_of(spec),
        "PREVIEWS": preview_environment(spec),
        "PREVIEW_TIER": PREVIEW_TIER,
        "EXPOSED_AS": f"Preview of {spec.name}",
        "PREVIEW_JOB": f"{job}-preview",
        "JOB": job,
        "DRIFT_JOB": f"{job}-drift",
        "PATHS": watched_paths(spec, environment, "stacks/**/*", pipeline_file(spec)),
        "ENVIRONMENT": environment,
        **set_up("gitlab", spec, blueprint, release=release, environment=environment, tool=TOOLS[tool]),
        "PLAN": TOOLS[tool].plan,
        "TOKEN_FOR_NOTES": filled(__package__, "gitlab-note-token.yaml", {"NOTES": notes}) if comment else "",
    }
    of_note = {name: slots[name] for name in ("NAME", "PREVIEW_JOB", "PATHS")}
    of_note |= {"NOTES": notes, "NOTE_JOB": f"{job}-note", "IMAGE": TOOLS[tool].image}
    return filled(__package__, "gitlab.yaml", slots) + (
        filled(__package__, "gitlab-note.yaml", of_note) if comment else ""
    )
