"""Behaviour of apache/spark-kubernetes-operator with an application (spark.apache.org/v1; source at 1.0.0).

A change of a spec does nothing to what runs: the next attempt uses it. A deletion ends the driver by a finalizer, without any
grace where the application's state has not changed for longer than `forceTerminationGracePeriodMillis`. Executors are not waited
for. Restarts are counted against `maxRestartAttempts` whatever the policy.
"""

import time
from datetime import UTC, datetime
from typing import Any

from tests.fakes.kubernetes.conductor import DELETED, Conductor
from tests.fakes.kubernetes.manifest import Manifest, of_apache
from tests.fakes.kubernetes.pods import NOW
from tests.kubernetes.client import Document

FORCED_AFTER_MS, BACKOFF_MS, RESTARTS = 300_000, 30_000, 3
"""The operator's own, where a manifest says nothing."""
FINALIZER = "sparkapplications.spark.apache.org/finalizer"
BEGINNING = ("DriverRequested", "DriverStarted", "DriverReady", "RunningHealthy")


class Apache(Conductor):
    _entered_s = 0.0
    _history: dict[str, Any]
    _number = 0
    """Of the attempt, from 0, in what the operator tells."""

    def __init__(self, *arguments: Any) -> None:
        self._history = {}
        super().__init__(*arguments)

    def manifest(self) -> Manifest:
        return of_apache(self.document)

    def changed_from(self, before: Document) -> None:
        pass

    def delete(self) -> None:
        forced_after_s = self._tolerated(
            "applicationTimeoutConfig", "forceTerminationGracePeriodMillis", FORCED_AFTER_MS
        )
        self._interrupt(DELETED, is_forced=time.monotonic() - self._entered_s > forced_after_s)

    def _conduct(self) -> None:
        while True:
            with self.cluster.changed:
                if self.is_deleted:
                    break
                self._keep()
                self._enter("Submitted")
            reason = self._run_attempt()
            with self.cluster.changed:
                if self.is_deleted or not self._restarts(reason):
                    break
        with self.cluster.changed:
            self.cluster.changed.wait_for(lambda: self.is_deleted)
            self.pods.remove(self._driver())
            self._forget()

    def _keep(self) -> None:
        """By a finalizer: the object stays until the driver has been ended, however it is deleted."""
        if "deletionTimestamp" not in self.document["metadata"]:
            self.cluster.api.keep_own(self.path, self.uid, FINALIZER)

    def _restarts(self, reason: str | None) -> bool:
        restarting = self._tolerations().get("restartConfig", {})
        policy = restarting.get("restartPolicy", "Never")
        self._enter("Failed" if reason else "Succeeded", reason or "")
        is_wanted = policy == "Always" or (reason is not None and policy == "OnFailure")
        if is_wanted and self._number < restarting.get("maxRestartAttempts", RESTARTS):
            self._enter("ScheduledToRestart")
            self.pods.remove(self._driver())
            self._pause(restarting.get("restartBackoffMillis", BACKOFF_MS) / 1000)
            self._number += 1
            return True
        self._enter("ResourceReleased")
        self.pods.remove(self._driver())
        return False

    def _tolerations(self) -> dict[str, Any]:
        found: dict[str, Any] = self.document["spec"].get("applicationTolerations", {})
        return found

    def _tolerated(self, section: str, name: str, default_ms: int) -> float:
        return float(self._tolerations().get(section, {}).get(name, default_ms)) / 1000

    def _driver(self) -> str:
        return f"{self.document['metadata']['name']}-{self._number}-0-driver"

    def _is_running(self) -> None:
        for state in BEGINNING:
            self._enter(state)

    def _enter(self, state: str, message: str = "") -> None:
        self._entered_s = time.monotonic()
        now = {"currentStateSummary": state, "lastTransitionTime": f"{datetime.now(UTC):{NOW}}", "message": message}
        self._history = {**self._history, str(len(self._history)): now}
        attempt = {"id": self._number, "restartCounter": self._number}
        self._write_status(
            {
                "currentState": now,
                "stateTransitionHistory": self._history,
                "currentAttemptSummary": {"attemptInfo": attempt},
            }
        )
