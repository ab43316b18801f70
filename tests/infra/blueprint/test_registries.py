"""Tests of what an environment's schema registries mean for its policies, and for its network."""

from typing import Any

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.engine_policy import engine_policy
from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.network import Party, egress
from firnline_infra.environment import Environment
from firnline_infra.render.bootstrap.boundary import boundary_statements
from firnline_infra.specification import EnvironmentSpec
from tests.infra.specifications import pipeline, smallest

SECRET = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:registry-AbCdEf"
KEY = "arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"
GLUE = {"type": "avro", "framing": "glue"}
LOGIN = {"secret_arn": SECRET, "secret_key_arn": KEY}
CONFLUENT = {
    "type": "avro",
    "framing": "confluent",
    "registry": {"url": "https://registry.acme.example:8081/ccompat", "login": LOGIN},
}


def spec_of(*formats: dict[str, Any]) -> EnvironmentSpec:
    names = [f"s{number}" for number in range(len(formats))]
    return smallest(
        aws={"account": "111122223333"},
        streams=[{"name": name} for name in names],
        pipelines=[pipeline(name, format=format_) for name, format_ in zip(names, formats, strict=True)],
    )


def by_sid(statements: tuple[PolicyStatement, ...]) -> dict[str, PolicyStatement]:
    return {statement.sid: statement for statement in statements}


def test_the_engine_and_its_boundary_have_what_registries_need_and_nothing_where_there_is_none() -> None:
    spec = spec_of(GLUE, CONFLUENT, CONFLUENT)
    engine = by_sid(engine_policy(Environment.of(spec), None))
    boundary = by_sid(boundary_statements(blueprint_of(spec)))
    assert engine["ReadSchemas"] == boundary["ReadSchemas"]
    assert engine["ReadRegistryLogins"].resources == (SECRET,)
    assert engine["DecryptRegistryLogins"].resources == (KEY,)
    assert SECRET in boundary["WithinSecretsmanager"].resources
    assert KEY in boundary["WithinKms"].resources

    spec = spec_of({"type": "json", "framing": "glue"})
    none = {*by_sid(engine_policy(Environment.of(spec), None)), *by_sid(boundary_statements(blueprint_of(spec)))}
    assert none.isdisjoint({"ReadSchemas", "ReadRegistryLogins", "DecryptRegistryLogins"})


def test_registries_are_among_the_hosts_of_the_engine_and_of_whoever_audits() -> None:
    found = {(each.host, each.port): each for each in egress(Environment.of(spec_of(GLUE, CONFLUENT)))}
    for place in (("registry.acme.example", 8081), ("glue.eu-central-1.amazonaws.com", 443)):
        assert found[place].needed_by == (Party.ENGINE, Party.OPERATOR)
    assert found["glue.eu-central-1.amazonaws.com", 443].endpoint == "com.amazonaws.eu-central-1.glue"
    assert not any("glue" in each.host for each in egress(Environment.of(spec_of({"type": "json"}))))
