from typing import Any

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError

from firnline_infra.runtimes.registry import render
from firnline_local.faults import faults_from_json
from tests.infra.runtimes.environments import job_on
from tests.local.runtimes.conftest import ROLE, Service

DEFAULTS = "spark-defaults"


def overrides(**properties: str) -> dict[str, Any]:
    return {
        "applicationConfiguration": [
            {"classification": DEFAULTS, "properties": {f"spark.{key}": value for key, value in properties.items()}}
        ]
    }


def test_a_run_is_launched_as_it_was_asked_for(service: Service) -> None:
    application = service.create(autoStartConfiguration={"enabled": True})
    run = service.start(
        application,
        jobDriver={
            "sparkSubmit": {
                "entryPoint": "s3://bucket/entry.py",
                "entryPointArguments": ["s3://bucket/configuration.json"],
                "sparkSubmitParameters": "--conf spark.a=b --name x",
            }
        },
        configurationOverrides={
            **overrides(cores="1"),
            "monitoringConfiguration": {"s3MonitoringConfiguration": {"logUri": "s3://bucket/logs/"}},
        },
    )
    launched = service.stage.attempt().submission
    assert (launched.entry, launched.arguments) == ("s3://bucket/entry.py", ("s3://bucket/configuration.json",))
    assert launched.parameters == ("--conf", "spark.a=b", "--name", "x")
    assert launched.conf["spark.cores"] == "1"
    assert launched.conf["spark.dynamicAllocation.enabled"] == "true", "the service's default"
    assert launched.log_uri == f"s3://bucket/logs/applications/{application}/jobs/{run}/attempts/1"
    assert launched.source_arn.endswith(f":/applications/{application}")
    assert launched.role_arn == ROLE
    found = service.until(application, run, "RUNNING")
    assert (found["attempt"], found["mode"], found["retryPolicy"]) == (1, "STREAMING", {"maxFailedAttemptsPerHour": 5})
    assert service.client.get_application(applicationId=application)["application"]["state"] == "STARTED"


@pytest.mark.parametrize(("label", "merged"), [("emr-spark-8.0.0", False), ("emr-spark-8.1.0", True)])
def test_from_8_1_on_a_jobs_configuration_is_merged_with_the_applications(
    service: Service, label: str, merged: bool
) -> None:
    configuration = overrides(of_application="1", both="1")["applicationConfiguration"]
    made = service.client.create_application(type="SPARK", releaseLabel=label, runtimeConfiguration=configuration)
    service.start(made["applicationId"], configurationOverrides=overrides(both="2"))
    conf = service.stage.attempt().submission.conf
    assert ("spark.of_application" in conf) is merged
    assert conf["spark.both"] == "2"


def test_the_same_token_is_one_run(service: Service) -> None:
    application = service.create()
    first = service.start(application, clientToken="t", name="a")
    assert service.start(application, clientToken="t", name="a") == first
    with pytest.raises(ClientError, match="ConflictException"):
        service.start(application, clientToken="t", name="b")
    service.stage.attempt().end()
    service.until(application, first, "SUCCESS")
    assert service.start(application, clientToken="t", name="a") == first, "also when it is over"
    assert len(service.stage.attempts) == 1


def test_a_failed_attempt_of_a_stream_is_tried_again_until_too_many_fail_in_an_hour(service: Service) -> None:
    application = service.create()
    run = service.start(application, retryPolicy={"maxFailedAttemptsPerHour": 2})
    for number in (1, 2, 3):
        service.stage.attempt(number).end("exit status 1")
    found = service.until(application, run, "FAILED")
    assert found["stateDetails"] == "exit status 1"
    attempts = service.client.list_job_run_attempts(applicationId=application, jobRunId=run)["jobRunAttempts"]
    assert [(each["attempt"], each["state"]) for each in attempts] == [(3, "FAILED"), (2, "FAILED"), (1, "FAILED")]
    second = service.client.get_job_run(applicationId=application, jobRunId=run, attempt=2)["jobRun"]
    assert (second["attempt"], second["stateDetails"]) == (2, "exit status 1")
    with pytest.raises(ClientError, match="no attempt 4"):
        service.client.get_job_run(applicationId=application, jobRunId=run, attempt=4)


