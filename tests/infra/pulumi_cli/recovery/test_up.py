"""Tests of what is done, in which order, and what is refused before anything is done. With a real engine: tests/pulumi/."""

import os
import socket
from pathlib import Path
from typing import Any, cast

import pytest

from firnline_infra.pulumi_cli import PulumiCli
from firnline_infra.pulumi_cli.errors import (
    CommandFailed,
    ErrorsReported,
    PendingForeign,
    PendingUnknown,
    StackInUse,
    StackLocked,
)
from firnline_infra.pulumi_cli.lock import Lock
from firnline_infra.pulumi_cli.recovery import recovered_up
from firnline_infra.pulumi_cli.recovery.up import LOOKING

URN = "urn:pulumi:dev::shop::{type}::orders"
STREAM, ROLE_POLICY = "aws:kinesis/stream:Stream", "aws:iam/rolePolicy:RolePolicy"
GONE = 2**22 + 1  # no Linux or macOS gives a process this number


class ScriptedCli:
    """A CLI whose stack has one pending operation, and whose cloud has what `cloud` says."""

    def __init__(self, type_: str = STREAM, operation: str = "creating", cloud: dict[str, Any] | None = None) -> None:
        self.asked: list[str] = []
        self.cloud = cloud or {}
        self.locks: list[Lock] = []
        self.shown = "error: Preview failed: resource '{id}' does not exist"
        resource = {"urn": URN.format(type=type_), "inputs": {"name": "orders", "tags": {"env": "dev"}}}
        self.deployment: dict[str, Any] = {
            "resources": [],
            "pending_operations": [{"type": operation, "resource": resource}],
        }

    def export(self, stack: str) -> dict[str, Any]:
        return {"version": 3, "deployment": self.deployment}

    def import_(self, stack: str, resources: list[Any]) -> None:
        self._ask("import")
        for resource in resources:
            if resource.import_id not in self.cloud:
                lines = [self.shown.format(name=resource.urn.name, id=resource.import_id)]
                raise CommandFailed("import", exit_status=1, lines=lines)
            outputs = self.cloud[resource.import_id]
            self.deployment["resources"].append({"urn": str(resource.urn), "type": STREAM, "outputs": outputs})

    def forget(self, stack: str, urn: Any) -> None:
        self._ask("forget")

    def drop_pending_operations(self, stack: str) -> None:
        self._ask("drop")
        self.deployment["pending_operations"] = []

    def up(self, stack: str, *, refresh: bool, plan: Path | None) -> None:
        self._ask("up --refresh" if refresh else "up")

    def cancel(self, stack: str) -> None:
        self.asked.append("cancel")
        self.locks = []

    def _ask(self, command: str) -> None:
        if self.locks:
            raise StackLocked(command, exit_status=255, lines=[], locks=self.locks)
        self.asked.append(command)


def also_creating(cli: ScriptedCli, name: str) -> None:
    (operation,) = cli.deployment["pending_operations"]
    resource = {**operation["resource"], "urn": f"urn:pulumi:dev::shop::{STREAM}::{name}", "inputs": {"name": name}}
    cli.deployment["pending_operations"] = [operation, {"type": "creating", "resource": resource}]


def up(cli: ScriptedCli, *, refresh: bool = False) -> list[str]:
    said: list[str] = []
    recovered_up(cast("PulumiCli", cli), "dev", say=said.append, refresh=refresh)
    return [line for line in said if line != LOOKING]


def lock(pid: int) -> Lock:
    return Lock(user="ann", host=socket.gethostname(), pid=pid, since="2026-11-21T15:57:42Z")


def test_without_anything_left_behind_it_is_a_plain_up() -> None:
    cli = ScriptedCli()
    cli.deployment["pending_operations"] = []
    assert up(cli) == []
    assert cli.asked == ["up"]


def test_an_up_that_printed_errors_is_repeated_once_and_then_raised() -> None:
    cli = ScriptedCli()
    cli.deployment["pending_operations"] = []
    errors = [ErrorsReported("up", exit_status=0, lines=["1 errored"])] * 2

    def ends_badly(*_: object, **__: object) -> None:
        cli.asked.append("up")
        if errors:
            raise errors.pop()

    cli.up = ends_badly  # type: ignore[method-assign] # the first two of them
    with pytest.raises(ErrorsReported):
        up(cli)
    assert cli.asked == ["up", "up"]
    errors.append(ErrorsReported("up", exit_status=0, lines=["1 errored"]))
    assert up(cli) == ["Pulumi printed errors and ended with status 0: once more, which does what is missing."]


