"""A job run: its request, its states, and its attempts.

SUBMITTED ▶ (QUEUED) ▶ PENDING ▶ SCHEDULED ▶ RUNNING ▶ SUCCESS, FAILED or CANCELLED by way of CANCELLING. A streaming run
whose attempt failed goes back to PENDING with the next attempt.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from firnline_local.runtimes.emr_serverless.application import Application

DEFAULT_FAILED_AN_HOUR = 5
LONGEST_DETAILS = 256
DEFAULT_TIMEOUT_MINUTES = 720
"""Of a run in either mode that says nothing (user guide, "Considerations": a stream has to say 0; 2026-11-28)."""


class State(StrEnum):
    SUBMITTED = "SUBMITTED"
    QUEUED = "QUEUED"
    PENDING = "PENDING"
    SCHEDULED = "SCHEDULED"
    RUNNING = "RUNNING"
    SUCCESS = "SUCCESS"
    FAILED = "FAILED"
    CANCELLING = "CANCELLING"
    CANCELLED = "CANCELLED"


OVER = {State.SUCCESS, State.FAILED, State.CANCELLED}


@dataclass
class Attempt:
    number: int
    created_at: datetime
    updated_at: datetime
    state: State
    details: str = ""


@dataclass
class JobRun:
    id: str
    application: Application
    request: Mapping[str, Any]
    created_by: str
    created_at: datetime
    updated_at: datetime
    tags: dict[str, str] = field(default_factory=dict)
    state: State = State.SUBMITTED
    details: str = ""
    attempts: list[Attempt] = field(default_factory=list)
    started_at: datetime | None = None
    ended_at: datetime | None = None
    failed_at: list[datetime] = field(default_factory=list)
    is_cancel_asked: bool = False

    @property
    def arn(self) -> str:
        return f"{self.application.arn}/jobruns/{self.id}"

    @property
    def is_streaming(self) -> bool:
        return self.request.get("mode") == "STREAMING"

    @property
    def is_over(self) -> bool:
        return self.state in OVER

    @property
    def timeout_minutes(self) -> int:
        """0 is none."""
        return int(self.request.get("executionTimeoutMinutes", DEFAULT_TIMEOUT_MINUTES))

    def is_queued_too_long(self, now: datetime) -> bool:
        limit = timedelta(minutes=self.application.queue_timeout_minutes)
        return self.state is State.QUEUED and now - self.updated_at >= limit

    def is_overdue(self, now: datetime) -> bool:
        """True if it has run for longer than it may, over all its attempts."""
        if self.started_at is None or self.is_over or not self.timeout_minutes:
            return False
        return now - self.started_at >= timedelta(minutes=self.timeout_minutes)

    @property
    def attempt(self) -> Attempt:
        """The one at hand."""
        return self.attempts[-1]

    def enter(self, state: State, now: datetime, details: str = "") -> None:
        self.state, self.details, self.updated_at = state, details[:LONGEST_DETAILS], now
        if self.attempts:
            self.attempt.state, self.attempt.details, self.attempt.updated_at = state, self.details, now
        if state is State.RUNNING and self.started_at is None:
            self.started_at = now
        if state in OVER:
            self.ended_at = now

    def begin_attempt(self, now: datetime) -> None:
        self.attempts.append(Attempt(len(self.attempts) + 1, now, now, State.PENDING))
        self.enter(State.PENDING, now)

    def may_retry(self, now: datetime) -> bool:
        """True if a failure that counts may be followed by another attempt. A streaming run is given up when more than the
        limit fail within an hour; 1 is never tried again (user guide, "Job resiliency"). A batch run has a number of
        attempts.
        """
        self.failed_at.append(now)
        policy = self.request.get("retryPolicy") or {}
        if not self.is_streaming:
            return len(self.attempts) < int(policy.get("maxAttempts", 1))
        limit = int(policy.get("maxFailedAttemptsPerHour", DEFAULT_FAILED_AN_HOUR))
        recent = [each for each in self.failed_at if now - each < timedelta(hours=1)]
        return limit > 1 and len(recent) <= limit

    def described(self, number: int | None = None) -> dict[str, Any]:
        """One attempt, or the run as it is, in GetJobRun's answer."""
        attempt = self.attempts[number - 1] if number is not None else None
        policy = {"maxFailedAttemptsPerHour": DEFAULT_FAILED_AN_HOUR} if self.is_streaming else {"maxAttempts": 1}
        kept = ("configurationOverrides", "executionIamPolicy", "flexExecution")
        return {
            **self._common(attempt),
            **{name: self.request[name] for name in kept if name in self.request},
            "executionTimeoutMinutes": self.timeout_minutes,
            "jobRunId": self.id,
            "createdAt": self.created_at,
            "updatedAt": attempt.updated_at if attempt else self.updated_at,
            "jobDriver": self.request["jobDriver"],
            "tags": self.tags,
            "retryPolicy": {**policy, **(self.request.get("retryPolicy") or {})},
            "networkConfiguration": self.application.settings.get("networkConfiguration"),
            "startedAt": self.started_at,
            "endedAt": self.ended_at,
            **self._of_attempt(attempt or (self.attempt if self.attempts else None)),
        }

    def summary(self) -> dict[str, Any]:
        """The run in ListJobRuns' answer."""
        return {
            **self._common(None),
            "id": self.id,
            "createdAt": self.created_at,
            "updatedAt": self.updated_at,
            "type": self.application.type,
            **self._of_attempt(self.attempt if self.attempts else None),
        }

    def attempt_summary(self, attempt: Attempt) -> dict[str, Any]:
        """The attempt in ListJobRunAttempts' answer."""
        return {
            **self._common(attempt),
            "id": self.id,
            "jobCreatedAt": self.created_at,
            "createdAt": attempt.created_at,
            "updatedAt": attempt.updated_at,
            "type": self.application.type,
            "attempt": attempt.number,
        }

    def _common(self, attempt: Attempt | None) -> dict[str, Any]:
        return {
            "applicationId": self.application.id,
            "name": self.request.get("name"),
            "mode": self.request.get("mode", "BATCH"),
            "arn": self.arn,
            "createdBy": self.created_by,
            "executionRole": self.request["executionRoleArn"],
            "state": str(attempt.state if attempt else self.state),
            "stateDetails": attempt.details if attempt else self.details,
            "releaseLabel": self.application.release_label,
        }

    @staticmethod
    def _of_attempt(attempt: Attempt | None) -> dict[str, Any]:
        if attempt is None:
            return {}
        return {
            "attempt": attempt.number,
            "attemptCreatedAt": attempt.created_at,
            "attemptUpdatedAt": attempt.updated_at,
        }
