"""What `firnline deploy`, `stop`, `logs` and `pause` ask of AWS beside what a stack does; of it, what `firnline status` reads.

Uploading artefact and configuration, and handing over the engine's role, are among the stack's rights already.
"""

from collections.abc import Iterator
from dataclasses import replace

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.iam import Conditions, PolicyStatement
from firnline_infra.blueprint.places import DEPLOYMENT_FOLDER, folder, log_folder
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
    yield PolicyStatement(
        sid="SeeShards",
        actions=("dynamodb:Query",),
        resources=table,
        conditions={"ForAllValues:StringLike": {"dynamodb:LeadingKeys": (ROWS_OF_SHARDS, OWN_ITEMS)}},
    )
    yield PolicyStatement(
        sid="AskEngine",
        actions=("dynamodb:UpdateItem",),
        resources=table,
        conditions={"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": (OWN_ITEMS,)}},
    )


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
    known: Conditions = {} if section.application_id else {"StringEquals": ours}
    yield PolicyStatement(
        sid="RunEngine",
        actions=("emr-serverless:GetApplication", "emr-serverless:ListJobRuns", "emr-serverless:StartJobRun"),
        resources=(application,),
        conditions=known,
    )
    yield PolicyStatement(sid="SeeRuns", actions=("emr-serverless:GetJobRun",), resources=runs, conditions=known)
    yield PolicyStatement(
        sid="CancelRuns", actions=("emr-serverless:CancelJobRun",), resources=runs, conditions={"StringEquals": ours}
    )
    yield PolicyStatement(
        sid="TagNewRun",
        actions=("emr-serverless:TagResource",),
        resources=runs,
        conditions={
            "StringEquals": {f"aws:RequestTag/{OURS}": application_of(spec)},
            "StringEqualsIfExists": ours,
        },
    )


def _objects(spec: EnvironmentSpec, blueprint: Blueprint) -> Iterator[PolicyStatement]:
    if blueprint.job_bucket is None:
        return
    bucket = Arns(spec).bucket(blueprint.names.bucket)
    yield PolicyStatement(
        sid="KeepDeployments",
        actions=("s3:GetObject", "s3:PutObject"),
        resources=(f"{bucket}/{folder(spec, DEPLOYMENT_FOLDER)}*",),
    )
    logs = log_folder(spec)
    if logs is not None:
        yield PolicyStatement(sid="ReadLogs", actions=("s3:GetObject",), resources=(f"{bucket}/{logs}*",))
