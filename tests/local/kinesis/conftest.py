import pytest

from firnline_local.kinesis import FakeKinesis, ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def kinesis(clock: ManualClock) -> FakeKinesis:
    """With the service's limits of reading switched off; test_limits.py has them on."""
    return FakeKinesis(clock=clock, read_limits=False)
