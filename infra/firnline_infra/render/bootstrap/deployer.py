"""Rights of CI in AWS: everything that the environment's resources ask for, on them alone.

Two roles, because a pull request runs the program of whoever opened it: one changes things after a merge, the other only
reads. No statement lets either of them see a secret's value, or touch itself, its policies or the boundary.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.environment_key import key_of
from firnline_infra.blueprint.iam import Conditions, PolicyStatement
from firnline_infra.blueprint.iam.statement import allow, is_service, via
from firnline_infra.blueprint.value import Reference
from firnline_infra.environment import Environment
from firnline_infra.kinds import Kind, Scope, arns_by_kind
from firnline_infra.kinds.buckets import BUCKET, OBJECT
from firnline_infra.kinds.iam import ATTACHMENT, POLICY, USER
from firnline_infra.kinds.keys_and_secrets import KEY
from firnline_infra.kinds.streams import CONSUMER, STREAM, stream_of
from firnline_infra.render.bootstrap.engine_run import see_run
from firnline_infra.render.bootstrap.redshift import reading_rights, statement_rights
from firnline_infra.render.bootstrap.roll_out import roll_out_statements, status_statements
from firnline_infra.render.bootstrap.tagged import clusters_of_associations, finding, in_region, statements_by_tag
from firnline_infra.specification.model import Durability
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.runtime import Trust

STATE_KEY_ARN = Reference("StateKey", "Arn")
IS_THERE = "Whether it is there."
LIST_OBJECTS = {"s3:ListBucketVersions": "Finds what is in it."}
REMOVE_OBJECTS = dict.fromkeys(
    ("s3:DeleteObject", "s3:DeleteObjectVersion"), "Removes what is in it, and its old versions."
)
EMPTY_USER = {
    **dict.fromkeys(
        ("iam:ListAccessKeys", "iam:DeleteAccessKey"),
        "Removes the access keys that `firnline keys create --aws` made.",
    ),
    **dict.fromkeys(
        (
            *("iam:ListSSHPublicKeys", "iam:ListMFADevices", "iam:DeleteLoginProfile"),
            *("iam:ListSigningCertificates", "iam:ListServiceSpecificCredentials"),
        ),
        "The provider looks for everything else that a user can have.",
    ),
}
LIST_DEVICES = {"iam:ListVirtualMFADevices": "The provider looks for devices that are the user's."}
USE_KEY = {
    "dynamodb": dict.fromkeys(
        (
            *("kms:DescribeKey", "kms:CreateGrant", "kms:Encrypt", "kms:Decrypt", "kms:ReEncryptFrom"),
            *("kms:ReEncryptTo", "kms:GenerateDataKey", "kms:GenerateDataKeyWithoutPlaintext"),
        ),
        "DynamoDB asks for it in the name of who creates a table with a key of the customer's.",
    ),
    "ecr": dict.fromkeys(
        ("kms:DescribeKey", "kms:CreateGrant", "kms:RetireGrant"),
        "ECR asks for it in the name of who creates a repository with a key of the customer's.",
    ),
    "s3": dict.fromkeys(("kms:GenerateDataKey", "kms:Decrypt"), "S3 encrypts and decrypts the configuration."),
    "redshift": dict.fromkeys(
        ("kms:DescribeKey", "kms:CreateGrant", "kms:Encrypt", "kms:Decrypt", "kms:GenerateDataKey"),
        "Redshift asks for it in the name of who creates a cluster, or runs a statement in it.",
    ),
}
"""docs.aws.amazon.com: DynamoDB, encryption usage notes; S3, using SSE-KMS; ECR, encryption at rest; Redshift, authorizing use of
a customer managed key, and using KMS with the Data API."""
DECRYPT = "kms:Decrypt"
LIST_STATE = {"s3:ListBucket": "Finds the stack."}
READ_STATE = {"s3:GetObject": "Reads it."}
KEEP_STATE = {
    **READ_STATE,
    **dict.fromkeys(("s3:PutObject", "s3:DeleteObject"), "Writes it, and the lock that keeps a second `up` out."),
}
"""Pulumi's state in S3 needs these four actions (pulumi.com, state and backends, AWS S3)."""
USE_STATE_KEY = {
    "kms:Encrypt": "S3 encrypts it, and Pulumi.",
    "kms:Decrypt": "S3 decrypts it, and Pulumi.",
    "kms:GenerateDataKey": "S3 encrypts it, and Pulumi.",
}
"""For its objects, and for what Pulumi itself encrypts in them (the secrets provider awskms)."""
ENCRYPT_STREAMS = dict.fromkeys(
    ("kinesis:StartStreamEncryption", "kinesis:StopStreamEncryption"),
    "Kinesis decides about the stream, and about its key too.",
)
"""Service Authorization Reference, Kinesis Data Streams: the key is among the resources of both (2026-11-28)."""
PASS_ROLE = {"iam:PassRole": "Starts the engine with its role."}
PASSED_TO = {
    Trust.EMR_SERVERLESS: "emr-serverless.amazonaws.com",
    Trust.EMR_EC2: "ec2.amazonaws.com",
    Trust.POD_IDENTITY: "pods.eks.amazonaws.com",
}
"""The service that the engine's role is handed to, when a job is started, or an instance profile or association made."""


