"""From a StartJobRun to what is run: Spark's settings in the service's order, and where its logs go.

Highest first: sparkSubmitParameters, the job's configuration, the application's, the service's defaults (user guide, "Using
Spark configurations when you run EMR Serverless jobs"). In 8.0 the job's configuration replaces the application's, from 8.1 on
the two are merged (release notes of 8.1.0).
"""

from collections.abc import Iterable, Mapping
from typing import Any

from firnline_local.runtimes.emr_serverless.application import RELEASES, Application
from firnline_local.runtimes.emr_serverless.job_run import DEFAULT_TIMEOUT_MINUTES, JobRun
from firnline_local.runtimes.jobs.submission import Submission
from firnline_local.runtimes.rest_json import invalid

PRINCIPAL = "emr-serverless.amazonaws.com"
SPARK_DEFAULTS = "spark-defaults"
DEFAULTS = {
    "spark.driver.cores": "4",
    "spark.driver.memory": "14G",
    "spark.executor.cores": "4",
    "spark.executor.memory": "14G",
    "spark.executor.instances": "3",
    "spark.dynamicAllocation.enabled": "true",
}
"""What a job has that says nothing (user guide, "Spark job properties")."""
LONGEST_BATCH_MINUTES = 10_080
"""Seven days, and 0 is none any more from release 7.11 on (botocore, StartJobRun; 2026-11-28)."""
NOT_CARRIED = ("executionIamPolicy",)
QUOTES = frozenset("'\"\\")
"""What a shell would take for itself, and the service is reported to keep in the value."""


def submission_of(run: JobRun) -> Submission:
    """The submission of the attempt at hand."""
    driver, application = run.request["jobDriver"]["sparkSubmit"], run.application
    folder = f"applications/{application.id}/jobs/{run.id}"
    if run.is_streaming or run.attempt.number > 1:
        folder = f"{folder}/attempts/{run.attempt.number}"
    log_uri = _log_uri(run)
    return Submission(
        name=f"{run.id}-{run.attempt.number}",
        role_arn=run.request["executionRoleArn"],
        service=PRINCIPAL,
        source_arn=application.arn,
        entry=driver["entryPoint"],
        arguments=tuple(driver.get("entryPointArguments", ())),
        parameters=tuple(driver.get("sparkSubmitParameters", "").split()),
        conf={**DEFAULTS, **configured(application, run.request)},
        log_uri=f"{log_uri.rstrip('/')}/{folder}" if log_uri else None,
    )


def check_request(application: Application, request: Mapping[str, Any]) -> None:
    """Raises ServiceError for what the service refuses beyond its model, and for what is not carried here."""
    if ignored := [name for name in NOT_CARRIED if request.get(name)]:
        raise invalid(f"The embedded EMR Serverless does not carry {', '.join(ignored)}.")
    driver = (request.get("jobDriver") or {}).get("sparkSubmit")
    if driver is None:
        raise invalid(f"A job of application {application.id}, of type Spark, needs jobDriver.sparkSubmit.")
    if QUOTES.intersection(driver.get("sparkSubmitParameters", "")):
        raise invalid("The embedded EMR Serverless does not carry a quote or a backslash in sparkSubmitParameters.")
    is_streaming, policy = request.get("mode") == "STREAMING", request.get("retryPolicy") or {}
    minutes = request.get("executionTimeoutMinutes", DEFAULT_TIMEOUT_MINUTES)
    if not is_streaming and not 1 <= minutes <= LONGEST_BATCH_MINUTES:
        raise invalid(
            f"executionTimeoutMinutes of a job run in BATCH mode must be between 1 and {LONGEST_BATCH_MINUTES}."
        )
    if is_streaming and "maxAttempts" in policy:
        raise invalid("retryPolicy.maxAttempts is for job runs in BATCH mode.")
    if not is_streaming and "maxFailedAttemptsPerHour" in policy:
        raise invalid("retryPolicy.maxFailedAttemptsPerHour is for job runs in STREAMING mode.")
    if not 1 <= policy.get("maxFailedAttemptsPerHour", 1) <= 10:
        raise invalid("retryPolicy.maxFailedAttemptsPerHour must be between 1 and 10.")


def configured(application: Application, request: Mapping[str, Any]) -> dict[str, str]:
    overrides = (request.get("configurationOverrides") or {}).get("applicationConfiguration") or ()
    own, of_application = (
        _spark_defaults(overrides),
        _spark_defaults(application.settings.get("runtimeConfiguration", ())),
    )
    if RELEASES[application.release_label] == "4.0" and own:
        return own
    return {**of_application, **own}


def _spark_defaults(classifications: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    found = dict[str, str]()
    for each in classifications:
        if each["classification"] == SPARK_DEFAULTS:
            found |= each.get("properties", {})
    return found


def _log_uri(run: JobRun) -> str | None:
    of_application = run.application.settings.get("monitoringConfiguration") or {}
    own = (run.request.get("configurationOverrides") or {}).get("monitoringConfiguration") or {}
    place = {**of_application, **own}.get("s3MonitoringConfiguration") or {}
    return place.get("logUri")
