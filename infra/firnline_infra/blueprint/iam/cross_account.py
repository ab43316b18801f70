"""Streams in another region or account: what the engine's own policy says of them, and what their owners' policies do.

A stream with a role is opened by that role alone: the engine may assume it, and nothing else there. One without a role is read
with the engine's own rights, which name it and its key there; where it is another account's, its own policy has to agree.
"""

from collections import defaultdict
from collections.abc import Iterator

from firnline_infra.blueprint.iam.engine import stream_access
from firnline_infra.blueprint.iam.statement import Conditions, PolicyStatement
from firnline_infra.blueprint.iam.trust import assume_actions
from firnline_infra.blueprint.value import Value
from firnline_infra.environment import Environment
from firnline_infra.specification.aws import StreamOptions
from firnline_infra.specification.elsewhere import arn_of, is_elsewhere, place_of, roles, with_own_rights
from firnline_infra.specification.runtime import Trust


def cross_account_statements(environment: Environment) -> tuple[PolicyStatement, ...]:
    """The engine's statements for streams of other accounts and regions; none if every stream is here."""
    return (*assuming(environment), *_of_streams_elsewhere(environment))


def assuming(environment: Environment) -> Iterator[PolicyStatement]:
    """Exactly those roles."""
    if found := roles(environment.spec):
        yield PolicyStatement(sid="AssumeStreamRoles", actions=assume_actions(environment.aws.runtime), resources=found)


def owners_policy(environment: Environment, *streams: StreamOptions) -> tuple[PolicyStatement, ...]:
    """The policy of the role that opens the streams, all of one region; the owner of the streams attaches it."""
    keys = tuple(dict.fromkeys(each.key_arn for each in streams if each.key_arn is not None))
    return stream_access(
        place_of(environment.spec, streams[0]).region,
        {each.name: arn_of(environment.spec, each) for each in streams},
        keys,
    )


def owners_resource_policy(environment: Environment, stream: StreamOptions) -> tuple[PolicyStatement, ...]:
    """The policy of a stream that opens it to the engine without a role; its owner attaches it."""
    arn = arn_of(environment.spec, stream)
    conditions: Conditions = {"ArnEquals": {"aws:PrincipalArn": engine_arn(environment)}}
    return tuple(
        PolicyStatement(
            sid=each.sid,
            actions=each.actions,
            resources=(arn,),
            principals={"AWS": environment.arns.account_root},
            conditions=conditions,
        )
        for each in stream_access(place_of(environment.spec, stream).region, {stream.name: arn}, ())
    )


def owners_trust(environment: Environment, stream: StreamOptions) -> PolicyStatement:
    """Trusts the engine by its ARN in a condition: a principal that a trust names has to exist, and once recreated it is
    another one to AWS."""
    told: dict[str, dict[str, Value | tuple[Value, ...]]] = {"ArnEquals": {"aws:PrincipalArn": engine_arn(environment)}}
    if stream.external_id is not None:
        told["StringEquals"] = {"sts:ExternalId": stream.external_id}
    conditions: Conditions = told
    return PolicyStatement(
        sid="FirnlineReads",
        actions=assume_actions(environment.aws.runtime),
        principals={"AWS": environment.arns.account_root},
        conditions=conditions,
    )


def engine_arn(environment: Environment) -> str:
    arns, names = environment.arns, environment.names
    if environment.aws.runtime.trust is Trust.STATIC_KEYS:
        return arns.user(names.engine_user)
    return environment.aws.runtime.role_arn or arns.role(names.engine_role)


def _of_streams_elsewhere(environment: Environment) -> Iterator[PolicyStatement]:
    others = [stream for stream in with_own_rights(environment.spec) if is_elsewhere(environment.spec, stream)]
    by_region = defaultdict[str, list[StreamOptions]](list)
    for stream in others:
        by_region[place_of(environment.spec, stream).region].append(stream)
    for region, found in sorted(by_region.items()):
        keys = tuple(dict.fromkeys(each.key_arn for each in found if each.key_arn is not None))
        for statement in stream_access(region, {each.name: arn_of(environment.spec, each) for each in found}, keys):
            yield PolicyStatement(
                sid=f"{statement.sid}{''.join(map(str.title, region.split('-')))}",
                actions=statement.actions,
                resources=statement.resources,
                conditions=statement.conditions,
            )
