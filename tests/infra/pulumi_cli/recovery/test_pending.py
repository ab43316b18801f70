from typing import Any

from firnline_infra.pulumi_cli.recovery.pending import has_pending, ids_of, outputs_of, pending_creates
from firnline_infra.pulumi_cli.urn import Urn

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
