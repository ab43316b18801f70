from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from firnline_ingest.kinesis.lineage import Lineage, ListedShard
from firnline_ingest.kinesis.start import After, AtTimestamp, TrimHorizon
from firnline_ingest.ledger.plan import StreamView, plan_shards, planned_starts
from firnline_ingest.ledger.row import ChannelEntry, ResumeFrom, ShardRow
from firnline_ingest.values import Position, ShardKey
from tests.fakes.configs import TARGET

LATEST = AtTimestamp(1_700_000_000_000)
HOURS_24 = 24 * 3_600_000


def lineage(*shards: ListedShard) -> Lineage:
    return Lineage("events", 1, 24, {shard.id: shard for shard in shards})


def row(shard_id: str, *, ended: bool = False, read_through: int | None = None) -> ShardRow:
    return ShardRow(
        key=ShardKey("events", 1, shard_id),
        start=TrimHorizon(),
        ended=ended,
        read_through=Position(read_through) if read_through else None,
    )


PARENT, LEFT, RIGHT = ListedShard("parent"), ListedShard("left", ("parent",)), ListedShard("right", ("parent",))


def test_at_the_first_start_every_shard_without_parents_is_pinned_to_the_initial_position() -> None:
    plan = plan_shards(lineage(ListedShard("a"), ListedShard("b")), {}, {}, LATEST)
    assert plan.starts == {"a": LATEST, "b": LATEST}


def test_a_child_shard_waits_until_its_parent_has_ended_in_the_ledger() -> None:
    tree = lineage(PARENT, LEFT, RIGHT)
    assert plan_shards(tree, {"parent": row("parent", read_through=9)}, {}, LATEST).readable == {"parent"}

    plan = plan_shards(tree, {"parent": row("parent", ended=True)}, {}, LATEST)
    assert plan.starts == {"left": TrimHorizon(), "right": TrimHorizon()}
    assert plan.ended == {"parent"}


def test_a_merged_shard_waits_for_both_parents() -> None:
    tree = lineage(ListedShard("a"), ListedShard("b"), ListedShard("merged", ("a", "b")))
    rows = {"a": row("a", ended=True), "b": row("b")}
    assert plan_shards(tree, rows, {}, LATEST).readable == {"b"}
    rows["b"] = row("b", ended=True)
    assert plan_shards(tree, rows, {}, LATEST).readable == {"merged"}


def test_children_start_at_the_trim_horizon_whatever_the_initial_position_was() -> None:
    rows = {"parent": row("parent", ended=True)}
    assert plan_shards(lineage(PARENT, LEFT), rows, {}, LATEST).starts["left"] == TrimHorizon()


def test_a_shard_that_a_listing_omits_is_read_on_and_its_children_wait() -> None:
    rows = {"parent": row("parent", read_through=9)}
    plan = plan_shards(lineage(LEFT), rows, {}, LATEST)
    assert plan.starts == {"parent": After(Position(9))}
    assert set(plan.waiting) == {"left"}


def test_a_parent_that_nobody_read_and_the_service_still_knows_is_waited_for() -> None:
    rows = {"other": row("other", read_through=9)}
    view = StreamView(lineage(ListedShard("other"), LEFT), rows, {"other": "h"})
    assert view.suspects() == {"parent"}
    plan = plan_shards(view.lineage, rows, view.offsets, LATEST)
    assert set(plan.waiting) == {"left", "parent"}
    assert [start.shard for start in planned_starts(view.lineage, rows, plan.offsets)] == ["other"]


def test_a_parent_that_is_gone_and_that_nobody_read_is_named_until_its_child_has_begun() -> None:
    rows = {"other": row("other", read_through=9)}
    tree = lineage(ListedShard("other"), LEFT)
    plan = plan_shards(tree, rows, {"other": "h"}, LATEST, frozenset({"parent"}))
    assert plan.offsets["parent"] == "gone"
    for _ in range(2):  # also in the epochs after, while the child's opening is refused
        left = next(start for start in planned_starts(tree, rows, plan.offsets) if start.shard == "left")
        assert left.unread_parents == ("parent",)
        rows["left"] = row("left")
        plan = plan_shards(tree, rows, plan.offsets, LATEST)
    rows["left"] = replace(rows["left"], channels={"app~left": ChannelEntry(TARGET)})
    assert "parent" not in plan_shards(tree, rows, plan.offsets, LATEST).offsets


