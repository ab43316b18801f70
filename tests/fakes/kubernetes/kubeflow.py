"""Behaviour of kubeflow/spark-operator with an application (v1beta2; source at 38082f33, event_filter.go and controller.go).

Almost any change of a spec kills the driver and submits it again, once the driver's pod has gone: executors are not waited
for. `suspend` tells SUSPENDED right after the driver's deletion was asked for. A deletion leaves the driver's pod its grace,
and an object of the same name that is made meanwhile fails its submission and tries again.
"""

from tests.fakes.kubernetes.conductor import DELETED, Conductor
from tests.fakes.kubernetes.manifest import Manifest, of_kubeflow
from tests.kubernetes.client import Document

QUIET = ("suspend", "timeToLiveSeconds")
"""Fields that may change without a new submission."""
SUSPENDED, INVALIDATED = "suspended", "invalidated"
DEFAULT_INTERVAL_S = 5


class Kubeflow(Conductor):
    _submissions = _failures = 0
    _is_over = _awaits_driver = False

    def manifest(self) -> Manifest:
        return of_kubeflow(self.document)

    def changed_from(self, before: Document) -> None:
        old, new = before["spec"], self.document["spec"]
        is_other = {k: v for k, v in old.items() if k not in QUIET} != {k: v for k, v in new.items() if k not in QUIET}
        self._awaits_driver = True
        if new.get("suspend") and not old.get("suspend"):
            self._enter("SUSPENDING")
            self._interrupt(SUSPENDED)
            self._enter("SUSPENDED")
        elif is_other:
            self._failures, self._is_over = 0, False
            self._enter("INVALIDATING")
            self._interrupt(INVALIDATED)
        elif old.get("suspend") and not new.get("suspend"):
            self._is_over = False
            self._enter("RESUMING")

    def delete(self) -> None:
        self._interrupt(DELETED)

    def _conduct(self) -> None:
        while self._wait_until_submitted():
            reason = self._run_attempt()
            with self.cluster.changed:
                self._judge(reason)
        with self.cluster.changed:
            self.pods.remove(self._driver())
            self._forget()

    def _wait_until_submitted(self) -> bool:
        """False for one that was deleted."""
        with self.cluster.changed:
            while not self.is_deleted:
                self.cluster.changed.wait_for(lambda: self.is_deleted or self._may_be_submitted())
                if self.is_deleted:
                    break
                self._submissions += 1
                if self.pods.is_there(self._driver()) and not self._awaits_driver:
                    self._enter("SUBMISSION_FAILED", f'pods "{self._driver()}" already exists')
                    self._pause(self._interval("onSubmissionFailureRetryInterval") * self._submissions)
                    continue
                self._interruption, self._awaits_driver = "", False
                self._enter("SUBMITTED")
                return True
            return False

    def _may_be_submitted(self) -> bool:
        if self._is_over or self.document["spec"].get("suspend"):
            return False
        return not (self._awaits_driver and self.pods.is_there(self._driver()))

    def _judge(self, reason: str | None) -> None:
        """Judges how an attempt ended."""
        if self._interruption or self.is_deleted:
            if self._interruption == INVALIDATED:
                self._enter("PENDING_RERUN")
            return
        policy = self.document["spec"].get("restartPolicy", {})
        kind, most = policy.get("type", "Never"), policy.get("onFailureRetries", 0)
        if reason is None:
            self._enter("SUCCEEDING")
            self._is_over = kind != "Always"
            self._enter("COMPLETED" if self._is_over else "PENDING_RERUN")
        else:
            self._failures += 1
            self._enter("FAILING", reason)
            self._is_over = not (kind == "Always" or (kind == "OnFailure" and self._failures <= most))
            self._enter("FAILED" if self._is_over else "PENDING_RERUN", reason)
            if not self._is_over:
                self._pause(self._interval("onFailureRetryInterval") * self._failures)
        if not self._is_over:
            self.pods.remove(self._driver())

    def _interval(self, name: str) -> float:
        return float(self.document["spec"].get("restartPolicy", {}).get(name, DEFAULT_INTERVAL_S))

    def _driver(self) -> str:
        return f"{self.document['metadata']['name']}-driver"

    def _is_running(self) -> None:
        self._enter("RUNNING")

    def _enter(self, state: str, message: str = "") -> None:
        told = {"state": state, "errorMessage": message or None}
        self._write_status(
            {
                "applicationState": told,
                "driverInfo": {"podName": self._driver()},
                "executionAttempts": self.attempt,
                "submissionAttempts": self._submissions,
            }
        )
