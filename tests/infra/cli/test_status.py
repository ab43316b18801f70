import http.client
import json
import socket
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firnline_infra.cli.main import firnline
from firnline_infra.status.reader import StatusReader
from firnline_ingest.errors import UsageError
from firnline_ingest.ledger.backend import Run
from firnline_ingest.ledger.standby import BY_HAND
from tests.fakes.ledger import MemoryLedger
from tests.ingest.spark.standing_in import CONFIG


@pytest.fixture
def ledger(monkeypatch: pytest.MonkeyPatch) -> MemoryLedger:
    ledger = MemoryLedger()

    def reader(config: Any, *, checks_in: Any) -> StatusReader:
        def beat(_: float) -> None:
            if run := ledger.current_run():
                ledger.beat(run.run_id)

        return StatusReader(application=config.application, ledger=ledger, streams=dict, sleep=beat)

    monkeypatch.setattr("firnline_infra.status.sources.reader_of_config", reader)
    return ledger


@pytest.fixture
def config(tmp_path: Path) -> str:
    file = tmp_path / "engine.json"
    file.write_text(json.dumps(CONFIG))
    return str(file)


def status(*arguments: str) -> Any:
    return CliRunner().invoke(firnline, ["status", *arguments])


def test_an_engine_that_was_started_by_hand_has_a_status(ledger: MemoryLedger, config: str) -> None:
    done = status("--config", config)
    assert (done.exit_code, done.stdout) == (3, "app: no engine is running.\n")
    ledger.begin_run(Run("one", "process 1 on a laptop", start=BY_HAND), None)
    done = status("--config", config)
    assert (done.exit_code, done.stdout) == (0, "app: process 1 on a laptop, started by hand; alive.\n")
    assert json.loads(status("--config", config, "--output", "json").stdout)["engine"]["whose"] == BY_HAND


def test_watch_shows_it_again_until_it_is_ended(
    ledger: MemoryLedger, config: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = iter(range(2))

    def sleep(_: float) -> None:
        if next(looks, None) is None:
            raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", sleep)
    done = status("--config", config, "--watch", "--output", "json")
    assert done.exit_code == 3
    assert [json.loads(line)["is_running"] for line in done.stdout.splitlines()] == [False] * 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Give either ENV or --config"),
        (("stacks/environments/dev.yaml", "--config"), "Give either ENV or --config"),
        (("--config", "--serve", "--output", "json"), "--serve is a page"),
        (
            ("stacks/environments/dev.yaml", "stacks/environments/prod.yaml"),
            "Several environments are shown by --serve",
        ),
        (("stacks/environments/dev.yaml", "stacks/environments/dev.yaml", "--serve"), "under a name of its own: dev"),
    ],
)
def test_what_can_not_be_asked_for_at_once_is_refused(arguments: tuple[str, ...], said: str, config: str) -> None:
    given = [part for each in arguments for part in ((each, config) if each == "--config" else (each,))]
    done = status(*given)
    assert done.exit_code == 2
    assert said in done.stderr


def test_several_environments_are_served_although_none_of_their_accounts_can_be_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The credentials of the tests are nobody's, and no test has a network."""

    def look(server: Any) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        connection.request("GET", "/status.json")
        found.extend(json.loads(connection.getresponse().read())["environments"])
        raise KeyboardInterrupt

    found: list[dict[str, Any]] = []
    monkeypatch.setattr("firnline_infra.status.server.StatusServer.wait", look)
    done = status("dev", "prod", "--serve")
    assert done.exit_code == 0, done.output
    assert "The status of 2 environments is at http://127.0.0.1:" in done.stdout
    assert [(each["name"], each["trouble"]["id"][:3]) for each in found] == [("dev", "FL-"), ("prod", "FL-")]


def test_a_port_that_is_taken_is_said(ledger: MemoryLedger, config: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = status("--config", config, "--serve", "--port", str(taken.getsockname()[1]))
    assert isinstance(done.exception, UsageError)
    assert "leave --port out" in done.exception.next_step