def test_two_reshards_during_an_outage_name_the_parents_that_nobody_ever_saw() -> None:
    rows = {"a": row("a", read_through=9)}
    grandchildren = [ListedShard(name, ("b",)) for name in "de"] + [ListedShard(name, ("c",)) for name in "fg"]
    view = StreamView(lineage(*grandchildren), rows, {"a": "h"})
    assert view.suspects() == {"b", "c"}
    plan = plan_shards(view.lineage, rows, view.offsets, LATEST, view.suspects())
    planned = {start.shard: start.unread_parents for start in planned_starts(view.lineage, rows, plan.offsets)}
    assert planned == {"a": (), "d": ("b",), "e": ("b",), "f": ("c",), "g": ("c",)}


def test_a_merged_shard_that_waits_remembers_the_parent_that_is_gone() -> None:
    tree = lineage(ListedShard("b"), ListedShard("merged", ("a", "b")))
    rows = {"b": row("b")}
    offsets = plan_shards(tree, rows, {"b": "h"}, LATEST, frozenset({"a"})).offsets
    rows["b"] = row("b", ended=True)
    offsets = plan_shards(tree, rows, offsets, LATEST).offsets
    (merged,) = planned_starts(tree, rows, offsets)
    assert merged.unread_parents == ("a",)


def test_a_parent_that_is_gone_is_read_in_vain_itself_while_its_child_waits_for_another_one() -> None:
    tree = lineage(ListedShard("b"), ListedShard("merged", ("a", "b")))
    rows = {"b": row("b")}
    offsets = plan_shards(tree, rows, {"b": "h"}, LATEST, frozenset({"a"})).offsets
    for _ in range(2):  # until an engine has taken it
        planned = {start.shard: start for start in planned_starts(tree, rows, offsets)}
        assert (planned.keys(), planned["a"].is_closed) == ({"a", "b"}, True), "the loss is told now, not after b's end"
        offsets = plan_shards(tree, rows, offsets, LATEST).offsets

    rows["a"] = row("a")
    rows["b"] = row("b", ended=True)
    replayed = [start.shard for start in planned_starts(tree, rows, offsets)]
    plan = plan_shards(tree, rows, offsets, LATEST)
    assert (replayed, plan.readable, set(plan.waiting)) == ([], {"a"}, {"merged"}), "the policy decides, once"
    assert [start.shard for start in planned_starts(tree, rows, plan.offsets)] == ["a"]

    rows["a"] = row("a", ended=True)
    (merged,) = planned_starts(tree, rows, plan_shards(tree, rows, plan.offsets, LATEST).offsets)
    assert (merged.shard, merged.unread_parents) == ("merged", ()), "the row of its parent has the loss"


def test_a_parent_that_is_gone_is_told_by_its_children_where_they_wait_for_nothing_else() -> None:
    tree = lineage(ListedShard("b"), ListedShard("merged", ("a", "c")))
    offsets = plan_shards(tree, {"b": row("b")}, {"b": "h"}, LATEST, frozenset({"a", "c"})).offsets
    told = {start.shard: start.unread_parents for start in planned_starts(tree, {"b": row("b")}, offsets)}
    assert told == {"b": (), "merged": ("a", "c")}


def test_at_the_first_start_a_past_that_is_gone_is_nobodys_loss() -> None:
    view = StreamView(lineage(LEFT, RIGHT), {}, {})
    assert view.suspects() == frozenset()
    plan = plan_shards(view.lineage, {}, {}, LATEST)
    assert plan.starts == {"left": LATEST, "right": LATEST}
    again = StreamView(view.lineage, {}, plan.offsets)
    assert (again.suspects(), [each.unread_parents for each in planned_starts(view.lineage, {}, plan.offsets)]) == (
        frozenset(),
        [(), ()],
    )


def test_a_row_of_a_shard_that_ended_may_be_removed_once_its_children_have_begun() -> None:
    rows = {"left": row("left", read_through=9)}
    view = StreamView(lineage(LEFT), rows, {"left": "h"})
    assert view.suspects() == frozenset()
    assert plan_shards(view.lineage, rows, view.offsets, LATEST).readable == {"left"}


def test_children_that_a_shard_just_ended_with_are_read_before_a_listing_has_them() -> None:
    ended = replace(row("parent", ended=True), children=("left", "right"), tip_ms=HOURS_24)
    recent = replace(lineage(PARENT), listed_ms=HOURS_24 + 1)
    plan = plan_shards(recent, {"parent": ended}, {}, LATEST)
    assert plan.readable == {"left", "right"}
    assert {each.shard for each in planned_starts(recent, {"parent": ended}, plan.offsets)} == {"left", "right"}
    later = replace(lineage(PARENT), listed_ms=3 * HOURS_24)
    assert plan_shards(later, {"parent": ended}, {}, LATEST).readable == frozenset()


