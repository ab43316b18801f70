"""Engines as streaming jobs of one application of EMR Serverless (botocore's emr-serverless, 2021-07-13)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firnline_infra.accounts import Accounts
from firnline_infra.accounts.aws import DENIED
from firnline_infra.blueprint.size import workers_gb
from firnline_infra.runtimes.aws import call, code_of, is_missing, pages
from firnline_infra.runtimes.emr_serverless.job import JOB
from firnline_infra.runtimes.errors import RuntimeRefused, UntaggedRun
from firnline_infra.runtimes.job import APPLICATION_TAG, HASH_TAG, EngineJob
from firnline_infra.runtimes.job_runs import described, lines_below, log_uri, only_place, start_token
from firnline_infra.runtimes.preflight import distrust, missing_objects
from firnline_infra.runtimes.service import GENERATION_TAG, Problem, Run, RunState
from firnline_infra.runtimes.waiting import WaitsFor
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names

PRINCIPAL = "emr-serverless.amazonaws.com"
STATES = {
    "SUBMITTED": RunState.STARTING,
    "QUEUED": RunState.STARTING,
    "PENDING": RunState.STARTING,
    "SCHEDULED": RunState.STARTING,
    "RUNNING": RunState.RUNNING,
    "CANCELLING": RunState.STOPPING,
    "CANCELLED": RunState.STOPPED,
    "SUCCESS": RunState.SUCCEEDED,
    "FAILED": RunState.FAILED,
}
WAIT_FOR_ROOM = ("QUEUED", "PENDING", "SCHEDULED")
"""For a place among the application's runs, for the scheduler, and for workers (user guide, "Job run states")."""
ACTIVE = [name for name, state in STATES.items() if state.is_active]
GRACE_S = range(15, 1801)
"""What CancelJobRun takes, beside 0 for at once (User Guide, "Job cancellation with a grace period")."""
UNUSABLE = {"TERMINATED", "STOPPING"}
ARCHITECTURES = {"ARM64": "arm64", "X86_64": "x86_64"}
DRIVER = "SPARK_DRIVER"
TWO = 2
"""Engines at once, while one stands by."""
ATTEMPT = re.compile(r"/attempts/(\d+)/")
NEXT_STEPS = {
    "ServiceQuotaExceededException": "ask AWS for a higher quota (Service Quotas, EMR Serverless, vCPUs per account), or give "
    "the engine a smaller size in aws.runtime.",
    "ConflictException": "another deployment has used this token: run firnline deploy again, it takes the next number.",
}


