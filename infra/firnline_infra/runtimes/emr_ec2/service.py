"""Engines as steps of an EMR cluster (botocore's emr, 2009-03-31).

The step is only spark-submit: what writes is a YARN application, which outlives a step that was cancelled. YARN is out of a
deployer's reach, so a step beside the engine's asks it, by the tag of the run's start, and ends those that are left: another
engine, on standby or in its place, has another one. A step that somebody cloned has the same tag; which application is whose is
then in each step's log on the primary node.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firnline_infra.accounts import Accounts
from firnline_infra.runtimes.aws import call, code_of
from firnline_infra.runtimes.emr_ec2.job import JOB, start_tag
from firnline_infra.runtimes.errors import RuntimeRefused
from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.job_runs import lines_below, only_place
from firnline_infra.runtimes.preflight import distrust, missing_objects
from firnline_infra.runtimes.service import Problem, Run, RunState
from firnline_infra.runtimes.spark_conf import token_of
from firnline_infra.runtimes.waiting import WaitsFor
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names

PRINCIPAL = "ec2.amazonaws.com"
STATES = {
    "PENDING": RunState.STARTING,
    "RUNNING": RunState.RUNNING,
    "CANCEL_PENDING": RunState.STOPPING,
    "CANCELLED": RunState.STOPPED,
    "COMPLETED": RunState.SUCCEEDED,
    "FAILED": RunState.FAILED,
    "INTERRUPTED": RunState.STOPPED,
}
"""What the state of a step says of its run. Whether its YARN application is gone is another question: `is_gone` asks it."""
WAIT_FOR_ROOM = ("PENDING", "RUNNING")
"""A step waits for its turn, and one that runs is spark-submit, whose application YARN lets wait for memory."""
RUNS_ON = "the step runs on, and the command can be repeated as it is; if it does not help: aws emr cancel-steps"
MAKE_ONE = "make one: `firnline up` does with origin: create"
ACTIVE = [name for name, state in STATES.items() if state.is_active]
USABLE = ("STARTING", "BOOTSTRAPPING", "RUNNING", "WAITING")
STEPS = 3
"""Two engines, and the step that sees that one of them is gone."""
UNKNOWN_STEP = "InvalidRequestException"
ALIVE = "NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING"
"""States of a YARN application that has not ended."""
STEP_LOGS = "/mnt/var/log/hadoop/steps"
"""The folder of steps' logs on the primary node (EMR Management Guide, "View log files")."""
SCRIPT = """set -u
kept=""
for step in {others}; do
  of_step=$(grep -oh 'application_[0-9]*_[0-9]*' {logs}/$step/stderr 2>/dev/null | sort -u)
  [ -n "$of_step" ] || {{ echo "the log of $step does not say which application is its own"; exit 3; }}
  kept="$kept $of_step"
done
of_ours() {{
  for one in $(yarn application -list -appTags {tag} -appStates {alive} | awk '$1 ~ /^application_/ {{print $1}}'); do
    case " "$kept" " in *" $one "*) ;; *) echo "$one" ;; esac
  done
}}
until_s=$(( $(date +%s) + {grace_s} ))
while [ -n "$(of_ours)" ] && [ "$(date +%s)" -lt "$until_s" ]; do sleep 2; done
killed=""
for one in $(of_ours); do yarn application -kill "$one"; killed=1; done
[ -z "$killed" ] || sleep 5
for _ in $(seq 60); do [ -z "$(of_ours)" ] && exit 0; sleep 2; done
exit 1
"""
"""Waits, then kills, then waits until nothing is left; its exit status says whether that is so. Applications of the steps
`others`, which have the same tag, are left alone. YARN lists no more what it has killed, before its processes have ended:
NodeManagers hear of it with their heartbeats, each second, so five are waited."""
APPLICATION = re.compile(r"application_\d+_\d+")
DRIVER = re.compile(r"/container_\w+_000001/std(out|err)")
"""In cluster mode the driver is in its application's first container, one an attempt."""


