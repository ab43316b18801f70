"""The streams of an environment, each with where it is and what opens it to the engine."""

from collections.abc import Iterator
from dataclasses import dataclass

from firnline_infra.specification.arns import Arns
from firnline_infra.specification.aws import StreamOptions
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.origin import Origin


@dataclass(frozen=True)
class SourceStream:
    """A stream of an environment; it may be in another region or account, or be reached with a role of its own."""

    options: StreamOptions
    arn: str
    region: str
    account: str
    is_elsewhere: bool
    """True if CloudWatch and the deployer, who are where the environment is, look for it in vain."""
    is_others: bool
    """True if another account owns it."""
    is_read: bool
    """True if a pipeline names it; Redshift does not count."""
    path: str
    """The place in the specification: `streams[0]`."""

    @property
    def name(self) -> str:
        return self.options.name

    @property
    def is_opened_by_engines_policy(self) -> bool:
        """Tells whether the engine reads it with its own rights: a role or a key opens the others."""
        return self.is_read and not self.options.is_opened_by_another

    @property
    def is_opened_by_its_policy(self) -> bool:
        """Tells whether it is another account's that no role opens: its own policy does, to requests by its ARN."""
        return self.is_others and not self.options.is_opened_by_another

    @property
    def is_reached_from_here(self) -> bool:
        """Tells whether who deploys can ask about it."""
        return not (self.is_elsewhere or self.options.is_opened_by_another)

    @property
    def is_adopted_here(self) -> bool:
        """Tells whether it is adopted, where the deployer can look for it."""
        return self.options.origin is Origin.ADOPT and not self.is_elsewhere


def source_streams(spec: EnvironmentSpec) -> Iterator[SourceStream]:
    """Yields them in the specification's order."""
    here = spec.aws.region, spec.aws.account
    read = {pipeline.stream for pipeline in spec.pipelines}
    for index, stream in enumerate(spec.streams):
        arn = stream.arn or Arns(spec).stream(stream.name)
        region, account = arn.split(":")[3:5]
        yield SourceStream(
            options=stream,
            arn=arn,
            region=region,
            account=account,
            is_elsewhere=(region, account) != here,
            is_others=account != spec.aws.account,
            is_read=stream.name in read,
            path=f"streams[{index}]",
        )


def access_key_secrets(spec: EnvironmentSpec) -> tuple[str, ...]:
    """Returns the secrets with access keys with which the engine begins, each once."""
    begins = [spec.aws.runtime.credentials, *(each.options.access for each in source_streams(spec) if each.is_read)]
    arns = (each.access_key.secret_arn for each in begins if each.access_key is not None)
    return tuple(dict.fromkeys(arn for arn in arns if arn is not None))


def assumed_roles(spec: EnvironmentSpec) -> tuple[str, ...]:
    """Returns the roles that the engine assumes as itself, each once: the first ones of chains."""
    read = (each.options for each in source_streams(spec) if each.is_read)
    streams = (each for each in read if not each.access.has_beginning)
    chains = [[role.arn for role in spec.aws.runtime.credentials.roles], *(each.roles for each in streams)]
    return tuple(dict.fromkeys(chain[0] for chain in chains if chain))
