"""Job runs of EMR on EKS (API reference, 2020-10-01): PENDING ▶ SUBMITTED ▶ RUNNING ▶ COMPLETED, FAILED or CANCELLED.

The job is launched as EMR Serverless launches its own: this machine's processes stand for the pods, so that a run that is over
has none left. A cancel has no grace.
"""

import secrets
import string
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from firnline_local.runtimes.jobs.submission import Launcher, LaunchRefused, Running, Submission
from firnline_local.runtimes.rest_json import ServiceError, invalid

PRINCIPAL = "pods.eks.amazonaws.com"
SPARK_DEFAULTS = "spark-defaults"
NOT_CARRIED = ("jobTemplateId", "jobTemplateParameters")
ACTIVE, OVER = ("PENDING", "SUBMITTED", "RUNNING"), ("COMPLETED", "FAILED", "CANCELLED")
DIGITS = string.digits + string.ascii_lowercase
ID_LENGTH = 19
LONGEST_DETAILS = 256
REPEATED = (
    "name",
    "virtualClusterId",
    "clientToken",
    "executionRoleArn",
    "releaseLabel",
    "jobDriver",
    "configurationOverrides",
    "retryPolicyConfiguration",
)


def session_tags(cluster: str, namespace: str, account: str) -> dict[str, str]:
    """Returns the tags of a pod's session that a trust asks for (EKS user guide, "Enable or disable session tags")."""
    return {"eks-cluster-name": cluster, "kubernetes-namespace": namespace, "kubernetes-service-account": account}


@dataclass
class EksJobRun:
    id: str
    arn: str
    request: Mapping[str, Any]
    created_by: str
    created_at: datetime
    eks_cluster: str
    state: str = "PENDING"
    details: str = ""
    failure: str = ""
    attempts: int = 0
    finished_at: datetime | None = None
    running: Running | None = None
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def most_attempts(self) -> int:
        return int((self.request.get("retryPolicyConfiguration") or {}).get("maxAttempts", 1))

    def described(self) -> dict[str, Any]:
        found = {
            **{name: self.request[name] for name in REPEATED if name in self.request},
            "id": self.id,
            "arn": self.arn,
            "state": self.state,
            "stateDetails": self.details[:LONGEST_DETAILS],
            "createdAt": self.created_at,
            "createdBy": self.created_by,
            "tags": dict(self.tags),
            "retryPolicyExecution": {"currentAttemptCount": max(0, self.attempts - 1)},
        }
        later = {"finishedAt": self.finished_at, "failureReason": self.failure}
        return {**found, **{name: value for name, value in later.items() if value}}


