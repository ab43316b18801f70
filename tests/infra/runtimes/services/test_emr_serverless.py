import gzip
from dataclasses import replace
from io import BytesIO
from typing import Any

import pytest
from botocore.response import StreamingBody

from firnline_infra.runtimes.emr_serverless.service import ACTIVE, STATES, EmrServerlessService, application_id
from firnline_infra.runtimes.errors import PlaceMissing, RuntimeRefused, RuntimeUnavailable, UntaggedRun
from firnline_infra.runtimes.registry import render
from firnline_infra.runtimes.service import Run, RunState
from tests.infra.runtimes.environments import BUCKET, ROLE, Job
from tests.infra.runtimes.services.conftest import NOW, StubbedAws

RUN = Run(id="00frun", hash="ab", state=RunState.RUNNING)
TRUST = '{"Statement":[{"Effect":"Allow","Principal":{"Service":"emr-serverless.amazonaws.com"},"Action":"sts:AssumeRole"}]}'


@pytest.fixture
def runtime(aws: StubbedAws) -> EmrServerlessService:
    return EmrServerlessService(aws.client("emr-serverless"), aws.client("s3"), aws.client("iam"), "00fapp")


def described(state: str = "RUNNING", **more: Any) -> dict[str, Any]:
    tags = {"firnline:application": "firnline-dev", "firnline:hash": "ab"}
    return {
        "jobRun": {
            "applicationId": "00fapp",
            "jobRunId": "00frun",
            "arn": "arn:aws:emr-serverless:eu-central-1:123456789012:/applications/00fapp/jobruns/00frun",
            "createdBy": ROLE,
            "createdAt": NOW,
            "updatedAt": NOW,
            "executionRole": ROLE,
            "state": state,
            "stateDetails": "-",
            "releaseLabel": "emr-spark-8.1.0",
            "jobDriver": {"sparkSubmit": {"entryPoint": "s3://entry.py"}},
            "tags": tags,
            **more,
        }
    }


def listed(run_id: str) -> dict[str, Any]:
    return {
        "applicationId": "00fapp",
        "id": run_id,
        "arn": "arn:aws:emr-serverless:eu-central-1:123456789012:/applications/00fapp/jobruns/x",
        "createdBy": ROLE,
        "createdAt": NOW,
        "updatedAt": NOW,
        "executionRole": ROLE,
        "state": "RUNNING",
        "stateDetails": "-",
        "releaseLabel": "emr-spark-8.1.0",
    }


def application(**changes: Any) -> dict[str, Any]:
    return {
        "application": {
            "applicationId": "00fapp",
            "name": "firnline-dev",
            "arn": "arn:aws:emr-serverless:eu-central-1:123456789012:/applications/00fapp",
            "releaseLabel": "emr-spark-8.1.0",
            "type": "Spark",
            "state": "STARTED",
            "createdAt": NOW,
            "updatedAt": NOW,
            "architecture": "ARM64",
            **changes,
        }
    }


def test_every_state_of_the_service_is_known(aws: StubbedAws) -> None:
    model = aws.client("emr-serverless").meta.service_model.shape_for("JobRunState")
    assert set(STATES) == set(model.enum)


def test_a_job_is_started_with_the_rendered_request(runtime: EmrServerlessService, aws: StubbedAws, job: Job) -> None:
    made = job()
    aws.answers(
        "emr-serverless",
        "start_job_run",
        {"applicationId": "00fapp", "jobRunId": "00frun", "arn": described()["jobRun"]["arn"]},
    )
    assert runtime.start(made, f"00000007-{made.hash[:40]}") == Run(
        id="00frun", hash=made.hash, state=RunState.STARTING, start=f"00000007-{made.hash[:40]}"
    )


def test_one_that_stands_by_is_told_so_and_is_another_start_of_the_same_content(job: Job) -> None:
    made = job()
    plain, beside = (render(made, token="7-ab", tags={}, stands_by=stands_by) for stands_by in (False, True))
    variable = "spark.emr-serverless.driverEnv.FIRNLINE_STANDBY"
    assert settings_of(beside) == {**settings_of(plain), variable: "600"}


def settings_of(request: dict[str, Any]) -> dict[str, str]:
    (classification,) = request["configurationOverrides"]["applicationConfiguration"]
    return classification["properties"]


