"""Two environments may share an adopted bucket."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

import pytest

from firnline_infra.blueprint import blueprint_of, engine_config
from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.environment import Environment
from firnline_infra.render.bootstrap.boundary import boundary_statements
from firnline_infra.render.bootstrap.deployer import deployer_statements
from firnline_infra.specification import EnvironmentSpec
from tests.infra.specifications import smallest

SHARED = "arn:aws:s3:::everybodys-bucket"


def sharing(name: str) -> EnvironmentSpec:
    application = {"origin": "adopt", "application_id": "00fabcdefghijk09"}
    bucket = {"origin": "adopt", "name": "everybodys-bucket"}
    return smallest(name=name, aws={"bucket": bucket, "runtime": {"emr_serverless": application}})


def policies(name: str) -> Iterator[tuple[PolicyStatement, ...]]:
    spec = sharing(name)
    blueprint = blueprint_of(spec)
    yield from (blueprint.engine_policy, deployer_statements(blueprint), boundary_statements(blueprint))


@pytest.mark.parametrize(
    "key",
    [
        *("checkpoint/a/offsets/0", "artefacts/1/entry.py", "configuration/1.json", "dead-letters/1", "logs/1"),
        "deployments/00000001.json",
    ],
)
def test_what_is_one_environments_is_not_the_others(key: str) -> None:
    def reaching(name: str, arn: str) -> list[str]:
        statements = [each for policy in policies(name) for each in policy if "s3:" in each.actions[0]]
        return [each.sid for each in statements for resource in each.resources if fnmatchcase(arn, str(resource))]

    assert reaching("a", f"{SHARED}/firnline-a/{key}")
    assert reaching("a", f"{SHARED}/firnline-b/{key}") == []
    assert reaching("a", f"{SHARED}/firnline-a-b/{key}") == []
    assert reaching("a", f"{SHARED}/{key}") == []


def test_its_configuration_names_its_own_folders() -> None:
    spec = sharing("a")
    config = engine_config(Environment.of(spec), blueprint_of(spec).outputs)
    place = "s3://everybodys-bucket/firnline-a"
    assert config["spark"]["checkpoint"] == f"{place}/checkpoint/firnline-a/"
    assert config["dead_letters"]["s3"] == f"{place}/dead-letters/"
