"""The policy that bounds every role and user that an environment makes: no more than engines and volumes ever need.

It names the environment's tables, secrets, buckets and keys, and the one stream that may be written to; keys that AWS manages
are known by their aliases, which nobody else may make. The streams that are read are all of the account's: a policy has no
room for hundreds of them, and the roles' own policies name those. What a runtime needs for itself is in it as it is, and so
is what the specification adds to the engine's rights.
"""

from collections.abc import Iterator
from dataclasses import replace

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.environment_key import key_of
from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.iam.cross_account import assuming
from firnline_infra.blueprint.iam.extra import extra_bounds
from firnline_infra.blueprint.iam.length import check_policy_length
from firnline_infra.blueprint.iam.runtime import runtime_statements
from firnline_infra.blueprint.iam.volume import OBJECT_ACTIONS
from firnline_infra.blueprint.registries import login_keys, login_secrets, uses_glue
from firnline_infra.blueprint.value import Value
from firnline_infra.environment import Environment
from firnline_infra.kinds.buckets import bucket_names, object_arns
from firnline_infra.kinds.iam import ROLE_POLICY
from firnline_infra.kinds.keys_and_secrets import secret_arns
from firnline_infra.kinds.redshift import roles
from firnline_infra.kinds.tables import table_names
from firnline_infra.specification.source_streams import SourceStream
from firnline_ingest.permissions import PERMISSIONS

BUCKET_ACTIONS = ("s3:ListBucket", "s3:GetBucketLocation")
CONSUMER_ACTIONS = (
    "kinesis:DeregisterStreamConsumer",
    "kinesis:DescribeStreamConsumer",
    "kinesis:SubscribeToShard",
)
LISTING = "kinesis:ListStreams"
SCHEMAS = "glue:GetSchemaVersion"
LETTERS_ACTION = "kinesis:PutRecords"
VOLUME_ACTIONS = (*OBJECT_ACTIONS, *BUCKET_ACTIONS, "kms:Decrypt", "kms:GenerateDataKey")


def boundary_statements(blueprint: Blueprint) -> tuple[PolicyStatement, ...]:
    """Raises ConfigError where it gets longer than IAM takes."""
    environment = blueprint.environment
    arns, letters = environment.arns, environment.dead_letters.stream
    actions = dict.fromkeys(sorted({*(permission.action for permission in PERMISSIONS), *VOLUME_ACTIONS} - {LISTING}))
    places = {
        "Kinesis": (arns.stream("*"), *_in_other_regions(environment)),
        "Consumers": (arns.consumer_by_name("*", "*"),),
        "Letters": (arns.stream(letters),) if letters else (),
        "Dynamodb": tuple(arns.table(name) for name in table_names(blueprint)),
        "Secretsmanager": (
            *secret_arns(blueprint, arns),
            *login_secrets(environment),
            *environment.access_key_secrets,
        ),
        "Kms": _keys(environment),
        "Bucket": tuple(arns.bucket(name) for name in bucket_names(blueprint)),
        "S3": object_arns(blueprint, arns),
    }
    statements = tuple(
        PolicyStatement(
            sid=f"Within{place}",
            actions=tuple(action for action in actions if _place(action) == place),
            resources=resources,
            conditions={"StringEquals": {"aws:ResourceAccount": _accounts(environment, place)}},
        )
        for place, resources in places.items()
        if resources
    )
    managed = PolicyStatement(
        sid="WithinKeysOfAws",
        actions=tuple(action for action in actions if _place(action) == "Kms"),
        resources=(arns.key("*"),),
        conditions={
            "StringEquals": {"aws:ResourceAccount": environment.aws.account},
            "ForAnyValue:StringLike": {"kms:ResourceAliases": "alias/aws/*"},
        },
    )
    statements = (
        *statements,
        managed,
        *_unnarrowed(environment),
        *assuming(environment),
        *runtime_statements(environment),
        *_redshift(blueprint),
        *extra_bounds(environment),
    )
    check_policy_length(statements, kind="boundary", name=environment.bootstrap.boundary, source=environment.name)
    return statements


def _redshift(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """Yields what its roles may do beyond an engine: the statements as they are, for what a boundary lacks a role can't do."""
    for component in roles(blueprint.environment):
        for policy in (each for each in component.resources() if each.type == ROLE_POLICY.terraform_type):
            yield from (replace(each, sid=f"Redshift{each.sid}") for each in policy.arguments["policy"].statements)


def _unnarrowed(environment: Environment) -> Iterator[PolicyStatement]:
    """Yields what AWS can narrow to a region only, where the specification needs it."""
    needed = {
        ("FindStreams", LISTING): any(pipeline.stream_pattern for pipeline in environment.pipelines),
        ("ReadSchemas", SCHEMAS): uses_glue(environment),
    }
    here = {"StringEquals": {"aws:RequestedRegion": environment.aws.region}}
    for (sid, action), is_needed in needed.items():
        if is_needed:
            yield PolicyStatement(sid=sid, actions=(action,), resources=("*",), conditions=here)


def _keys(environment: Environment) -> tuple[Value, ...]:
    """The environment's, and those of adopted streams and of logins."""
    own = key_of(environment)
    theirs = (each.options.key_arn for each in _read(environment) if each.options.key_arn is not None)
    return tuple(dict.fromkeys([*([] if own is None else [own]), *theirs, *login_keys(environment)]))


def _accounts(environment: Environment, place: str) -> str | tuple[str, ...]:
    """The accounts of what a statement names: streams that their own policies open, and their keys, are other accounts'."""
    theirs = {each.account for each in _read(environment) if each.is_opened_by_its_policy}
    return (
        (environment.aws.account, *sorted(theirs))
        if theirs and place in {"Kinesis", "Kms"}
        else environment.aws.account
    )


def _in_other_regions(environment: Environment) -> tuple[str, ...]:
    return tuple(each.arn for each in _read(environment) if each.is_elsewhere)


def _read(environment: Environment) -> Iterator[SourceStream]:
    """Yields the streams that the engine reads with its own rights."""
    return (each for each in environment.sources if each.is_opened_by_engines_policy)


def _place(action: str) -> str:
    if action == LETTERS_ACTION:
        return "Letters"
    if action in CONSUMER_ACTIONS:
        return "Consumers"
    return "Bucket" if action in BUCKET_ACTIONS else action.partition(":")[0].title()