ROOM = {
    "maximumCapacity": {"cpu": "8 vCPU", "memory": "16 GB", "disk": "400 GB"},
    "schedulerConfiguration": {"maxConcurrentRuns": 2, "queueTimeoutMinutes": 15},
}
ONE_AT_ONCE = {"maxConcurrentRuns": 1, "queueTimeoutMinutes": 15}


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (ROOM, ""),
        ({}, ""),  # neither limit is set
        ({**ROOM, "schedulerConfiguration": ONE_AT_ONCE}, "has 1 run at once; firnline up changes that"),
        ({**ROOM, "maximumCapacity": {"cpu": "4 vCPU", "memory": "16 GB"}}, "two engines need 8 vCPU and 16 GB"),
        ({**ROOM, "maximumCapacity": {"cpu": "8 vCPU", "memory": "15 GB"}}, "has 8 vCPU and 15 GB at the most"),
    ],
)
def test_whether_there_is_room_for_a_second_engine_is_asked_of_the_application(
    runtime: EmrServerlessService, aws: StubbedAws, job: Job, found: dict[str, Any], said: str
) -> None:
    aws.answers("emr-serverless", "get_application", application(**found))
    told = runtime.lacks_room(job())
    assert said in told
    assert bool(said) == bool(told)


def test_a_quota_that_is_reached_is_told_in_the_services_words(
    runtime: EmrServerlessService, aws: StubbedAws, job: Job
) -> None:
    aws.refuses("emr-serverless", "start_job_run", "ServiceQuotaExceededException", "16 vCPUs is all you have")
    with pytest.raises(RuntimeRefused, match="16 vCPUs is all you have") as raised:
        runtime.start(job(), "1")
    assert "higher quota" in raised.value.next_step


def test_a_request_that_the_service_calls_malformed_lacks_no_right(
    runtime: EmrServerlessService, aws: StubbedAws, job: Job
) -> None:
    aws.refuses("emr-serverless", "start_job_run", "ValidationException", "1 validation error detected")
    with pytest.raises(RuntimeRefused, match="1 validation error detected") as raised:
        runtime.start(job(), "1")
    assert "report this message" in raised.value.next_step
    assert "allow" not in raised.value.next_step


def test_throttling_is_passing(runtime: EmrServerlessService, aws: StubbedAws) -> None:
    aws.refuses("emr-serverless", "list_job_runs", "ThrottlingException")
    with pytest.raises(RuntimeUnavailable):
        runtime.runs("firnline-dev")


def test_its_runs_are_those_of_the_application_over_all_pages(runtime: EmrServerlessService, aws: StubbedAws) -> None:
    asked = {"applicationId": "00fapp", "states": ACTIVE}
    aws.answers("emr-serverless", "list_job_runs", {"jobRuns": [listed("another")], "nextToken": "2"}, asked)
    aws.answers("emr-serverless", "list_job_runs", {"jobRuns": [listed("00frun")]}, {**asked, "nextToken": "2"})
    aws.answers("emr-serverless", "get_job_run", described(tags={"firnline:application": "somebody-else"}))
    aws.answers("emr-serverless", "get_job_run", described(attempt=2))
    assert runtime.runs("firnline-dev") == [
        Run(id="00frun", hash="ab", state=RunState.RUNNING, since=NOW, attempt=2, reason="-")
    ]


@pytest.mark.parametrize("state", ["FAILED", "SUCCESS", "CANCELLED"])
def test_a_run_that_ends_between_its_listing_and_its_description_is_none(
    runtime: EmrServerlessService, aws: StubbedAws, state: str
) -> None:
    aws.answers("emr-serverless", "list_job_runs", {"jobRuns": [listed("00frun")]})
    aws.answers("emr-serverless", "get_job_run", described(state))
    assert runtime.runs("firnline-dev") == []


def test_a_run_that_the_service_does_not_know_is_told_apart_from_one_that_stopped(
    runtime: EmrServerlessService, aws: StubbedAws
) -> None:
    """Right after its start it may not be known yet."""
    aws.refuses("emr-serverless", "get_job_run", "ResourceNotFoundException")
    assert runtime.look(RUN).state is RunState.UNKNOWN


def test_a_run_that_is_listed_and_not_known_is_no_reason_to_start_another(
    runtime: EmrServerlessService, aws: StubbedAws
) -> None:
    aws.answers("emr-serverless", "list_job_runs", {"jobRuns": [listed("00frun")]})
    aws.refuses("emr-serverless", "get_job_run", "ResourceNotFoundException")
    with pytest.raises(RuntimeUnavailable, match="lists it, and knows no such run"):
        runtime.runs("firnline-dev")