def test_a_refresh_that_is_asked_for_happens_without_anything_left_behind() -> None:
    cli = ScriptedCli()
    cli.deployment["pending_operations"] = []
    assert up(cli, refresh=True) == []
    assert cli.asked == ["up --refresh"]


def test_the_errors_of_a_search_are_announced_before_they_appear() -> None:
    cli = ScriptedCli()
    asked_before: list[list[str]] = []
    recovered_up(
        cast("PulumiCli", cli), "dev", say=lambda line: asked_before.append(cli.asked[:]) if line == LOOKING else None
    )
    assert asked_before == [[]]


def test_what_was_made_is_imported_before_the_operation_is_forgotten() -> None:
    cli = ScriptedCli(cloud={"orders": {"tags": {"env": "dev"}}})
    assert up(cli) == [f"{URN.format(type=STREAM)} was being made, and is there: it is imported."]
    assert cli.asked == ["import", "drop", "up --refresh"]


def test_what_is_not_there_is_left_to_up() -> None:
    cli = ScriptedCli()
    assert "is not there" in up(cli)[0]
    assert cli.asked == ["import", "drop", "up --refresh"]


def test_a_recovery_that_was_killed_after_it_had_imported_goes_on() -> None:
    cli = ScriptedCli()
    found = {"urn": URN.format(type=STREAM), "type": STREAM, "id": "arn", "outputs": {"tags": {"env": "dev"}}}
    cli.deployment["resources"].append(found)
    assert "it is imported" in up(cli)[0]
    assert cli.asked == ["drop", "up --refresh"]


def test_several_are_imported_by_one_command() -> None:
    cli = ScriptedCli(cloud={"orders": {"tags": {"env": "dev"}}, "returns": {"name": "returns"}})
    also_creating(cli, "returns")
    assert [line.rpartition(": ")[2] for line in up(cli)] == ["it is imported."] * 2
    assert cli.asked == ["import", "drop", "up --refresh"]


@pytest.mark.parametrize("there", ["orders", "returns"])
def test_where_some_are_not_there_the_others_are_imported_nevertheless(there: str) -> None:
    cli = ScriptedCli(cloud={there: {"tags": {"env": "dev"}, "name": there}})
    also_creating(cli, "returns")
    said = {line.partition(" ")[0].rpartition("::")[2]: line.rpartition(": ")[2] for line in up(cli)}
    assert said == {"orders": "it is made now.", "returns": "it is made now."} | {there: "it is imported."}


def test_those_that_the_engine_names_as_absent_are_not_asked_for_again() -> None:
    cli = ScriptedCli(cloud={"returns": {"name": "returns"}})
    cli.shown = "  =  aws:kinesis:Stream {name} **importing failed** error: resource '{id}' does not exist"
    also_creating(cli, "returns")
    up(cli)
    assert cli.asked == ["import", "import", "drop", "up --refresh"]


def test_what_is_somebody_elses_leaves_state_and_operation_as_they_were() -> None:
    cli = ScriptedCli(cloud={"orders": {"tags": {"env": "prod"}}})
    with pytest.raises(PendingForeign, match="lacks the tag env=dev"):
        up(cli)
    assert cli.asked == ["import", "forget"]
    assert cli.deployment["pending_operations"]


def test_what_can_be_made_again_is_not_looked_for() -> None:
    cli = ScriptedCli(ROLE_POLICY)
    assert "it is created again" in up(cli)[0]
    assert cli.asked == ["drop", "up --refresh"]


def test_a_type_that_nobody_knows_how_to_look_for_is_refused_before_anything_is_done() -> None:
    cli = ScriptedCli("aws:sqs/queue:Queue")
    with pytest.raises(PendingUnknown, match="aws:sqs/queue:Queue::orders"):
        up(cli)
    assert cli.asked == []


@pytest.mark.parametrize("operation", ["updating", "deleting"])
def test_an_update_or_delete_is_repeated_after_a_look_at_what_it_did(operation: str) -> None:
    cli = ScriptedCli(operation=operation)
    assert up(cli) == []
    assert cli.asked == ["drop", "up --refresh"]


def test_the_lock_of_a_process_that_is_gone_is_removed() -> None:
    cli = ScriptedCli(operation="updating")
    cli.locks = [lock(GONE)]
    assert up(cli) == [f"Stack dev was locked by {lock(GONE)}, which is gone: its lock is removed."]
    assert cli.asked == ["cancel", "drop", "up --refresh"]


def test_one_lock_that_counts_is_enough_to_leave_all_as_they_are() -> None:
    cli = ScriptedCli()
    cli.locks = [lock(GONE), lock(os.getpid())]
    with pytest.raises(StackInUse, match=r"it is still running(?s:.*)pulumi cancel --stack dev"):
        up(cli)
    assert cli.asked == []