def test_a_merged_shard_that_no_listing_has_yet_waits_for_the_parent_that_nobody_knows() -> None:
    """One child alone comes of a merge; which other shard it comes of says a listing, or that one's own end."""
    a = replace(row("a", ended=True), children=("merged",), tip_ms=HOURS_24)
    recent = replace(lineage(ListedShard("a")), listed_ms=HOURS_24 + 1)
    rows = {"a": a, "b": row("b", read_through=9)}
    plan = plan_shards(recent, rows, {}, LATEST)
    assert (plan.readable, set(plan.waiting)) == ({"b"}, {"merged"})
    assert {each.shard for each in planned_starts(recent, rows, plan.offsets)} == {"b"}
    rows["b"] = replace(row("b", ended=True), children=("merged",), tip_ms=HOURS_24)
    plan = plan_shards(recent, rows, plan.offsets, LATEST)
    assert plan.readable == {"merged"}
    assert {each.shard for each in planned_starts(recent, rows, plan.offsets)} == {"merged"}


def test_a_child_that_no_listing_has_yet_is_ours_since_its_parent_was_last_seen_open() -> None:
    """Not since the stream is read, which would be a loss to retention that never was."""
    ended = replace(row("parent", ended=True), children=("left", "right"), tip_ms=9 * HOURS_24, since_ms=1)
    others = {"old": replace(row("old", read_through=9), since_ms=1000)}
    recent = replace(lineage(PARENT, ListedShard("old")), listed_ms=9 * HOURS_24 + 1)
    found = planned_starts(recent, {"parent": ended, **others}, {"left": "h", "right": "h"})
    assert {each.shard: each.since_ms for each in found} == {"left": 9 * HOURS_24, "right": 9 * HOURS_24}


def test_a_row_that_was_lost_and_taken_again_knows_less_than_the_offset() -> None:
    """Else an engine that dies after it took the row again would send the next one to the shard's beginning."""
    offsets = {"parent": After(Position(9)).text}
    for rows in ({}, {"parent": row("parent")}):
        assert plan_shards(lineage(PARENT), rows, offsets, LATEST).starts == {"parent": After(Position(9))}
    decided = replace(row("parent"), reset=ResumeFrom.TRIM_HORIZON)
    assert plan_shards(lineage(PARENT), {"parent": decided}, offsets, LATEST).starts == {"parent": TrimHorizon()}


def test_at_the_first_start_shards_that_wait_are_pinned_too_and_keep_their_pin() -> None:
    tree = lineage(PARENT, LEFT, RIGHT)
    plan = plan_shards(tree, {}, {}, LATEST)
    assert plan.offsets == {"parent": LATEST.text, "left": LATEST.text, "right": LATEST.text}
    assert [each.shard for each in planned_starts(tree, {}, plan.offsets)] == ["parent"]
    rows = {"parent": replace(row("parent", ended=True), start=LATEST)}
    for offsets in (plan.offsets, {}):  # also where the checkpoint is lost
        assert plan_shards(tree, rows, offsets, TrimHorizon()).starts == {"left": LATEST, "right": LATEST}


def test_a_shard_that_the_first_listing_omitted_is_pinned_as_the_others() -> None:
    offsets = plan_shards(lineage(ListedShard("a")), {}, {}, LATEST).offsets
    plan = plan_shards(lineage(ListedShard("a"), ListedShard("b")), {}, offsets, TrimHorizon())
    assert plan.starts == {"a": LATEST, "b": LATEST}


def test_a_replayed_offset_leaves_out_what_ended_and_what_is_no_longer_there() -> None:
    offsets = {"expired": "h", "parent": "h", "left": "h"}
    rows = {"parent": row("parent", ended=True)}
    assert [each.shard for each in planned_starts(lineage(LEFT), rows, offsets)] == ["left"]