@pytest.mark.parametrize("more", [{"retryPolicy": {"maxFailedAttemptsPerHour": 1}}, {"mode": "BATCH"}])
def test_who_asks_for_no_retry_gets_none(service: Service, more: dict[str, object]) -> None:
    application = service.create()
    run = service.start(application, **more)
    service.stage.attempt().end("exit status 1")
    service.until(application, run, "FAILED")
    assert len(service.stage.attempts) == 1


def test_a_role_that_is_not_given_fails_the_run_with_the_reason(service: Service) -> None:
    application = service.create()
    service.stage.refuses = "role can't be assumed"
    run = service.start(application, retryPolicy={"maxFailedAttemptsPerHour": 1})
    assert service.until(application, run, "FAILED")["stateDetails"] == "role can't be assumed"


@pytest.mark.parametrize(
    ("more", "asked", "grace_s"),
    [
        ({}, {}, 120.0),
        ({}, {"shutdownGracePeriodInSeconds": 60}, 60.0),
        ({}, {"shutdownGracePeriodInSeconds": 0}, 0.0),
        ({"mode": "BATCH"}, {}, 0.0),
    ],
)
def test_a_cancelled_run_has_its_grace_and_is_not_tried_again(
    service: Service, more: dict[str, object], asked: dict[str, object], grace_s: float
) -> None:
    application = service.create()
    run = service.start(application, **more)
    attempt = service.stage.attempt()
    service.until(application, run, "RUNNING")
    service.client.cancel_job_run(applicationId=application, jobRunId=run, **asked)
    assert service.run(application, run)["state"] == "CANCELLING"
    service.client.cancel_job_run(applicationId=application, jobRunId=run, shutdownGracePeriodInSeconds=1800)
    assert attempt.stopped_with == [grace_s], "later cancels are ignored"
    attempt.end("ended by a signal")
    service.until(application, run, "CANCELLED")
    with pytest.raises(ClientError, match=r"ValidationException.*it is CANCELLED"):
        service.client.cancel_job_run(applicationId=application, jobRunId=run)
    assert len(service.stage.attempts) == 1


def test_a_grace_is_0_or_15_s_to_half_an_hour(service: Service) -> None:
    application = service.create()
    run = service.start(application)
    for seconds in (1, 14, 1801, -1):
        with pytest.raises(ClientError, match="between 15 and 1800"):
            service.client.cancel_job_run(applicationId=application, jobRunId=run, shutdownGracePeriodInSeconds=seconds)


@pytest.mark.parametrize(
    ("more", "minutes"), [({}, 720), ({"executionTimeoutMinutes": 90}, 90), ({"mode": "BATCH"}, 720)]
)
def test_a_run_that_lasts_longer_than_its_timeout_is_cancelled_and_not_tried_again(
    service: Service, more: dict[str, object], minutes: int
) -> None:
    application = service.create()
    run = service.start(application, **more)
    attempt = service.stage.attempt()
    assert service.until(application, run, "RUNNING")["executionTimeoutMinutes"] == minutes
    service.clock.advance(minutes=minutes - 1)
    assert service.run(application, run)["state"] == "RUNNING"
    service.clock.advance(minutes=1)
    assert service.run(application, run)["state"] == "CANCELLING"
    attempt.end("ended by a signal")
    assert f"timeout of {minutes} minutes" in service.until(application, run, "CANCELLED")["stateDetails"]
    assert len(service.stage.attempts) == 1


def test_the_engines_own_run_outlasts_the_default_timeout(service: Service) -> None:
    application = service.create()
    request = render(job_on(place=application), token="t")
    run = service.client.start_job_run(**request)["jobRunId"]
    service.stage.attempt()
    service.until(application, run, "RUNNING")
    service.clock.advance(hours=24 * 365)
    found = service.run(application, run)
    assert (found["state"], found["executionTimeoutMinutes"]) == ("RUNNING", 0)


