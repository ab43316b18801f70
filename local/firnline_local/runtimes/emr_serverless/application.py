"""An application of EMR Serverless: what it was made with, its states, and what each state allows.

CREATING ▶ CREATED ▶ STARTING ▶ STARTED ▶ STOPPING ▶ STOPPED, and from there up again; TERMINATED is for ever. Here the
states between two others pass at once, but for a start, which a job run may wait for.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from firnline_local.runtimes.rest_json import invalid

RELEASES = {"emr-spark-8.0.0": "4.0", "emr-spark-8.1.0": "4.1"}
"""Labels with the Spark that they are (EMR release guide). Others exist; none of them has a Spark that the engine runs on."""
CREATED, STARTED, STOPPED, TERMINATED = "CREATED", "STARTED", "STOPPED", "TERMINATED"
UPDATABLE = (CREATED, STOPPED)
KEPT = (
    *("initialCapacity", "maximumCapacity", "autoStartConfiguration", "autoStopConfiguration", "networkConfiguration"),
    *(
        "architecture",
        "imageConfiguration",
        "workerTypeSpecifications",
        "runtimeConfiguration",
        "monitoringConfiguration",
    ),
    *("diskEncryptionConfiguration", "interactiveConfiguration", "schedulerConfiguration"),
    *("identityCenterConfiguration", "jobLevelCostAllocationConfiguration"),
)
DEFAULTS: Mapping[str, Any] = {
    "architecture": "X86_64",
    "autoStartConfiguration": {"enabled": True},
    "autoStopConfiguration": {"enabled": True, "idleTimeoutMinutes": 15},
}
DEFAULT_SCHEDULER = {"maxConcurrentRuns": 15, "queueTimeoutMinutes": 360}
NOT_CARRIED = ("imageConfiguration", "workerTypeSpecifications", "identityCenterConfiguration")


@dataclass
class Application:
    id: str
    arn: str
    type: str
    release_label: str
    created_at: datetime
    updated_at: datetime
    name: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    state: str = CREATED

    @property
    def max_concurrent_runs(self) -> int | None:
        """Returns None without a scheduler: as many as capacity allows."""
        scheduler = self.settings.get("schedulerConfiguration")
        return None if scheduler is None else int(scheduler["maxConcurrentRuns"])

    @property
    def queue_timeout_minutes(self) -> int:
        """Minutes that a run may be QUEUED before it is cancelled (user guide, "Job concurrency and queuing")."""
        scheduler = {**DEFAULT_SCHEDULER, **(self.settings.get("schedulerConfiguration") or {})}
        return int(scheduler["queueTimeoutMinutes"])

    @property
    def starts_by_itself(self) -> bool:
        return bool(self.settings["autoStartConfiguration"].get("enabled", True))

    def described(self) -> dict[str, Any]:
        """The application in GetApplication's answer."""
        return {**self.summary(key="applicationId"), **self.settings, "tags": self.tags}

    def summary(self, key: str = "id") -> dict[str, Any]:
        """The application in ListApplications' answer."""
        return {
            key: self.id,
            "arn": self.arn,
            "name": self.name,
            "releaseLabel": self.release_label,
            "type": self.type,
            "state": self.state,
            "createdAt": self.created_at,
            "updatedAt": self.updated_at,
            "architecture": self.settings["architecture"],
        }

    def update(self, given: Mapping[str, Any], now: datetime) -> None:
        """Raises ServiceError unless it is CREATED or STOPPED, and for a release that is not run here."""
        if self.state not in UPDATABLE:
            raise invalid(
                f"Application {self.id} must be in one of {', '.join(UPDATABLE)} to be updated: {self.state}."
            )
        check_settings(given)
        self.release_label = given.get("releaseLabel", self.release_label)
        self.settings |= settings_of(given)
        self.updated_at = now


def settings_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings in a request to create or update."""
    found = {name: given[name] for name in KEPT if given.get(name) is not None}
    if "schedulerConfiguration" in found:
        found["schedulerConfiguration"] = {**DEFAULT_SCHEDULER, **found["schedulerConfiguration"]}
    return found


def check_settings(given: Mapping[str, Any]) -> None:
    """Raises ServiceError for what the service refuses, and for what would be forgotten in silence here."""
    label = given.get("releaseLabel")
    if label is not None and label not in RELEASES:
        raise invalid(
            f"Release label {label} is not run here. The embedded EMR Serverless has {', '.join(RELEASES)}: "
            "the releases with Spark 4."
        )
    if str(given.get("type", "SPARK")).upper() != "SPARK":
        raise invalid(f"Applications of type {given['type']} are not run here; SPARK is.")
    if ignored := [name for name in NOT_CARRIED if given.get(name)]:
        raise invalid(f"The embedded EMR Serverless does not carry {', '.join(ignored)}.")
    scheduler = given.get("schedulerConfiguration") or {}
    for name, least, most in (("maxConcurrentRuns", 1, 1000), ("queueTimeoutMinutes", 15, 720)):
        if not least <= scheduler.get(name, least) <= most:
            raise invalid(f"schedulerConfiguration.{name} must be between {least} and {most}.")
