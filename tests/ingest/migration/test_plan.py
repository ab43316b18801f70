"""Tests of what becomes of each shard, from leases and a listing."""

from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest

from firnline_ingest.kinesis.lineage import Lineage, ListedShard
from firnline_ingest.kinesis.start import AtTimestamp, TrimHorizon
from firnline_ingest.migration import kcl, openflow
from firnline_ingest.migration.lease import Leases
from firnline_ingest.migration.plan import Migration, plan_migration
from firnline_ingest.values import Position

CREATED_MS = 1_700_000_000_000
FIRST = 49_000


def shard(number: int) -> str:
    return f"shardId-{number:012d}"


def lineage(*shards: tuple[int, tuple[int, ...], bool]) -> Lineage:
    """Each with its number, its parents, and whether it is closed."""
    listed = {
        shard(number): ListedShard(shard(number), tuple(map(shard, parents)), is_closed, str(FIRST))
        for number, parents, is_closed in shards
    }
    return Lineage("orders", CREATED_MS, 24, MappingProxyType(listed))


OPEN = lineage((0, (), False))
SPLIT = lineage((0, (), True), (1, (0,), False), (2, (0,), False))


def lease(number: int, checkpoint: str, **more: Any) -> dict[str, Any]:
    return {
        "leaseKey": shard(number),
        "leaseCounter": 3,
        "checkpoint": checkpoint,
        "checkpointSubSequenceNumber": 0,
        **more,
    }


def of_kcl(*items: dict[str, Any], of: Lineage = OPEN, at: Any = None, epoch: int | None = None) -> Migration:
    return plan_migration(kcl.leases_of(items, "orders", CREATED_MS, epoch), of, at)


def becomes(migration: Migration) -> dict[str, str]:
    return {step.shard_id: step.becomes for step in migration.steps}


def test_a_place_is_gone_on_behind_of_an_aggregate_after_its_last_user_record() -> None:
    (row,) = of_kcl(lease(0, "49123", checkpointSubSequenceNumber=7)).rows
    assert row.read_through == Position(49_123, 7)
    assert (row.start, row.ended, row.is_sending) == (TrimHorizon(), False, False)
    assert row.key.incarnation == f"orders@{CREATED_MS}"


@pytest.mark.parametrize("wrong", ["text", Decimal("1.5"), -1, 10**12, 10**10, Decimal("Infinity"), None])
def test_a_sub_sequence_number_that_is_none_is_refused_with_its_shard(wrong: Any) -> None:
    migration = of_kcl(lease(0, "49123", checkpointSubSequenceNumber=wrong))
    (problem,) = migration.problems
    assert problem.startswith(f"{shard(0)}: its sub-sequence number '{wrong}' is not a whole number between 0 and ")
    assert (becomes(migration), migration.rows) == ({shard(0): "refused"}, ())


@pytest.mark.parametrize("right", [0, Decimal(7), "7", 10**10 - 1])
def test_a_sub_sequence_number_is_any_whole_number_that_a_position_has_room_for(right: Any) -> None:
    (row,) = of_kcl(lease(0, "49123", checkpointSubSequenceNumber=right)).rows
    assert row.read_through == Position(49_123, int(right))


def test_a_shard_that_ended_is_not_read_again_and_its_children_are_known() -> None:
    migration = of_kcl(
        lease(0, "SHARD_END", childShardIds={shard(2), shard(1)}), lease(1, "TRIM_HORIZON"), lease(2, "49200"), of=SPLIT
    )
    ended, first, second = migration.rows
    assert (ended.ended, ended.children, ended.read_through) == (True, (shard(1), shard(2)), None)
    assert (first.ended, first.read_through, first.start) == (False, None, TrimHorizon())
    assert second.read_through == Position(49_200)
    assert migration.problems == ()


def test_a_lease_of_an_old_library_has_no_children_and_takes_them_from_the_listing() -> None:
    ended, *_ = of_kcl(lease(0, "SHARD_END"), lease(1, "49001"), lease(2, "49001"), of=SPLIT).rows
    assert ended.children == (shard(1), shard(2))


