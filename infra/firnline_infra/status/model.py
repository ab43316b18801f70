"""The status of one environment. Pure data: CLI, JSON and page are made of it, and of nothing else."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from firnline_infra.redshift.status import ViewStatus
from firnline_infra.rollout.records import DeploymentRecord
from firnline_infra.runtimes.service import Run
from firnline_infra.status.causes import ProblemCause, by_cause, is_lasting
from firnline_ingest.errors import url_of
from firnline_ingest.ledger.engine_report import EngineProblem, EngineReport, MinuteCounts
from firnline_ingest.values import moment

GOOD, NOT_READ = 0, 3
OF_A_DEPLOYMENT = ("number", "hash", "outcome", "by", "began", "told", "run", "step", "went_back_to")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardStatus:
    stream: str
    shard: str
    is_read: bool
    """By the engine that holds the application, and without a problem that keeps it from that."""
    behind_s: float | None
    """Everything that arrived before so many seconds ago is accounted for; None where nothing was read yet. A shard's row is
    written every half a minute where nothing arrives."""
    read_behind_s: float | None = None
    """How far behind its tip the shard was read, at the engine's last report; None where it told nothing."""
    sent_s: float | None = None
    """How long ago rows were sent last; None where none ever were."""
    uncommitted_s: float = 0
    """For how long rows have waited while Snowflake committed none of the shard's, at the engine's last report."""
    uncommitted_rows: int = 0
    """That wait."""
    unproven: bool
    """True if rows may have been sent that are not proven yet."""
    rows: int = 0
    """That were committed, as far as that is proven, since the shard's channels were made."""
    rejected_rows: int = 0
    """Rows that its tables refused since its channels were made, as far as that is proven or was accepted."""
    idle_s: float | None
    """For how long no record has come, where it was seen read to its tip; None where that is not known."""
    is_idle: bool
    """True if that is its pipeline's `idle_after_seconds` or more."""
    time_to_trim_s: float | None
    """Until Kinesis drops the oldest record that is not accounted for; None where nothing was read yet, or it has ended."""
    retention_s: int = 0
    """Of the stream; 0 where nothing was read yet."""
    has_ended: bool
    is_paused: bool
    """True if a person has paused its pipeline."""
    children: Sequence[str] = ()
    """The shards that it was split or merged into, where it has ended."""
    problem: str = ""
    """The id of what keeps it from being read, of its own or of its pipeline; empty where nothing does."""

    @property
    def should_be_read(self) -> bool:
        return not self.has_ended and not self.is_paused

    @property
    def commit_lag_s(self) -> float | None:
        """Seconds by which the shard is committed behind its tip; None where nothing was read yet.

        What was read is committed where no row is in flight; the ledger's own time is half a minute old where nothing arrives.
        """
        if self.is_read and not self.unproven and self.read_behind_s is not None and self.behind_s is not None:
            return min(self.behind_s, self.read_behind_s)
        return self.behind_s

    def as_document(self) -> dict[str, Any]:
        url = url_of(self.problem) if self.problem else ""
        return {**asdict(self), "commit_lag_s": self.commit_lag_s, "problem_url": url}


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentStatus:
    stream: str
    shard: str
    kind: str
    last_ms: int
    count: int
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StandbyStatus:
    holder: str
    """The process."""
    whose: str
    """The id of the run that it is of."""
    hash: str
    """Of that run's job."""
    state: str
    """`preparing` or `ready`."""
    is_promoted: bool
    """True if a deploy has told it to take over, once the application is free."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterReason:
    """Dead letters of one stream and reason, with a few of them."""

    stream: str
    reason: str
    count: int
    last_arrived: str
    """ISO 8601; empty where no arrival is known."""
    samples: Sequence[Mapping[str, str]]
    """Each with its `key`, `detail` and the beginning of its bytes as `text`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterStatus:
    where: str
    reasons: Sequence[LetterReason]
    is_complete: bool
    """True if all of the last day were looked at; else the first so many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFinding:
    """One difference or problem of a check."""

    what: str
    next_step: str
    """Empty where the check says none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckStatus:
    """The last `firnline drift` or `firnline audit` of an application."""

    application: str
    name: str
    at: str
    """ISO 8601, with an offset."""
    exit_status: int
    summary: str
    ran_in: str = ""
    """The address of CI's run; empty where it ran on a person's machine."""
    findings: tuple[CheckFinding, ...] = ()
    """The first ones."""
    embedded_at: str = ""
    """The endpoint of the embedded environment that it is of; empty for accounts."""

    @property
    def moment(self) -> datetime:
        """Raises ValueError where `at` is not a time with an offset."""
        return moment(self.at)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceStatus:
    """The runtime's report and the deployments' records; an engine that was started by hand has neither."""

    runs: Sequence[Run] = ()
    """That are active, oldest first."""
    last_run: Run | None = None
    """The newest deployment's, where it has ended."""
    deployments: Sequence[DeploymentRecord] = ()
    """Newest first."""