def deployer_statements(blueprint: Blueprint) -> tuple[PolicyStatement, ...]:
    """Changes the environment."""
    return (
        *_by_kind(blueprint, reading=False),
        *_unbound(blueprint, reading=False),
        *finding(blueprint),
        *_adopting(blueprint),
        *_registering(blueprint),
        *_emptying(blueprint),
        *_passing(blueprint),
        *_key_use(blueprint),
        *statement_rights(blueprint),
        see_run(blueprint),
        *roll_out_statements(blueprint),
        *_state(blueprint.environment, KEEP_STATE, USE_STATE_KEY),
    )


def previewer_statements(blueprint: Blueprint) -> tuple[PolicyStatement, ...]:
    """Reads the environment, its state, how its engine is doing, and nothing that is in its streams, secrets and logs."""
    return (
        *_by_kind(blueprint, reading=True),
        *_unbound(blueprint, reading=True),
        *finding(blueprint),
        *_adopting(blueprint),
        *reading_rights(blueprint),
        see_run(blueprint),
        *status_statements(blueprint),
        *(replace(each, actions=(DECRYPT,)) for each in _key_use(blueprint) if DECRYPT in each.actions),
        *_state(blueprint.environment, READ_STATE, {"kms:Decrypt": USE_STATE_KEY["kms:Decrypt"]}),
    )


def boundary_arn(environment: Environment) -> str:
    return environment.aws.permissions_boundary or environment.arns.policy(environment.bootstrap.boundary)


def _by_kind(blueprint: Blueprint, *, reading: bool) -> Iterator[PolicyStatement]:
    """A statement for each set of resources; what needs a condition of its own is apart."""
    by_resources: dict[tuple[str, ...], dict[str, str]] = {}
    first: dict[tuple[str, ...], Kind] = {}
    for kind, arns in arns_by_kind(blueprint).items():
        if kind.matched_by_tag:
            yield from statements_by_tag(blueprint, kind, arns, reading=reading)
            continue
        # Of two reasons for an action the last: a bucket's setting says more than the bucket that has it.
        by_resources.setdefault(arns, {}).update(kind.actions(Scope.OWN, reading=reading))
        first.setdefault(arns, kind)
        if (bounded := kind.actions(Scope.BOUNDED)) and not reading:
            conditions = _within_boundary(blueprint, kind)
            yield allow(f"Bounded{kind.type_name}", bounded, resources=arns, conditions=conditions)
    for arns, asked in by_resources.items():
        yield allow(f"Own{first[arns].type_name}", asked, resources=arns)


def _within_boundary(blueprint: Blueprint, kind: Kind) -> Conditions:
    """An attachment is of the one policy that the deployer writes, so that no other one gets to the user."""
    environment = blueprint.environment
    within: Conditions = {"StringEquals": {"iam:PermissionsBoundary": boundary_arn(environment)}}
    if kind is not ATTACHMENT:
        return within
    (policy,) = POLICY.own_arns(blueprint, environment.arns)
    return {**within, "ArnEquals": {"iam:PolicyARN": policy}}


