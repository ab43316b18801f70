"""Tests of the questions about a stream that is being made, on a machine that is too slow to ask all of them of one."""

from collections.abc import Callable
from typing import Any

import boto3
import pytest

from firnline_local.clock import ManualClock
from firnline_local.kinesis import FakeKinesis, KinesisServer
from tests.live import recordings
from tests.live.names import Run
from tests.live.questions.aws_stories import asked
from tests.live.verdicts import BELIEVED

pytestmark = pytest.mark.contract
BEING_MADE = "kinesis: a stream that is being made"


class SlowClient:
    """A client whose every call takes a while."""

    def __init__(self, client: Any, clock: ManualClock, call_s: float) -> None:
        self._client, self._clock, self._call_s = client, clock, call_s

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(**request: Any) -> Any:
            self._clock.advance(seconds=self._call_s)
            return getattr(self._client, name)(**request)

        return call


@pytest.mark.parametrize("call_s", [0.0, 0.5])
def test_each_answer_is_about_a_stream_that_is_still_being_made(call_s: float) -> None:
    """Half a second a call leaves time for one answer, of four, before a stream is there."""
    clock, session = ManualClock(), boto3.Session("a", "b", region_name="us-east-1")
    with KinesisServer(FakeKinesis(clock=clock, creating_s=1.7)) as server:
        client = session.client("kinesis", endpoint_url=server.endpoint)
        answers = asked(lambda _: SlowClient(client, clock, call_s), Run(1))
        assert next(answers) == (BEING_MADE, recordings.read(BELIEVED)["aws"][BEING_MADE])
