"""Streams in another region or account: what the engine's own policy says of them, and what their owners' policies do.

A stream with a role is opened by that role alone: the engine may assume it, and nothing else there. One without a role is read
with the engine's own rights, which name it and its key there; where it is another account's, its own policy has to agree.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from firnline_infra.blueprint.iam.engine import stream_access
from firnline_infra.blueprint.iam.statement import Conditions, PolicyStatement
from firnline_infra.blueprint.iam.trust import assume_actions
from firnline_infra.blueprint.value import Value
from firnline_infra.environment import Environment
from firnline_infra.specification.runtime import Trust
from firnline_infra.specification.source_streams import SourceStream


def cross_account_statements(environment: Environment) -> tuple[PolicyStatement, ...]:
    """The engine's statements for streams of other accounts and regions; none if every stream is here."""
    return (*assuming(environment), *_of_streams_elsewhere(environment))


def assuming(environment: Environment) -> Iterator[PolicyStatement]:
    """Exactly those roles."""
    if environment.assumed_roles:
        actions = assume_actions(environment.aws.runtime)
        yield PolicyStatement(sid="AssumeStreamRoles", actions=actions, resources=environment.assumed_roles)


def owners_policy(*streams: SourceStream) -> tuple[PolicyStatement, ...]:
    """The policy of the role that opens the streams, all of one region; the owner of the streams attaches it."""
    return stream_access(streams[0].region, {each.name: each.arn for each in streams}, _keys(streams))


def owners_resource_policy(environment: Environment, stream: SourceStream) -> tuple[PolicyStatement, ...]:
    """The policy of a stream that opens it to the engine without a role; its owner attaches it."""
    conditions: Conditions = {"ArnEquals": {"aws:PrincipalArn": engine_arn(environment)}}
    return tuple(
        PolicyStatement(
            sid=each.sid,
            actions=each.actions,
            resources=(stream.arn,),
            principals={"AWS": environment.arns.account_root},
            conditions=conditions,
        )
        for each in stream_access(stream.region, {stream.name: stream.arn}, ())
    )


def owners_trust(environment: Environment, stream: SourceStream) -> PolicyStatement:
    """Trusts the engine by its ARN in a condition: a principal that a trust names has to exist, and once recreated it is
    another one to AWS."""
    told: dict[str, dict[str, Value | tuple[Value, ...]]] = {"ArnEquals": {"aws:PrincipalArn": engine_arn(environment)}}
    if (external_id := stream.options.external_id) is not None:
        told["StringEquals"] = {"sts:ExternalId": external_id}
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
    by_region = defaultdict[str, list[SourceStream]](list)
    for stream in environment.sources:
        if stream.is_opened_by_engines_policy and stream.is_elsewhere:
            by_region[stream.region].append(stream)
    for region, found in sorted(by_region.items()):
        for statement in owners_policy(*found):
            yield PolicyStatement(
                sid=f"{statement.sid}{''.join(map(str.title, region.split('-')))}",
                actions=statement.actions,
                resources=statement.resources,
                conditions=statement.conditions,
            )


def _keys(streams: Iterable[SourceStream]) -> tuple[Value, ...]:
    return tuple(dict.fromkeys(key for each in streams if (key := each.options.key_arn) is not None))
