"""The preview as a note of the merge request: opt-in, by a job that meets no cloud, and one however often."""

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from firnline_infra.blueprint import blueprint_of
from firnline_infra.render.bootstrap.ci_provider import GitLab
from firnline_infra.render.ci.gitlab import pipeline
from firnline_infra.render.ci.tools import TOOLS
from firnline_infra.specification import EnvironmentSpec
from tests.infra.render.ci.conftest import whatever_the_tool

FORGE = GitLab(project="acme/data", branch="main", host="gitlab.acme.com")
OWN, ANOTHER = 7, 8


def rendered(spec: EnvironmentSpec, tool: str, *, comment: bool) -> str:
    return pipeline(
        blueprint_of(spec),
        release="1.2.3",
        environment=spec.name,
        provider=FORGE,
        tool=tool,
        comment=comment,
    )


@pytest.fixture
def jobs(spec: EnvironmentSpec, case: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(rendered(spec, case[1], comment=True))
    return found


@pytest.fixture
def note(spec: EnvironmentSpec, jobs: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = jobs[f"firnline-{spec.name}-note"]
    return found


class Forge(HTTPServer):
    """Answers what the job asks of GitLab, two notes a page, and keeps what it was told."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.notes: list[dict[str, Any]] = []
        self.tokens: set[str | None] = set()


class Answer(BaseHTTPRequestHandler):
    server: Forge

    def do_GET(self) -> None:
        if self.path.endswith("/user"):
            return self.answer({"id": OWN})
        page = int(self.path.rpartition("page=")[2])
        more = len(self.server.notes) > page * 2
        return self.answer(self.server.notes[page * 2 - 2 : page * 2], {"X-Next-Page": str(page + 1) if more else ""})

    def do_POST(self) -> None:
        self.server.notes.append({"id": len(self.server.notes) + 1, "author": {"id": OWN}, "body": self.told()})
        self.answer({})

    def do_PUT(self) -> None:
        self.server.notes[int(self.path.rpartition("/")[2]) - 1]["body"] = self.told()
        self.answer({})

    def told(self) -> str:
        return str(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"])

    def answer(self, document: object, headers: dict[str, str] | None = None) -> None:
        self.server.tokens.add(self.headers["PRIVATE-TOKEN"])
        self.send_response(200)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(json.dumps(document).encode())

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


@pytest.fixture
def forge() -> Iterator[Forge]:
    server = Forge()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def run(
    note: dict[str, Any], folder: Path, forge: Forge, shown: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    (folder / "preview.txt").write_text(shown)
    (script,) = note["script"]
    given = {
        "PATH": os.environ["PATH"],
        "CI_API_V4_URL": f"http://127.0.0.1:{forge.server_port}/api/v4",
        "CI_PROJECT_ID": "1",
        "CI_MERGE_REQUEST_IID": "2",
        "CI_PIPELINE_URL": "https://gitlab.acme.com/p/1",
        **variables,
    }
    return subprocess.run(
        ["sh", "-e", "-c", script], cwd=folder, env=given, capture_output=True, text=True, check=False
    )


def test_gitlab_takes_it(jobs: dict[str, Any]) -> None:
    vendored = files("check_jsonschema").joinpath("builtin_schemas/vendor/gitlab-ci.json")
    jsonschema.Draft7Validator(json.loads(vendored.read_text(encoding="utf-8"))).validate(jobs)


def test_without_the_option_there_is_neither_the_job_nor_its_token(spec: EnvironmentSpec, case: list[str]) -> None:
    text = rendered(spec, case[1], comment=False)
    assert "FIRNLINE_NOTES_TOKEN" not in text
    assert f"firnline-{spec.name}-note" not in yaml.safe_load(text)


def test_the_script_is_the_same_whatever_the_tool(odd_spec: EnvironmentSpec) -> None:
    jobs = [yaml.safe_load(rendered(odd_spec, tool, comment=True)) for tool in TOOLS]
    assert len({str(each[f"firnline-{odd_spec.name}-note"]["script"]) for each in jobs}) == 1


def test_the_job_meets_no_cloud_and_runs_nothing_of_the_merge_request(
    spec: EnvironmentSpec, jobs: dict[str, Any], note: dict[str, Any]
) -> None:
    assert "id_tokens" not in note
    assert "before_script" not in note
    assert note["environment"] == {"name": f"{spec.name}-notes", "action": "access"}
    assert note["environment"]["name"] not in {
        each["environment"]["name"] for name, each in jobs.items() if each is not note
    }
    (needed,) = note["needs"]
    assert "preview.txt" in jobs[needed["job"]]["artifacts"]["paths"]


@whatever_the_tool
def test_a_merge_request_has_one_note_however_often_it_is_previewed(
    spec: EnvironmentSpec, note: dict[str, Any], forge: Forge, tmp_path: Path
) -> None:
    mark = f"<!-- firnline preview of {spec.name} -->"
    forge.notes = [{"id": number, "author": {"id": ANOTHER}, "body": f"{mark}\nforged"} for number in (1, 2, 3)]
    for shown in ("+ stream\n``` @everybody <b>\n", "- stream\n"):
        done = run(note, tmp_path, forge, shown, FIRNLINE_NOTES_TOKEN="secret")
        assert done.returncode == 0, done.stderr
        assert len(forge.notes) == 4
        body = forge.notes[3]["body"]
        assert body.startswith(f"{mark}\n")
        assert "".join(f"    {line}\n" for line in shown.splitlines()) in body
    assert forge.tokens == {"secret"}
    assert {each["body"] for each in forge.notes[:3]} == {f"{mark}\nforged"}


@whatever_the_tool
def test_a_long_preview_is_cut_at_its_beginning(note: dict[str, Any], forge: Forge, tmp_path: Path) -> None:
    done = run(note, tmp_path, forge, "first\n" + "x" * 100_000 + "\nlast\n", FIRNLINE_NOTES_TOKEN="secret")
    assert done.returncode == 0, done.stderr
    body = forge.notes[0]["body"]
    assert "last" in body
    assert "first" not in body
    assert len(body) < 65_536


@whatever_the_tool
def test_a_missing_token_is_said(note: dict[str, Any], forge: Forge, tmp_path: Path) -> None:
    done = run(note, tmp_path, forge, "+ stream\n")
    assert done.returncode == 1
    assert "FIRNLINE_NOTES_TOKEN is not set" in done.stderr
    assert forge.notes == []
