from typing import Any

import pytest

from firnline_infra.pulumi_cli.recovery.pending import has_pending, ids_of, outputs_of, pending_creates, why_foreign
from firnline_infra.pulumi_cli.resource import Urn

STACK = "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev"
ROOM = "urn:pulumi:dev::shop::shop:index:Room::kitchen"
STREAM = "urn:pulumi:dev::shop::shop:index:Room$aws:kinesis/stream:Stream::orders"


def state(*resources: dict[str, Any], operations: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    deployment: dict[str, Any] = {"resources": list(resources)} if resources else {}
    if operations is not None:
        deployment["pending_operations"] = operations
    return {"version": 3, "deployment": deployment}


def operation(type_: str, **resource: Any) -> dict[str, Any]:
    return {"type": type_, "resource": {"urn": STREAM, "inputs": {"name": "orders"}, **resource}}


def test_only_creates_have_to_be_looked_for() -> None:
    begun = state(operations=[operation("updating"), operation("creating", parent=ROOM), operation("deleting")])
    (create,) = pending_creates(begun)
    assert (create.urn, create.inputs, create.parent) == (Urn(STREAM), {"name": "orders"}, Urn(ROOM))
    assert has_pending(begun)


def test_a_state_without_operations_has_none() -> None:
    assert pending_creates(state()) == ()
    assert not has_pending(state())
    assert not has_pending(state(operations=[]))


def test_a_child_of_the_stack_has_no_parent_to_name() -> None:
    (create,) = pending_creates(state(operations=[operation("creating", parent=STACK, provider="urn::a::id")]))
    assert create.parent is None
    assert create.provider == Urn("urn::a")


def test_a_resource_that_is_only_kept_to_be_deleted_does_not_count_as_there() -> None:
    old = {"urn": STREAM, "type": "t", "id": "1", "delete": True}
    new = {"urn": STREAM, "type": "t", "id": "2", "inputs": {"name": "a"}, "outputs": {"name": "a", "arn": "b"}}
    assert outputs_of(state(old), Urn(STREAM)) is None
    assert outputs_of(state(old, new), Urn(STREAM)) == {"name": "a", "arn": "b"}
    assert ids_of(state(old, new, {"urn": ROOM, "type": "r"}), "t") == {"1", "2"}


TAGS = {"firnline:environment": "dev", "team": "a"}


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"name": "orders", "tags": TAGS}, {"name": "orders", "tags": {**TAGS, "added-by": "a scanner"}}),
        ({"tags": TAGS}, {"tags": {}, "tagsAll": TAGS}),
        ({"comment": "Firnline dev"}, {"comment": "Firnline dev", "name": "x"}),
        ({"name": "alias/a", "targetKeyId": "k"}, {"name": "alias/a", "targetKeyId": "k", "arn": "…"}),
        ({"targetKeyId": "arn:aws:kms:eu-west-1:1:key/k"}, {"targetKeyId": "k"}),
        ({"userName": "LOADER"}, {"userName": '"LOADER"'}),
        ({"name": "a", "policy": '{"a": [1]}', "path": ""}, {"name": "a", "policy": '{"a":[1]}'}),
    ],
)
def test_what_carries_our_marks_or_is_what_was_wanted_is_ours(
    wanted: dict[str, object], found: dict[str, object]
) -> None:
    assert why_foreign(wanted, found) is None


@pytest.mark.parametrize(
    ("wanted", "found", "why"),
    [
        ({"tags": TAGS}, {"tags": {"team": "a"}}, "it lacks the tag firnline:environment=dev"),
        ({"tags": TAGS}, {"tags": {**TAGS, "team": "b"}}, "it lacks the tag team=a"),
        ({"tags": TAGS}, {}, "it lacks the tag firnline:environment=dev, team=a"),
        ({"comment": "Firnline dev"}, {}, "its comment is '', and not 'Firnline dev'"),
        ({"targetKeyId": "k"}, {"targetKeyId": "l"}, "its targetKeyId is 'l', and not 'k'"),
        ({"policy": '{"a": [1]}'}, {"policy": '{"a": [2]}'}, """its policy is '{"a": [2]}', and not '{"a": [1]}'"""),
    ],
)
def test_what_does_not_is_foreign_and_the_difference_is_named(
    wanted: dict[str, object], found: dict[str, object], why: str
) -> None:
    assert why_foreign(wanted, found) == why
