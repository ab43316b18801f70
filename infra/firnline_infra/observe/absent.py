"""Finds what is adopted in AWS and isn't there. Asked before an `up`, because the engine would be the first to miss it."""

from collections.abc import Iterator
from dataclasses import dataclass

from firnline_infra.accounts import Accounts
from firnline_infra.blueprint import Blueprint
from firnline_infra.kinds import Kind
from firnline_infra.kinds.buckets import BUCKET
from firnline_infra.kinds.iam import ROLE
from firnline_infra.kinds.keys_and_secrets import KEY
from firnline_infra.kinds.streams import STREAM
from firnline_infra.observe.existing import Presence, presence
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.origin import Origin


@dataclass(frozen=True)
class AdoptedObject:
    path: str
    """The place in the specification that names it."""
    kind: Kind
    name: str


def absent(spec: EnvironmentSpec, blueprint: Blueprint, accounts: Accounts) -> Iterator[str]:
    """A description of each. Raises AwsRefused if AWS can't be asked."""
    for each in _adopted(spec, blueprint):
        called = each.kind.display_name(each)
        match presence(each.kind, each, accounts):
            case Presence.ABSENT:
                yield f"{each.path}: there is no {called} to adopt"
            case Presence.FOREIGN:
                yield f"{each.path}: {called} is in another account, or its policy keeps who deploys out"


def _adopted(spec: EnvironmentSpec, blueprint: Blueprint) -> Iterator[AdoptedObject]:
    for stream in blueprint.environment.sources:
        if stream.is_adopted_here:
            yield AdoptedObject(stream.path, STREAM, stream.name)
    if (arn := spec.aws.key.arn) is not None:
        yield AdoptedObject("aws.key", KEY, arn)
    if spec.aws.bucket.origin is Origin.ADOPT:
        yield AdoptedObject("aws.bucket", BUCKET, blueprint.names.bucket)
    if spec.aws.runtime.role_arn is not None:
        yield AdoptedObject("aws.runtime.role_arn", ROLE, blueprint.names.engine_role)
