"""Waits that are short, and what the engine logged."""

import logging
from collections.abc import Callable
from typing import Any

import pytest

from firnline_ingest.spark import job as job_module
from firnline_ingest.spark import policy, retry_budget


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits that are the machine's seconds elsewhere."""
    for module, name, value in (
        (job_module, "LOOK_S", 0.02),
        (job_module, "BEAT_S", 0.02),
        (job_module, "STOP_S", 0.3),
        (job_module, "CANCELLED_S", 0.3),
        (job_module, "CLOSE_S", 2.0),
        (retry_budget, "LONGEST_PAUSE_S", 0.002),
        (policy, "LEAST_PAUSE_S", 0.002),
    ):
        monkeypatch.setattr(module, name, value)


@pytest.fixture
def events(caplog: pytest.LogCaptureFixture) -> Callable[[str], list[Any]]:
    caplog.set_level(logging.INFO, "firnline_ingest")
    return lambda event: [record for record in caplog.records if record.getMessage() == event]
