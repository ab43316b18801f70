"""What CI may do in AWS: everything that the environment's resources ask for, on them alone.

Two roles, because a pull request runs the program of whoever opened it: one changes things after a merge, the other only
reads. No statement lets either of them see a secret's value, or touch itself, its policies or the boundary.
"""

from collections.abc import Iterator
from dataclasses import replace

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.iam import Conditions, PolicyStatement
from firnline_infra.blueprint.iam.statement import via
from firnline_infra.blueprint.value import Reference
from firnline_infra.render.bootstrap.engine_run import see_run
from firnline_infra.render.bootstrap.environment_key import SEE_KEY, key_of
from firnline_infra.render.bootstrap.lifecycles import (
    EMPTY_BUCKET,
    EMPTY_USER,
    EMPTY_USER_UNBOUND,
    FIND_APPLICATION,
    FIND_ASSOCIATION,
    FIND_CLUSTER,
    FIND_VIRTUAL_CLUSTER,
    LIFECYCLES,
    PASSED_TO,
    STATE_BUCKET,
    STATE_KEY,
    STATE_OBJECTS,
    USE_KEY,
)
from firnline_infra.render.bootstrap.resources import (
    ATTACHMENT,
    CONSUMER,
    OBJECT,
    POLICY,
    ROLE,
    ROLE_POLICY,
    USER,
    buckets,
    resources,
)
from firnline_infra.render.bootstrap.roll_out import roll_out_statements, status_statements
from firnline_infra.render.bootstrap.tagged import KNOWN_BY_TAG, known_by_tag
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.elsewhere import adopted_here
from firnline_infra.specification.model import Durability, EnvironmentSpec
from firnline_infra.specification.names import bootstrap_names
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.runtime import Trust

STATE_KEY_ARN = Reference("StateKey", "Arn")
MADE_WITH_TAG = (
    "emr-serverless:CreateApplication",
    "emr-containers:CreateVirtualCluster",
    "elasticmapreduce:RunJobFlow",
)
"""Can't be narrowed to a resource either, but to a tag that it is made with."""
FENCED = frozenset(
    {
        *("iam:CreateRole", "iam:PutRolePolicy", "iam:DeleteRolePolicy", "iam:PutRolePermissionsBoundary"),
        *("iam:CreateUser", "iam:AttachUserPolicy", "iam:DetachUserPolicy", "iam:PutUserPermissionsBoundary"),
    }
)
"""What could give a role or a user more than its policy should: only for those within the boundary."""
READS_STATE = ("s3:GetObject",)


def deployer_statements(spec: EnvironmentSpec, blueprint: Blueprint) -> tuple[PolicyStatement, ...]:
    """Changes the environment."""
    return (
        *_by_type(spec, blueprint, reading=False),
        *_unbound(spec, blueprint, reading=False),
        *_finding(spec, blueprint),
        *_adopting(spec, blueprint),
        *_registering(spec, blueprint),
        *_emptying(spec, blueprint),
        *_passing(spec, blueprint),
        *_key_use(spec, blueprint),
        see_run(spec, blueprint),
        *roll_out_statements(spec, blueprint),
        *_state(spec, STATE_OBJECTS, STATE_KEY),
    )


def previewer_statements(spec: EnvironmentSpec, blueprint: Blueprint) -> tuple[PolicyStatement, ...]:
    """Reads the environment, its state, how its engine is doing, and nothing that is in its streams, secrets and logs."""
    return (
        *_by_type(spec, blueprint, reading=True),
        *_unbound(spec, blueprint, reading=True),
        *_finding(spec, blueprint),
        *_adopting(spec, blueprint),
        see_run(spec, blueprint),
        *status_statements(spec, blueprint),
        *(replace(each, actions=("kms:Decrypt",)) for each in _key_use(spec, blueprint)),
        *_state(spec, READS_STATE, ("kms:Decrypt",)),
    )


def boundary_arn(spec: EnvironmentSpec) -> str:
    return spec.aws.permissions_boundary or Arns(spec).policy(bootstrap_names(spec).boundary)


def _by_type(spec: EnvironmentSpec, blueprint: Blueprint, *, reading: bool) -> Iterator[PolicyStatement]:
    """A statement for each set of resources; what needs a condition of its own is apart."""
    by_resources: dict[tuple[str, ...], list[str]] = {}
    first: dict[tuple[str, ...], str] = {}
    for kind, arns in resources(spec, blueprint).items():
        lifecycle = LIFECYCLES[kind]
        actions = lifecycle.reading if reading else lifecycle.all
        wanted = [action for action in actions if action not in {*lifecycle.unbound, *lifecycle.on_parent, *FENCED}]
        if kind in KNOWN_BY_TAG:
            yield from known_by_tag(spec, blueprint, kind, wanted)
            continue
        by_resources.setdefault(arns, []).extend(wanted)
        first.setdefault(arns, kind.rpartition(":")[2])
        if kind in (ROLE, ROLE_POLICY, USER, ATTACHMENT) and not reading:
            yield PolicyStatement(
                sid=f"Bounded{kind.rpartition(':')[2]}",
                actions=tuple(action for action in actions if action in FENCED),
                resources=arns,
                conditions=_fence(spec, blueprint, kind),
            )
    for arns, asked in by_resources.items():
        yield PolicyStatement(sid=f"Own{first[arns]}", actions=tuple(dict.fromkeys(asked)), resources=arns)


def _fence(spec: EnvironmentSpec, blueprint: Blueprint, kind: str) -> Conditions:
    """An attachment is of the one policy that the deployer writes, so that no other one gets to the user."""
    within: Conditions = {"StringEquals": {"iam:PermissionsBoundary": boundary_arn(spec)}}
    if kind != ATTACHMENT:
        return within
    (policy,) = resources(spec, blueprint)[POLICY]
    return {**within, "ArnEquals": {"iam:PolicyARN": policy}}


