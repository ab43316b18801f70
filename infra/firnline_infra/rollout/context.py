"""Clients, timeouts and output of one roll-out."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from firnline_infra.rollout.phases import Phases
from firnline_infra.rollout.records import Claim
from firnline_infra.rollout.shards import EngineLedger
from firnline_infra.runtimes.service import EngineService, Run, RunState
from firnline_ingest.activity import waiting_for
from firnline_ingest.errors import FirnlineError


@dataclass(frozen=True, kw_only=True)
class Timeouts:
    """Timeouts of a roll-out, in seconds, and `attempts`."""

    stop_s: float = 300.0
    """For the old engine to prove its last rows: the engine's own bounds end before."""
    heartbeat_s: float = 12.0
    """How long without a heartbeat until an engine counts as dead (ledger/lease.py looks for ten beats)."""
    grace_s: int = 120
    """The grace that a cancelled run is given; the services take 15 to 1,800 seconds."""
    gone_s: float = 420.0
    """For everything of a cancelled run to be gone, its grace included."""
    visible_s: float = 60.0
    """For a service to show a run that it has just accepted: until then it may answer that there is none."""
    begin_s: float = 900.0
    """For the new engine to hold the application, and then for its Spark to come up: machines are fetched for the driver,
    and then for executors, and an image is pulled on each."""
    room_s: float = 300.0
    """For the program of a standby's run to begin: one that its service lets wait for room longer finds none beside the old
    one."""
    passing_s: float = 15.0
    """For what keeps a program from beginning to pass by itself: a registry that was away, a secret that comes a moment later."""
    serve_s: float = 300.0
    """For it to open all shards, once its Spark is up."""
    tip_s: float = 60.0
    """For it to reach the tip, which a backlog may well make longer: that fails nothing."""
    attempts: int = 3
    """Starts of the new program by its service, with which it counts as failed."""
    poll_interval_s: float = 1.0
    """The pause between two polls."""


@dataclass(slots=True, kw_only=True)
class RolloutContext:
    """The context of one deploy, or one stop."""

    service: EngineService
    ledger: EngineLedger
    claim: Claim | None
    """The deployment that is carried out; None as long as nothing is changed."""
    timeouts: Timeouts
    say: Callable[[str], None]
    sleep: Callable[[float], None]
    clock: Callable[[], float]
    now: Callable[[], float]
    """Seconds since 1970."""
    current_state: str = "nothing was changed"
    """A clause that says what runs, as far as is known; for messages of a roll-out that ends without asking again."""
    phases: Phases = field(init=False)
    _was_running: bool = False

    def __post_init__(self) -> None:
        self.phases = Phases(self.clock)

    def wait(self) -> None:
        """Pauses between two looks, and says so: other deployers see that this one lives. Raises DeployDisplaced."""
        if self.claim is not None:
            self.claim.beat()
        with waiting_for("what the engine and its service report"):
            self.sleep(self.timeouts.poll_interval_s)

    def seen(self, now: Run) -> None:
        """A look at the new engine's run. Keeps the log of an attempt that has ended, before its service starts the next one in
        its place: a pod's goes with the pod."""
        if self._was_running and now.state is RunState.STARTING:
            self.keep_log(now)
        self._was_running = now.state is RunState.RUNNING

    def keep_log(self, run: Run) -> None:
        """Keeps a run's log as far as it can be read now; what was kept before stays where it can't."""
        if self.claim is not None:
            with suppress(FirnlineError):
                self.claim.keep_log(run.id, self.service.log_lines(run))

    def step(self, doing: str) -> None:
        """Notes what is done next; has to come before anything that two deployers must not both do. Raises DeployDisplaced."""
        if self.claim is not None:
            self.claim.step(doing)
