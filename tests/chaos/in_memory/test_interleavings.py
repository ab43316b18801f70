"""Whatever happens between any two effects, every record ends up in one place, once, in order; and receipts have counted it."""

import json
from collections.abc import Callable, Sequence

import pytest

from firnline_ingest.shard.receipt import Receipt
from tests.chaos.in_memory.conftest import World
from tests.tiers import seeds

RUNS, PER_TEST = 420, 35


@pytest.mark.chaos
@pytest.mark.parametrize("first", seeds(range(0, RUNS, PER_TEST)))
def test_every_record_is_in_one_place_once_and_in_order(run_seed: Callable[[int], World], first: int) -> None:
    whole = []
    for seed in range(first, first + PER_TEST):
        world = run_seed(seed)
        problem = verdict(world)
        assert problem is None, f"seed {seed}: {problem}"
        rows, letters = surplus_of(world, world.reported)
        assert rows == 0, f"seed {seed}: {rows} rows more in the receipts than there are"
        if world.row.incidents:  # a row that was lost took along the dead letters that no receipt had reported
            assert letters <= 0 or world.had_others, f"seed {seed}: {letters} dead letters are in two receipts"
        else:
            whole.append(seed)
            assert letters == 0, f"seed {seed}: {letters} dead letters more in the receipts than there are"
            assert min(surplus_of(world, world.receipts)) >= 0, f"seed {seed}: lost, and in no receipt by itself"
    assert len(whole) > PER_TEST / 2


def verdict(world: World) -> str | None:
    fatal = [r.problem for r in world.receipts if r.problem is not None and not r.problem.is_retryable]
    if fatal:
        return f"an engine gave up: {fatal[0]}"
    wanted: dict[str, list[int]] = {"good": [], "rejected": [], "unusable": []}
    for record in world.stream.shard().records:
        kind = next((kind for kind in ("good", "rejected") if kind.encode() in record.data), "unusable")
        wanted[kind].append(record.sequence_number)
    found = {
        "good": numbers(world.served.rows),
        "rejected": numbers(world.served.rejected),
        "unusable": sorted(int(letter.sequence_number) for letter in world.dead_letters.list()),
    }
    if found != wanted:
        return f"found {found}, wanted {wanted}"
    row, state = world.row, world.served.state
    if row.read_through != world.stream.shard().last_position:
        return f"the ledger stands at {row.read_through}"
    (entry,) = row.channels.values()
    if (entry.proven.position, entry.proven.rows_inserted, entry.proven.rows_error) != (
        state.committed,
        state.rows_inserted,
        state.rows_error,
    ):
        return f"the ledger has {entry.proven}, the channel {state}"
    return None


def surplus_of(world: World, receipts: Sequence[Receipt]) -> tuple[int, int]:
    """Returns how many rows and dead letters the receipts have more than there are; below 0 if they have fewer."""
    rows, letters = (sum(getattr(each, name) for each in receipts) for name in ("rows", "dead_letters"))
    return rows - len(world.served.rows) - len(world.served.rejected), letters - len(list(world.dead_letters.list()))


def numbers(rows: list[bytes]) -> list[int]:
    return [int(json.loads(row)["KINESISMETADATA"]["sequenceNumber"]) for row in rows]