class EksJobs:
    """Callers hold the service's lock, which each run's thread takes for every change of it."""

    def __init__(
        self,
        launch: Launcher,
        lock: "threading.RLock",
        clock: Callable[[], datetime],
        roles: Callable[[], Mapping[str, str]],
    ) -> None:
        """`roles` are those of Pod Identity, by namespace/account."""
        self._launch, self._lock, self._clock, self._roles = launch, lock, clock, roles
        self._runs: dict[str, EksJobRun] = {}
        self._is_stopped = False

    def start(self, given: Mapping[str, Any], cluster: Mapping[str, Any], caller: str) -> EksJobRun:
        """Raises ServiceError for what the service refuses beyond its model, and for what is not carried here."""
        if ignored := [name for name in NOT_CARRIED if given.get(name)]:
            raise invalid(f"The embedded EMR on EKS does not carry {', '.join(ignored)}.")
        missing = [name for name in ("executionRoleArn", "releaseLabel", "jobDriver") if not given.get(name)]
        if missing:
            raise invalid(f"{', '.join(missing)} must be given.")
        if "sparkSubmitJobDriver" not in given["jobDriver"]:
            raise invalid("The embedded EMR on EKS runs jobs of sparkSubmitJobDriver only.")
        if cluster["state"] != "RUNNING":
            raise invalid(f"Virtual cluster {cluster['id']} is {cluster['state']}.")
        id_ = "".join(secrets.choice(DIGITS) for _ in range(ID_LENGTH))
        run = EksJobRun(
            id=id_,
            arn=f"{cluster['arn']}/jobruns/{id_}",
            request=given,
            created_by=caller,
            created_at=self._clock(),
            eks_cluster=cluster["containerProvider"]["id"],
            tags=dict(given.get("tags") or {}),
        )
        self._runs[id_] = run
        namespace = cluster["containerProvider"]["info"]["eksInfo"]["namespace"]
        threading.Thread(target=self._conduct, args=(run, namespace), name=f"run-{id_}", daemon=True).start()
        return run

    def of(self, cluster: str) -> list[EksJobRun]:
        return [run for run in self._runs.values() if run.request["virtualClusterId"] == cluster]

    def found(self, cluster: str, id_: str) -> EksJobRun:
        run = self._runs.get(id_)
        if run is None or run.request["virtualClusterId"] != cluster:
            raise ServiceError(400, "ResourceNotFoundException", f"Job run {id_} doesn't exist.")
        return run

    def cancel(self, run: EksJobRun) -> None:
        if run.state not in ACTIVE:
            raise invalid(f"Job run {run.id} is not in a cancellable state: it is {run.state}.")
        run.state = "CANCEL_PENDING"
        if run.running is not None:
            run.running.kill()

    def stop(self) -> None:
        """Kills what runs, and lets no more start."""
        with self._lock:
            self._is_stopped = True
            left = [run.running for run in self._runs.values() if run.running is not None and run.state not in OVER]
        for running in left:
            running.kill()

    def _conduct(self, run: EksJobRun, namespace: str) -> None:
        while True:
            reason = self._attempt(run, namespace)
            with self._lock:
                run.running = None
                if run.state == "CANCEL_PENDING" or self._is_stopped:
                    self._end(run, "CANCELLED")
                elif reason is None:
                    self._end(run, "COMPLETED")
                elif run.attempts < run.most_attempts:
                    continue
                else:
                    run.details, run.failure = reason, "USER_ERROR"
                    self._end(run, "FAILED")
                return

    def _end(self, run: EksJobRun, state: str) -> None:
        run.state, run.finished_at = state, self._clock()

    def _attempt(self, run: EksJobRun, namespace: str) -> str | None:
        """Returns why it failed; None where it did not."""
        try:
            with self._lock:
                if run.state not in ACTIVE or self._is_stopped:
                    return None
                run.attempts += 1
                run.state = "SUBMITTED" if run.attempts == 1 else run.state
            running = self._launch(self._submission(run, namespace))
            with self._lock:
                run.running = running
                if run.state not in ACTIVE or self._is_stopped:
                    running.kill()
                else:
                    run.state = "RUNNING"
            return running.wait()
        except LaunchRefused as refusal:
            return str(refusal)
        except Exception as defect:  # a thread's last words would be lost
            return f"The embedded EMR on EKS failed: {type(defect).__name__}: {defect}"

    def _submission(self, run: EksJobRun, namespace: str) -> Submission:
        """Raises LaunchRefused where the job's service account has no such role."""
        role, arn = run.request["executionRoleArn"], run.arn.split(":")
        account = f"emr-containers-sa-spark-driver-{arn[4]}-{encoded(role.rpartition('/')[2])}"
        if self._roles().get(f"{namespace}/{account}") != role:
            raise LaunchRefused(
                f"Service account {namespace}/{account} is not associated with {role}: the embedded EMR on EKS has no "
                "other way to a role than EKS Pod Identity."
            )
        driver = run.request["jobDriver"]["sparkSubmitJobDriver"]
        overrides = run.request.get("configurationOverrides") or {}
        conf = dict[str, str]()
        for each in overrides.get("applicationConfiguration") or ():
            if each["classification"] == SPARK_DEFAULTS:
                conf |= each.get("properties", {})
        place = ((overrides.get("monitoringConfiguration") or {}).get("s3MonitoringConfiguration") or {}).get("logUri")
        folder = f"{run.request['virtualClusterId']}/jobs/{run.id}/containers/spark-{run.id}"
        return Submission(
            name=f"{run.id}-{run.attempts}",
            role_arn=role,
            service=PRINCIPAL,
            source_arn=f"arn:aws:eks:{arn[3]}:{arn[4]}:cluster/{run.eks_cluster}",
            tags=session_tags(run.eks_cluster, namespace, account),
            entry=driver["entryPoint"],
            arguments=tuple(driver.get("entryPointArguments") or ()),
            parameters=tuple((driver.get("sparkSubmitParameters") or "").split()),
            conf=conf,
            log_uri=f"{place.rstrip('/')}/{folder}" if place else None,
            log_names=(f"spark-{run.id}-driver", f"spark-{run.id}-exec"),
        )


def encoded(role: str) -> str:
    """The role's name as a number to the base of 36, which ends the names of its service accounts (Development Guide)."""
    number, found = int.from_bytes(role.encode(), "big"), ""
    while number:
        number, digit = divmod(number, len(DIGITS))
        found = DIGITS[digit] + found
    return found
