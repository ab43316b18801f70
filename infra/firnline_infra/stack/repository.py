"""Files of a team's repository besides the specification of an environment: program, settings, workflow, what git leaves out.

Nothing that is there is written over: a file that differs is somebody's.
"""

from collections.abc import Iterator, Mapping
from enum import Enum
from functools import partial
from pathlib import Path

from firnline_infra.blueprint import blueprint_of
from firnline_infra.environment import Environment
from firnline_infra.render.bootstrap.ci_provider import GitLab
from firnline_infra.render.bootstrap.template import secrets_provider
from firnline_infra.render.ci.github import workflow, workflow_file
from firnline_infra.render.ci.gitlab import pipeline, pipeline_file
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.reference.json_schema import json_schema_text
from firnline_infra.stack.program import FILES, PACKAGED, PROGRAM, named_in, settings_of, write_settings

GIT_IGNORE, GITLAB_CI = Path(".gitignore"), Path(".gitlab-ci.yml")
IGNORED = (".venv/", "__pycache__/", ".firnline/", ".pulumi/", ".terraform/", "/bootstrap/", "/engine.json", "*.pem")


class Became(Enum):
    """Outcome for a file."""

    NEW = "written"
    LONGER = "has more lines"
    SAME = "was there"
    KEPT = "was there, differs, and is left as it is"


def write_repository(
    spec: EnvironmentSpec,
    spec_file: Path,
    *,
    release: str,
    environment: str,
    branch: str,
    on_gitlab: bool = False,
    tool: str = "pulumi",
    comment: bool = False,
) -> Iterator[tuple[Path, Became]]:
    """Below the current folder. `release`, `environment`, `tool` and `comment` are for what CI runs
    (`render.ci`). A program is Pulumi's.
    """
    by_pulumi = tool == "pulumi"
    ci = partial(_of_gitlab if on_gitlab else _of_github, comment=comment)
    files: Mapping[Path, str] = {
        spec_file.with_name("schema.json"): json_schema_text(),
        **({PROGRAM / name: (PACKAGED / name).read_text(encoding="utf-8") for name in FILES} if by_pulumi else {}),
        **ci(spec, release=release, environment=environment, branch=branch, tool=tool),
    }
    yield from ((path, _write(path, text)) for path, text in files.items())
    if by_pulumi:
        settings = settings_of(PROGRAM, spec.name)
        yield settings, _settle(settings, spec, spec_file)
    yield GIT_IGNORE, _ignore()


def _of_github(
    spec: EnvironmentSpec, *, release: str, environment: str, branch: str, tool: str, comment: bool
) -> dict[Path, str]:
    blueprint = blueprint_of(spec)
    text = workflow(blueprint, release=release, environment=environment, branch=branch, tool=tool, comment=comment)
    return {Path(workflow_file(blueprint.environment)): text}


def _of_gitlab(
    spec: EnvironmentSpec, *, release: str, environment: str, branch: str, tool: str, comment: bool
) -> dict[Path, str]:
    """The project is the bootstrap's to know: a pipeline runs wherever it is."""
    provider, blueprint = GitLab(project="GROUP/PROJECT", branch=branch), blueprint_of(spec)
    text = pipeline(
        blueprint,
        release=release,
        environment=environment,
        provider=provider,
        tool=tool,
        comment=comment,
    )
    file = pipeline_file(blueprint.environment)
    return {Path(file): text, GITLAB_CI: f"include:\n  - local: {file}\n"}


def _write(path: Path, text: str) -> Became:
    if path.exists():
        return Became.SAME if path.read_text(encoding="utf-8") == text else Became.KEPT
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return Became.NEW


def _settle(settings: Path, spec: EnvironmentSpec, spec_file: Path) -> Became:
    """Pulumi writes into them too, so that only what they name has to be the same."""
    if not settings.exists():
        write_settings(spec.name, spec_file, secrets_provider=secrets_provider(Environment.of(spec)))
        return Became.NEW
    named = named_in(settings)
    return Became.SAME if named is not None and named.resolve() == spec_file.resolve() else Became.KEPT


def _ignore() -> Became:
    """Lines that are missing, behind those that are there."""
    there = GIT_IGNORE.read_bytes().decode() if GIT_IGNORE.exists() else ""  # its ends of lines stay as they are
    missing = [line for line in IGNORED if line not in there.splitlines()]
    if not missing:
        return Became.SAME
    gap = "" if not there or there.endswith("\n") else "\n"
    GIT_IGNORE.write_bytes((there + gap + "".join(f"{line}\n" for line in missing)).encode())
    return Became.LONGER if there else Became.NEW
