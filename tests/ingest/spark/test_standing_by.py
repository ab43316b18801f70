"""An engine beside another one, second by second: nobody beats twice a second here, and nobody else's clock is asked."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import pytest

from firnline_ingest.ledger.backend import Run, was_let_in
from firnline_ingest.ledger.errors import LedgerForbidden, LedgerUnavailable
from firnline_ingest.ledger.lease import RunLease, held
from firnline_ingest.ledger.standby import BY_HAND, Standby, StandbyState
from firnline_ingest.spark.errors import SparkUnstartable
from firnline_ingest.spark.standing_by import PREPARES_S, TAKES_S, StandingBy
from tests.fakes.ledger import MemoryLedger

OLD, NEW = Run("old", "the old engine", start="1-a"), Run("new", "the new engine", start="2-b", configuration="c0ffee")
LIMIT_S = 600.0


@dataclass
class World:
    """A second passes whenever somebody waits; `at` says what happens then."""

    ledger: MemoryLedger = field(default_factory=MemoryLedger)
    preparation: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(is_over=False, failure=None))
    now_s: float = 0.0
    at: dict[int, Callable[[], object]] = field(default_factory=dict)
    old_beats: bool = True
    wanted_until_s: float = float("inf")

    def wait(self, seconds: float) -> bool:
        self.now_s += seconds
        if self.old_beats:
            self.ledger.beat(OLD.run_id)
        if (happens := self.at.get(round(self.now_s))) is not None:
            happens()
        return self.now_s >= self.wanted_until_s

    def stands_by(self) -> bool:
        lease = RunLease(self.ledger, "app", NEW, sleep=self.wait)
        standby = StandingBy(self.ledger, lease, LIMIT_S, self.wait, 1.0, clock=lambda: self.now_s)
        return standby.until_it_is_ours(self.preparation)

    @property
    def holder(self) -> str | None:
        run = self.ledger.current_run()
        return run.run_id if run else None

    @property
    def row(self) -> Standby:
        row = self.ledger.standby()
        assert row is not None
        return row

    def is_prepared(self) -> None:
        self.preparation.is_over = True


@pytest.fixture
def world() -> World:
    """The old engine runs; the new one is ready after 20 s."""
    world = World()
    assert world.ledger.begin_run(OLD, None)
    world.at[20] = world.is_prepared
    return world


def gives_back(world: World) -> Callable[[], None]:
    def end() -> None:
        world.old_beats = False
        world.ledger.end_run(OLD.run_id)

    return end


def test_it_takes_over_in_the_second_after_the_old_one_gave_the_application_back(world: World) -> None:
    world.at |= {30: lambda: world.ledger.admit(NEW.run_id), 40: gives_back(world)}
    assert world.stands_by()
    assert (world.holder, world.row.state) == (NEW.run_id, StandbyState.TAKEN)
    assert world.now_s <= 41


def test_it_shows_what_it_runs_with_and_when_it_is_ready(world: World) -> None:
    seen = dict[int, Standby]()
    world.at |= {second: lambda second=second: seen.setdefault(second, world.row) for second in (5, 10, 25)}
    world.wanted_until_s = 26
    assert not world.stands_by()
    assert [seen[second].state for second in (5, 10, 25)] == ["preparing", "preparing", "ready"]
    assert (seen[5].start, seen[5].configuration, seen[5].holder) == (NEW.start, NEW.configuration, NEW.holder)
    assert seen[5].beat < seen[10].beat < seen[25].beat


def test_it_is_promoted_before_it_is_ready_and_takes_over_when_it_is(world: World) -> None:
    world.at |= {5: lambda: world.ledger.admit(NEW.run_id), 10: gives_back(world)}
    seen = list[object]()
    world.at[19] = lambda: seen.append(world.holder)
    assert world.stands_by()
    assert seen == [None]


def test_a_free_application_is_not_taken_by_one_that_nobody_has_let_in(world: World) -> None:
    world.at[30] = gives_back(world)
    assert not world.stands_by()
    assert world.holder is None
    assert (world.row.state, world.now_s) == (StandbyState.ENDED, 20 + LIMIT_S + 1)
    assert "nobody let it take over within 600 s" in world.row.told


def test_an_old_engine_that_was_killed_is_followed_after_the_usual_look(world: World) -> None:
    def dies() -> None:
        world.old_beats = False

    world.at |= {30: lambda: world.ledger.admit(NEW.run_id), 40: dies}
    assert world.stands_by()
    assert world.holder == NEW.run_id
    assert 50 <= world.now_s <= 55


def test_an_old_engine_that_goes_on_is_waited_for_within_a_bound(world: World) -> None:
    world.at[30] = lambda: world.ledger.admit(NEW.run_id)
    assert not world.stands_by()
    assert world.holder == OLD.run_id
    assert "was not given back within 900 s" in world.row.told
    assert world.now_s <= 30 + TAKES_S + 5


def test_spark_that_does_not_come_up_is_waited_for_within_a_bound(world: World) -> None:
    del world.at[20]
    assert not world.stands_by()
    assert "Spark was not up after 1200 s" in world.row.told
    assert world.now_s <= PREPARES_S + 2


def test_what_failed_while_it_was_prepared_is_told_and_raised(world: World) -> None:
    world.at[10] = lambda: setattr(world.preparation, "failure", SparkUnstartable("no memory"))
    with pytest.raises(SparkUnstartable):
        world.stands_by()
    assert (world.row.state, world.holder) == (StandbyState.ENDED, OLD.run_id)
    assert world.row.told.startswith("[FL-1206] Spark did not start: no memory")


def test_a_newer_standby_has_its_place_and_it_takes_nothing_any_more(world: World) -> None:
    """The older standby's deployer was taken for dead, and wakes up."""
    newer = Standby("newer", "another process", "3-c")
    world.at |= {
        30: lambda: world.ledger.stand_by(newer, world.ledger.standby()),
        31: lambda: world.ledger.admit(NEW.run_id),
        32: gives_back(world),
    }
    assert not world.stands_by()
    assert (world.row, world.holder) == (newer, OLD.run_id if world.now_s < 32 else None)


