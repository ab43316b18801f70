"""Checks that somebody must approve what CI does: GitHub's environments without reviewers let every job in.

GitHub makes an environment that a job names and that is not there. It is asked where a token of its API is in the environment;
nothing else is sent there, and the token nowhere else.
"""

import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from re import search
from typing import Any
from urllib.parse import quote

from firnline_infra.environment import Environment
from firnline_infra.render.bootstrap.ci_provider import preview_environment
from firnline_infra.render.ci.github import workflow_file
from firnline_infra.render.ci.gitlab import pipeline_file
from firnline_infra.specification import EnvironmentSpec
from firnline_ingest.checks import Finding, good, unknown, wrong

PATIENCE_S = 10.0
API = "https://api.github.com"
TOKENS = ("GH_TOKEN", "GITHUB_TOKEN")
REVIEWERS = "required_reviewers"
Ask = Callable[[str], dict[str, Any] | None]
"""The answer of a path of the API; None where it says that nothing is there. Raises OSError."""


def approvals(spec: EnvironmentSpec, *, environ: Mapping[str, str], folder: Path, ask: Ask | None) -> Iterator[Finding]:
    """Yields nothing where the repository in `folder` has no pipeline of ours. `ask` is None without a token."""
    environment = Environment.of(spec)
    names = (environment.name, preview_environment(environment))
    if (folder / pipeline_file(environment)).is_file():
        step = "look in the project: Settings, CI/CD, Protected environments; docs/ci.md has all that is to be set"
        yield unknown("GitLab", f"whether {' and '.join(names)} are protected was not asked", next_step=step)
    if not (folder / workflow_file(environment)).is_file():
        return
    repository = environ.get("GITHUB_REPOSITORY") or _of_remote(folder)
    for name in names:
        yield _environment(name, repository, ask)


def asking(environ: Mapping[str, str]) -> Ask | None:
    token = next((environ[name] for name in TOKENS if environ.get(name)), None)
    return None if token is None else lambda path: _asked(environ.get("GITHUB_API_URL") or API, path, token)


def _environment(name: str, repository: str | None, ask: Ask | None) -> Finding:
    about = f"GitHub environment {name}"
    look = f"look in the repository: Settings, Environments, {name}, Required reviewers"
    if ask is None or repository is None:
        lacks = "no GH_TOKEN is set" if ask is None else "no remote of GitHub is known here"
        return unknown(about, f"not asked: {lacks}", next_step=f"{look}; or give a token that reads the repository")
    try:
        found = ask(f"/repos/{repository}/environments/{quote(name, safe='')}")
    except (OSError, ValueError) as error:
        return unknown(about, f"GitHub did not say: {error}", next_step=look)
    if found is None:
        step = f"make it with required reviewers: GitHub makes it without any once a job names it ({repository})"
        return wrong(about, "is not there, or the token may not see it", next_step=step)
    rules = [rule for rule in found.get("protection_rules") or () if rule.get("type") == REVIEWERS]
    if not any(rule.get("reviewers") for rule in rules):
        return wrong(
            about, "has no required reviewers: nobody approves what its jobs do", next_step=f"add some: {look}"
        )
    return good(about, "is approved by somebody")


def _asked(api: str, path: str, token: str) -> dict[str, Any] | None:
    import urllib3

    headers = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
    with urllib3.PoolManager(timeout=PATIENCE_S, retries=False) as pool:
        try:
            answer = pool.request("GET", f"{api}{path}", headers=headers)
        except urllib3.exceptions.HTTPError as error:
            raise OSError(str(error)) from None
    if answer.status == 404:
        return None
    if answer.status != 200:
        raise OSError(f"status {answer.status}")
    found: dict[str, Any] = answer.json()
    return found


def _of_remote(folder: Path) -> str | None:
    """OWNER/NAME of the remote origin, if it is on GitHub."""
    command = ["git", "-C", str(folder), "config", "--get", "remote.origin.url"]
    try:
        url = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return None
    found = search(r"github\.com[:/]([\w.-]+/[\w.-]+?)(\.git)?/?$", url)
    return found[1] if found else None
