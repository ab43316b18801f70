import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.runtimes.emr_ec2.service import ACTIVE, ALIVE, SCRIPT, STATES, EmrEc2Service
from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.registry import render
from firnline_infra.runtimes.service import Run, RunState
from tests.infra.runtimes.services.conftest import NOW, StubbedAws

Job = Callable[..., EngineJob]
DIGEST = "ab" * 32
RUN = Run(id="s-1", hash=DIGEST, state=RunState.RUNNING)
EC2 = {"trust": "emr-ec2", "emr_ec2": {"origin": "adopt", "cluster_id": "j-1"}}
END = "end of s-1"


@pytest.fixture
def runtime(aws: StubbedAws) -> EmrEc2Service:
    return EmrEc2Service(aws.client("emr"), aws.client("s3"), aws.client("iam"), "j-1", "firnline-dev")


def step(id_: str = "s-1", name: str = f"firnline-dev {DIGEST}", state: str = "RUNNING") -> dict[str, Any]:
    return {"Id": id_, "Name": name, "Status": {"State": state, "Timeline": {"CreationDateTime": NOW}}}


def test_every_state_of_a_step_is_known(aws: StubbedAws) -> None:
    assert set(STATES) == set(aws.client("emr").meta.service_model.shape_for("StepState").enum)


def test_a_job_is_started_with_the_rendered_request(runtime: EmrEc2Service, aws: StubbedAws, job: Job) -> None:
    aws.answers("emr", "list_steps", {"Steps": [step("s-0", f"firnline-dev {DIGEST}")]})
    aws.answers("emr", "add_job_flow_steps", {"StepIds": ["s-1"]})
    assert runtime.start(job(EC2, place="j-1"), "7-ab").id == "s-1"


def test_a_start_whose_answer_was_lost_is_found_and_not_made_again(
    runtime: EmrEc2Service, aws: StubbedAws, job: Job
) -> None:
    """The service has no token, and a step that is added twice is two engines. Another deployment of the same content is
    another start.
    """
    engine = job(EC2, place="j-1")

    def added(token: str) -> dict[str, Any]:
        return {"Args": render(engine, token=token)["Steps"][0]["HadoopJarStep"]["Args"]}

    name = f"firnline-dev {engine.hash}"
    steps = [
        {**step("s-1", name, "COMPLETED"), "Config": added("6-ab")},
        {**step("s-2", name), "Config": added("7-ab")},
    ]
    aws.answers("emr", "list_steps", {"Steps": steps}, {"ClusterId": "j-1"})
    found = runtime.start(engine, "7-ab")
    assert (found.id, found.start) == ("s-2", "7-ab")


def test_its_runs_are_the_steps_of_the_application(runtime: EmrEc2Service, aws: StubbedAws) -> None:
    steps = [step(), step("s-2", "somebody else's"), step("s-3", END)]
    aws.answers("emr", "list_steps", {"Steps": steps}, {"ClusterId": "j-1", "StepStates": ACTIVE})
    assert runtime.runs("firnline-dev") == [Run(id="s-1", hash=DIGEST, state=RunState.RUNNING, since=NOW)]


def test_a_cancel_ends_the_yarn_application_and_then_the_step(runtime: EmrEc2Service, aws: StubbedAws) -> None:
    aws.answers("emr", "list_steps", {"Steps": [step()]})
    aws.answers("emr", "add_job_flow_steps", {"StepIds": ["s-9"]})
    aws.answers("emr", "describe_step", {"Step": step()})
    aws.answers("emr", "cancel_steps", {"CancelStepsInfoList": []})
    runtime.cancel(RUN, grace_s=120)


@pytest.mark.parametrize(
    ("state", "end", "gone"),
    [
        ("COMPLETED", None, True),
        ("RUNNING", None, False),
        ("CANCELLED", "COMPLETED", True),
        ("CANCELLED", "RUNNING", False),
        ("FAILED", "RUNNING", False),
        ("INTERRUPTED", "COMPLETED", True),
    ],
)
def test_the_steps_state_alone_is_no_proof_unless_it_completed(
    runtime: EmrEc2Service, aws: StubbedAws, state: str, end: str | None, gone: bool
) -> None:
    aws.answers("emr", "describe_step", {"Step": step(state=state)})
    if end is not None:
        aws.answers("emr", "list_steps", {"Steps": [step(state=state), step("s-9", END, end)]})
    assert runtime.is_gone(RUN) is gone