@dataclass(frozen=True, slots=True)
class EmrServerlessService:
    """Implements EngineService."""

    emr: Any
    s3: Any
    iam: Any
    application_id: str
    is_shared: bool = False
    """An adopted application may have runs of others, which are nobody's business here."""

    def check(self, job: EngineJob) -> Sequence[Problem]:
        return [
            *self._unfit(job),
            *missing_objects(self.s3, (job.artefact.entry, job.artefact.archive, job.configuration)),
            *distrust(self.iam, job.role_arn, PRINCIPAL),
        ]

    def lacks_room(self, job: EngineJob) -> str:
        found = self._application_now()
        at_once = found.get("schedulerConfiguration", {}).get("maxConcurrentRuns", TWO)
        capacity, size = found.get("maximumCapacity", {}), job.size
        vcpus, memory_gb = (float(capacity.get(name, "inf").split()[0]) for name in ("cpu", "memory"))
        if at_once < TWO:
            return f"The {self._application} has {at_once} run at once; firnline up changes that while no engine runs."
        if vcpus < TWO * size.cores or memory_gb < TWO * workers_gb(size):
            return (
                f"The {self._application} has {capacity['cpu']} and {capacity['memory']} at the most, and two engines need "
                f"{TWO * size.cores} vCPU and {TWO * workers_gb(size)} GB (aws.runtime.emr_serverless)."
            )
        return ""

    def probe(self, _job: EngineJob, _token: str) -> None:
        """Returns nothing: the service starts whole jobs alone, and `check` has looked at what they name."""

    def start(self, job: EngineJob, token: str, *, stands_by: bool = False) -> Run:
        request = JOB.render(job, token=token, tags={GENERATION_TAG: token.partition("-")[0]}, stands_by=stands_by)
        with call("emr-serverless:StartJobRun", self._application, next_steps=NEXT_STEPS):
            answer = self.emr.start_job_run(**request)
        return Run(id=answer["jobRunId"], hash=job.hash, state=RunState.STARTING, start=token)

    def runs(self, application: str) -> Sequence[Run]:
        with call("emr-serverless:ListJobRuns", self._application):
            listed = list(pages(self.emr, "list_job_runs", "jobRuns", applicationId=self.application_id, states=ACTIVE))
        found = [self._listed(each["id"]) for each in sorted(listed, key=lambda each: each["createdAt"])]
        ours = [_run(each) for each in found if each and each.get("tags", {}).get(APPLICATION_TAG) == application]
        return [run for run in ours if run.state.is_active]  # one may have ended since it was listed

    def look(self, run: Run) -> Run:
        found = self._described(run.id)
        return _run(found) if found else run.forgotten("its service knows no such run")

    def cancel(self, run: Run, *, grace_s: int) -> None:
        grace_s = min(max(grace_s, GRACE_S.start), GRACE_S.stop - 1) if grace_s else 0
        try:
            with call("emr-serverless:CancelJobRun", run.id):
                self.emr.cancel_job_run(
                    applicationId=self.application_id, jobRunId=run.id, shutdownGracePeriodInSeconds=grace_s
                )
        except RuntimeRefused:
            if self.look(run).state in (RunState.STARTING, RunState.RUNNING):
                raise

    def is_gone(self, run: Run) -> bool:
        """True if the run is in a final state. The service does not say that the workers of an attempt are gone; the fence
        covers what is left."""
        return not self.look(run).state.is_active

    def log_lines(self, run: Run) -> Iterator[str]:
        """The lines of all attempts of the driver, as far as they have come to S3, which they do every minute or so."""
        if uri := log_uri(self._described(run.id)):
            yield from lines_below(self.s3, f"{uri}/applications/{self.application_id}/jobs/{run.id}/", _of_the_driver)

    @property
    def _application(self) -> str:
        return f"application {self.application_id}"

    def _application_now(self) -> dict[str, Any]:
        with call("emr-serverless:GetApplication", self._application):
            found: dict[str, Any] = self.emr.get_application(applicationId=self.application_id)["application"]
            return found

    def _unfit(self, job: EngineJob) -> Iterator[Problem]:
        try:
            found = self._application_now()
        except RuntimeRefused as error:
            if not is_missing(error):
                raise
            yield Problem(what=f"There is no {self._application}: {error.what}", next_step="firnline up makes one.")
            return
        state, label = found["state"], found["releaseLabel"]
        details = f": {found['stateDetails']}" if found.get("stateDetails") else ""
        starts_itself = found.get("autoStartConfiguration", {}).get("enabled", True)
        if state in UNUSABLE or (state == "STOPPED" and not starts_itself):
            yield Problem(
                what=f"The {self._application} is {state}{details}.",
                next_step=f"aws emr-serverless start-application --application-id {self.application_id}"
                if state == "STOPPED"
                else "wait until it has stopped; a terminated one is recreated by firnline up.",
            )
        if not label.startswith("emr-spark-"):
            yield Problem(
                what=f"The {self._application} has release {label}, which has no Spark 4.",
                next_step="set a release that has, such as emr-spark-8.1.0, in aws.runtime, and run firnline up; AWS changes it "
                "only while the application is stopped.",
            )
        architecture = ARCHITECTURES[found.get("architecture", "X86_64")]
        if architecture != job.artefact.architecture:
            yield Problem(
                what=f"The {self._application} runs on {architecture}, and the artefact is for {job.artefact.architecture}.",
                next_step=f"build it for {architecture} (firnline build), or correct aws.runtime.",
            )

    def _listed(self, run_id: str) -> Mapping[str, Any] | None:
        """Returns None for a run that the deployer may not see: a right limited to our tag refuses all others. In an
        application that is ours alone such a run was started by hand. Raises UntaggedRun."""
        try:
            return described(self._described(run_id), "emr-serverless:GetJobRun", run_id)
        except RuntimeRefused as error:
            if code_of(error) not in DENIED:
                raise
            if not self.is_shared:
                raise UntaggedRun(run_id, self._application, self.application_id, error.what) from error
            return None

    def _described(self, run_id: str) -> dict[str, Any] | None:
        try:
            with call("emr-serverless:GetJobRun", run_id):
                found: dict[str, Any] = self.emr.get_job_run(applicationId=self.application_id, jobRunId=run_id)[
                    "jobRun"
                ]
                return found
        except RuntimeRefused as error:
            if is_missing(error):
                return None
            raise


def place_of(spec: EnvironmentSpec, accounts: Accounts) -> str:
    section = spec.aws.runtime.emr_serverless
    adopted = section.application_id if section else None
    return adopted or application_id(accounts.aws("emr-serverless"), Names.of(spec).application, spec.name)


def service_of(spec: EnvironmentSpec, accounts: Accounts, place: str) -> EmrServerlessService:
    section = spec.aws.runtime.emr_serverless
    is_shared = section is not None and section.application_id is not None
    return EmrServerlessService(
        accounts.aws("emr-serverless"), accounts.aws("s3"), accounts.aws("iam"), place, is_shared
    )


def application_id(emr: Any, name: str, environment: str) -> str:
    """The id of the application that the stack made: the one of that name which is not terminated. Raises PlaceMissing."""
    with call("emr-serverless:ListApplications", name):
        found = [
            each["id"]
            for each in pages(emr, "list_applications", "applications")
            if each["name"] == name and each["state"] != "TERMINATED"
        ]
    return only_place(f"application of EMR Serverless named {name}", found, environment)


def _run(found: Mapping[str, Any]) -> Run:
    return Run(
        id=found["jobRunId"],
        hash=found.get("tags", {}).get(HASH_TAG, ""),
        state=STATES[found["state"]],
        since=found["createdAt"],
        attempt=found.get("attempt") or 1,
        reason=found.get("stateDetails", ""),
        waits_for=WaitsFor.ROOM if found["state"] in WAIT_FOR_ROOM else WaitsFor.UNKNOWN,
        start=start_token(found),
    )


def _of_the_driver(keys: list[str]) -> list[str]:
    """Returns those of all attempts, oldest first. A streaming job has a folder for each: attempts/<n>/."""
    return sorted((key for key in keys if DRIVER in key), key=lambda key: (_attempt(key), key))


def _attempt(key: str) -> int:
    match = ATTEMPT.search(key)
    return int(match[1]) if match else 0
