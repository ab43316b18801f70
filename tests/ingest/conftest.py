"""Fixtures of every room of the engine."""

from collections.abc import Iterator

import pytest

from tests.fakes.ledger import MemoryLedger
from tests.fakes.wire import Server


@pytest.fixture
def ledger() -> MemoryLedger:
    """One that knows nothing yet."""
    return MemoryLedger()


@pytest.fixture
def server() -> Iterator[Server]:
    """One that answers what a test puts into it."""
    with Server() as server:
        yield server
