"""Tests of who approves what CI does, against answers as GitHub's API gives them (REST reference, "Get an environment")."""

import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.doctor.ci import approvals, asking
from firnline_infra.specification import EnvironmentSpec
from firnline_ingest.checks import Finding, Verdict
from tests.infra.doctor.test_boundary import spec_of

REVIEWERS = {"id": 1, "type": "required_reviewers", "reviewers": [{"type": "Team", "reviewer": {"id": 7}}]}
BRANCHES = {"id": 2, "type": "branch_policy"}
Look = Callable[..., list[Finding]]


@pytest.fixture
def look(tmp_path: Path) -> Look:
    """In a repository with the workflow of GitHub."""
    (tmp_path / ".github" / "workflows").mkdir(parents=True)
    (tmp_path / ".github" / "workflows" / "firnline-dev.yaml").touch()
    git = ["git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "remote", "add", "origin", "git@github.com:acme/data.git"], check=True)

    def look(ask: Any, spec: EnvironmentSpec | None = None, **environ: str) -> list[Finding]:
        return list(approvals(spec or spec_of(), environ=environ, folder=tmp_path, ask=ask))

    return look


def test_an_environment_without_reviewers_is_wrong_and_one_with_them_good(look: Look) -> None:
    answers = {
        "/repos/acme/data/environments/dev": {"protection_rules": [BRANCHES, REVIEWERS]},
        "/repos/acme/data/environments/dev-preview": {"protection_rules": [BRANCHES, {**REVIEWERS, "reviewers": []}]},
    }
    deploys, previews = look(answers.__getitem__)
    assert (deploys.verdict, previews.verdict) == (Verdict.GOOD, Verdict.WRONG)
    assert "nobody approves" in previews.found
    assert "Required reviewers" in previews.next_step


def test_one_that_is_not_there_is_wrong_because_github_makes_it_open(look: Look) -> None:
    asked: list[str] = []
    found = look(asked.append, GITHUB_REPOSITORY="acme/other")
    assert [each.verdict for each in found] == [Verdict.WRONG, Verdict.WRONG]
    assert asked == ["/repos/acme/other/environments/dev", "/repos/acme/other/environments/dev-preview"]


def test_without_a_token_it_says_what_to_look_for(look: Look) -> None:
    assert asking({}) is None
    found = look(None)
    assert {each.verdict for each in found} == {Verdict.UNKNOWN}
    assert "Settings, Environments, dev, Required reviewers" in found[0].next_step


def test_on_gitlab_it_says_what_to_look_for_and_without_a_pipeline_nothing(look: Look, tmp_path: Path) -> None:
    (tmp_path / ".github" / "workflows" / "firnline-dev.yaml").unlink()
    assert look(None) == []
    (tmp_path / ".gitlab").mkdir()
    (tmp_path / ".gitlab" / "firnline-dev.yml").touch()
    (found,) = look(None)
    assert (found.verdict, "Protected environments" in found.next_step) == (Verdict.UNKNOWN, True)


@pytest.fixture
def github() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """An address that answers for one environment, and what it was asked with."""
    seen: list[tuple[str, str]] = []

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append((self.path, self.headers["Authorization"]))
            status = {"dev": 200, "gone": 404}.get(self.path.rpartition("/")[2], 403)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps({"protection_rules": [REVIEWERS]}).encode())

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", seen
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_api_is_asked_with_the_token_and_its_refusal_holds_none(github: tuple[str, list[tuple[str, str]]]) -> None:
    address, seen = github
    ask = asking({"GITHUB_TOKEN": "secret", "GITHUB_API_URL": address})
    assert ask is not None
    assert ask("/environments/dev") == {"protection_rules": [REVIEWERS]}
    assert ask("/environments/gone") is None
    with pytest.raises(OSError, match="status 403") as refused:
        ask("/environments/hidden")
    assert "secret" not in str(refused.value)
    assert seen[0] == ("/environments/dev", "Bearer secret")