def test_an_end_is_kept_also_of_a_shard_that_left_the_stream() -> None:
    """Else its child, which has no lease yet, would wait for a parent that nobody knows."""
    migration = of_kcl(
        lease(0, "SHARD_END"), lease(9, "SHARD_END", childShardIds={shard(1)}), of=lineage((0, (), True))
    )
    assert [(row.key.shard_id, row.children) for row in migration.rows] == [(shard(0), ()), (shard(9), (shard(1),))]


def test_a_shard_that_left_the_stream_before_its_end_is_told() -> None:
    migration = of_kcl(lease(0, "49001"), lease(9, "49002"))
    assert "left the stream, so what it still held is lost" in becomes(migration)[shard(9)]
    assert [row.read_through for row in migration.rows] == [Position(49_001), Position(49_002)]


@pytest.mark.parametrize("mark", ["LATEST", "AT_TIMESTAMP", "", "what"])
def test_a_lease_that_names_no_place_asks_a_person(mark: str) -> None:
    (problem,) = of_kcl(lease(0, mark)).problems
    assert "--at" in problem
    (row,) = of_kcl(lease(0, mark), at=AtTimestamp(5)).rows
    assert (row.start, row.read_through) == (AtTimestamp(5), None)


def test_a_child_without_a_lease_begins_at_its_oldest_record_when_its_parent_has_ended() -> None:
    """The library makes it so, whatever the application's initial position was. The planner comes to it by itself."""
    migration = of_kcl(lease(0, "49500"), of=SPLIT)
    assert (becomes(migration)[shard(1)], migration.problems) == (f"from its oldest record, after {shard(0)}", ())
    assert [row.key.shard_id for row in migration.rows] == [shard(0)]


def test_a_closed_shard_whose_lease_was_cleaned_up_is_finished_where_all_that_came_of_it_has_leases() -> None:
    grown = lineage((0, (), True), (1, (0,), True), (2, (0,), False), (3, (1,), False))
    migration = of_kcl(lease(3, "49900"), lease(2, "TRIM_HORIZON"), of=grown)
    assert {row.key.shard_id: (row.ended, row.children) for row in migration.rows if row.ended} == {
        shard(0): (True, (shard(1), shard(2))),
        shard(1): (True, (shard(3),)),
    }
    assert migration.problems == ()


def test_a_hole_in_the_table_is_not_guessed_about() -> None:
    """One child has a lease, the other has not: neither it nor their parent is accounted for."""
    migration = of_kcl(lease(1, "49001"), of=SPLIT)
    assert [problem.partition(":")[0] for problem in migration.problems] == [shard(0), shard(2)]
    filled = of_kcl(lease(1, "49001"), of=SPLIT, at=TrimHorizon())
    assert filled.problems == ()
    assert {row.key.shard_id for row in filled.rows} == {shard(0), shard(1), shard(2)}


def test_a_child_of_a_merge_needs_both_its_parents_accounted_for() -> None:
    merged = lineage((0, (), True), (1, (), True), (2, (0, 1), False))
    assert of_kcl(lease(0, "SHARD_END"), lease(1, "49100"), of=merged).problems == ()
    assert len(of_kcl(lease(0, "SHARD_END"), of=merged).problems) == 2


def test_a_table_of_another_stream_is_refused() -> None:
    (problem,) = of_kcl(lease(7, "49001"), of=lineage()).problems
    assert "another stream's" in problem


def test_a_stream_that_was_made_again_is_found_by_its_numbers() -> None:
    """A table of one stream does not say which incarnation it is about."""
    (problem,) = of_kcl(lease(0, "48999")).problems
    assert "an earlier stream" in problem
    (problem,) = of_kcl(lease(0, "SHARD_END")).problems
    assert "it is open" in problem


