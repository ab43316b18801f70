"""Pulumi's plan, as CLI 3.250.0 wrote it for the dev environment after four changes (shortened), and others made by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.drift.errors import PreviewUnreadable
from firnline_infra.drift.stack import UNSEEN, State, stack_findings
from firnline_ingest.checks import Cause

PLAN = json.loads(Path(__file__).with_name("plan.json").read_text())
NOTHING_MADE = State({})
URN = "urn:pulumi:dev::firnline::firnline:index:EventStream$aws:kinesis/stream:Stream::stream-orders-stream"


def step(op: str = "update", **more: Any) -> dict[str, Any]:
    return {"op": op, "urn": URN, **more}


def found(*steps: dict[str, Any], state: State = NOTHING_MADE) -> list[tuple[str, str, str, str, Cause]]:
    findings = stack_findings({"steps": list(steps)}, state, next_step="up")
    return [(each.object, each.path, each.expected, each.found, each.cause) for each in findings]


def test_the_engines_own_document_is_read() -> None:
    made = [each for each in PLAN["steps"] if "newState" in each]
    resources = [{"urn": each["urn"], "inputs": each["newState"]["inputs"]} for each in made]
    state = State.of({"deployment": {"resources": resources}})
    assert found(*PLAN["steps"], state=state) == [
        ("kinesis stream orders", "retentionPeriod", "24", "96", Cause.CHANGED),
        ("dynamodb table firnline-dev", "tags.who", "nothing", "me", Cause.CHANGED),
        ("snowflake database FIRNLINE_DEV", "comment", "Firnline dev firnline-dev", "x", Cause.CHANGED),
        ("snowflake service user FIRNLINE_DEV_READER", "exists", "yes", UNSEEN, Cause.CHANGED),
    ]  # its grant went with it


def test_what_was_dropped_is_had_back_before_another_one_is_made() -> None:
    urn = "urn:pulumi:dev::firnline::snowflake:index/table:Table::orders"
    inputs = {"database": "LAKE", "schema": "RAW", "name": "ORDERS"}
    dropped = step("create", newState={"inputs": inputs}) | {"urn": urn}
    (finding,) = stack_findings({"steps": [dropped]}, State({urn: inputs}), next_step="firnline up dev")
    assert finding.next_step.startswith("UNDROP TABLE LAKE.RAW.ORDERS, before another one")
    (finding,) = stack_findings({"steps": [dropped]}, State({}), next_step="firnline up dev")
    assert finding.next_step == "firnline up dev"


def test_what_was_never_applied_is_told_from_what_somebody_changed() -> None:
    new, old = {"name": "orders", "retentionPeriod": 48}, {"name": "orders", "retentionPeriod": 24}
    both = step(
        newState={"inputs": new}, oldState={"inputs": old}, detailedDiff={"retentionPeriod": {"kind": "update"}}
    )
    assert found(both, state=State({URN: old}))[0][4] is Cause.NOT_APPLIED
    assert found(both, state=State({URN: new}))[0][4] is Cause.CHANGED
    assert found(step("create", newState={"inputs": new}))[0][4] is Cause.NOT_APPLIED
    assert found(step("delete", oldState={"inputs": old})) == [
        ("kinesis stream orders", "exists", "no", "yes", Cause.NOT_APPLIED)
    ]


def test_a_replacement_is_told_once_by_what_it_is_for() -> None:
    new, old = {"name": "orders"}, {"name": "carts"}
    replaced = step("replace", newState={"inputs": new}, oldState={"inputs": old}, replaceReasons=["name"])
    assert found(step("create-replacement"), replaced, step("delete-replaced")) == [
        ("kinesis stream orders", "name", "orders", "carts", Cause.NOT_APPLIED)
    ]


def test_a_property_inside_of_a_list_is_found_by_its_path() -> None:
    new, old = {"a": [{"b.c": "1"}]}, {"a": [{"b.c": "2"}]}
    deep = step(newState={"inputs": new}, oldState={"outputs": old}, detailedDiff={'a[0]["b.c"]': {"kind": "update"}})
    assert [(path, expected, there) for _, path, expected, there, _ in found(deep)] == [('a[0]["b.c"]', "1", "2")]


@pytest.mark.parametrize(
    "plan",
    [{}, {"steps": "x"}, {"steps": [{"op": "update"}]}, {"steps": [step("melt")]}, {"steps": [step()]}],
)
def test_a_document_of_another_form_is_refused_and_never_taken_for_no_difference(plan: dict[str, Any]) -> None:
    with pytest.raises(PreviewUnreadable):
        list(stack_findings(plan, State({}), next_step="up"))