def test_a_run_without_our_tag_in_our_own_application_is_told(runtime: EmrServerlessService, aws: StubbedAws) -> None:
    """Whoever deploys may look at runs with the tag alone."""
    aws.answers("emr-serverless", "list_job_runs", {"jobRuns": [listed("00frun")]})
    aws.refuses("emr-serverless", "get_job_run", "AccessDeniedException", "not authorized")
    with pytest.raises(UntaggedRun, match="Run 00frun is active in application 00fapp") as raised:
        runtime.runs("firnline-dev")
    assert "cancel-job-run --application-id 00fapp --job-run-id 00frun" in raised.value.next_step


def test_in_an_application_that_is_shared_the_runs_of_others_are_passed_over(
    runtime: EmrServerlessService, aws: StubbedAws
) -> None:
    aws.answers("emr-serverless", "list_job_runs", {"jobRuns": [listed("another"), listed("00frun")]})
    aws.refuses("emr-serverless", "get_job_run", "AccessDeniedException", "not authorized")
    aws.answers("emr-serverless", "get_job_run", described())
    assert [run.id for run in replace(runtime, is_shared=True).runs("firnline-dev")] == ["00frun"]


def test_the_token_of_a_start_is_read_from_the_runs_own_settings(
    runtime: EmrServerlessService, aws: StubbedAws, job: Job
) -> None:
    overrides = render(job(), token="00000007-ab")["configurationOverrides"]
    aws.answers("emr-serverless", "get_job_run", described(configurationOverrides=overrides))
    assert runtime.look(RUN).start == "00000007-ab"


@pytest.mark.parametrize(("asked", "given"), [(0, 0), (5, 15), (120, 120), (5000, 1800)])
def test_the_grace_is_one_that_the_service_takes(
    runtime: EmrServerlessService, aws: StubbedAws, asked: int, given: int
) -> None:
    request = {"applicationId": "00fapp", "jobRunId": "00frun", "shutdownGracePeriodInSeconds": given}
    aws.answers("emr-serverless", "cancel_job_run", {"applicationId": "00fapp", "jobRunId": "00frun"}, request)
    runtime.cancel(RUN, grace_s=asked)


def test_cancelling_what_has_ended_is_no_error(runtime: EmrServerlessService, aws: StubbedAws) -> None:
    aws.refuses("emr-serverless", "cancel_job_run", "ValidationException", "the run is in a final state")
    aws.answers("emr-serverless", "get_job_run", described("SUCCESS"))
    runtime.cancel(RUN, grace_s=120)


def test_a_cancel_that_was_denied_is_one(runtime: EmrServerlessService, aws: StubbedAws) -> None:
    aws.refuses("emr-serverless", "cancel_job_run", "AccessDeniedException", "not authorized")
    aws.answers("emr-serverless", "get_job_run", described())
    with pytest.raises(RuntimeRefused, match="emr-serverless:CancelJobRun"):
        runtime.cancel(RUN, grace_s=120)


@pytest.mark.parametrize(("state", "gone"), [("CANCELLING", False), ("RUNNING", False), ("CANCELLED", True)])
def test_it_is_gone_when_its_state_is_final(
    runtime: EmrServerlessService, aws: StubbedAws, state: str, gone: bool
) -> None:
    aws.answers("emr-serverless", "get_job_run", described(state))
    assert runtime.is_gone(RUN) is gone


def everything_is_there(aws: StubbedAws) -> None:
    for _ in range(3):
        aws.answers("s3", "head_object", {})
    role = {
        "Path": "/",
        "RoleName": "firnline-dev-engine",
        "RoleId": "A" * 20,
        "Arn": ROLE,
        "CreateDate": NOW,
        "AssumeRolePolicyDocument": TRUST,
    }
    aws.answers("iam", "get_role", {"Role": role})


def test_where_all_is_well_there_are_no_problems(runtime: EmrServerlessService, aws: StubbedAws, job: Job) -> None:
    aws.answers("emr-serverless", "get_application", application())
    everything_is_there(aws)
    assert runtime.check(job()) == []


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({"state": "TERMINATED"}, "is TERMINATED"),
        ({"state": "STOPPED", "autoStartConfiguration": {"enabled": False}}, "is STOPPED"),
        ({"releaseLabel": "emr-7.12.0"}, "emr-7.12.0, which has no Spark 4"),
        ({"architecture": "X86_64"}, "runs on x86_64, and the artefact is for arm64"),
    ],
)
def test_an_application_that_would_not_run_it_is_told_before(
    runtime: EmrServerlessService, aws: StubbedAws, job: Job, found: dict[str, Any], said: str
) -> None:
    aws.answers("emr-serverless", "get_application", application(**found))
    everything_is_there(aws)
    (problem,) = runtime.check(job())
    assert said in problem.what
    assert problem.next_step


