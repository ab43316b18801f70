import json
from typing import Any

import pytest

from firnline_local.kinesis import FakeKinesis, Fault, FaultKind
from firnline_local.kinesis.http import HttpRequest
from firnline_local.kinesis.server import KinesisService
from firnline_local.kinesis.wire import Reply


@pytest.fixture
def kinesis() -> FakeKinesis:
    return FakeKinesis()


def ask(kinesis: FakeKinesis, method: str, route: str, content: Any = b"") -> Reply:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return KinesisService(kinesis).answer(HttpRequest(method, f"/__firnline__/{route}", {}, body))


def test_a_posted_plan_replaces_the_faults_and_can_be_looked_at_with_its_counts(kinesis: FakeKinesis) -> None:
    assert ask(kinesis, "POST", "faults", [{"endpoint": "kinesis:Get*", "kind": "CUT", "every": 2}]).status == 200
    assert kinesis.faults.faults == (Fault(endpoint="kinesis:Get*", kind=FaultKind.CUT, every=2),)
    for _ in range(5):
        kinesis.faults.decide("kinesis:GetRecords")
    (shown,) = json.loads(ask(kinesis, "GET", "faults").body)
    assert (shown["calls"], shown["hits"]) == (5, 2)


def test_a_plan_that_is_none_is_refused_with_the_reason(kinesis: FakeKinesis) -> None:
    reply = ask(kinesis, "POST", "faults", b"[")
    assert reply.status == 400
    assert "truncated" in json.loads(reply.body)["error"]


def test_an_unknown_route_is_answered_with_the_known_one(kinesis: FakeKinesis) -> None:
    reply = ask(kinesis, "GET", "streams")
    assert (reply.status, b"/__firnline__/faults" in reply.body) == (404, True)
