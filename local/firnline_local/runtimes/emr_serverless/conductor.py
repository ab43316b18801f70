"""Carries a run through its states: a thread for each run waits for its turn, launches attempts, and judges how they end."""

import threading
from collections.abc import Callable, Sequence
from datetime import datetime

from firnline_local.runtimes.emr_serverless.job_run import JobRun, State
from firnline_local.runtimes.emr_serverless.submitted import submission_of
from firnline_local.runtimes.jobs.submission import Launcher, LaunchRefused, Running

STREAMING_GRACE_S = 120.0
"""Where a cancel says nothing (user guide, "Job cancellation with grace period"); a batch run has none."""
TICK_S = 1.0
"""How often the clock is looked at for runs that have lasted too long."""


class Conductor:
    """A conductor, whose threads and callers share the service's lock, which is held for every change of a run."""

    def __init__(self, launch: Launcher, lock: "threading.RLock", clock: Callable[[], datetime]) -> None:
        self._launch = launch
        self._clock = clock
        self._changed = threading.Condition(lock)
        self._running: dict[str, Running] = {}
        self._runs: list[JobRun] = []
        self._is_stopped = False

    def conduct(self, run: JobRun, runs: Sequence[JobRun]) -> None:
        """Call with the lock held. `runs` are those of the application, with this one."""
        earlier = [each for each in runs if each is not run]
        if not self._runs:
            threading.Thread(target=self._watch_the_clock, name="run-timeouts", daemon=True).start()
        self._runs.append(run)
        threading.Thread(target=self._conduct, args=(run, earlier), name=f"run-{run.id}", daemon=True).start()

    def cancel(self, run: JobRun, grace_s: float | None) -> None:
        """Call with the lock held, of a run that is not over. Once it is asked, later ones are ignored."""
        if run.is_cancel_asked:
            return
        run.is_cancel_asked = True
        was_running = run.state is State.RUNNING
        run.enter(State.CANCELLING, self._clock())
        running = self._running.get(run.id)
        if running is not None:
            default_s = STREAMING_GRACE_S if run.is_streaming else 0.0
            grace = (default_s if grace_s is None else grace_s) if was_running else 0.0
            running.stop(grace)
        self._changed.notify_all()

    def cancel_overdue(self) -> None:
        """Call with the lock held. A run that has lasted, or waited, longer than its timeout is cancelled as by a person."""
        now = self._clock()
        for run in self._runs:
            if run.is_queued_too_long(now) and not run.is_cancel_asked:
                self.cancel(run, None)
                run.details = f"Job run exceeded its queue timeout of {run.application.queue_timeout_minutes} minutes."
            if run.is_overdue(now) and not run.is_cancel_asked:
                self.cancel(run, None)
                run.details = f"Job run exceeded its execution timeout of {run.timeout_minutes} minutes."

    def _watch_the_clock(self) -> None:
        with self._changed:
            while not self._is_stopped:
                self.cancel_overdue()
                self._changed.wait(TICK_S)

    def stop(self) -> None:
        """Kills what runs, and lets no more start."""
        with self._changed:
            self._is_stopped = True
            left = list(self._running.values())
            self._changed.notify_all()
        for running in left:
            running.kill()

    def _conduct(self, run: JobRun, earlier: Sequence[JobRun]) -> None:
        if not self._wait_for_its_turn(run, earlier):
            return
        while True:
            reason = self._attempt(run)
            with self._changed:
                now = self._clock()
                self._running.pop(run.id, None)
                if run.is_cancel_asked or self._is_stopped:
                    run.enter(State.CANCELLED, now, run.details)
                elif reason is None:
                    run.enter(State.SUCCESS, now)
                elif not run.may_retry(now):
                    run.enter(State.FAILED, now, reason)
                else:
                    run.enter(State.FAILED, now, reason)  # the attempt; the run goes on with the next
                    run.begin_attempt(now)
                    run.ended_at = None
                    continue
                self._changed.notify_all()
                return

    def _wait_for_its_turn(self, run: JobRun, earlier: Sequence[JobRun]) -> bool:
        """False for a run that was cancelled meanwhile."""
        with self._changed:
            limit = run.application.max_concurrent_runs
            while limit is not None and sum(not each.is_over for each in earlier) >= limit and not self._is_over(run):
                if run.state is State.SUBMITTED:
                    run.enter(State.QUEUED, self._clock())
                self._changed.wait()
            if self._is_over(run):
                run.enter(State.CANCELLED, self._clock(), run.details)
                self._changed.notify_all()
                return False
            run.begin_attempt(self._clock())
            return True

    def _is_over(self, run: JobRun) -> bool:
        return run.is_cancel_asked or self._is_stopped

    def _attempt(self, run: JobRun) -> str | None:
        """Returns why it failed; None where it did not."""
        try:
            with self._changed:
                if self._is_over(run):
                    return None
                run.enter(State.SCHEDULED, self._clock())
                submission = submission_of(run)
            running = self._launch(submission)
            with self._changed:
                self._running[run.id] = running
                if self._is_over(run):
                    running.kill()
                else:
                    run.enter(State.RUNNING, self._clock())
            return running.wait()
        except LaunchRefused as refusal:
            return str(refusal)
        except Exception as defect:  # a thread's last words would be lost
            return f"The embedded EMR Serverless failed: {type(defect).__name__}: {defect}"
