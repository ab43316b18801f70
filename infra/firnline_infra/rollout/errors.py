"""Refusals of a roll-out, and how one ends that did not succeed. Each says what runs now.

RolloutError
├── NotReady             the job would not run; nothing was stopped
├── DeployRunning        another `firnline deploy` is at work
├── DeployDisplaced      this one was taken for dead, and another one went on
├── EngineElsewhere      an engine runs under the application's name that this runtime knows nothing of
├── StillThere           what was to be stopped is not gone in time; nothing was started
├── RolloutFailed        the new engine did not come up
├── RolloutCutOff        a call was refused in the middle, or the deployer's credentials expired
├── NothingToRollBackTo  no earlier deployment ended well
├── RecordUnreadable     a record of a deployment is not ours, or of a newer release
├── UnknownPipeline      the ledger knows no such stream
└── NotQuiet             passing: a paused pipeline has rows in flight yet
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firnline_ingest.errors import Fatal, FirnlineError, Retryable, declared

if TYPE_CHECKING:
    from firnline_infra.runtimes.service import Problem, Run


class RolloutError(FirnlineError):
    """A roll-out could not be made, or did not succeed."""

    id = "FL-5461"


@declared
class NotReady(RolloutError, Fatal):
    """The job would not run. Found before anything was stopped."""

    application: str
    problems: "Sequence[Problem]"
    running: str

    id = "FL-5462"
    message = "The engine of {application} would not start:\n{listed}"
    next_step = "fix what is listed, and run the same command again. Nothing was changed: {running}."
    causes = (
        "The service, the role, the artefact or the application would keep the engine from starting. Nothing was "
        "stopped"
    )
    remedy = "what it lists, each with its next step"

    @property
    def listed(self) -> str:
        return "\n".join(f"  - {each.what}\n    {each.next_step}" for each in self.problems)


@declared
class DeployRunning(RolloutError, Fatal):
    """Two deploys of one environment would stop each other's engines."""

    number: int
    by: str
    since: str

    id = "FL-5463"
    message = "Deployment {number} is at work: {by}, since {since}."
    causes = "Another `firnline deploy` of the environment is at work"
    remedy = (
        "wait for it; it prints how it ended, and the same command then finds nothing to do, or goes on. If it "
        "was killed: its beats stop, and the next firnline deploy takes its place, within half a minute."
    )


@declared
class DeployDisplaced(RolloutError, Fatal):
    """This deploy was out of the bucket's reach, or asleep, for so long that another one took its place."""

    number: int
    by: str

    id = "FL-5464"
    message = "Deployment {number} of {by} has taken the place of this one, which was not heard of for a while."
    causes = "This deploy's machine slept, or could not reach the bucket, and another one took its place"
    remedy = "nothing: the other one goes on from what it found. firnline status says what runs."


@declared
class EngineElsewhere(RolloutError, Fatal):
    """An engine is alive, and none of the runtime's runs is it: a second one would be refused by the ledger."""

    application: str
    holder: str

    id = "FL-5465"
    message = "An engine runs as application {application!r} that was not started here: {holder}."
    causes = "An engine is alive under the application's name, and the runtime has not started it. Nothing was changed"
    remedy = (
        "it was not touched. Stop it where it was started (`firnline stop ENV` ends one that a deployment has started, "
        "also where a person has cancelled its step; firnline stop --config engine.json any other), and what starts it "
        "again; then deploy again."
    )


@declared
class StillThere(RolloutError, Fatal):
    """The run that was to be stopped can still write. Nothing was started in its place."""

    run: "Run"
    seconds: float
    doing: str

    id = "FL-5466"
    message = (
        "Run {run.id} was asked to stop, and after {seconds:.0f} s {doing}: its service calls it {run.state}{words}."
    )
    causes = (
        "The old run was cancelled, and something of it can still write: an unreachable node, a service that does not "
        "let go. **No engine reads now.** Nothing was started in its place"
    )
    remedy = (
        "nothing was started in its place, and nothing is lost that the stream still holds. The same command goes on "
        "from here; if the service never lets go of it, end it there by hand first."
    )

    @property
    def words(self) -> str:
        return f" ({self.run.reason})" if self.run.reason else ""


