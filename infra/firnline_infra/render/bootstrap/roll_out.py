"""What `firnline deploy`, `stop`, `logs` and `pause` ask of AWS beside what a stack does; of it, what `firnline status` reads.

Uploading artefact and configuration, and handing over the engine's role, are among the stack's rights already.
"""

from collections.abc import Iterator
from dataclasses import replace

from firnline_infra.blueprint.bucket_layout import DEPLOYMENT_FOLDER, folder, log_folder
from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.iam import Conditions, PolicyStatement
from firnline_infra.blueprint.iam.statement import allow
from firnline_infra.render.bootstrap.engine_run import OURS
from firnline_infra.render.bootstrap.run_rights import runs_on_ec2, runs_on_eks
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import application_of
from firnline_ingest.permissions.narrowing import OWN_ITEMS

ROWS_OF_SHARDS = "?*@*"
"""Partitions of the ledger: every stream's. Which streams and consumers there are is in the engine's own, which is no stream's.
Each stream by its name has no room in a policy where
there are hundreds, and the table is the environment's alone."""
RUN_ENGINE = {
    "emr-serverless:GetApplication": "Whether it can run the job: its state, release and architecture.",
    "emr-serverless:ListJobRuns": "Which runs there are that are not over.",
    "emr-serverless:StartJobRun": "Starts the job.",
}
SEE_RUNS = {"emr-serverless:GetJobRun": "What a run is, how it is doing, and where its logs go."}
CANCEL_RUNS = {"emr-serverless:CancelJobRun": "Ends a run, so that the service does not start it again."}
TAG_NEW_RUN = {"emr-serverless:TagResource": "A run says whose it is, and what it runs."}
KEEP_DEPLOYMENTS = {
    "s3:GetObject": "What was deployed: to go back to, and to see who else is at work.",
    "s3:PutObject": "Claims the next number, says that it is still at work, and how it ended.",
}
READ_LOGS = {"s3:GetObject": "`firnline logs`."}
SEE_SHARDS = {"dynamodb:Query": "Which shards the engine reads, and whether it has reached the tip."}
ASK_ENGINE = {"dynamodb:UpdateItem": "Asks the engine to stop; pauses a stream."}
STATUS = {
    "RunEngine": ("emr-serverless:ListJobRuns",),
    "SeeRuns": ("emr-serverless:GetJobRun",),
    "LookForJobs": ("emr-containers:ListJobRuns",),
    "SeeJobs": ("emr-containers:DescribeJobRun",),
    "SeeSteps": ("elasticmapreduce:DescribeStep", "elasticmapreduce:ListSteps"),
    "KeepDeployments": ("s3:GetObject",),
    "SeeShards": ("dynamodb:Query",),
}
"""By Sid, what `firnline status` reads, with SeeRun and FindApplication. Logs are not in it."""


def roll_out_statements(spec: EnvironmentSpec, blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """Nothing where the engine is started by hand."""
    if spec.aws.runtime.job is None:
        return
    yield from _runs(spec)
    yield from runs_on_eks(spec, blueprint)
    yield from runs_on_ec2(spec, blueprint)
    yield from _objects(spec, blueprint)
    table = (Arns(spec).table(blueprint.ledger.name),)
    shards: Conditions = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": (ROWS_OF_SHARDS, OWN_ITEMS)}}
    yield allow("SeeShards", SEE_SHARDS, resources=table, conditions=shards)
    own: Conditions = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": (OWN_ITEMS,)}}
    yield allow("AskEngine", ASK_ENGINE, resources=table, conditions=own)


def status_statements(spec: EnvironmentSpec, blueprint: Blueprint) -> Iterator[PolicyStatement]:
    for each in roll_out_statements(spec, blueprint):
        if each.sid in STATUS:
            yield replace(each, actions=STATUS[each.sid])


def _runs(spec: EnvironmentSpec) -> Iterator[PolicyStatement]:
    """On EMR Serverless. The id of an application that is made is AWS's, so its tag says whose it is, and those of its runs.
    In an adopted one any run is seen, because `firnline deploy` looks at each for ours; only ours is cancelled.
    """
    section = spec.aws.runtime.emr_serverless
    if section is None:
        return
    application = Arns(spec).serverless_application(section.application_id or "*")
    runs = (f"{application}/jobruns/*",)
    ours = {f"aws:ResourceTag/{OURS}": application_of(spec)}
    new = {f"aws:RequestTag/{OURS}": application_of(spec)}
    known: Conditions = {} if section.application_id else {"StringEquals": ours}
    yield allow("RunEngine", RUN_ENGINE, resources=(application,), conditions=known)
    yield allow("SeeRuns", SEE_RUNS, resources=runs, conditions=known)
    yield allow("CancelRuns", CANCEL_RUNS, resources=runs, conditions={"StringEquals": ours})
    yield allow(
        "TagNewRun", TAG_NEW_RUN, resources=runs, conditions={"StringEquals": new, "StringEqualsIfExists": ours}
    )


def _objects(spec: EnvironmentSpec, blueprint: Blueprint) -> Iterator[PolicyStatement]:
    if blueprint.job_bucket is None:
        return
    bucket = Arns(spec).bucket(blueprint.names.bucket)
    deployments = f"{bucket}/{folder(spec, DEPLOYMENT_FOLDER)}*"
    yield allow("KeepDeployments", KEEP_DEPLOYMENTS, resources=(deployments,))
    logs = log_folder(spec)
    if logs is not None:
        yield allow("ReadLogs", READ_LOGS, resources=(f"{bucket}/{logs}*",))