def _unbound(blueprint: Blueprint, *, reading: bool) -> Iterator[PolicyStatement]:
    """Yields what AWS can't narrow to a resource, in the environment's region."""
    rights: dict[str, str] = {}
    for kind in arns_by_kind(blueprint):
        rights.update(kind.actions(Scope.REGION, reading=reading))
    if rights:
        yield allow("Unbound", rights, resources=("*",), conditions=in_region(blueprint.environment))


def _adopting(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """The rights to see, before an `up`, whether what belongs to others exists."""
    environment = blueprint.environment
    arns = environment.arns
    streams = tuple(each.arn for each in environment.sources if each.is_adopted_here)
    if streams:
        yield allow("SeeStreams", {"kinesis:DescribeStreamSummary": IS_THERE}, resources=streams)
    if (key := key_of(environment)) is not None:
        is_ours = environment.aws.key.origin is Origin.CREATE
        compared = KEY.actions(reading=True) if is_ours else {}
        see = {"kms:DescribeKey": "Whether it is there, and can be used."}
        yield allow("CompareKey" if is_ours else "SeeKey", {**compared, **see}, resources=(key,))
    if environment.aws.bucket.origin is Origin.ADOPT:
        yield allow("SeeBucket", {"s3:ListBucket": IS_THERE}, resources=(arns.bucket(blueprint.names.bucket),))
    if (role := environment.aws.runtime.role_arn) is not None:
        yield allow("SeeRole", {"iam:GetRole": IS_THERE}, resources=(role,))


def _registering(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """A consumer exists once it is registered; until then AWS asks for the right on its stream."""
    streams = tuple(dict.fromkeys(map(stream_of, CONSUMER.instances(blueprint))))
    if streams:
        on = tuple(map(blueprint.environment.arns.stream, streams))
        yield allow("RegisterConsumers", CONSUMER.actions(Scope.PARENT), resources=on)


def _emptying(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """Yields what removing a user with its access keys, or a bucket with everything in it, asks for besides."""
    environment = blueprint.environment
    if environment.durability is not Durability.EPHEMERAL:
        return
    if users := USER.own_arns(blueprint, environment.arns):
        yield allow("EmptyUser", EMPTY_USER, resources=users)
        yield allow("ListDevices", LIST_DEVICES, resources=("*",))
    if own := BUCKET.own_arns(blueprint, environment.arns):
        yield allow("ListToEmpty", LIST_OBJECTS, resources=own)
        yield allow("Empty", REMOVE_OBJECTS, resources=tuple(f"{arn}/*" for arn in own))


def _passing(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """Starting the engine hands its role to the service that runs it; with Pod Identity, its association does."""
    environment = blueprint.environment
    service = PASSED_TO.get(environment.aws.runtime.trust)
    is_adopted = environment.aws.runtime.trust is Trust.POD_IDENTITY and not clusters_of_associations(blueprint)
    if service is not None and not is_adopted:
        role = environment.aws.runtime.role_arn or environment.arns.role(blueprint.names.engine_role)
        conditions = is_service("iam:PassedToService", service, environment.aws.partition)
        yield allow("HandOverEngineRole", PASS_ROLE, resources=(role,), conditions=conditions)


def _key_use(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """The use of the key through the services that keep something under it."""
    environment = blueprint.environment
    if (key := key_of(environment)) is None:
        return
    if STREAM.own_arns(blueprint, environment.arns):
        yield allow("EncryptStreams", ENCRYPT_STREAMS, resources=(key,))
    needless = {
        "s3": OBJECT not in arns_by_kind(blueprint),
        "ecr": not environment.aws.runtime.has_repository,
        "redshift": blueprint.redshift is None or not blueprint.redshift.makes_cluster,
    }
    for service, rights in USE_KEY.items():
        if needless.get(service):
            continue
        through = via(service, environment.aws.region)
        yield allow(f"KeyThrough{service.title()}", rights, resources=(key,), conditions=through)


def _state(environment: Environment, objects: Mapping[str, str], key: Mapping[str, str]) -> Iterator[PolicyStatement]:
    bucket = environment.arns.bucket(environment.bootstrap.state_bucket)
    yield allow("ListState", LIST_STATE, resources=(bucket,))
    yield allow("State", objects, resources=(f"{bucket}/.pulumi/*", f"{bucket}/terraform/*"))
    yield allow("StateKey", key, resources=(STATE_KEY_ARN,))