def test_a_shard_is_ours_since_its_parents_were_last_seen_open() -> None:
    tree = replace(lineage(PARENT, LEFT, ListedShard("new")), listed_ms=900)
    rows = {"parent": replace(row("parent", ended=True), tip_ms=500, arrived_ms=400)}
    since = {each.shard: each.since_ms for each in planned_starts(tree, rows, {"left": "h", "new": "h"})}
    assert since == {"left": 500, "new": 900}
    assert [each.since_ms for each in planned_starts(tree, rows, {"new": LATEST.text})] == [0], "its pin says so"
    gone = {"parent": "gone", "left": "h"}
    others = {"a": replace(row("a", ended=True), tip_ms=300), "b": replace(row("b", ended=True), tip_ms=700)}
    (left,) = planned_starts(lineage(LEFT), others, gone)
    assert left.since_ms == 300, "it may be as old as what was seen longest ago"


def test_the_ledger_knows_better_than_the_offsets() -> None:
    rows = {"a": row("a", read_through=50)}
    plan = plan_shards(lineage(ListedShard("a")), rows, {"a": After(Position(20)).text}, LATEST)
    assert plan.starts == {"a": After(Position(50))}


def test_without_a_ledger_row_the_offset_of_the_epoch_before_is_the_start() -> None:
    plan = plan_shards(
        lineage(ListedShard("a"), ListedShard("b")),
        {},
        {"a": After(Position(20)).text, "b": LATEST.text},
        TrimHorizon(),
    )
    assert plan.starts == {"a": After(Position(20)), "b": LATEST}


def test_a_shard_that_ended_in_the_offsets_stays_ended_when_its_row_is_lost() -> None:
    plan = plan_shards(lineage(PARENT, LEFT), {}, {"parent": "end"}, LATEST)
    assert plan.readable == {"left"}
    assert plan.offsets == {"parent": "end", "left": "h"}


@st.composite
def reshardings(draw: st.DrawFn) -> Lineage:
    """Trees grown by random splits and merges of open shards."""
    shards, open_ids = {"s0": ListedShard("s0")}, ["s0"]
    for n in range(draw(st.integers(0, 8))):
        if len(open_ids) > 1 and draw(st.booleans()):
            a, b = open_ids.pop(), open_ids.pop()
            shards[f"m{n}"] = ListedShard(f"m{n}", (a, b))
            open_ids.append(f"m{n}")
        else:
            parent = open_ids.pop(draw(st.integers(0, len(open_ids) - 1)))
            for side in "lr":
                shards[f"c{n}{side}"] = ListedShard(f"c{n}{side}", (parent,))
                open_ids.append(f"c{n}{side}")
    return lineage(*shards.values())


@given(reshardings(), st.randoms(use_true_random=False))
def test_every_shard_becomes_readable_and_never_before_its_parents_ended(tree: Lineage, random) -> None:
    rows: dict[str, ShardRow] = {}
    offsets: dict[str, str] = {}
    for _ in range(len(tree.shards)):
        plan = plan_shards(tree, rows, offsets, LATEST)
        offsets = plan.offsets
        assert plan.readable, "there is always something left to read"
        for shard in plan.readable:
            assert all(rows[parent].ended for parent in tree.shards[shard].parents)
        ending = random.choice(sorted(plan.readable))
        rows[ending] = row(ending, ended=True)
    assert plan_shards(tree, rows, offsets, LATEST).ended == set(tree.shards)


def test_a_shard_that_is_begun_late_is_ours_since_the_first_shards_were_listed() -> None:
    """The shard was left out, or its parents were: what arrived since then and left retention is a loss."""
    tree = lineage(ListedShard("root"), ListedShard("late", ("never-listed",)))
    rows = {"root": replace(row("root"), since_ms=100, tip_ms=900)}
    (late,) = [each for each in planned_starts(tree, rows, {"root": "h", "late": "h"}) if each.shard == "late"]
    assert late.since_ms == 100
    (first,) = [each for each in planned_starts(tree, {}, {"late": "h"}) if each.shard == "late"]
    assert first.since_ms == tree.listed_ms


def test_a_longer_retention_brings_nothing_back_to_a_shard_whose_parents_nobody_read() -> None:
    tree = replace(lineage(ListedShard("late", ("never-read",)), ListedShard("child", ("root",))), retention_hours=168)
    rows = {"root": replace(row("root", ended=True), retention_hours=24), "old": row("old", ended=True)}
    view = StreamView(tree, {**rows, "older": replace(row("older", ended=True), retention_hours=12)})
    assert (view.retention_hours("late"), view.retention_hours("child")) == (12, 24)