def keyed(number: int, checkpoint: str, stream: str = "orders", epoch: int = CREATED_MS // 1000) -> dict[str, Any]:
    key = f"123456789012:{stream}:{epoch}:{shard(number)}"
    return {
        **lease(number, checkpoint),
        "leaseKey": key,
        "streamName": key.rpartition(":")[0],
        "shardId": shard(number),
    }


def test_of_a_table_of_several_streams_only_this_one_is_taken() -> None:
    items = [keyed(0, "49001"), keyed(0, "49777", stream="returns"), keyed(0, "48001", epoch=1_600_000_000)]
    leases = kcl.leases_of(items, "orders", CREATED_MS)
    assert (leases.of[shard(0)].checkpoint, leases.left_out) == (Position(49_001), 2)
    assert leases.problems == ()


def test_leases_of_a_stream_that_was_deleted_are_refused_by_their_creation_time() -> None:
    old = keyed(0, "49001", epoch=1_600_000_000)
    (problem,) = of_kcl(old).problems
    assert "deleted and recreated" in problem
    assert of_kcl(old, epoch=1_600_000_000).problems == ()


def test_one_name_in_two_accounts_is_not_told_apart_and_refused() -> None:
    other = {**keyed(0, "49002"), "leaseKey": f"210987654321:orders:{CREATED_MS // 1000}:{shard(0)}"}
    assert "two accounts" in of_kcl(keyed(0, "49001"), other).problems[0]


def test_what_is_no_lease_in_the_library_s_table_is_passed_by() -> None:
    kinds = ("STREAM", "LEADER", "CLIENT_VERSION_MIGRATION", "TABLE_MIGRATION", "WORKER_METRIC_STATS")
    others = [{"leaseKey": f"{kind}-row", "entityType": kind} for kind in kinds]
    migration = of_kcl(*others, lease(0, "49001", entityType="LEASE"))
    assert [step.shard_id for step in migration.steps] == [shard(0)]


def test_a_pending_checkpoint_and_a_hand_over_are_remarked() -> None:
    told = becomes(of_kcl(lease(0, "49001", pendingCheckpoint="49002", checkpointOwner="worker-1")))[shard(0)]
    assert (
        told
        == "goes on behind it (its pending checkpoint was not made, and is left; was being handed over by worker-1)"
    )


def of_openflow(*items: dict[str, Any], of: Lineage = OPEN, at: Any = None) -> Migration:
    leases: Leases = openflow.leases_of(items, "orders")
    return plan_migration(leases, of, at)


def test_openflow_takes_records_in_whole_so_nothing_of_an_aggregate_is_left() -> None:
    row = {"streamName": "orders", "shardId": shard(0), "sequenceNumber": "49005", "leaseOwner": "node"}
    node = {"streamName": "orders", "shardId": "__node__#1", "nodeHeartbeat": 5}
    marker = {"streamName": "orders", "shardId": "__migration__", "migrationStatus": "COMPLETE"}
    other = {"streamName": "returns", "shardId": shard(0), "sequenceNumber": "1"}
    migration = of_openflow(row, node, marker, other)
    (written,) = migration.rows
    assert Position(49_005, 9_999) < written.read_through < Position(49_006)
    assert Position.from_token(written.read_through.token) == written.read_through


def test_a_sub_sequence_number_of_openflow_is_remarked_and_the_record_is_not_begun_again() -> None:
    """The number may be an older checkpoint's: from there on, an aggregate that was taken in whole would come again."""
    row = {"streamName": "orders", "shardId": shard(0), "sequenceNumber": "49005", "subSequenceNumber": 3}
    migration = of_openflow(row)
    (written,) = migration.rows
    assert written.read_through is not None
    assert Position(49_005, 9_999) < written.read_through < Position(49_006)
    assert "goes on behind the whole record" in becomes(migration)[shard(0)]


def test_openflow_says_of_no_shard_that_it_ended_so_its_rest_is_read() -> None:
    rows = [{"streamName": "orders", "shardId": shard(n), "sequenceNumber": "49005"} for n in range(3)]
    migration = of_openflow(*rows, of=SPLIT)
    assert not any(row.ended for row in migration.rows)


def test_a_row_of_openflow_without_a_place_asks_a_person() -> None:
    assert "--at" in of_openflow({"streamName": "orders", "shardId": shard(0)}).problems[0]
