import gzip
import json
import os
import stat
import subprocess
from contextlib import nullcontext
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.blueprint.iam import policy_document
from firnline_infra.blueprint.iam.trust import trust
from firnline_infra.rollout.context import Timeouts
from firnline_infra.runtimes.emr_ec2.job import JOB
from firnline_infra.runtimes.emr_ec2.service import ACTIVE, ALIVE, PRINCIPAL, SCRIPT, STATES, STEP_LOGS, EmrEc2Service
from firnline_infra.runtimes.errors import RuntimeRefused
from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.preflight import distrust
from firnline_infra.runtimes.registry import render
from firnline_infra.runtimes.service import Run, RunState
from firnline_infra.runtimes.waiting import WaitsFor
from firnline_infra.specification.runtime import Runtime, Trust
from tests.infra.runtimes.environments import Job
from tests.infra.runtimes.services.conftest import NOW, StubbedAws

DIGEST = "ab" * 32
START = "00000001-ab"
RUN = Run(id="s-1", hash=DIGEST, state=RunState.RUNNING, start=START)
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


def test_a_driver_has_as_long_for_its_spark_context_as_a_roll_out_waits(job: Job) -> None:
    """Spark's own bound is 100 s, and an attempt that exceeds it has failed. A person's setting wins."""

    def waits(job: EngineJob) -> str:
        (step,) = JOB.render(job, token=START)["Steps"]
        (found,) = [each for each in step["HadoopJarStep"]["Args"] if each.startswith("spark.yarn.am.waitTime=")]
        return str(found.partition("=")[2])

    ours = job(EC2, place="j-1")
    assert waits(ours) == f"{Timeouts().begin_s:.0f}s"
    assert waits(replace(ours, spark_conf={"spark.yarn.am.waitTime": "20m"})) == "20m"


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
    assert runtime.runs("firnline-dev") == [
        Run(id="s-1", hash=DIGEST, state=RunState.RUNNING, since=NOW, waits_for=WaitsFor.ROOM)
    ]


def test_a_cancel_ends_the_yarn_application_and_then_the_step(runtime: EmrEc2Service, aws: StubbedAws) -> None:
    aws.answers("emr", "list_steps", {"Steps": [step()]})
    aws.answers("emr", "add_job_flow_steps", {"StepIds": ["s-9"]})
    aws.answers("emr", "describe_step", {"Step": step()})
    aws.answers("emr", "cancel_steps", {"CancelStepsInfoList": []})
    runtime.cancel(RUN, grace_s=120)


@pytest.mark.parametrize(("after", "is_refused"), [("RUNNING", True), ("CANCEL_PENDING", False), ("COMPLETED", False)])
def test_a_cancel_that_the_service_does_not_take_is_no_silence(
    runtime: EmrEc2Service, aws: StubbedAws, after: str, is_refused: bool
) -> None:
    """The answer is 200, and says of each step what became of it."""
    aws.answers("emr", "list_steps", {"Steps": [step(), step("s-9", END)]})
    aws.answers("emr", "describe_step", {"Step": step()})
    refusal = {"StepId": "s-1", "Status": "FAILED", "Reason": "not cancellable"}
    aws.answers("emr", "cancel_steps", {"CancelStepsInfoList": [refusal]})
    aws.answers("emr", "describe_step", {"Step": step(state=after)})
    with pytest.raises(RuntimeRefused, match="not cancellable") if is_refused else nullcontext():
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


@pytest.mark.parametrize("partition", ["aws", "aws-cn"])
def test_the_role_that_up_makes_is_one_that_deploy_takes(aws: StubbedAws, partition: str) -> None:
    """In China EC2 has another name in trusts."""
    trusted = trust(Runtime(trust=Trust.EMR_EC2), account="123456789012", role="engine", partition=partition)
    arn = f"arn:{partition}:iam::123456789012:role/engine"
    role = {"Path": "/", "RoleName": "engine", "RoleId": "AROA" + "A" * 16, "Arn": arn, "CreateDate": NOW}
    document = json.dumps(policy_document(trusted))
    aws.answers("iam", "get_role", {"Role": {**role, "AssumeRolePolicyDocument": document}})
    assert list(distrust(aws.client("iam"), arn, PRINCIPAL)) == []


def script(grace_s: int, *, others: str = "", logs: str = STEP_LOGS) -> str:
    return SCRIPT.format(tag=f"firnline-start-{START}", alive=ALIVE, grace_s=grace_s, others=others, logs=logs)


def test_what_ends_one_engine_leaves_another_start_and_the_application_of_a_cloned_step_alone(
    runtime: EmrEc2Service, aws: StubbedAws, job: Job
) -> None:
    """A clone has the same arguments, and so the same tag."""
    engine = job(EC2, place="j-1")
    arguments = render(engine, token=START)["Steps"][0]["HadoopJarStep"]["Args"]
    assert f"spark.yarn.tags=firnline-application-firnline-dev,firnline-start-{START}" in arguments
    ends = {"Jar": "command-runner.jar", "Args": ["bash", "-c", script(120, others="s-2")]}
    ended = {"Name": END, "ActionOnFailure": "CONTINUE", "HadoopJarStep": ends}
    steps = [{**step(id_), "Config": {"Args": arguments}} for id_ in ("s-1", "s-2")]
    aws.answers("emr", "list_steps", {"Steps": [*steps, step("s-3", "somebody else's")]})
    aws.answers("emr", "add_job_flow_steps", {"StepIds": ["s-9"]}, {"JobFlowId": "j-1", "Steps": [ended]})
    aws.answers("emr", "describe_step", {"Step": step(state="COMPLETED")})
    runtime.cancel(RUN, grace_s=120)


