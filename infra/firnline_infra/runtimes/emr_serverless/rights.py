"""Rights that `firnline deploy` and its sisters ask of EMR Serverless. Tests run the client against these statements."""

from collections.abc import Iterator

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.iam import Conditions, PolicyStatement
from firnline_infra.blueprint.iam.statement import allow
from firnline_infra.runtimes.job import APPLICATION_TAG

RUN_ENGINE = {
    "emr-serverless:GetApplication": "Whether it can run the job: its state, release and architecture.",
    "emr-serverless:ListJobRuns": "Which runs there are that are not over.",
    "emr-serverless:StartJobRun": "Starts the job.",
}
SEE_RUNS = {"emr-serverless:GetJobRun": "The run's request, its state, and where its logs go."}
CANCEL_RUNS = {"emr-serverless:CancelJobRun": "Ends a run, so that the service does not start it again."}
TAG_NEW_RUN = {"emr-serverless:TagResource": "A run says whose it is, and what it runs."}
STATUS = {"RunEngine": ("emr-serverless:ListJobRuns",), "SeeRuns": ("emr-serverless:GetJobRun",)}
"""The actions that `firnline status` needs, by Sid."""


def run_statements(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """The id of an application that is made is AWS's, so its tag says whose it is, and those of its runs.
    In an adopted one any run is seen, because `firnline deploy` looks at each for ours; only ours is cancelled.
    """
    environment = blueprint.environment
    section = environment.aws.runtime.emr_serverless
    if section is None:
        return
    application = environment.arns.serverless_application(section.application_id or "*")
    runs = (f"{application}/jobruns/*",)
    ours = {f"aws:ResourceTag/{APPLICATION_TAG}": environment.names.application}
    new = {f"aws:RequestTag/{APPLICATION_TAG}": environment.names.application}
    known: Conditions = {} if section.application_id else {"StringEquals": ours}
    yield allow("RunEngine", RUN_ENGINE, resources=(application,), conditions=known)
    yield allow("SeeRuns", SEE_RUNS, resources=runs, conditions=known)
    yield allow("CancelRuns", CANCEL_RUNS, resources=runs, conditions={"StringEquals": ours})
    yield allow(
        "TagNewRun", TAG_NEW_RUN, resources=runs, conditions={"StringEquals": new, "StringEqualsIfExists": ours}
    )