@dataclass(frozen=True, slots=True)
class EmrEc2Service:
    """Implements EngineService."""

    emr: Any
    s3: Any
    iam: Any
    cluster_id: str
    application: str

    def check(self, job: EngineJob) -> Sequence[Problem]:
        return [
            *self._unfit(),
            *missing_objects(self.s3, (job.artefact.entry, job.artefact.archive, job.configuration)),
            *distrust(self.iam, job.role_arn, PRINCIPAL),
        ]

    def lacks_room(self, job: EngineJob) -> str:
        """YARN lets an application wait that its nodes have no room for."""
        with call("elasticmapreduce:DescribeCluster", self._cluster):
            found = self.emr.describe_cluster(ClusterId=self.cluster_id)["Cluster"]
        level = found.get("StepConcurrencyLevel", 1)
        if level >= STEPS:
            return ""
        return (
            f"The {self._cluster} runs {level} steps at once, and two engines and the step that sees one of them gone are "
            f"{STEPS} (aws emr modify-cluster --cluster-id {self.cluster_id} --step-concurrency-level {STEPS})."
        )

    def probe(self, _job: EngineJob, _token: str) -> None:
        """Returns nothing: the service starts whole jobs alone, and `check` has looked at what they name."""

    def start(self, job: EngineJob, token: str, *, stands_by: bool = False) -> Run:
        """The service knows no token, but the step holds it: one that an earlier attempt has added, whose answer was lost, is
        not added again."""
        if (there := next((step for step in self._steps() if _token(step) == token), None)) is not None:
            return _run(there)
        request = JOB.render(job, token=token, stands_by=stands_by)
        with call("elasticmapreduce:AddJobFlowSteps", self._cluster):
            answer = self.emr.add_job_flow_steps(**request)
        return Run(id=answer["StepIds"][0], hash=job.hash, state=RunState.STARTING, start=token)

    def runs(self, application: str) -> Sequence[Run]:
        found = [step for step in self._steps(ACTIVE) if _owner(step) == application]
        return [_run(step) for step in sorted(found, key=lambda step: step["Status"]["Timeline"]["CreationDateTime"])]

    def look(self, run: Run) -> Run:
        try:
            with call("elasticmapreduce:DescribeStep", run.id):
                return _run(self.emr.describe_step(ClusterId=self.cluster_id, StepId=run.id)["Step"])
        except RuntimeRefused as error:
            if code_of(error) != UNKNOWN_STEP:
                raise
        return run.forgotten("its service knows no such step")

    def cancel(self, run: Run, *, grace_s: int) -> None:
        """First the one that ends the YARN application: a step that is cancelled leaves that alone."""
        self._end_applications(run, grace_s)
        request = {"ClusterId": self.cluster_id, "StepIds": [run.id], "StepCancellationOption": "SEND_INTERRUPT"}
        if self.look(run).state in (RunState.STARTING, RunState.RUNNING):
            with call("elasticmapreduce:CancelSteps", run.id):
                told = self.emr.cancel_steps(**request)["CancelStepsInfoList"]
            refused = [each.get("Reason", "") for each in told if each.get("Status") == "FAILED"]
            if refused and self.look(run).state in (RunState.STARTING, RunState.RUNNING):  # else it has ended meanwhile
                raise RuntimeRefused("elasticmapreduce:CancelSteps", run.id, " ".join(refused), next_step=RUNS_ON)

    def is_gone(self, run: Run) -> bool:
        """A step that is COMPLETED has waited for its application. Any other end of it says nothing, and YARN is asked."""
        state = self.look(run).state
        if state.is_active or state is RunState.SUCCEEDED:
            return not state.is_active
        asked = [step for step in self._steps() if step["Name"] == _name_of_end(run)]
        if any(step["Status"]["State"] == "COMPLETED" for step in asked):
            return True
        if not any(step["Status"]["State"] in ACTIVE for step in asked):
            self._end_applications(run, 0)
        return False

    def log_lines(self, run: Run) -> Iterator[str]:
        """The driver's, of every attempt, once EMR has brought its containers' logs to S3; until then those of spark-submit,
        which say where the application waits."""
        with call("elasticmapreduce:DescribeCluster", self._cluster):
            uri = self.emr.describe_cluster(ClusterId=self.cluster_id)["Cluster"].get("LogUri")
        if not uri:
            return
        place = f"{uri.replace('s3n://', 's3://').rstrip('/')}/{self.cluster_id}"
        of_step = list(lines_below(self.s3, f"{place}/steps/{run.id}/", lambda keys: keys))
        of_driver = [
            line
            for application in dict.fromkeys(APPLICATION.findall("\n".join(of_step)))
            for line in lines_below(
                self.s3, f"{place}/containers/{application}/", lambda keys: [key for key in keys if DRIVER.search(key)]
            )
        ]
        yield from of_driver or of_step

    @property
    def _cluster(self) -> str:
        return f"cluster {self.cluster_id}"

    def _steps(self, states: Sequence[str] = ()) -> list[Mapping[str, Any]]:
        request: dict[str, Any] = {"ClusterId": self.cluster_id, **({"StepStates": list(states)} if states else {})}
        with call("elasticmapreduce:ListSteps", self._cluster):
            pages = self.emr.get_paginator("list_steps").paginate(**request)
            return [step for page in pages for step in page.get("Steps", ())]

    def _end_applications(self, run: Run, grace_s: int) -> None:
        """Ends the run's applications, once; an earlier attempt that still runs, or ended well, is enough."""
        enough, steps = (*ACTIVE, "COMPLETED"), self._steps()
        if any(step["Name"] == _name_of_end(run) and step["Status"]["State"] in enough for step in steps):
            return
        clones = [step["Id"] for step in steps if run.start and _token(step) == run.start and step["Id"] != run.id]
        tag, others = start_tag(run.start), " ".join(clones)
        script = SCRIPT.format(tag=tag, alive=ALIVE, grace_s=grace_s, others=others, logs=STEP_LOGS)
        step = {
            "Name": _name_of_end(run),
            "ActionOnFailure": "CONTINUE",
            "HadoopJarStep": {"Jar": "command-runner.jar", "Args": ["bash", "-c", script]},
        }
        with call("elasticmapreduce:AddJobFlowSteps", self._cluster):
            self.emr.add_job_flow_steps(JobFlowId=self.cluster_id, Steps=[step])

    def _unfit(self) -> Iterator[Problem]:
        try:
            with call("elasticmapreduce:DescribeCluster", self._cluster):
                found = self.emr.describe_cluster(ClusterId=self.cluster_id)["Cluster"]
        except RuntimeRefused as error:
            if code_of(error) != UNKNOWN_STEP:
                raise
            yield Problem(what=f"There is no {self._cluster}: {error.what}", next_step=MAKE_ONE)
            return
        state, label, level = (
            found["Status"]["State"],
            found.get("ReleaseLabel", ""),
            found.get("StepConcurrencyLevel", 1),
        )
        if state not in USABLE:
            yield Problem(what=f"The {self._cluster} is {state}.", next_step=MAKE_ONE)
        if not label.startswith("emr-spark-"):
            yield Problem(
                what=f"The {self._cluster} has release {label}, which has no Spark 4.",
                next_step="use a cluster with one that has, such as emr-spark-8.1.0.",
            )
        if level < 2:
            yield Problem(
                what=f"The {self._cluster} runs one step at a time: none can run beside the engine to see that it is gone.",
                next_step=f"aws emr modify-cluster --cluster-id {self.cluster_id} --step-concurrency-level 2",
            )