def test_a_start_that_gave_way_to_a_later_one_does_not_come_back_when_its_service_starts_it_again(world: World) -> None:
    """Both programs were killed, and both services start them again: the later deploy's is the standby."""
    later = Standby("later", "another process", "3-c")
    world.ledger.stand_by(Standby("before", NEW.holder, NEW.start), world.ledger.standby())
    taken = later.in_place_of(world.ledger.standby())
    assert taken is not None
    world.ledger.stand_by(taken, world.ledger.standby())
    assert not world.stands_by()
    assert (world.row, world.now_s) == (taken, 0.0), "at once, and the other's row is as it was"
    again = replace(later, run_id="later-2").in_place_of(world.row)
    assert again.displaced == (NEW.start,)


@dataclass
class RacedLedger(MemoryLedger):
    """Something happens once between a look at the standby's row and the write that follows it."""

    between: Callable[[], object] = lambda: None

    def __post_init__(self) -> None:
        super().__init__()

    def stand_by(self, standby: Standby, replaces: Standby | None) -> bool:
        between, self.between = self.between, lambda: None
        between()
        return super().stand_by(standby, replaces)


def test_a_start_that_is_let_in_while_its_service_starts_it_again_was_let_in(world: World) -> None:
    """The deployer has asked the old engine to stop by then: nobody would let this one in again."""
    world.ledger = ledger = RacedLedger()
    ledger.begin_run(OLD, None)
    ledger.stand_by(Standby("before", NEW.holder, NEW.start, state=StandbyState.READY), None)
    ledger.between = lambda: ledger.admit("before")
    world.at |= {5: world.is_prepared, 8: gives_back(world)}
    assert world.stands_by()
    assert world.holder == NEW.run_id


