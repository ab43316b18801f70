"""Rights in AWS of `firnline deploy`, `stop`, `logs` and `pause` beside what a stack does; of them, those of `firnline status`.

Uploading artefact and configuration, and handing over the engine's role, are among the stack's rights already.
"""

from collections.abc import Iterator
from dataclasses import replace

from firnline_infra.blueprint.bucket_layout import DEPLOYMENT_FOLDER, folder, log_folder
from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.iam import Conditions, PolicyStatement
from firnline_infra.blueprint.iam.statement import allow
from firnline_infra.runtimes.registry import RUNTIMES
from firnline_ingest.permissions.narrowing import OWN_ITEMS

ROWS_OF_SHARDS = "?*@*"
"""Partitions of the ledger: every stream's. Which streams and consumers there are is in the engine's own, which is not a
stream's. Each stream by its name has no room in a policy where there are hundreds, and the table is the environment's alone."""
KEEP_DEPLOYMENTS = {
    "s3:GetObject": "The deployments: for rollbacks, and to see other deployers at work.",
    "s3:PutObject": "Claims the next number, says that it is still at work, and how it ended.",
}
READ_LOGS = {"s3:GetObject": "`firnline logs`."}
SEE_SHARDS = {"dynamodb:Query": "Which shards the engine reads, and whether it has reached the tip."}
ASK_ENGINE = {"dynamodb:UpdateItem": "Asks the engine to stop; pauses a stream."}
STATUS = {
    "KeepDeployments": ("s3:GetObject",),
    "SeeShards": ("dynamodb:Query",),
}
"""By Sid, what `firnline status` reads of the bucket and the ledger, with SeeRun; the runtime's row has what of its service.
Logs are not in it."""


def roll_out_statements(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """Yields nothing where the engine is started by hand."""
    environment = blueprint.environment
    if environment.aws.runtime.kind is None:
        return
    yield from RUNTIMES[environment.aws.runtime.kind].rights(blueprint)
    yield from _objects(blueprint)
    table = (environment.arns.table(blueprint.names.ledger_table),)
    shards: Conditions = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": (ROWS_OF_SHARDS, OWN_ITEMS)}}
    yield allow("SeeShards", SEE_SHARDS, resources=table, conditions=shards)
    own: Conditions = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": (OWN_ITEMS,)}}
    yield allow("AskEngine", ASK_ENGINE, resources=table, conditions=own)


def status_statements(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    kind = blueprint.environment.aws.runtime.kind
    read = {**STATUS, **(RUNTIMES[kind].status_rights if kind else {})}
    for each in roll_out_statements(blueprint):
        if each.sid in read:
            yield replace(each, actions=tuple(read[each.sid]))


def _objects(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    environment = blueprint.environment
    if blueprint.job_bucket is None:
        return
    bucket = environment.arns.bucket(blueprint.names.bucket)
    deployments = f"{bucket}/{folder(environment, DEPLOYMENT_FOLDER)}*"
    yield allow("KeepDeployments", KEEP_DEPLOYMENTS, resources=(deployments,))
    logs = log_folder(environment)
    if logs is not None:
        yield allow("ReadLogs", READ_LOGS, resources=(f"{bucket}/{logs}*",))