@pytest.mark.parametrize("end", [None, "FAILED"])
def test_where_nobody_has_asked_yarn_yet_it_is_asked(runtime: EmrEc2Service, aws: StubbedAws, end: str | None) -> None:
    steps = [step(state="FAILED"), *([step("s-9", END, end)] if end else [])]
    aws.answers("emr", "describe_step", {"Step": steps[0]})
    aws.answers("emr", "list_steps", {"Steps": steps})
    aws.answers("emr", "list_steps", {"Steps": steps})
    aws.answers("emr", "add_job_flow_steps", {"StepIds": ["s-10"]})
    assert not runtime.is_gone(RUN)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({"Status": {"State": "TERMINATED"}}, "is TERMINATED"),
        ({"ReleaseLabel": "emr-7.12.0"}, "has no Spark 4"),
        ({"StepConcurrencyLevel": 1}, "runs one step at a time"),
    ],
)
def test_a_cluster_that_would_not_do_is_told_before(
    runtime: EmrEc2Service, aws: StubbedAws, job: Job, found: dict[str, Any], said: str
) -> None:
    cluster = {"Status": {"State": "WAITING"}, "ReleaseLabel": "emr-spark-8.1.0", "StepConcurrencyLevel": 2, **found}
    aws.answers("emr", "describe_cluster", {"Cluster": cluster})
    for _ in range(3):
        aws.answers("s3", "head_object", {})
    aws.refuses("iam", "get_role", "NoSuchEntity")
    assert said in runtime.check(job(EC2, place="j-1"))[0].what


def test_what_ends_one_engine_leaves_another_content_alone(runtime: EmrEc2Service, aws: StubbedAws, job: Job) -> None:
    """The one that stands by, or has taken over, is a YARN application of the same Firnline application."""
    script = SCRIPT.format(tag=f"firnline-hash-{DIGEST}", alive=ALIVE, grace_s=120)
    ends = {"Jar": "command-runner.jar", "Args": ["bash", "-c", script]}
    ended = {"Name": END, "ActionOnFailure": "CONTINUE", "HadoopJarStep": ends}
    aws.answers("emr", "list_steps", {"Steps": [step()]})
    aws.answers("emr", "add_job_flow_steps", {"StepIds": ["s-9"]}, {"JobFlowId": "j-1", "Steps": [ended]})
    aws.answers("emr", "describe_step", {"Step": step(state="COMPLETED")})
    runtime.cancel(RUN, grace_s=120)
    engine = job(EC2, place="j-1")
    assert f"spark.yarn.tags=firnline-application-firnline-dev,firnline-hash-{engine.hash}" in str(
        render(engine, token="7-ab")
    )


@pytest.mark.parametrize(("level", "room"), [(2, False), (3, True)])
def test_two_engines_need_a_third_step(
    runtime: EmrEc2Service, aws: StubbedAws, job: Job, level: int, room: bool
) -> None:
    aws.answers("emr", "describe_cluster", {"Cluster": {"Status": {"State": "WAITING"}, "StepConcurrencyLevel": level}})
    told = runtime.lacks_room(job(EC2, place="j-1"))
    assert told == "" if room else "--step-concurrency-level 3" in told


def test_the_script_waits_kills_and_says_whether_nothing_is_left(tmp_path: Path) -> None:
    """The real shell, with a `yarn` that has one application until it is killed."""
    running, asked = tmp_path / "running", tmp_path / "asked"
    running.touch()
    yarn = tmp_path / "yarn"
    yarn.write_text(
        f'#!/bin/sh\necho "$@" >> {asked}\ncase "$2" in\n'
        f'-list) echo "Total number of applications"; [ -e {running} ] && echo "application_1_2 name";;\n'
        f"-kill) rm {running};;\nesac\nexit 0\n"
    )
    yarn.chmod(yarn.stat().st_mode | stat.S_IXUSR)
    script = SCRIPT.format(tag=f"firnline-hash-{DIGEST}", alive=ALIVE, grace_s=0)
    variables = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], env=variables, check=False, timeout=60)
    assert done.returncode == 0
    said = asked.read_text().splitlines()
    assert "application -kill application_1_2" in said
    assert said[0] == f"application -list -appTags firnline-hash-{DIGEST} -appStates {ALIVE}"
