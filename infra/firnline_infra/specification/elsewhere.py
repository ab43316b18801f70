"""Streams that are in another region or account than the environment, or are reached with a role of their own."""

from dataclasses import dataclass

from firnline_infra.specification.arns import Arns
from firnline_infra.specification.aws import StreamOptions
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.origin import Origin


@dataclass(frozen=True, slots=True)
class Place:
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
    """Whether CloudWatch and the deployer look for it in vain, where the environment is."""
    return place_of(spec, stream) != Place(spec.aws.region, spec.aws.account)


def adopted_here(spec: EnvironmentSpec) -> tuple[StreamOptions, ...]:
    """Which the deployer can look for."""
    return tuple(each for each in spec.streams if each.origin is Origin.ADOPT and not is_elsewhere(spec, each))


def with_own_rights(spec: EnvironmentSpec) -> tuple[StreamOptions, ...]:
    """Those that a pipeline reads, and that the engine's own policy opens: all but those that a role opens."""
    read = {pipeline.stream for pipeline in spec.pipelines}
    return tuple(stream for stream in spec.streams if stream.name in read and stream.role_arn is None)


def roles(spec: EnvironmentSpec) -> tuple[str, ...]:
    """That the engine assumes, each once."""
    read = {pipeline.stream for pipeline in spec.pipelines}
    found = (stream.role_arn for stream in spec.streams if stream.name in read)
    return tuple(dict.fromkeys(arn for arn in found if arn is not None))