def place_of(spec: EnvironmentSpec, accounts: Accounts) -> str:
    section = spec.aws.runtime.emr_ec2
    adopted = section.cluster_id if section else None
    return adopted or cluster_id(accounts.aws("emr"), Names.of(spec).application, spec.name)


def service_of(spec: EnvironmentSpec, accounts: Accounts, place: str) -> EmrEc2Service:
    application = Names.of(spec).application
    return EmrEc2Service(accounts.aws("emr"), accounts.aws("s3"), accounts.aws("iam"), place, application)


def cluster_id(emr: Any, name: str, environment: str) -> str:
    """The id of the cluster that the stack made. Raises PlaceMissing."""
    with call("elasticmapreduce:ListClusters", name):
        pages = emr.get_paginator("list_clusters").paginate(ClusterStates=list(USABLE))
        found = [each["Id"] for page in pages for each in page["Clusters"] if each["Name"] == name]
    return only_place(f"EMR cluster named {name}", found, environment)


def _name_of_end(run: Run) -> str:
    return f"end of {run.id}"


def _owner(step: Mapping[str, Any]) -> str:
    """The application that a step's name begins with (job.py)."""
    application, _, digest = str(step["Name"]).rpartition(" ")
    return application if len(digest) == 64 else ""


def _run(step: Mapping[str, Any]) -> Run:
    status = step["Status"]
    reason, details = status.get("StateChangeReason", {}), status.get("FailureDetails", {})
    told = (reason.get("Message", ""), details.get("Reason", ""), details.get("Message", ""))
    return Run(
        id=step["Id"],
        hash=str(step["Name"]).rpartition(" ")[2],
        state=STATES[status["State"]],
        since=status.get("Timeline", {}).get("CreationDateTime"),
        reason=" ".join(filter(None, told)),
        waits_for=WaitsFor.ROOM if status["State"] in WAIT_FOR_ROOM else WaitsFor.UNKNOWN,
        start=_token(step),
    )


def _token(step: Mapping[str, Any]) -> str:
    """The token of the start that a step's arguments say: --conf name=value."""
    arguments = step.get("Config", {}).get("Args", ())
    return token_of(dict(each.split("=", 1) for each in arguments if "=" in each))