def test_a_stopped_application_that_starts_by_itself_is_fine(
    runtime: EmrServerlessService, aws: StubbedAws, job: Job
) -> None:
    aws.answers("emr-serverless", "get_application", application(state="STOPPED"))
    everything_is_there(aws)
    assert runtime.check(job()) == []


def test_everything_that_is_missing_is_told_at_once(runtime: EmrServerlessService, aws: StubbedAws, job: Job) -> None:
    aws.refuses("emr-serverless", "get_application", "ResourceNotFoundException", "no such application")
    for _ in range(3):
        aws.refuses("s3", "head_object", "404")
    aws.refuses("iam", "get_role", "NoSuchEntity")
    said = [problem.what for problem in runtime.check(job())]
    assert len(said) == 5
    assert said[0].startswith("There is no application 00fapp")
    assert said[1] == f"s3://{BUCKET}/artefacts/{'ab' * 32}/entry.py is not there."
    assert said[4] == f"The job's role {ROLE} does not exist."


def test_a_role_that_the_service_may_not_assume_is_told(
    runtime: EmrServerlessService, aws: StubbedAws, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firnline_infra.runtimes.emr_serverless.service.PRINCIPAL", "somebody.amazonaws.com")
    aws.answers("emr-serverless", "get_application", application())
    everything_is_there(aws)
    (problem,) = runtime.check(job())
    assert "does not let somebody.amazonaws.com assume it" in problem.what


def test_logs_are_those_of_all_the_drivers_attempts_oldest_first(
    runtime: EmrServerlessService, aws: StubbedAws
) -> None:
    folder = "logs/applications/00fapp/jobs/00frun/attempts"
    keys = [f"{folder}/{number}/SPARK_DRIVER/stderr.gz" for number in (9, 10)]
    keys = [keys[1], f"{folder}/10/SPARK_EXECUTOR/1/stderr.gz", keys[0]]
    monitoring = {"monitoringConfiguration": {"s3MonitoringConfiguration": {"logUri": f"s3://{BUCKET}/logs/"}}}
    aws.answers("emr-serverless", "get_job_run", described(configurationOverrides=monitoring))
    prefix = "logs/applications/00fapp/jobs/00frun/"
    aws.answers(
        "s3", "list_objects_v2", {"Contents": [{"Key": key} for key in keys]}, {"Bucket": BUCKET, "Prefix": prefix}
    )
    for key, text in ((keys[2], b"engine.failed\n"), (keys[0], b"engine.started\nepoch.ended\n")):
        content = gzip.compress(text)
        body = StreamingBody(BytesIO(content), len(content))
        aws.answers("s3", "get_object", {"Body": body}, {"Bucket": BUCKET, "Key": key})
    assert list(runtime.log_lines(RUN)) == ["engine.failed", "engine.started", "epoch.ended"]


def applications(*found: tuple[str, str, str]) -> dict[str, Any]:
    return {
        "applications": [
            {
                "id": id_,
                "name": name,
                "arn": "arn:aws:emr-serverless:eu-central-1:123456789012:/applications/x",
                "releaseLabel": "emr-spark-8.1.0",
                "type": "Spark",
                "state": state,
                "createdAt": NOW,
                "updatedAt": NOW,
            }
            for id_, name, state in found
        ]
    }


def test_the_application_is_found_by_its_name(aws: StubbedAws) -> None:
    found = applications(
        ("1", "firnline-dev", "TERMINATED"), ("2", "other", "STARTED"), ("3", "firnline-dev", "STARTED")
    )
    aws.answers("emr-serverless", "list_applications", found)
    assert application_id(aws.client("emr-serverless"), "firnline-dev", "dev") == "3"


@pytest.mark.parametrize(
    ("found", "said"),
    [((), "There is no application of EMR Serverless named firnline-dev"), (("1", "2"), "There are 2")],
)
def test_none_and_two_are_told(aws: StubbedAws, found: tuple[str, ...], said: str) -> None:
    answer = applications(*((id_, "firnline-dev", "STARTED") for id_ in found))
    aws.answers("emr-serverless", "list_applications", answer)
    with pytest.raises(PlaceMissing, match=said):
        application_id(aws.client("emr-serverless"), "firnline-dev", "dev")