@dataclass(frozen=True, slots=True)
class Verdict:
    kind: str
    """`good`, `waiting` for an engine that starts, or `bad`."""
    title: str
    text: str
    ids: tuple[str, ...] = ()
    """Of the errors that the text does not explain."""

    def as_document(self) -> dict[str, Any]:
        ids = [{"id": each, "url": url_of(each)} for each in self.ids]
        return {"kind": self.kind, "title": self.title, "text": self.text, "ids": ids}


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentStatus:
    application: str
    at_ms: int
    """By this machine's clock."""
    service: ServiceStatus
    holder: str
    """The process that holds the application; empty where none does."""
    whose: str
    """The id of the run that the holder is of, or `by hand`; empty where that is not known."""
    is_beating: bool
    heard_ms: int
    """The time at which an engine has written anything last, by its machine's clock; 0 where none has."""
    version: str = ""
    """Of the engine that holds the application."""
    configuration: str = ""
    """The hash of its configuration."""
    rows_by: str = ""
    """What makes its rows: firnline-native, or Python and why."""
    waiting: int
    """Shards that the holder has no room for: executors or cores are too few (FL-1211)."""
    report: EngineReport | None
    """The newest engine's of itself."""
    is_own_report: bool
    """True if it is of the engine that holds the application; else of one before, whose last words these were."""
    standby: StandbyStatus | None
    """The engine that stands by, of a run that is there."""
    shards: Sequence[ShardStatus]
    incidents: Sequence[IncidentStatus]
    """The last ones, newest first."""
    letters: LetterStatus | None = None
    checks: Sequence[CheckStatus] = ()
    views: Sequence[ViewStatus] = ()
    """Of Redshift, which read the same streams."""
    notes: Sequence[str] = ()
    """What could not be looked at, and why."""

    @property
    def at(self) -> datetime:
        return datetime.fromtimestamp(self.at_ms / 1000, UTC)

    @property
    def problems(self) -> Sequence[EngineProblem]:
        return self.report.problems if self.report else ()

    @property
    def causes(self) -> Sequence[ProblemCause]:
        """The problems, one a cause."""
        return by_cause(self.problems)

    @property
    def is_troubled(self) -> bool:
        """True if the engine that holds the application has stopped something, or has had a problem for minutes."""
        report = self.report if self.is_own_report else None
        return report is not None and any(each.has_stopped or is_lasting(each, report) for each in report.problems)

    @property
    def minutes(self) -> Sequence[MinuteCounts]:
        return self.report.minutes if self.report else ()

    @property
    def unread(self) -> Sequence[ShardStatus]:
        """The shards that should be read, and are not."""
        return [each for each in self.shards if each.should_be_read and not each.is_read]

    @property
    def worst_lag_s(self) -> float | None:
        """The commit lag of the slowest shard that should be read; None where nothing is known of one."""
        return max(
            (each.commit_lag_s for each in self.shards if each.should_be_read and each.commit_lag_s is not None),
            default=None,
        )

    @property
    def exit_status(self) -> int:
        """0 where an engine is alive, nothing has stopped or been in trouble for minutes, every shard that should be read is,
        and no view of Redshift is blocked or missing; else 3."""
        is_read = self.is_beating and not self.unread and not self.is_troubled and not self.waiting
        return GOOD if is_read and all(each.is_good for each in self.views) else NOT_READ

    def as_document(self) -> dict[str, Any]:
        """The status for programs; a field may be added, and none is renamed."""
        deployments = [_deployment(each) for each in self.service.deployments]
        return {
            "application": self.application,
            "at": _time(self.at_ms),
            "exit_status": self.exit_status,
            "verdict": verdict_of(self).as_document(),
            "worst_lag_s": self.worst_lag_s,
            "is_running": self.is_beating,
            "runs": [_run(run) for run in self.service.runs],
            "last_run": _run(self.service.last_run) if self.service.last_run else None,
            "deployment": deployments[0] if deployments else None,
            "deployments": deployments,
            "engine": self._engine() if self.holder else None,
            "report": self._report(),
            "is_troubled": self.is_troubled,
            "problems": [_problem(each) for each in self.causes],
            "standby": asdict(self.standby) if self.standby else None,
            "shards": [each.as_document() for each in self.shards],
            "incidents": [asdict(each) for each in self.incidents],
            "minutes": [asdict(each) for each in self.minutes],
            "dead_letters": asdict(self.letters) if self.letters else None,
            "checks": [asdict(each) for each in self.checks],
            "views": [each.as_document(self.at) for each in self.views],
            "notes": list(self.notes),
        }

    def _engine(self) -> dict[str, Any]:
        return {
            "holder": self.holder,
            "is_beating": self.is_beating,
            "heard": _time(self.heard_ms),
            "whose": self.whose,
            "waiting_shards": self.waiting,
            "version": self.version,
            "rows_by": self.rows_by,
            "configuration": self.configuration,
        }

    def _report(self) -> dict[str, Any] | None:
        if self.report is None:
            return None
        return {
            "is_of_this_engine": self.is_own_report,
            "at": _time(self.report.at_ms),
            "began": _time(self.report.began_ms),
            "ended": _time(self.report.ended_ms),
            "epochs": self.report.epochs,
            "version": self.report.version,
            "all_problems": self.report.all_problems,
        }


