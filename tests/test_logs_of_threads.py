"""A test's log has what its own threads say, and nothing of a thread that an earlier test left."""

import logging
import threading
from collections.abc import Iterator

import pytest

from tests.ingest.waiting import HANGS_S

log = logging.getLogger("firnline_ingest.tests")


@pytest.fixture
def left_behind() -> Iterator[threading.Barrier]:
    """A thread that is there before the test's log is, and says one thing when it is met, and then another one."""
    meeting = threading.Barrier(2)

    def speak() -> None:
        meeting.wait(HANGS_S)
        log.warning("of an earlier test")
        meeting.wait(HANGS_S)

    thread = threading.Thread(target=speak)
    thread.start()
    yield meeting
    thread.join(HANGS_S)


def test_a_log_has_the_lines_of_its_own_threads_alone(
    left_behind: threading.Barrier, caplog: pytest.LogCaptureFixture
) -> None:
    left_behind.wait(HANGS_S)
    own = threading.Thread(target=log.warning, args=("of a thread",))
    own.start()
    own.join(HANGS_S)
    log.warning("of the test")
    left_behind.wait(HANGS_S)
    assert [record.message for record in caplog.records] == ["of a thread", "of the test"]
