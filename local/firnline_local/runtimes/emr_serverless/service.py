"""The service's operations over applications and job runs. Thread-safe.

What runs a job is handed in: whatever an operation changes is decided here, and a thread for each run carries it out
(emr_serverless/conductor.py).
"""

import secrets
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from firnline_local.runtimes.emr_serverless.application import (
    CREATED,
    DEFAULTS,
    STARTED,
    STOPPED,
    TERMINATED,
    Application,
    check_settings,
    settings_of,
)
from firnline_local.runtimes.emr_serverless.conductor import Conductor
from firnline_local.runtimes.emr_serverless.job_run import JobRun
from firnline_local.runtimes.emr_serverless.submitted import check_request
from firnline_local.runtimes.jobs.submission import Launcher
from firnline_local.runtimes.rest_json import conflict, invalid, not_found
from firnline_local.runtimes.service import Content, RuntimeService, page

TRANSIENT = {"clientToken", "applicationId"}


class EmrServerless(RuntimeService):
    name = "emr-serverless"

    def __init__(
        self, account: str, region: str, launch: Launcher, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        super().__init__(account, region, clock)
        self._applications: dict[str, Application] = {}
        self._runs: dict[str, JobRun] = {}
        self._conductor = Conductor(launch, self._lock, clock)

    def stop(self) -> None:
        """Ends every run at once."""
        self._conductor.stop()

    def answer(self, operation: str, parameters: Mapping[str, Any], caller: str) -> Content:
        """Raises ServiceError. What is asked comes after what the time has done to runs."""
        with self._lock:
            self._conductor.cancel_overdue()
        return super().answer(operation, parameters, caller)

    def create_application(self, given: Mapping[str, Any]) -> Content:
        return self._answered_once("CreateApplication", given, lambda: self._created(given))

    def get_application(self, given: Mapping[str, Any]) -> Content:
        return {"application": self._application(given).described()}

    def list_applications(self, given: Mapping[str, Any]) -> Content:
        wanted = given.get("states")
        found = [each.summary() for each in self._applications.values() if not wanted or each.state in wanted]
        return page("applications", found, given)

    def update_application(self, given: Mapping[str, Any]) -> Content:
        application = self._application(given)
        application.update(given, self._clock())
        return {"application": application.described()}

    def start_application(self, given: Mapping[str, Any]) -> Content:
        application = self._application(given)
        if application.state == TERMINATED:
            raise invalid(f"Application {application.id} is TERMINATED.")
        self._enter(application, STARTED)
        return {}

    def stop_application(self, given: Mapping[str, Any]) -> Content:
        application = self._application(given)
        if application.state != STARTED:
            raise invalid(f"Application {application.id} can't be stopped: it is {application.state}.")
        if left := [run.id for run in self._runs_of(application) if not run.is_over]:
            raise invalid(f"Application {application.id} has job runs that are not over: {', '.join(left)}.")
        self._enter(application, STOPPED)
        return {}

    def delete_application(self, given: Mapping[str, Any]) -> Content:
        application = self._application(given)
        if application.state not in (CREATED, STOPPED):
            raise invalid(
                f"Application {application.id} must be CREATED or STOPPED to be deleted: {application.state}."
            )
        self._enter(application, TERMINATED)
        return {}

    def start_job_run(self, given: Mapping[str, Any]) -> Content:
        application = self._application(given)
        what = f"StartJobRun of {application.id}"
        return self._answered_once(what, given, lambda: self._started(application, given))

    def get_job_run(self, given: Mapping[str, Any]) -> Content:
        run, number = self._run(given), given.get("attempt")
        if number is not None and number > len(run.attempts):
            raise not_found(f"Job run {run.id} has no attempt {number}.")
        return {"jobRun": run.described(number)}

    def list_job_runs(self, given: Mapping[str, Any]) -> Content:
        found = [
            run.summary()
            for run in reversed(self._runs_of(self._application(given)))
            if (not given.get("states") or run.state in given["states"])
            and given.get("mode", run.request.get("mode", "BATCH")) == run.request.get("mode", "BATCH")
            and given.get("createdAtAfter", run.created_at) <= run.created_at
            and given.get("createdAtBefore", run.created_at) >= run.created_at
        ]
        return page("jobRuns", found, given)

    def list_job_run_attempts(self, given: Mapping[str, Any]) -> Content:
        run = self._run(given)
        found = [run.attempt_summary(attempt) for attempt in reversed(run.attempts)]
        return page("jobRunAttempts", found, given)

    def cancel_job_run(self, given: Mapping[str, Any]) -> Content:
        run = self._run(given)
        grace_s = given.get("shutdownGracePeriodInSeconds")
        if grace_s is not None and grace_s != 0 and not 15 <= grace_s <= 1800:
            raise invalid("shutdownGracePeriodInSeconds must be 0, or between 15 and 1800.")
        if run.is_over:
            raise invalid(f"Job run {run.id} can't be cancelled: it is {run.state}.")
        self._conductor.cancel(run, grace_s)
        return {"applicationId": run.application.id, "jobRunId": run.id}

    def about(self, parameters: Mapping[str, Any]) -> str:
        arn, run = self.arn_of(parameters.get("applicationId", "")), parameters.get("jobRunId")
        return str(parameters.get("resourceArn") or (f"{arn}/jobruns/{run}" if run else arn))

    def arn_of(self, application: str) -> str:
        return self.arn(f"/applications/{application}")

    def _created(self, given: Mapping[str, Any]) -> Content:
        check_settings(given)
        now, new = self._clock(), _new_id()
        self._applications[new] = made = Application(
            id=new,
            arn=self.arn_of(new),
            type="Spark",
            release_label=given["releaseLabel"],
            created_at=now,
            updated_at=now,
            name=given.get("name"),
            settings={**DEFAULTS, **settings_of(given)},
            tags=dict(given.get("tags", {})),
        )
        self._tags[made.arn] = made.tags
        return {"applicationId": made.id, "name": made.name, "arn": made.arn}

    def _started(self, application: Application, given: Mapping[str, Any]) -> Content:
        check_request(application, given)
        if application.state == TERMINATED or (application.state != STARTED and not application.starts_by_itself):
            raise invalid(f"Application {application.id} is {application.state}, and does not start by itself.")
        now, new = self._clock(), _new_id()
        self._runs[new] = run = JobRun(
            id=new,
            application=application,
            request={name: value for name, value in given.items() if name not in TRANSIENT},
            created_by=self._caller,
            created_at=now,
            updated_at=now,
            tags=dict(given.get("tags", {})),
        )
        self._tags[run.arn] = run.tags
        self._enter(application, STARTED)
        self._conductor.conduct(run, self._runs_of(application))
        return {"applicationId": application.id, "jobRunId": run.id, "arn": run.arn}

    def _answered_once(self, what: str, given: Mapping[str, Any], act: Callable[[], Content]) -> Content:
        token = given["clientToken"]
        used = conflict(f"clientToken {token} was used with other parameters before.")
        return self._once(f"{what} {token}", given, used, act)

    def _enter(self, application: Application, state: str) -> None:
        if application.state != state:
            application.state, application.updated_at = state, self._clock()

    def _application(self, given: Mapping[str, Any]) -> Application:
        found = self._applications.get(given["applicationId"])
        if found is None:
            raise not_found(f"Application {given['applicationId']} does not exist.")
        return found

    def _runs_of(self, application: Application) -> list[JobRun]:
        return [run for run in self._runs.values() if run.application is application]

    def _run(self, given: Mapping[str, Any]) -> JobRun:
        application, run = self._application(given), self._runs.get(given["jobRunId"])
        if run is None or run.application is not application:
            raise not_found(f"Job run {given['jobRunId']} does not exist in application {application.id}.")
        return run


def _new_id() -> str:
    """Sixteen digits and lower-case letters that begin with 00f, as those of the service do."""
    return f"00f{secrets.token_hex(7)[:13]}"
