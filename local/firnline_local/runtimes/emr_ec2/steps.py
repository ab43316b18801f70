"""Steps: PENDING ▶ RUNNING ▶ COMPLETED or FAILED; CANCELLED by way of CANCEL_PENDING, or INTERRUPTED where the cluster ends.

As many run at once as the cluster's StepConcurrencyLevel says, in the order in which they came. A cancel is SIGTERM, or SIGKILL
where it is forced; what a step has started on YARN runs on. (API reference: StepStatus, AddJobFlowSteps, CancelSteps; Management
Guide, "Cancel steps".)
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from firnline_local.runtimes.emr_ec2.cluster import Cluster, new_id
from firnline_local.runtimes.emr_ec2.errors import invalid_request
from firnline_local.runtimes.emr_ec2.machines import Machines, RunningStep
from firnline_local.runtimes.jobs.submission import LaunchRefused
from firnline_local.runtimes.rest_json import invalid

PENDING, RUNNING, CANCEL_PENDING = "PENDING", "RUNNING", "CANCEL_PENDING"
COMPLETED, FAILED, CANCELLED, INTERRUPTED = "COMPLETED", "FAILED", "CANCELLED", "INTERRUPTED"
ACTIVE = (PENDING, RUNNING, CANCEL_PENDING)
MOST_ACTIVE = 256
COMMAND_RUNNER = "command-runner.jar"
CONTINUE, CANCEL_AND_WAIT = "CONTINUE", "CANCEL_AND_WAIT"
FORCED = "TERMINATE_PROCESS"
NOT_CARRIED = ("MainClass", "Properties")


@dataclass
class Step:
    id: str
    config: Mapping[str, Any]
    created_at: datetime
    state: str = PENDING
    started_at: datetime | None = None
    ended_at: datetime | None = None
    reason: str = ""
    failure: str = ""
    running: RunningStep | None = None

    @property
    def is_active(self) -> bool:
        return self.state in ACTIVE

    @property
    def action_on_failure(self) -> str:
        return str(self.config.get("ActionOnFailure", CONTINUE))

    def described(self) -> dict[str, Any]:
        jar = self.config["HadoopJarStep"]
        times = {
            "CreationDateTime": self.created_at,
            "StartDateTime": self.started_at,
            "EndDateTime": self.ended_at,
        }
        status = {
            "State": self.state,
            "StateChangeReason": {"Message": self.reason} if self.reason else {},
            "Timeline": {name: each for name, each in times.items() if each is not None},
            **({"FailureDetails": {"Reason": "Unknown Error.", "Message": self.failure}} if self.failure else {}),
        }
        return {
            "Id": self.id,
            "Name": self.config["Name"],
            "Config": {"Jar": jar["Jar"], "Properties": {}, "Args": list(jar.get("Args") or ())},
            "ActionOnFailure": self.action_on_failure,
            "Status": status,
        }


def check_step(given: Mapping[str, Any], level: int) -> None:
    """Raises ServiceError for what the service refuses, and for what would be left out without a word."""
    jar = given["HadoopJarStep"]
    if ignored := [name for name in NOT_CARRIED if jar.get(name)]:
        raise invalid(f"The embedded EMR does not carry HadoopJarStep.{', HadoopJarStep.'.join(ignored)}.")
    if jar["Jar"] != COMMAND_RUNNER or not jar.get("Args"):
        raise invalid(f"The embedded EMR runs steps of {COMMAND_RUNNER} with arguments only.")
    if level > 1 and given.get("ActionOnFailure", CONTINUE) != CONTINUE:
        raise invalid(
            f"ActionOnFailure {given['ActionOnFailure']} is not valid where the cluster's StepConcurrencyLevel is {level}."
        )


class ClusterSteps:
    """The steps of one cluster. Callers hold the service's lock, which each step's thread takes for every change of one."""

    def __init__(
        self,
        cluster: Cluster,
        machines: Callable[[], Machines],
        *,
        lock: "threading.RLock",
        clock: Callable[[], datetime],
        terminate: Callable[[Cluster], None],
    ) -> None:
        """`machines` are made with the first step. `terminate` ends the cluster, where a step that fails has to."""
        self._cluster = cluster
        self._make_machines = machines
        self._machines: Machines | None = None
        self._lock = lock
        self._clock = clock
        self._terminate = terminate
        self.steps: dict[str, Step] = {}

    @property
    def is_busy(self) -> bool:
        return any(step.is_active for step in self.steps.values())

    def add(self, given: Sequence[Mapping[str, Any]]) -> list[str]:
        """Raises ServiceError; then none of them is there."""
        for each in given:
            check_step(each, self._cluster.step_concurrency_level)
        active = sum(step.is_active for step in self.steps.values())
        if active + len(given) > MOST_ACTIVE:
            raise invalid_request(f"Maximum number of active steps for a cluster is {MOST_ACTIVE}.")
        added = [Step(new_id("s"), each, self._clock()) for each in given]
        self.steps |= {step.id: step for step in added}
        self.start_pending()
        return [step.id for step in added]

    def found(self, id_: str) -> Step:
        if id_ not in self.steps:
            raise invalid_request(f"Step id '{id_}' is not valid.")
        return self.steps[id_]

    def cancel(self, id_: str, option: str) -> dict[str, Any]:
        """Cancels a step, and returns what became of it, in CancelSteps' words."""
        step = self.found(id_)
        if step.state == PENDING:
            self._end(step, CANCELLED)
        elif step.state in (RUNNING, CANCEL_PENDING):
            step.state = CANCEL_PENDING
            if step.running is not None:
                step.running.kill() if option == FORCED else step.running.interrupt()
        else:
            return {"StepId": id_, "Status": "FAILED", "Reason": f"Step is in state {step.state}."}
        return {"StepId": id_, "Status": "SUBMITTED"}

    def start_pending(self) -> None:
        """Starts as many as there is room for."""
        running = sum(step.state in (RUNNING, CANCEL_PENDING) for step in self.steps.values())
        waiting = [step for step in self.steps.values() if step.state == PENDING]
        for step in waiting[: max(0, self._cluster.step_concurrency_level - running)]:
            step.state, step.started_at = RUNNING, self._clock()
            threading.Thread(target=self._conduct, args=(step,), name=step.id, daemon=True).start()

    def stop(self) -> None:
        """Ends everything with the cluster. Returns when nothing runs any more; call it without the lock."""
        with self._lock:
            machines, self._machines = self._machines, None
            for step in self.steps.values():
                if step.state == PENDING:
                    self._end(step, CANCELLED)
                elif step.is_active:
                    self._end(step, INTERRUPTED)
                    if step.running is not None:
                        step.running.kill()
        if machines is not None:
            machines.stop()

    def _conduct(self, step: Step) -> None:
        failure = self._run(step)
        with self._lock:
            step.running = None
            if not step.is_active:
                return
            if step.state == CANCEL_PENDING:
                self._end(step, CANCELLED)
            elif failure is None:
                self._end(step, COMPLETED)
            else:
                step.failure = failure
                self._end(step, FAILED)
                self._after_a_failure(step)
            self.start_pending()

    def _after_a_failure(self, step: Step) -> None:
        """Only of a step at a time: more are added with CONTINUE alone."""
        if step.action_on_failure == CANCEL_AND_WAIT:
            for each in self.steps.values():
                if each.state == PENDING:
                    self._end(each, CANCELLED)
        elif step.action_on_failure != CONTINUE:
            threading.Thread(target=self._terminate, args=(self._cluster,), name=self._cluster.id, daemon=True).start()

    def _run(self, step: Step) -> str | None:
        """Returns why it failed; None where it did not."""
        try:
            with self._lock:
                if self._cluster.is_over:
                    return None
                machines = self._machines = self._machines or self._make_machines()
            running = machines.run(step.id, tuple(step.config["HadoopJarStep"]["Args"]))
            with self._lock:
                step.running = running
                if step.state != RUNNING:
                    running.kill()
            return running.wait()
        except LaunchRefused as refusal:
            return str(refusal)
        except Exception as defect:  # a thread's last words would be lost
            return f"The embedded EMR failed: {type(defect).__name__}: {defect}"

    def _end(self, step: Step, state: str) -> None:
        step.state, step.ended_at = state, self._clock()
