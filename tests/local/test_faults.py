import threading

import pytest

from firnline_local.faults import InvalidFault
from firnline_local.kinesis import Fault, FaultKind, FaultPlan


def hits(plan: FaultPlan, calls: int, endpoint: str = "kinesis:GetRecords") -> list[int]:
    """Returns which of so many calls were hit, counted from 1."""
    return [call for call in range(1, calls + 1) if plan.decide(endpoint) is not None]


def test_without_faults_every_call_passes() -> None:
    assert hits(FaultPlan(), 3) == []


def test_a_fault_hits_every_nth_call_after_the_first_few_and_stops_in_time() -> None:
    fault = Fault(endpoint="kinesis:GetRecords", kind=FaultKind.ERROR, every=3, after=2, times=2)
    assert hits(FaultPlan([fault]), 20) == [5, 8]


def test_a_fault_counts_only_the_calls_that_its_pattern_matches() -> None:
    plan = FaultPlan([Fault(endpoint="kinesis:Get*", kind=FaultKind.CUT, every=2)])
    plan.decide("kinesis:GetRecords")
    assert plan.decide("dynamodb:GetItem") is None
    assert plan.decide("kinesis:getrecords") is None
    assert plan.decide("kinesis:GetShardIterator") is not None


def test_the_first_fault_that_is_due_decides_and_the_others_still_count() -> None:
    often = Fault(endpoint="*", kind=FaultKind.SLOW, times=2)
    seldom = Fault(endpoint="*", kind=FaultKind.CUT, every=2)
    plan = FaultPlan([often, seldom])
    assert [plan.decide("a:B") for _ in range(5)] == [often, often, None, seldom, None]


def test_a_new_plan_begins_to_count_anew() -> None:
    fault = Fault(endpoint="*", kind=FaultKind.CUT, times=1)
    plan = FaultPlan([fault])
    assert hits(plan, 2) == [1]
    plan.replace([fault])
    assert hits(plan, 2) == [1]


def test_hits_are_added_up_by_pattern() -> None:
    plan = FaultPlan([Fault(endpoint="a:*", kind=FaultKind.CUT, every=2), Fault(endpoint="b:*", kind=FaultKind.CUT)])
    hits(plan, 5, "a:A")
    assert plan.hits == {"a:*": 2, "b:*": 0}


def test_calls_from_many_threads_are_counted_exactly() -> None:
    plan = FaultPlan([Fault(endpoint="*", kind=FaultKind.CUT, every=7)])
    threads = [threading.Thread(target=hits, args=(plan, 700)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert plan.hits == {"*": 800}


def test_a_plan_survives_the_way_through_json_with_its_counts_left_behind() -> None:
    plan = FaultPlan([Fault(endpoint="snowflake:append", kind=FaultKind.ERROR, status=429, code="X", delay_s=0.5)])
    plan.decide("snowflake:append")
    again = FaultPlan.from_json(plan.to_json())
    assert again.faults == plan.faults
    assert again.hits == {"snowflake:append": 0}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[", "truncated"),
        ('{"endpoint": "a", "kind": "CUT"}', "array"),
        ('[{"kind": "CUT"}]', "endpoint"),
        ('[{"endpoint": "a", "kind": "CUTT"}]', "CUTT"),
        ('[{"endpoint": "a", "kind": "CUT", "evry": 2}]', "evry"),
        ('[{"endpoint": "a", "kind": "CUT", "every": 0}]', "every"),
        ('[{"endpoint": "a", "kind": "CUT", "times": "3"}]', "times"),
    ],
)
def test_a_plan_that_no_service_could_carry_out_is_refused_with_the_reason(text: str, problem: str) -> None:
    with pytest.raises(InvalidFault, match=problem) as refusal:
        FaultPlan.from_json(text)
    assert refusal.value.id == "FL-6010"