def _run(run: Run) -> dict[str, Any]:
    return {**asdict(run), "state": run.state.value, "since": run.since.isoformat() if run.since else None}


def _deployment(record: DeploymentRecord) -> dict[str, Any]:
    return {name: getattr(record, name) for name in OF_A_DEPLOYMENT}


def _problem(cause: ProblemCause) -> dict[str, Any]:
    times = {"since": _time(cause.problem.since_ms), "next_try": _time(cause.problem.next_try_ms)}
    said = {name: value for name, value in asdict(cause.problem).items() if not name.endswith("_ms")}
    return said | times | {"shards": list(cause.shards), "url": url_of(cause.problem.id)}


def _time(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="seconds") if ms else ""


def verdict_of(found: EnvironmentStatus) -> Verdict:
    """Returns what a person has to know first; a status that ends with 0 is good."""
    return next(_verdicts(found))


def _verdicts(found: EnvironmentStatus) -> Iterator[Verdict]:
    unread = found.unread
    how = f"{_shards(len(unread))} {'is' if len(unread) == 1 else 'are'} not read"
    if not found.holder:
        waits = "Records wait in the stream; nothing is lost before the time in Data loss in."
        yield Verdict("bad", "No engine is running", waits if found.shards else "Nothing was ever read.")
    if not found.is_beating:
        what = "It was killed, or is frozen; another one takes its place ten seconds after it starts."
        yield Verdict("bad", "The engine has no heartbeat", what)
    if not found.is_own_report and unread:
        yield Verdict("waiting", "The engine is starting", f"{how} yet, and none of its epochs has ended.")
    if unread:
        yield _why("bad", how, found, unread)
    if found.is_troubled:
        yield _why("bad", "Something keeps the engine from going on", found, unread)
    if found.waiting:
        text = "Executors or cores are too few for them."
        yield Verdict("bad", f"{_shards(found.waiting)} wait for room", text, ("FL-1211",))
    if not found.shards:
        yield Verdict("waiting", "The engine is starting", "No shard has been opened yet.")
    if views := sum(not each.is_good for each in found.views):
        title = (
            f"{views} view{'' if views == 1 else 's'} of Redshift {'is' if views == 1 else 'are'} blocked or missing"
        )
        text = "Every shard is read into Snowflake. The view has what is wrong with it, and the next step."
        yield Verdict("bad", title, text)
    shards = [each for each in found.shards if each.should_be_read]
    lag = _lag(found.worst_lag_s or 0.0)
    yield Verdict("good", "Every shard is read", f"{_shards(len(shards))}, committed within {lag} of now.")


def _why(kind: str, title: str, found: EnvironmentStatus, unread: Sequence[ShardStatus]) -> Verdict:
    if found.is_own_report and found.causes:
        count = len(found.causes)
        said = f"{count} problem{'' if count == 1 else 's'}, each with its next step. Records wait in the stream."
        return Verdict(kind, title, said)
    ids = tuple(dict.fromkeys(each.problem for each in unread if each.problem))
    return Verdict(
        kind,
        title,
        "Records wait in the stream. The cause, and the next step:" if ids else "The engine takes them over.",
        ids,
    )


def _shards(count: int) -> str:
    return f"{count:,} shard{'' if count == 1 else 's'}"


def _lag(seconds: float) -> str:
    """The duration as the page writes it: tenths below ten seconds."""
    for unit, length in (("days", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.0f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 10 or seconds == int(seconds) else f"{seconds:.1f} s"