def test_a_row_that_was_pinned_to_a_time_is_ours_since_then_and_one_of_an_older_engine_since_now() -> None:
    tree = replace(lineage(ListedShard("a"), ListedShard("b"), ListedShard("c")), listed_ms=900)
    opened = replace(row("b"), channels={"app~b": ChannelEntry(TARGET)})
    rows = {"a": replace(row("a"), start=LATEST), "b": opened, "c": replace(row("c"), since_ms=100)}
    since = {each.shard: each.since_ms for each in planned_starts(tree, rows, dict.fromkeys("abc", "h"))}
    assert since == {"a": 0, "b": 900, "c": 100}


def test_a_shard_without_a_row_counts_with_the_shortest_retention_that_the_shards_before_it_saw() -> None:
    tree = replace(lineage(PARENT, LEFT), retention_hours=168)
    rows = {
        "parent": replace(row("parent", ended=True), retention_hours=24),
        "old": replace(row("old"), retention_hours=48),
    }
    found = {each.shard: each.retention_hours for each in planned_starts(tree, rows, {"left": "h", "old": "h"})}
    assert found == {"left": 24, "old": 168}


def test_a_retention_that_was_raised_brings_back_no_child_that_was_retired() -> None:
    listed_ms = 1_800_000_000_000
    parent = replace(
        row("parent", ended=True), children=("left", "right"), arrived_ms=listed_ms - 4 * HOURS_24, retention_hours=24
    )
    rows = {"parent": parent, "right": row("right", read_through=9)}
    tree = replace(lineage(RIGHT), retention_hours=168, listed_ms=listed_ms)
    assert plan_shards(tree, rows, {}, LATEST).readable == {"right"}
    rows["parent"] = replace(parent, arrived_ms=listed_ms - 1)
    assert plan_shards(tree, rows, {}, LATEST).readable == {"left", "right"}


def test_a_shard_that_nobody_opened_is_ours_since_the_first_plan_however_late_its_row_is_taken_again() -> None:
    """An engine that could not open a channel for a day, or died before it did: what left retention meanwhile is a loss."""
    tree = replace(lineage(PARENT, LEFT, ListedShard("taken"), ListedShard("planned")), listed_ms=900)
    rows = {
        "parent": replace(row("parent", ended=True), tip_ms=500),
        "left": row("left"),
        "taken": row("taken"),
    }
    found = planned_starts(tree, rows, dict.fromkeys(("left", "taken", "planned"), "h"), planned_ms=100)
    assert {each.shard: each.since_ms for each in found} == {"left": 500, "taken": 100, "planned": 100}


def test_a_child_of_what_another_consumer_has_read_is_ours_since_the_first_plan() -> None:
    """Rows that a migration wrote have no times: what left retention before an engine began is a loss all the same."""
    rows = {"parent": row("parent", ended=True), "left": row("left")}
    found = planned_starts(lineage(PARENT, LEFT, RIGHT), rows, dict.fromkeys(("left", "right"), "h"), planned_ms=100)
    assert {each.shard: each.since_ms for each in found} == {"left": 100, "right": 100}


def test_a_shard_may_be_as_old_as_the_first_plan_where_the_rows_that_knew_it_were_lost() -> None:
    """Rows that are left, or were made again, are of other shards: how far those were read says nothing of this one."""
    rows = {"other": replace(row("other"), since_ms=500, arrived_ms=700)}
    tree = lineage(LEFT, ListedShard("root"), ListedShard("other"))
    found = planned_starts(tree, rows, {"parent": "gone", "left": "h", "root": "h"}, planned_ms=100)
    assert {each.shard: each.since_ms for each in found} == {"left": 100, "root": 100}


def test_a_plan_looks_through_the_ledger_s_rows_a_fixed_number_of_times() -> None:
    """However many shards there are: with thousands, a look through all of them for each of them takes seconds an epoch."""

    class Counted(dict[str, ShardRow]):
        looks = 0

        def values(self):  # type: ignore[no-untyped-def, override]
            Counted.looks += 1
            return super().values()

        def keys(self):  # type: ignore[no-untyped-def, override]
            Counted.looks += 1
            return super().keys()

    def looks(shards: int) -> int:
        ids = [f"shardId-{number:012}" for number in range(shards)]
        tree, rows = lineage(*map(ListedShard, ids)), Counted((each, row(each, read_through=5)) for each in ids[::2])
        Counted.looks = 0
        assert len(list(planned_starts(tree, rows, plan_shards(tree, rows, {}, LATEST).offsets))) == shards
        return Counted.looks

    assert looks(40) == looks(4)
