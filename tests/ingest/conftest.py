"""Fixtures of every room of the engine."""

import pytest

from tests.fakes.ledger import MemoryLedger


@pytest.fixture
def ledger() -> MemoryLedger:
    """One that knows nothing yet."""
    return MemoryLedger()
