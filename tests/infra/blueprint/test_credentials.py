"""Tests of who the engine is to AWS and where its private keys are: what a specification says reaches the engine, and
rights follow.
"""

from pathlib import Path
from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of, engine_config
from firnline_infra.blueprint.engine_policy import engine_policy
from firnline_infra.environment import Environment
from firnline_infra.keys.errors import NoSecretHere
from firnline_infra.keys.owner import KeyOwner
from firnline_infra.kinds import keys_and_secrets
from firnline_infra.render.bootstrap.boundary import boundary_statements
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.prerequisites import missing_keys
from firnline_ingest.config.document import parse
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.errors import ConfigError
from firnline_ingest.snowflake.key import load_key
from tests.infra.keys.conftest import new_pem
from tests.infra.specifications import smallest

HUB, LAST = "arn:aws:iam::123456789012:role/hub", "arn:aws:iam::222233334444:role/reader"
THEIRS = "arn:aws:kinesis:us-east-1:222233334444:stream/orders"
KEYS = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:partner-AbCdEf"
SECRET = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:dev/snowflake/ingest-AbCdEf"
CREDENTIALS: dict[str, dict[str, Any]] = {
    "a profile": {"profile": {"name": "anywhere", "file": "/etc/aws/credentials"}},
    "a key in variables": {"access_key": {"id_env": "ID", "secret_env": "SECRET", "token_env": "TOKEN"}},
    "a key in a secret": {"access_key": {"secret_arn": KEYS}},
    "a pod's token": {
        "web_identity": {
            "token_file": "/var/run/token",
            "role_arn": HUB,
            "session_name": "orders",
            "duration_seconds": 900,
        }
    },
    "a chain": {
        "roles": [
            {"arn": HUB, "duration_seconds": 1800},
            {"arn": LAST, "external_id": "firnline-1"},
        ]
    },
}


@pytest.fixture(scope="module")
def pem() -> str:
    return new_pem()


def spec_of(runtime: dict[str, Any], *, stream: dict[str, Any] | None = None, **snowflake: Any) -> EnvironmentSpec:
    return smallest(
        aws={"runtime": runtime},
        snowflake={"ingest": {"secret_arn": SECRET}, **snowflake},
        streams=[{"name": "orders", **(stream or {})}],
    )


def written(spec: EnvironmentSpec) -> dict[str, Any]:
    return engine_config(Environment.of(spec), blueprint_of(spec).outputs)


def engine_of(spec: EnvironmentSpec) -> EngineConfig:
    """Reads it as the engine does, from what its specification leads to."""
    return parse(EngineConfig, written(spec), "engine.json")


def rights(spec: EnvironmentSpec) -> dict[str, tuple[Any, ...]]:
    return {statement.sid: statement.resources for statement in engine_policy(Environment.of(spec), None)}


@pytest.mark.parametrize("name", CREDENTIALS)
def test_the_engine_begins_where_its_specification_says(name: str) -> None:
    spec = spec_of({"trust": "nobody", "credentials": CREDENTIALS[name], "ca_file": "/etc/proxy.pem"})
    aws = engine_of(spec).aws
    assert aws.credentials.changed() == CREDENTIALS[name]
    assert aws.ca_file == Path("/etc/proxy.pem")


@pytest.mark.parametrize("name", CREDENTIALS)
def test_a_stream_elsewhere_is_reached_as_its_specification_says(name: str) -> None:
    access = {**CREDENTIALS[name], "endpoint": "https://kinesis.us-east-1.example.com"}
    spec = spec_of({"trust": "static-keys"}, stream={"origin": "adopt", "arn": THEIRS, "access": access})
    engine = engine_of(spec)
    assert engine.access_of("orders").changed() == {**access, "region": "us-east-1"}
    assert engine.aws.credentials.changed() == {}


def test_the_engine_may_assume_the_first_role_of_a_chain_and_open_the_secret_of_a_key() -> None:
    stream = {"origin": "adopt", "arn": THEIRS, "access": CREDENTIALS["a chain"]}
    assert rights(spec_of({}, stream=stream))["AssumeStreamRoles"] == (HUB,)
    assert "ReadStreams" not in rights(spec_of({}, stream=stream))
    stream["access"] = CREDENTIALS["a key in a secret"]
    spec = spec_of({}, stream=stream)
    assert KEYS in rights(spec)["ReadPrivateKey"]
    assert "AssumeStreamRoles" not in rights(spec)
    within = {statement.sid: statement.resources for statement in boundary_statements(blueprint_of(spec))}
    assert KEYS in within["WithinSecretsmanager"]


def test_an_engine_whose_runtime_gives_it_a_role_begins_nowhere_else() -> None:
    with pytest.raises(ConfigError, match=r"aws\.runtime\.credentials: .*emr-serverless"):
        spec_of({"credentials": CREDENTIALS["a profile"]})
    assert rights(spec_of({"credentials": CREDENTIALS["a chain"]}))["AssumeStreamRoles"] == (HUB,)


def test_snowflakes_authorities_are_the_specifications() -> None:
    assert engine_of(spec_of({}, ca_file="/etc/private.pem")).snowflake.ca_file == Path("/etc/private.pem")


def test_a_private_key_of_another_store_is_read_from_the_file_that_a_volume_shows(tmp_path: Path, pem: str) -> None:
    """And nothing of it is in Secrets Manager: no secret is made, and the engine may open none."""
    file = tmp_path / "ingest.pem"
    file.write_text(pem)
    spec = spec_of({}, ingest={"private_key": {"file": str(file)}})
    assert load_key(engine_of(spec)).pem == pem
    blueprint = blueprint_of(spec)
    assert [secret.name for secret in keys_and_secrets.SECRET.all_rows(blueprint)] == ["secret-reader-secret"]
    assert "ReadPrivateKey" not in rights(spec)
    assert "ingest" not in blueprint.stack_outputs.secret_arns


def test_a_private_key_of_another_store_may_be_in_a_variable(monkeypatch: pytest.MonkeyPatch, pem: str) -> None:
    monkeypatch.setenv("KEY_OF_VAULT", pem)
    assert load_key(engine_of(spec_of({}, ingest={"private_key": {"env": "KEY_OF_VAULT"}}))).pem == pem


def test_a_private_key_is_in_one_place() -> None:
    for place, expected in (
        ({"private_key": {}}, "give exactly one of file, env"),
        ({"private_key": {"file": "/a", "env": "A"}}, "give exactly one of file, env"),
        ({"private_key": {"file": "/a"}, "secret_arn": KEYS}, "give secret_arn or private_key"),
        ({"private_key": {"secret_arn": KEYS}}, "private_key.secret_arn: unknown name"),
    ):
        with pytest.raises(ConfigError, match=expected):
            spec_of({}, ingest=place)


def test_what_keeps_keys_in_secrets_manager_says_where_this_one_is(tmp_path: Path) -> None:
    spec = spec_of({}, ingest={"private_key": {"file": "/etc/firnline/ingest.pem"}})
    with pytest.raises(NoSecretHere, match=r"snowflake\.ingest\.private_key"):
        _ = KeyOwner.of(spec, tmp_path / "dev.yaml", "ingest").secret
    assert KeyOwner.of(spec, tmp_path / "dev.yaml", "reader").secret.user == "reader"
    first = missing_keys(spec)
    assert first is not None
    assert "firnline keys create dev reader" in str(first)
    assert "keys create dev ingest" not in str(first)
