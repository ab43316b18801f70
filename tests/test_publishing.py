"""The steps of the release's workflow, run here: what is published is uploaded to an index on loopback, as PyPI would get it."""

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from email import message_from_bytes
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]


@pytest.fixture
def workflow() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(
        (ROOT / ".github" / "workflows" / "release.yaml").read_text(encoding="utf-8")
    )
    return found


class Index(ThreadingHTTPServer):
    """An index on loopback that takes uploads as PyPI's legacy interface does: a form a file."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Upload)
        self.forms: list[dict[str, bytes]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/legacy/"


class Upload(BaseHTTPRequestHandler):
    server: Index

    def do_POST(self) -> None:
        body = self._chunks() if self.headers.get("Transfer-Encoding") == "chunked" else self._whole()
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        parts: list[Message] = list(message_from_bytes(head + body).get_payload())  # type: ignore[arg-type]
        form = {
            str(part.get_param("name", header="content-disposition")): part.get_payload(decode=True) for part in parts
        }
        form["filename"] = next(name.encode() for part in parts if (name := part.get_filename()))
        self.server.forms.append(form)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Says nothing."""

    def _whole(self) -> bytes:
        return self.rfile.read(int(self.headers["Content-Length"]))

    def _chunks(self) -> bytes:
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body


@pytest.fixture
def index() -> Iterator[Index]:
    with Index() as index:
        threading.Thread(target=index.serve_forever, daemon=True).start()
        yield index
        index.shutdown()


def scripts_of(workflow: dict[str, Any], job: str) -> list[str]:
    return [step["run"] for step in workflow["jobs"][job]["steps"] if "run" in step]


def test_the_step_that_publishes_uploads_the_four_packages_with_pages_that_an_index_takes(
    workflow: dict[str, Any], wheels: Mapping[str, Path], index: Index, tmp_path: Path
) -> None:
    """The workflow's own line, but for who vouches for it: a trusted publisher is only met in GitHub's own runs."""
    (tmp_path / "dist").mkdir()
    for wheel in wheels.values():
        shutil.copy(wheel, tmp_path / "dist")
    (line,) = (line for line in scripts_of(workflow, "publish")[0].splitlines() if line.startswith("uv publish"))
    assert "--trusted-publishing always" in line
    uv = shutil.which("uv", path=str(ROOT / ".venv" / "bin"))
    assert uv is not None
    line = line.replace("--trusted-publishing always", "--trusted-publishing never").replace("uv", uv, 1)
    given = {"UV_PUBLISH_URL": index.url, "UV_PUBLISH_USERNAME": "ci", "UV_PUBLISH_PASSWORD": "hidden"}
    ran = subprocess.run(
        ["sh", "-c", line], cwd=tmp_path, env={**os.environ, **given}, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert {form["name"].decode() for form in index.forms} == {
        "firnline",
        "firnline-infra",
        "firnline-ingest",
        "firnline-local",
    }
    for form in index.forms:
        assert form["description_content_type"].startswith(b"text/markdown")
        assert form["license_expression"] == b"Apache-2.0"
        assert form["content"][:2] == b"PK"


@pytest.mark.parametrize("job", ["test", "build", "publish", "site"])
def test_every_script_of_the_workflow_is_one_that_a_shell_takes(workflow: dict[str, Any], job: str) -> None:
    scripts = scripts_of(workflow, job)
    assert scripts
    for script in scripts:
        checked = subprocess.run(["bash", "-n", "-c", script], capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stderr
        for program in re.findall(r"^(?:scripts|\.ci)/\S+", script, re.MULTILINE):
            assert os.access(ROOT / program, os.X_OK), program


def test_the_site_is_unpacked_from_what_the_release_packs(workflow: dict[str, Any]) -> None:
    (unpacked,) = scripts_of(workflow, "site")
    packed = re.search(r'tar -czf "(dist/\S+)" -C build site', (ROOT / "scripts" / "release").read_text())
    assert packed is not None
    assert unpacked == f'tar -xzf "{packed[1].replace("$version", "${TAG#v}")}"'