def test_a_run_that_waits_longer_than_the_queues_timeout_is_cancelled(service: Service) -> None:
    application = service.create(schedulerConfiguration={"maxConcurrentRuns": 1, "queueTimeoutMinutes": 15})
    service.start(application, executionTimeoutMinutes=0)
    waiting = service.start(application, executionTimeoutMinutes=0)
    service.stage.attempt()
    service.until(application, waiting, "QUEUED")
    service.clock.advance(minutes=14)
    assert service.run(application, waiting)["state"] == "QUEUED"
    service.clock.advance(minutes=1)
    assert "queue timeout of 15 minutes" in service.until(application, waiting, "CANCELLED")["stateDetails"]
    assert len(service.stage.attempts) == 1


def test_a_run_beyond_the_limit_is_queued_until_there_is_room(service: Service) -> None:
    application = service.create(schedulerConfiguration={"maxConcurrentRuns": 1})
    first, second, third = (service.start(application, name=name) for name in "abc")
    service.stage.attempt()
    service.until(application, second, "QUEUED")
    service.until(application, third, "QUEUED")
    service.client.cancel_job_run(applicationId=application, jobRunId=second)
    service.until(application, second, "CANCELLED")
    assert len(service.stage.attempts) == 1
    service.stage.attempt().end()
    service.until(application, first, "SUCCESS")
    service.until(application, third, "RUNNING")
    listed = service.client.list_job_runs(applicationId=application, states=["RUNNING", "QUEUED"])["jobRuns"]
    assert [(each["id"], each["name"]) for each in listed] == [(third, "c")]


def test_an_application_that_does_not_start_by_itself_has_to_be_started(service: Service) -> None:
    application = service.create(autoStartConfiguration={"enabled": False})
    with pytest.raises(ClientError, match=r"ValidationException.*does not start by itself"):
        service.start(application)
    service.client.start_application(applicationId=application)
    service.start(application)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"executionTimeoutMinutes": -1}, "greater than or equal to 0"),
        ({"mode": "BATCH", "executionTimeoutMinutes": 0}, "must be between 1 and 10080"),
        ({"mode": "BATCH", "executionTimeoutMinutes": 10_081}, "must be between 1 and 10080"),
        ({"retryPolicy": {"maxFailedAttemptsPerHour": 11}}, "between 1 and 10"),
        ({"retryPolicy": {"maxAttempts": 2}}, "BATCH mode"),
        ({"clientToken": "a b"}, "clientToken.*regular expression"),
        ({"executionRoleArn": "arn:aws:iam::1:role/x"}, "executionRoleArn.*regular expression"),
        ({"configurationOverrides": overrides(a="x" * 1025)}, "less than or equal to 1024"),
        ({"jobDriver": {"sparkSubmit": {}}}, "entryPoint.*must not be null"),
        ({"jobDriver": {"sparkSubmit": {"entryPoint": "a", "sparkSubmitParameters": "--conf a='b c'"}}}, "quote"),
        ({"mode": "STREAM"}, "enum value set"),
        ({"tags": {"a": "#"}}, "tags.a.*regular expression"),
        ({"executionIamPolicy": {"policyArns": []}}, "does not carry executionIamPolicy"),
    ],
)
def test_what_the_service_refuses_of_a_run(service: Service, more: dict[str, object], said: str) -> None:
    application = service.create()
    with pytest.raises(ClientError, match=f"ValidationException.*{said}"):
        service.start(application, **{"clientToken": "t", **more})
    assert service.stage.attempts == []


def test_what_is_not_there_is_not_found(service: Service) -> None:
    application = service.create()
    with pytest.raises(ClientError, match=r"ResourceNotFoundException.*Application 00f0"):
        service.start("00f0")
    with pytest.raises(ClientError, match=r"ResourceNotFoundException.*Job run 00f1"):
        service.run(application, "00f1")
    with pytest.raises(ClientError, match=r"UnknownOperationException.*StartSession"):
        service.client.start_session(applicationId=application, executionRoleArn=ROLE, clientToken="t")


def test_a_fault_hits_the_operation_that_it_names(service: Service) -> None:
    application = service.create()
    plan = b'[{"endpoint": "emr-serverless:StartJobRun", "kind": "LOST", "times": 1}]'
    service.application.faults.replace(faults_from_json(plan))
    with pytest.raises(ConnectionClosedError):
        service.start(application, clientToken="t")
    run = service.start(application, clientToken="t")
    assert [each["id"] for each in service.client.list_job_runs(applicationId=application)["jobRuns"]] == [run]
