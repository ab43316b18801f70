"""A resource of each kind through a program: made, found unchanged, made again, imported as it is, changed in place, deleted."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pulumi
import pytest

from firnline_local.providers.clients import Clients
from firnline_local.providers.registry import kind_of, known_types
from firnline_local.pulumi.cloud import Cloud
from firnline_local.pulumi.in_process.application import ProgramApplication
from firnline_local.pulumi.in_process.deployment import Record
from firnline_local.runtimes.redshift.control import PARAMETERS
from tests.pulumi.kinds import Kind, kinds
from tests.pulumi.kinds_of_snowflake import remove

if TYPE_CHECKING:
    from firnline_local.running import RunningEnvironment

pytestmark = pytest.mark.contract
FEATURES = sorted({kind_of(token).rules.preview_feature for token in known_types()} - {None})
EXECUTE = "snowflake:index/execute:Execute"  # no object of its own is behind it: it is never found nor gone
ASSOCIATION = "aws:eks/podIdentityAssociation:PodIdentityAssociation"
LASTING = "aws:s3/bucketVersioning:BucketVersioning"  # can't be taken back
UNREADABLE = {
    "recoveryWindowInDays",  # a word of the provider's own; to the service it means nothing until the end
    "deletionWindowInDays",  # the same, of a key
    "skipFinalSnapshot",  # the same, of a cluster
    "content",  # of an object, which the provider never reads
    "configurationsJson",  # read as `configurations`
    "refreshMode",  # an import can't tell it from what Snowflake chose
}
PROGRAMS: Mapping[str, Callable[[Mapping[str, Any]], Mapping[str, Any]]] = {
    "aws:kms/alias:Alias": lambda inputs: {"targetKeyId": inputs["targetKeyId"].rpartition("/")[2]},
    "aws:redshiftserverless/workgroup:Workgroup": lambda _: {
        "configParameters": [{"parameterKey": key, "parameterValue": value} for key, value in PARAMETERS.items()]
    },
}
"""What a program has to say so that an import finds it the same."""


@pytest.fixture
def every_kind(local_environment: "RunningEnvironment") -> Iterator[list[Kind]]:
    """Yields a resource of each kind, once what it needs is there."""
    with closing(Clients(local_environment.endpoints, local_environment.logins["admin"])) as clients:
        made = list(kinds(clients))
        yield [replace(each, inputs={**each.inputs, **PROGRAMS.get(each.type, dict)(each.inputs)}) for each in made]
        remove(clients)


def test_a_resource_of_each_kind_lives_through_its_whole_life(
    every_kind: list[Kind], local_environment: "RunningEnvironment"
) -> None:
    assert sorted(kind.type for kind in every_kind) == sorted(known_types())
    application = ProgramApplication(local_environment)
    asked: dict[str, Mapping[str, Any]] = {}

    def program() -> None:
        snowflake = pulumi.ProviderResource("snowflake", "snowflake", {"previewFeaturesEnabled": FEATURES})
        of_snowflake = pulumi.ResourceOptions(provider=snowflake)
        for type_, inputs in asked.items():
            options = None if type_.startswith("aws:") else of_snowflake
            pulumi.CustomResource(type_, "it", dict(inputs), options)

    def up(**to: Mapping[str, Any]) -> dict[str, str]:
        asked.update(to)
        application.up(program, stack="dev", project="every")
        return {record.token: record.id for record in application.resources}

    try:
        made = up(**{kind.type: kind.inputs for kind in every_kind})
        assert made.keys() == set(known_types())
        assert drift(local_environment, application) == {}
        assert up() == made
        assert differences_of_import(local_environment, application) == {}
        changed = up(**{kind.type: {**kind.inputs, **kind.change} for kind in every_kind})
        assert {token for token in made if changed[token] != made[token]} == set()
        assert drift(local_environment, application) == {}
        records = application.resources
    finally:
        application.destroy()
    assert application.resources == []
    with clouds_of(local_environment) as clouds:
        left = {record.token for record in records if read(clouds, record, by_id=True) is not None}
    assert left == {EXECUTE, LASTING}


@contextmanager
def clouds_of(environment: "RunningEnvironment") -> Iterator[dict[str, Cloud]]:
    with closing(Cloud("aws", environment)) as aws, closing(Cloud("snowflake", environment)) as snowflake:
        yield {"aws": aws, "snowflake": snowflake}


def read(clouds: Mapping[str, Cloud], record: Record, *, by_id: bool) -> Any:
    """Reads it as a refresh does, or as an import by its id."""
    cloud = clouds[record.token.partition(":")[0]]
    known: dict[str, Mapping[str, Any]] = {"inputs": record.inputs, "properties": record.properties}
    if not by_id:
        return cloud.read(record.token, record.name, record.id, **known)
    # An association is known within its cluster alone.
    id_ = f"{record.inputs['clusterName']},{record.id}" if record.token == ASSOCIATION else record.id
    return cloud.read(record.token, record.name, id_, inputs={}, properties={})


def drift(environment: "RunningEnvironment", application: ProgramApplication) -> dict[str, Any]:
    """By the engine's way to look: what a read says about the inputs."""
    with clouds_of(environment) as clouds:
        there = {record.token: (record.inputs, read(clouds, record, by_id=False)) for record in application.resources}
    return {token: each for token, each in there.items() if each[1] is None or each[1].inputs != each[0]}


def differences_of_import(environment: "RunningEnvironment", application: ProgramApplication) -> dict[str, Any]:
    """Between what an import brings, and the program that made it."""
    found = {}
    with clouds_of(environment) as clouds:
        for record in application.resources:
            if record.token == EXECUTE:
                continue
            there = read(clouds, record, by_id=True)
            assert there is not None, record.token
            cloud = clouds[record.token.partition(":")[0]]
            changes = cloud.diff(record.token, old=there.inputs, state=there.properties, new=record.inputs)
            if differing := {change.property for change in changes} - UNREADABLE:
                found[record.token] = {name: there.inputs.get(name) for name in differing}
    return found
