"""Streams that are in another region or account than the environment, or are reached with a role of their own."""

from typing import NamedTuple

from firnline_infra.specification.arns import Arns
from firnline_infra.specification.aws import StreamOptions
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.origin import Origin


class Place(NamedTuple):
    region: str
    account: str


def place_of(spec: EnvironmentSpec, stream: StreamOptions) -> Place:
    if stream.arn is None:
        return Place(spec.aws.region, spec.aws.account)
    _, _, _, region, account, _ = stream.arn.split(":")
    return Place(region, account)


def arn_of(spec: EnvironmentSpec, stream: StreamOptions) -> str:
    return stream.arn or Arns(spec).stream(stream.name)


def is_elsewhere(spec: EnvironmentSpec, stream: StreamOptions) -> bool:
    """Returns whether CloudWatch and the deployer look for it in vain, where the environment is."""
    return place_of(spec, stream) != Place(spec.aws.region, spec.aws.account)


def adopted_here(spec: EnvironmentSpec) -> tuple[StreamOptions, ...]:
    """The adopted streams that the deployer can look for."""
    return tuple(each for each in spec.streams if each.origin is Origin.ADOPT and not is_elsewhere(spec, each))


def with_own_rights(spec: EnvironmentSpec) -> tuple[StreamOptions, ...]:
    """The streams that a pipeline reads and the engine's own policy opens: all but those that a role or a key opens."""
    read = {pipeline.stream for pipeline in spec.pipelines}
    return tuple(stream for stream in spec.streams if stream.name in read and not stream.is_opened_by_another)


def is_opened_by_its_policy(spec: EnvironmentSpec, stream: StreamOptions) -> bool:
    """Returns whether it is another account's that no role opens: its own policy does, to requests by its ARN."""
    return not stream.is_opened_by_another and place_of(spec, stream).account != spec.aws.account


def access_key_secrets(spec: EnvironmentSpec) -> tuple[str, ...]:
    """The secrets with access keys with which the engine begins, each once."""
    read = {pipeline.stream for pipeline in spec.pipelines}
    begins = [spec.aws.runtime.credentials, *(each.access for each in spec.streams if each.name in read)]
    arns = (each.access_key.secret_arn for each in begins if each.access_key is not None)
    return tuple(dict.fromkeys(arn for arn in arns if arn is not None))


def roles(spec: EnvironmentSpec) -> tuple[str, ...]:
    """The roles that the engine assumes as itself, each once: the first ones of chains."""
    read = {pipeline.stream for pipeline in spec.pipelines}
    streams = (each for each in spec.streams if each.name in read and not each.access.has_beginning)
    chains = [[role.arn for role in spec.aws.runtime.credentials.roles], *(each.roles for each in streams)]
    return tuple(dict.fromkeys(chain[0] for chain in chains if chain))
