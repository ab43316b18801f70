"""Commands of pages that ask the embedded environment (```console blocks with `--local`) print there what the pages show.

`test_without_a_clone.py` plays the tutorial to its end; here the pages' own words are compared.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copytree

import pytest

from firnline_infra.pulumi_cli import find_cli
from firnline_infra.pulumi_cli.errors import PulumiError
from firnline_ingest.config.document import parse
from firnline_ingest.config.model import EngineConfig
from firnline_local.running import RunningEnvironment
from tests.docs.console_blocks import PAGES, ROOT, check, commands, is_local, name_of
from tests.pulumi.engine import ingest

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

UP_WITHIN_S = 120
BEFORE_UP, PROVISIONED = ("doctor", "rotate-keys"), ("put", "audit", "latency", "dead-letters")
"""Pages whose commands are typed before an environment is made, and where it is. The engine runs behind the first of these."""
MADE_BY_PULUMI = ("deploy", "drift")
LOCAL = {name_of(page): page for page in PAGES if any(is_local(command) for command, _ in commands(page))}


@contextmanager
def local_up(folder: Path, *options: str) -> Iterator[Path]:
    """Yields a folder of a repository with `firnline local up` in a terminal of its own."""
    copytree(ROOT / "stacks", folder / "stacks")
    paid = {"amount": 12.5, "kind": "order"}
    lines = [json.dumps({"order_id": each, "customer": f"customer-{each % 17}", **paid}) for each in range(1000)]
    lines[499] = lines[999] = "no json"
    (folder / "orders.ndjson").write_text("\n".join(lines))
    log = folder / "up.log"
    command = [str(Path(sys.executable).with_name("firnline")), "local", "up", *options]
    with log.open("w") as output, subprocess.Popen(command, cwd=folder, stdout=output, stderr=output) as process:
        deadline = time.monotonic() + UP_WITHIN_S
        while not any(sign in log.read_text() for sign in ("  firnline up ", "The status page is at")):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        try:
            yield folder
        finally:
            process.terminate()
            process.wait(timeout=60)


def typed(page: str, folder: Path) -> None:
    for command, shown in commands(LOCAL[page]):
        if is_local(command):
            check(LOCAL[page], command, shown, folder)


def test_each_page_with_such_a_command_is_run_here() -> None:
    assert LOCAL.keys() == {*BEFORE_UP, *PROVISIONED, *MADE_BY_PULUMI}


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Path]:
    try:
        find_cli()
    except PulumiError as error:
        pytest.skip(error.what)
    with local_up(tmp_path / "repository", "--empty", "--spec", "stacks/environments/dev.yaml") as folder:
        yield folder


def test_before_an_environment_is_made(empty: Path) -> None:
    for page in BEFORE_UP:
        typed(page, empty)


@pytest.mark.slow
def test_while_an_environment_is_made_by_pulumi_and_behind_it(empty: Path) -> None:
    for user in ("ingest", "reader"):
        check(LOCAL["deploy"], f"firnline keys create dev {user} --local", "…\nNext: firnline up dev --local\n", empty)
    for page in MADE_BY_PULUMI:
        typed(page, empty)


@pytest.mark.slow
def test_in_an_environment_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with local_up(tmp_path / "repository", "--spec", "stacks/environments/local.yaml") as folder:
        first, *others = PROVISIONED
        typed(first, folder)
        environment = RunningEnvironment.attach(folder / ".firnline" / "local")
        for name, value in environment.variables.items():
            monkeypatch.setenv(name, value)
        ingest(parse(EngineConfig, environment.engine_config(), "engine.json"))
        for page in others:
            typed(page, folder)