@pytest.mark.parametrize("arrived", [False, True])
def test_logs_are_the_drivers_of_every_attempt_once_they_have_arrived(
    runtime: EmrEc2Service, aws: StubbedAws, arrived: bool
) -> None:
    aws.answers("emr", "describe_cluster", {"Cluster": {"Status": {"State": "WAITING"}, "LogUri": "s3n://logs/emr/"}})
    below = "emr/j-1/containers/application_7_0001/container_7_0001_"
    drivers = {f"{below}01_000001/stdout.gz": "first", f"{below}02_000001/stdout.gz": "second"}
    listed = [*drivers, f"{below}01_000002/stderr.gz"] if arrived else []
    submit = "Submitted application application_7_0001"
    aws.answers("s3", "list_objects_v2", {"Contents": [{"Key": "emr/j-1/steps/s-1/stderr.gz"}]})
    aws.answers("s3", "get_object", {"Body": BytesIO(gzip.compress(submit.encode()))})
    aws.answers("s3", "list_objects_v2", {"Contents": [{"Key": key} for key in listed]})
    for text in drivers.values() if arrived else ():
        aws.answers("s3", "get_object", {"Body": BytesIO(gzip.compress(text.encode()))})
    assert list(runtime.log_lines(RUN)) == (["first", "second"] if arrived else [submit])


@pytest.mark.parametrize(("level", "room"), [(2, False), (3, True)])
def test_two_engines_need_a_third_step(
    runtime: EmrEc2Service, aws: StubbedAws, job: Job, level: int, room: bool
) -> None:
    aws.answers("emr", "describe_cluster", {"Cluster": {"Status": {"State": "WAITING"}, "StepConcurrencyLevel": level}})
    told = runtime.lacks_room(job(EC2, place="j-1"))
    assert told == "" if room else "--step-concurrency-level 3" in told


class Yarn:
    """The real shell, with a `yarn` whose applications run until they are killed, and the primary node's logs of steps."""

    def __init__(self, folder: Path, *applications: str) -> None:
        self.folder, self.asked, self.running = folder, folder / "asked", folder / "running"
        self.running.mkdir()
        for each in applications:
            (self.running / each).touch()
        yarn = folder / "yarn"
        yarn.write_text(
            f'#!/bin/sh\necho "$@" >> {self.asked}\ncase "$2" in\n'
            f'-list) echo "Total number of applications"; for a in $(ls {self.running}); do echo "$a name"; done;;\n'
            f'-kill) rm {self.running}/"$3";;\nesac\nexit 0\n'
        )
        sleep = folder / "sleep"
        sleep.write_text(f'#!/bin/sh\necho "sleep $@" >> {self.asked}\n')
        for program in (yarn, sleep):
            program.chmod(program.stat().st_mode | stat.S_IXUSR)

    def log(self, step: str, application: str) -> None:
        (self.folder / step).mkdir()
        (self.folder / step / "stderr").write_text(
            f"INFO Submitted application {application}\nreport of {application}\n"
        )

    def run(self, others: str = "") -> int:
        variables = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"}
        text = script(0, others=others, logs=str(self.folder))
        return subprocess.run(["bash", "-c", text], env=variables, check=False, timeout=60).returncode


def test_the_script_waits_kills_and_says_whether_nothing_is_left(tmp_path: Path) -> None:
    yarn = Yarn(tmp_path, "application_1_2")
    assert yarn.run() == 0
    said = yarn.asked.read_text().splitlines()
    assert "application -kill application_1_2" in said
    assert said[0] == f"application -list -appTags firnline-start-{START} -appStates {ALIVE}"


def test_the_script_gives_the_nodes_a_moment_to_end_what_yarn_already_calls_killed(tmp_path: Path) -> None:
    """A NodeManager hears of it with its next heartbeat, and the processes live until then."""
    yarn = Yarn(tmp_path, "application_1_2")
    assert yarn.run() == 0
    *_, killed, waited, listed = yarn.asked.read_text().splitlines()
    assert (killed, waited) == ("application -kill application_1_2", "sleep 5")
    assert listed.startswith("application -list")
    yarn.asked.unlink()
    assert yarn.run() == 0
    assert "sleep" not in yarn.asked.read_text(), "nothing was killed"


def test_the_script_leaves_what_another_steps_log_names_and_ends_nothing_where_there_is_no_log(tmp_path: Path) -> None:
    yarn = Yarn(tmp_path, "application_1_2", "application_1_20")
    assert yarn.run("s-2") == 3
    yarn.log("s-2", "application_1_2")
    assert yarn.run("s-2") == 0
    assert [each.name for each in yarn.running.iterdir()] == ["application_1_2"]
