import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from firnline_local.kinesis import FakeKinesis, Fault, FaultKind, ManualClock
from firnline_local.kinesis.http import HttpRequest
from firnline_local.kinesis.server import KinesisService


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def kinesis(clock: ManualClock) -> FakeKinesis:
    return FakeKinesis(clock=clock)


def ask(kinesis: FakeKinesis, method: str, route: str, content: Any = b"") -> tuple[int, Any]:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    reply = KinesisService(kinesis).answer(HttpRequest(method, f"/__firnline__/{route}", {}, body))
    assert reply.content_type == "application/json"
    return reply.status, json.loads(reply.body)


def test_a_posted_plan_replaces_the_faults_and_can_be_looked_at_with_its_counts(kinesis: FakeKinesis) -> None:
    status, _ = ask(kinesis, "POST", "faults", [{"endpoint": "kinesis:Get*", "kind": "CUT", "every": 2}])
    assert status == 200
    assert kinesis.faults.faults == (Fault(endpoint="kinesis:Get*", kind=FaultKind.CUT, every=2),)
    for _ in range(5):
        kinesis.faults.decide("kinesis:GetRecords")
    (shown,) = ask(kinesis, "GET", "faults")[1]
    assert (shown["calls"], shown["hits"]) == (5, 2)


def test_the_clock_can_be_moved_ahead(kinesis: FakeKinesis, clock: ManualClock) -> None:
    before = clock()
    _, moved = ask(kinesis, "POST", "clock", {"hours": 25, "seconds": 1})
    assert clock() - before == timedelta(hours=25, seconds=1)
    assert datetime.fromisoformat(moved["now"]) == clock()


def test_a_clock_of_the_tests_own_making_stays_the_tests(clock: ManualClock) -> None:
    status, refusal = ask(FakeKinesis(clock=clock.__call__), "POST", "clock", {"hours": 1})
    assert status == 400
    assert "can't be moved" in refusal["error"]


def test_limits_can_be_switched_one_by_one(kinesis: FakeKinesis) -> None:
    assert ask(kinesis, "POST", "limits", {"read": False})[1] == {"read": False, "write": False}
    assert ask(kinesis, "POST", "limits", {"write": True})[1] == {"read": False, "write": True}
    assert (kinesis.account.read_limits, kinesis.account.write_limits) == (False, True)


def test_lines_are_loaded_under_the_key_of_the_query(kinesis: FakeKinesis) -> None:
    orders = kinesis.create_stream("orders")
    assert ask(kinesis, "POST", "load?stream=orders&key=id", b'{"id":1}\n{"id":2}\n') == (200, {"records": 2})
    assert [(record.partition_key, record.data) for record in orders.records] == [
        ("1", b'{"id":1}'),
        ("2", b'{"id":2}'),
    ]


def test_streams_are_shown_with_what_their_shards_hold(kinesis: FakeKinesis, clock: ManualClock) -> None:
    parent = kinesis.create_stream("orders").shard(records=2)
    clock.advance(hours=23)
    newest = parent.put("abc", key="k")
    parent.split()
    clock.advance(hours=2)
    (shown,) = ask(kinesis, "GET", "streams")[1]
    assert shown["name"] == "orders"
    assert shown["shards"][0] == {
        "id": parent.id,
        "parents": [],
        "is_open": False,
        "records": 1,
        "bytes": 4,
        "records_ever": 3,
        "last_sequence_number": str(newest.sequence_number),
    }
    assert [shard["parents"] for shard in shown["shards"][1:]] == [[parent.id], [parent.id]]


@pytest.mark.parametrize(
    ("route", "content", "problem"),
    [
        ("faults", b"[", "truncated"),
        ("clock", {"days": 1}, "days"),
        ("clock", {"hours": -1}, "forward"),
        ("limits", {"read": "no"}, "bool"),
        ("liberties", {"late": True}, "late_end"),
        ("liberties", {"late_end": "yes"}, "bool"),
        ("omit", {"stream": "orders"}, "shard"),
        ("load?stream=invoices", b"x", "invoices"),
        ("load?stream=orders&key=id", b"{}", "line 1"),
        ("load?stream=orders&field=id", b"{}", "field"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_reason(
    kinesis: FakeKinesis, route: str, content: Any, problem: str
) -> None:
    kinesis.create_stream("orders")
    status, refusal = ask(kinesis, "POST", route, content)
    assert status == 400
    assert problem in refusal["error"]


def test_an_unknown_route_is_answered_with_the_known_ones(kinesis: FakeKinesis) -> None:
    status, refusal = ask(kinesis, "GET", "load")
    assert status == 404
    assert "POST /__firnline__/load" in refusal["error"]


def test_liberties_are_taken_one_by_one(kinesis: FakeKinesis) -> None:
    assert ask(kinesis, "POST", "liberties", {"late_end": True})[1]["late_end"]
    ask(kinesis, "POST", "liberties", {"childless_ends": 2})
    assert (kinesis.liberties.late_end, kinesis.liberties.childless_ends) == (True, 2)


def test_a_shard_can_be_left_out_of_the_next_listings(kinesis: FakeKinesis) -> None:
    shard = kinesis.create_stream("orders").shard()
    assert ask(kinesis, "POST", "omit", {"stream": "orders", "shard": shard.id})[0] == 200
    listings = [kinesis.call("ListShards", {"StreamName": "orders"})["Shards"] for _ in range(2)]
    assert [len(shards) for shards in listings] == [0, 1]
