"""Two drivers under one name, as processes, on the embedded DynamoDB and on another people's: frozen, thawed, started at once."""

import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

import pytest

from firnline_ingest.aws.client import dynamodb_client
from firnline_ingest.config.model import AwsConfig
from firnline_ingest.ledger.backend import Run
from firnline_ingest.ledger.dynamodb import DynamoLedger
from firnline_ingest.ledger.errors import LedgerTableMissing
from firnline_local.process import ChildProcess

pytestmark = [pytest.mark.contract, pytest.mark.timeout(240)]

BEAT_S = 0.4  # a look of four seconds, so that a busy machine does not make a living engine seem dead
HANGS_S = 120
KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}


BOTH = ["embedded", pytest.param("dynalite", marks=pytest.mark.foreign)]


@pytest.fixture
def endpoint(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Yields the endpoint of the embedded DynamoDB, if a test does not ask for BOTH."""
    if getattr(request, "param", "embedded") == "dynalite":
        yield request.getfixturevalue("dynalite")
        return
    child = ChildProcess.start("firnline_local.aws", name="aws", log_file=tmp_path / "aws.log")
    try:
        yield child.wait_until_ready(timeout_s=HANGS_S)["endpoint"]
    finally:
        child.stop()


@pytest.fixture
def ledger(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> DynamoLedger:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    return DynamoLedger(dynamodb_client(AwsConfig(region="us-east-1", endpoints={"dynamodb": endpoint})), "ledger")


class Driver:
    """A process; its lines are kept, and waited for."""

    def __init__(self, endpoint: str) -> None:
        command = [sys.executable, "-m", "tests.contract.engine_without_spark", endpoint, str(BEAT_S)]
        root = str(Path(__file__).parents[2])
        self._process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, env={**os.environ, **KEYS}, cwd=root
        )
        self.lines: deque[str] = deque()
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()
        self._process.stderr.close()

    def _read(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            with self._news:
                self.lines.append(line)
                self._news.notify_all()

    def says(self, text: str) -> None:
        with self._news:
            assert self._news.wait_for(lambda: any(text in line for line in self.lines), HANGS_S), list(self.lines)

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def ends(self) -> int:
        status = self._process.wait(HANGS_S)
        self._reader.join()
        return status

    @property
    def text(self) -> str:
        return "".join(self.lines)


@pytest.fixture
def start(endpoint: str) -> Iterator[Callable[[], Driver]]:
    with ExitStack() as running:
        yield lambda: running.enter_context(Driver(endpoint))


def current(ledger: DynamoLedger) -> Run | None:
    try:
        return ledger.current_run()
    except LedgerTableMissing:
        return None


def assert_ends_well(driver: Driver, ledger: DynamoLedger) -> None:
    driver.signal(signal.SIGTERM)
    assert driver.ends() == 0, driver.text
    assert "Traceback" not in driver.text
    assert current(ledger) is None


@pytest.mark.parametrize("endpoint", BOTH, indirect=True)
def test_a_driver_that_was_frozen_until_another_one_ran_ends_by_itself_and_leaves_the_other_one_alone(
    start: Callable[[], Driver], ledger: DynamoLedger
) -> None:
    frozen = start()
    frozen.says("epoch.ended")
    frozen.signal(signal.SIGSTOP)
    other = start()
    other.says("epoch.ended")
    held: Any = current(ledger)

    frozen.signal(signal.SIGCONT)
    assert frozen.ends() == 5, frozen.text
    assert "FL-1207" in frozen.text
    assert held.holder in frozen.text, "it says who runs now"
    assert "Traceback" not in frozen.text
    now: Any = current(ledger)
    assert (now.run_id, now.stop_requests) == (held.run_id, 0)
    assert_ends_well(other, ledger)


def test_a_driver_that_was_frozen_for_a_moment_goes_on_and_the_other_one_says_why_it_does_not_run(
    start: Callable[[], Driver], ledger: DynamoLedger
) -> None:
    frozen = start()
    frozen.says("epoch.ended")
    frozen.signal(signal.SIGSTOP)
    other = start()
    other.says("engine.looks")
    frozen.signal(signal.SIGCONT)
    assert other.ends() == 2, other.text
    assert "FL-2106" in other.text
    assert_ends_well(frozen, ledger)


def test_of_two_drivers_that_are_started_at_once_one_runs(start: Callable[[], Driver], ledger: DynamoLedger) -> None:
    drivers = [start(), start()]
    statuses: dict[int, int] = {}
    done = threading.Event()

    def wait(number: int) -> None:
        statuses[number] = drivers[number].ends()
        done.set()

    threads = [threading.Thread(target=wait, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    assert done.wait(HANGS_S)
    ((loser, status),) = list(statuses.items())
    assert status == 2, drivers[loser].text
    assert "FL-2106" in drivers[loser].text
    winner = drivers[1 - loser]
    winner.says("epoch.ended")
    winner.signal(signal.SIGTERM)
    for thread in threads:
        thread.join(HANGS_S)
    assert statuses[1 - loser] == 0, winner.text
    assert current(ledger) is None