@declared
class RolloutFailed(RolloutError, Fatal):
    """The new engine did not come up."""

    number: int
    why: str
    current_state: str
    next_step: str

    id = "FL-5467"
    message = "Deployment {number} failed: {why}. {current_state}"
    causes = (
        "The new engine ended, did not begin, or does not read what the old one read. The message says whether the old "
        "one runs again, or was never stopped"
    )
    remedy = "`firnline logs`; fix, and deploy again"


@declared
class RolloutCutOff(RolloutError, Fatal):
    """A call that the roll-out needs was refused after it had begun. What it has done stays."""

    number: int
    error: FirnlineError
    current_state: str
    has_expired: bool
    command: str

    id = "FL-5476"
    message = (
        "Deployment {number} was cut off, because {why}. As far as is known, {current_state}. No row is lost: "
        "unread records stay in the stream until its retention ends. ({error.what})"
    )
    next_step = "{advice}"
    causes = (
        "The deployer's credentials expired in the middle of a roll-out or a stop, or a call was refused there. The message "
        "says what ran when that was known last"
    )
    remedy = "new credentials, and the same command again: it goes on from what it finds"

    @property
    def advice(self) -> str:
        return (
            f"get new credentials (log in again, or run CI's job again), and run {self.command} again at once; it goes on "
            "from what it finds. Nothing is to be granted."
            if self.has_expired
            else f"{self.error.next_step.rstrip('.')}; then run {self.command} again at once: it goes on from what it finds."
        )

    @property
    def why(self) -> str:
        return "the deployer's credentials have expired" if self.has_expired else "a call was refused"


@declared
class NothingToRollBackTo(RolloutError, Fatal):
    """No earlier deployment ended well, or none with another content."""

    place: str

    id = "FL-5468"
    message = "In {place} there is no deployment before this one that ended well and ran something else."
    causes = "No earlier deployment ended well with another content"
    remedy = "go back in your repository, and run firnline up: its engine is then built and deployed like any other."


@declared
class RecordUnreadable(RolloutError, Fatal):
    """A record of a deployment can't be understood."""

    place: str
    why: str

    id = "FL-5471"
    message = "{place} is not a record of a deployment that this release reads: {why}"
    causes = "An object in `deployments/` was written by a newer release, or by another program"
    remedy = "if a newer release wrote it, deploy with that one; if another program did, move it away."


@declared
class UnknownPipeline(RolloutError, Fatal):
    """The ledger knows no such stream."""

    stream: str

    id = "FL-5474"
    message = "The engine has never read a stream named {stream!r}: there is nothing to pause or to resume."
    causes = "`firnline pipeline` named a stream that the engine has never read"
    remedy = "name the stream of a pipeline that is read; firnline status lists them."


@declared
class NotQuiet(RolloutError, Retryable):
    """A paused pipeline still has rows in flight, or is still read."""

    stream: str
    seconds: float
    unproven: Sequence[str]
    is_loading: bool = False
    """True if a file of it may be on its way into the table (`oversize_rows`)."""
    is_engine_there: bool = True

    id = "FL-5475"
    message = "Stream {stream} is paused, and after {seconds:.0f} s it is not quiet{which}: don't change its table yet."
    next_step = "{advice}"
    causes = (
        "A pipeline was paused, and its last rows are not proven yet, or an engine still reads it or loads a file of it, or "
        "none runs that proves them"
    )
    remedy = (
        "the same command again; `firnline logs`; without an engine: resume it, `firnline deploy`, and pause it then"
    )

    @property
    def advice(self) -> str:
        return (
            "firnline logs says what keeps it; the same command waits on. firnline pipeline resume takes it back."
            if self.is_engine_there
            else "no engine runs that proves them, and none proves what is paused: firnline pipeline resume, firnline "
            "deploy, and pause it then."
        )

    @property
    def which(self) -> str:
        found = [
            *([f"{', '.join(self.unproven)} may have rows in flight"] if self.unproven else ()),
            *(["a file of its dead letters may be on its way into the table"] if self.is_loading else ()),
        ]
        return f" ({'; '.join(found)})" if found else ""