def test_an_earlier_start_does_not_take_the_row_from_a_later_one_that_came_between_its_look_and_its_write(
    world: World,
) -> None:
    world.ledger = ledger = RacedLedger()
    ledger.begin_run(OLD, None)
    before = Standby("before", NEW.holder, NEW.start)
    ledger.stand_by(before, None)
    later = Standby("later", "another process", "3-c").in_place_of(before)
    assert later is not None
    ledger.between = lambda: ledger.stand_by(later, before)
    assert not world.stands_by()
    assert ledger.standby() == later


@pytest.mark.parametrize(
    ("before", "displaced"),
    [
        (None, ()),
        (Standby("x", "h", "2-b", displaced=("1-a",)), ("1-a",)),
        (Standby("x", "h", "3-c", displaced=("1-a",)), ("1-a", "3-c")),
        (Standby("x", "h", BY_HAND), ()),
        (Standby("x", "h", "3-c", displaced=("2-b",)), None),
        (Standby("x", "h", "n", displaced=tuple(map(str, range(10)))), (*map(str, range(1, 10)), "n")),
    ],
    ids=["first", "the same start", "a later start", "by hand", "gave way", "bounded"],
)
def test_a_standby_remembers_the_starts_that_gave_way(
    before: Standby | None, displaced: tuple[str, ...] | None
) -> None:
    row = Standby("new", "holder", "2-b").in_place_of(before)
    assert (row.displaced if row else None) == displaced


def test_of_two_that_were_let_in_one_after_the_other_one_has_the_application(world: World) -> None:
    """Another engine is faster by a moment: the lease decides, as ever."""
    other = Run("other", "an engine of a person")

    def is_faster() -> None:
        gives_back(world)()
        world.ledger.begin_run(other, None)
        world.at.update({second: lambda: world.ledger.beat(other.run_id) for second in range(41, 2000)})

    world.at |= {30: lambda: world.ledger.admit(NEW.run_id), 40: is_faster}
    assert not world.stands_by()
    assert world.holder == other.run_id


def test_a_ledger_out_of_reach_for_a_while_ends_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    beat = world.ledger.beat_standby

    def trouble(run_id: str, state: StandbyState, told: str) -> Standby | None:
        if 22 <= world.now_s <= 60:
            raise LedgerUnavailable("ledger", "a test")
        return beat(run_id, state, told)

    monkeypatch.setattr(world.ledger, "beat_standby", trouble)
    world.at |= {30: lambda: world.ledger.admit(NEW.run_id), 40: gives_back(world)}
    assert world.stands_by()
    assert 61 <= world.now_s <= 62


def test_a_ledger_that_is_closed_to_us_is_said_so(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: object) -> None:
        raise LedgerForbidden("ledger", "UpdateItem", "no")

    monkeypatch.setattr(world.ledger, "beat_standby", refuses)
    with pytest.raises(LedgerForbidden):
        world.stands_by()


def test_who_was_let_in_once_stands_by_no_more_when_its_service_starts_it_again() -> None:
    ledger = MemoryLedger()
    assert not was_let_in(ledger, NEW.start)
    ledger.stand_by(Standby(NEW.run_id, NEW.holder, NEW.start), ledger.standby())
    assert not was_let_in(ledger, NEW.start)
    ledger.admit(NEW.run_id)
    assert was_let_in(ledger, NEW.start)
    assert ledger.begin_run(NEW, None)
    ledger.stand_by(Standby("third", "the next roll-out's", "3-c"), ledger.standby())
    assert was_let_in(ledger, NEW.start), "it holds the application, whoever stands by beside it"
    ledger.end_run(NEW.run_id)
    assert was_let_in(ledger, NEW.start), "it ended with a failure, and its service starts it again"
    with held(RunLease(ledger, "app", sleep=lambda _: None)):
        pass
    assert was_let_in(ledger, NEW.start), "a person resumed a shard before its service started it again"
    assert not was_let_in(ledger, "3-c")
