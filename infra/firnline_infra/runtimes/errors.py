"""Errors of a job before anything is started, and the answers of a runtime's service.

JobError
├── StartedByHand      the specification does not say where the engine's job runs
└── JobRefused         the service would refuse the request
PlaceMissing           what the stack makes for the engine to run at is not there, or twice
NoCluster              the kubeconfig does not lead into a cluster
UntaggedRun            a run that the deployer may not see is in the engine's place
RuntimeRefused         the service refused a call
EngineRuns             an engine runs in what is to be destroyed
RuntimeUnavailable     transient: the service is throttling, or out of reach
"""

from collections.abc import Sequence

from firnline_ingest.errors import Fatal, FirnlineError, Retryable, declared

REPORT_REQUEST = (
    "nothing was changed by this request, and waiting does not heal it. If the message names a value of the specification, "
    "correct it there; otherwise this is a defect of Firnline: report this message."
)
"""The next step where a service says that a request is not a valid one."""


class JobError(FirnlineError, Fatal):
    """An engine's job could not be made."""

    id = "FL-5421"


@declared
class StartedByHand(JobError):
    """The specification has none of the sections that say where the job runs."""

    environment: str

    id = "FL-5422"
    message = (
        "Environment {environment} does not say where its engine's job runs: aws.runtime has none of emr_serverless, "
        "emr_eks, emr_ec2, kubernetes."
    )
    causes = "The specification does not say where the engine's job runs"
    remedy = (
        "give one of aws.runtime.emr_serverless, emr_eks, emr_ec2 and kubernetes (docs/runtimes); an engine that was "
        "started by hand is looked at by firnline status --config engine.json and ended by firnline stop --config "
        "engine.json, and its log is where it runs."
    )


@declared
class JobRefused(JobError):
    """The service would refuse the request; said before anything is stopped or started."""

    application: str
    service: str
    problems: Sequence[str]

    id = "FL-5423"
    message = "{service} would refuse the job of {application}:\n{problems:list}"
    causes = "The service would refuse the job's request; nothing was stopped or started"
    remedy = "change what the lines name in the specification, and deploy again; nothing was stopped or started."


@declared
class RuntimeRefused(FirnlineError, Fatal):
    """The service refused a call, in its own words."""

    action: str
    on: str
    words: str

    id = "FL-5469"
    message = "{action} on {on} was refused: {words}"
    next_step: str = "if it was denied, allow {action} to the deployer; the command can be repeated as it is."
    causes = "The service refused a call"
    remedy = "what it says; if it was denied, the action that it names"
    is_unauthorized = False
    """True for an answer that says nothing but that the caller is not known (any more)."""


@declared
class UntaggedRun(FirnlineError, Fatal):
    """Somebody has started a run in the engine's application without its tag, or the deployer lacks a right."""

    run_id: str
    place: str
    application_id: str
    words: str

    id = "FL-5621"
    message = (
        "Run {run_id} is active in {place}, and may not be looked at: it lacks the tag firnline:application, so "
        "somebody started it by hand, and it is in the engine's way. ({words})"
    )
    next_step = (
        "whoever started it ends it (aws emr-serverless cancel-job-run --application-id {application_id} --job-run-id "
        "{run_id}); then run the same command again. If it has the tag, allow emr-serverless:GetJobRun to the "
        "deployer. Nothing was changed."
    )
    causes = (
        "A run is active in the environment's own application of EMR Serverless that the deployer may not look at: "
        "it has no tag `firnline:application`, because it was started by hand. Nothing was changed"
    )
    remedy = (
        "the person who started it ends it, by the command in the message; if it has the tag, `emr-serverless:GetJobRun` "
        "for the deployer"
    )


@declared
class EngineRuns(FirnlineError, Fatal):
    """The engine's role, its ledger and its stream would be destroyed under it."""

    environment: str
    runs: Sequence[str]

    id = "FL-5622"
    message = "The engine of {environment} runs: {runs}. Its role, ledger and streams would be destroyed under it."
    next_step = (
        "firnline stop {environment}, which proves all rows first; then the same command again. Nothing was destroyed."
    )
    causes = (
        "`destroy` of an environment whose engine runs on Kubernetes, which no stack knows of. Nothing was destroyed"
    )
    remedy = "`firnline stop`, then the same command again"


@declared
class RuntimeUnavailable(FirnlineError, Retryable):
    """Throttled, or out of reach."""

    action: str
    on: str
    words: str

    id = "FL-5470"
    message = "{action} on {on} got no answer: {words}"
    causes = "The service throttles, or can't be reached"
    remedy = "run the same command again; it goes on from what it finds."


class PlaceMissing(FirnlineError, Fatal):
    """The place where the engine is to run is not there, or there are several of its name."""

    id = "FL-5472"
    causes = (
        "The application, cluster or namespace that the stack makes for the engine is not there, or there are two of "
        "its name"
    )
    remedy = "`firnline up`; or adopt one by its id"

    def __init__(self, what: str, found: Sequence[str], environment: str) -> None:
        said = f"There are {len(found)} of these: {', '.join(found)}; wanted is the {what}." if found else ""
        super().__init__(
            said or f"There is no {what}.",
            next_step="remove the one that is not yours, or adopt one by its id (docs/spec.md)."
            if found
            else f"firnline up {environment} makes it.",
        )


@declared
class NoCluster(FirnlineError, Fatal):
    """The kubeconfig does not lead into a cluster."""

    why: str

    id = "FL-5473"
    message = "No Kubernetes cluster can be entered: {why}."
    causes = "The kubeconfig has no such context, or the command that gives its credentials failed"
    remedy = "kubectl get pods has to work with the same KUBECONFIG and aws.runtime.kubernetes.context."
