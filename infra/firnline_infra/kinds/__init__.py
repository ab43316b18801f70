"""The kinds of objects that an environment has, one file a family.

A further kind is a row in its family's file and in KINDS.
"""

from firnline_infra.blueprint import Blueprint
from firnline_infra.kinds import buckets, ecr, emr, iam, network, observability
from firnline_infra.kinds.eks import ASSOCIATION
from firnline_infra.kinds.keys_and_secrets import ALIAS, KEY, SECRET
from firnline_infra.kinds.kind import Kind, Lookup, ResourceType, Right, Scope
from firnline_infra.kinds.redshift import CLUSTER, EVENT_RULE, NAMESPACE, SCHEDULE, WORKGROUP
from firnline_infra.kinds.snowflake import SNOWFLAKE_KINDS
from firnline_infra.kinds.streams import CONSUMER, STREAM
from firnline_infra.kinds.tables import TABLE

__all__ = ["KINDS", "RESOURCE_TYPES", "TOKENS", "Kind", "Lookup", "Right", "Scope", "arns_by_kind"]

KINDS = (
    *(STREAM, CONSUMER, TABLE),
    *(buckets.BUCKET, buckets.VERSIONING, buckets.ENCRYPTION, buckets.PUBLIC_ACCESS_BLOCK, buckets.OWNERSHIP_CONTROLS),
    *(buckets.LIFECYCLE, buckets.BUCKET_POLICY, buckets.OBJECT),
    *(iam.ROLE, iam.ROLE_POLICY, iam.USER, iam.ATTACHMENT, iam.POLICY, KEY, ALIAS, SECRET),
    *observability.KINDS,
    *(network.VPC_ENDPOINT, network.SECURITY_GROUP, iam.INSTANCE_PROFILE),
    *(emr.SERVERLESS, emr.VIRTUAL_CLUSTER, emr.CLUSTER, ASSOCIATION),
    *(ecr.REPOSITORY, ecr.LIFECYCLE),
    *(NAMESPACE, WORKGROUP, CLUSTER, SCHEDULE, EVENT_RULE),
)
"""In the order in which policies list them."""
RESOURCE_TYPES: tuple[ResourceType, ...] = (*KINDS, *SNOWFLAKE_KINDS)
TOKENS = {each.terraform_type: each.token for each in RESOURCE_TYPES}
"""Pulumi's name of each type, by Terraform's."""


def arns_by_kind(blueprint: Blueprint) -> dict[Kind, tuple[str, ...]]:
    """Returns what the environment's deployer may touch, and nothing else.

    Kinds that the environment has none of are not in it.
    """
    found = {kind: kind.own_arns(blueprint, blueprint.environment.arns) for kind in KINDS}
    return {kind: arns for kind, arns in found.items() if arns}
