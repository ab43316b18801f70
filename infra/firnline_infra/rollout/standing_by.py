"""Waits until a run that was started to stand by is ready to take over. Until then nothing of the old engine was touched."""

from dataclasses import dataclass

from firnline_infra.rollout.context import RolloutContext
from firnline_infra.runtimes.service import Run, RunState
from firnline_infra.runtimes.waiting import WaitsFor, lacks_a_node
from firnline_ingest.ledger.standby import Standby, StandbyState


class NoRoom(Exception):
    """The program of the standby's run has not begun in time: it finds no machines beside the old one's."""


class StandbyFailed(Exception):
    """The reason why the new engine does not stand by; the old one runs on."""


class NeverBegan(StandbyFailed):
    """The reason why its program can't begin: there is no log that says more."""


def standby_of(row: Standby | None, run: Run) -> Standby | None:
    """The row of the run that stands by, or has stood by; None if it is another one's."""
    return row if row is not None and run.start and row.start == run.start else None


@dataclass(frozen=True, slots=True)
class StandbyWait:
    """Waits for one run."""

    context: RolloutContext
    run: Run

    def until_ready(self) -> Standby:
        """The row of the standby: everything is up, and it beats; or it has taken the application over. Raises
        StandbyFailed, and NoRoom.
        """
        clock, timeouts = self.context.clock, self.context.timeouts
        began_s, begun_s, is_known, seen = clock(), float("inf"), False, -1
        hopeless_s = float("inf")
        while True:
            now, row = self.context.service.look(self.run), standby_of(self.context.ledger.standby(), self.run)
            self.context.seen(now)
            if row is not None and (row.state is StandbyState.TAKEN or _is_ready(row, seen)):
                return row
            seen = row.beat if row is not None else -1
            is_known = is_known or now.state is not RunState.UNKNOWN
            self._refuse_if_failed(now, row, is_young=not is_known and clock() - began_s < timeouts.visible_s)
            if row is not None:
                begun_s = min(begun_s, clock())
            else:
                hopeless_s = min(hopeless_s, clock()) if now.waits_for is WaitsFor.CORRECTION else float("inf")
                self._refuse_if_it_never_begins(now, waited_s=clock() - began_s, hopeless_s=clock() - hopeless_s)
            if clock() - begun_s > timeouts.begin_s:
                raise StandbyFailed(f"run {now.id} is {now.described}, and its engine does not get ready")
            self.context.wait()

    def _refuse_if_it_never_begins(self, now: Run, *, waited_s: float, hopeless_s: float) -> None:
        """Raises NoRoom only where its service's words are of room. Nodes of another kind, and what no words are for, are waited
        for: nothing says that stopping the old engine would help."""
        timeouts, what = self.context.timeouts, f"run {now.id} is {now.described}, and its program has not begun"
        if hopeless_s >= timeouts.passing_s:
            raise NeverBegan(f"run {now.id} can't begin as it is: {now.described}")
        if waited_s > timeouts.room_s and now.waits_for is WaitsFor.ROOM:
            raise NoRoom(what)
        if waited_s > timeouts.room_s and lacks_a_node(now.reason):
            raise NeverBegan(
                f"{what}: no node is of the kind that it asks for, and none was made in {timeouts.room_s:.0f} s"
            )
        if waited_s > timeouts.begin_s:
            raise NeverBegan(what)

    def _refuse_if_failed(self, now: Run, row: Standby | None, *, is_young: bool) -> None:
        why = row.told if row is not None and row.told else now.reason or "its service does not say why"
        if not now.state.is_active and not is_young:
            raise StandbyFailed(f"run {now.id} is {now.state}: {why}")
        if now.attempt - self.run.attempt + 1 >= self.context.timeouts.attempts:
            raise StandbyFailed(f"run {now.id} was started {now.attempt} times by its service: {why}")


def _is_ready(row: Standby, seen: int) -> bool:
    return row.state is StandbyState.READY and 0 <= seen < row.beat
