from hypothesis import given
from hypothesis import strategies as st

from firnline_ingest.kinesis.lineage import Lineage, ListedShard
from firnline_ingest.kinesis.start import After, AtTimestamp, TrimHorizon
from firnline_ingest.ledger.plan import plan_shards, unread_parents
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.values import Position, ShardKey

LATEST = AtTimestamp(1_700_000_000_000)


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


def test_a_parent_that_is_no_longer_listed_does_not_hold_its_child_back_but_is_named() -> None:
    rows = {"parent": row("parent", read_through=9)}
    tree = lineage(LEFT)
    assert plan_shards(tree, rows, {}, LATEST).readable == {"left"}
    assert unread_parents("left", tree, rows) == ("parent",)
    assert unread_parents("left", tree, {"parent": row("parent", ended=True)}) == ()


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