def _unbound(spec: EnvironmentSpec, blueprint: Blueprint, *, reading: bool) -> Iterator[PolicyStatement]:
    """What AWS can't narrow to a resource, in the environment's region."""
    kinds = resources(spec, blueprint)
    actions = [
        action
        for kind in kinds
        for action in (LIFECYCLES[kind].reading if reading else LIFECYCLES[kind].all)
        if action in LIFECYCLES[kind].unbound and action not in MADE_WITH_TAG
    ]
    if actions:
        here: Conditions = {"StringEquals": {"aws:RequestedRegion": spec.aws.region}}
        yield PolicyStatement(sid="Unbound", actions=tuple(dict.fromkeys(actions)), resources=("*",), conditions=here)


def _finding(spec: EnvironmentSpec, blueprint: Blueprint) -> Iterator[PolicyStatement]:
    here: Conditions = {"StringEquals": {"aws:RequestedRegion": spec.aws.region}}
    if blueprint.runtime.application is not None:
        yield PolicyStatement(sid="FindApplication", actions=FIND_APPLICATION, resources=("*",), conditions=here)
    if blueprint.runtime.virtual_cluster is not None:
        find = FIND_VIRTUAL_CLUSTER
        yield PolicyStatement(sid="FindVirtualCluster", actions=find, resources=("*",), conditions=here)
    if blueprint.runtime.cluster is not None:
        yield PolicyStatement(sid="FindCluster", actions=FIND_CLUSTER, resources=("*",), conditions=here)
    if clusters := tuple(dict.fromkeys(each.cluster for each in blueprint.runtime.associations)):
        on = tuple(Arns(spec).eks_cluster(cluster) for cluster in clusters)
        yield PolicyStatement(sid="FindAssociation", actions=FIND_ASSOCIATION, resources=on)


def _adopting(spec: EnvironmentSpec, blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """Before an `up`, whether what belongs to others is there."""
    arns = Arns(spec)
    streams = tuple(arns.stream(stream.name) for stream in adopted_here(spec))
    if streams:
        yield PolicyStatement(sid="SeeStreams", actions=("kinesis:DescribeStreamSummary",), resources=streams)
    if (key := key_of(spec)) is not None:
        sid, actions = SEE_KEY[spec.aws.key.origin]
        yield PolicyStatement(sid=sid, actions=actions, resources=(key,))
    if spec.aws.bucket.origin is Origin.ADOPT:
        bucket = arns.bucket(blueprint.names.bucket)
        yield PolicyStatement(sid="SeeBucket", actions=("s3:ListBucket",), resources=(bucket,))
    if blueprint.adopted_role is not None:
        yield PolicyStatement(sid="SeeRole", actions=("iam:GetRole",), resources=(blueprint.adopted_role.arn,))


def _registering(spec: EnvironmentSpec, blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """A consumer exists once it is registered; until then AWS asks for the right on its stream."""
    streams = tuple(Arns(spec).stream(stream.name) for stream in blueprint.streams if stream.consumers)
    if streams:
        yield PolicyStatement(sid="RegisterConsumers", actions=LIFECYCLES[CONSUMER].on_parent, resources=streams)


def _emptying(spec: EnvironmentSpec, blueprint: Blueprint) -> Iterator[PolicyStatement]:
    if spec.durability is not Durability.EPHEMERAL:
        return
    if blueprint.user is not None:
        user = Arns(spec).user(blueprint.user.name)
        yield PolicyStatement(sid="EmptyUser", actions=EMPTY_USER, resources=(user,))
        yield PolicyStatement(sid="ListDevices", actions=EMPTY_USER_UNBOUND, resources=("*",))
    if not buckets(blueprint):
        return
    own = tuple(Arns(spec).bucket(bucket.name) for bucket in buckets(blueprint))
    yield PolicyStatement(sid="ListToEmpty", actions=EMPTY_BUCKET[:1], resources=own)
    yield PolicyStatement(sid="Empty", actions=EMPTY_BUCKET[1:], resources=tuple(f"{arn}/*" for arn in own))


def _passing(spec: EnvironmentSpec, blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """Starting the engine hands its role to the service that runs it; with Pod Identity, its association does."""
    service = PASSED_TO.get(spec.aws.runtime.trust.value)
    is_adopted = spec.aws.runtime.trust is Trust.POD_IDENTITY and not blueprint.runtime.associations
    if service is not None and not is_adopted:
        yield PolicyStatement(
            sid="HandOverEngineRole",
            actions=("iam:PassRole",),
            resources=(spec.aws.runtime.role_arn or Arns(spec).role(blueprint.names.engine_role),),
            conditions={"StringEquals": {"iam:PassedToService": service}},
        )


def _key_use(spec: EnvironmentSpec, blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """Through the services that keep something under the environment's key."""
    if (key := key_of(spec)) is None:
        return
    for service, actions in USE_KEY.items():
        if service == "s3" and OBJECT not in resources(spec, blueprint):
            continue
        through = via(service, spec.aws.region)
        yield PolicyStatement(sid=f"KeyThrough{service.title()}", actions=actions, resources=(key,), conditions=through)


def _state(spec: EnvironmentSpec, objects: tuple[str, ...], key: tuple[str, ...]) -> Iterator[PolicyStatement]:
    bucket = Arns(spec).bucket(bootstrap_names(spec).state_bucket)
    yield PolicyStatement(sid="ListState", actions=STATE_BUCKET, resources=(bucket,))
    yield PolicyStatement(sid="State", actions=objects, resources=(f"{bucket}/.pulumi/*",))
    yield PolicyStatement(sid="StateKey", actions=key, resources=(STATE_KEY_ARN,))
