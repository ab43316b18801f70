"""Tests of who deploys, from the variables that the Snowflake provider reads."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from firnline_infra.accounts.errors import SnowflakeLoginMissing
from firnline_infra.accounts.real import RealAccounts
from firnline_infra.specification import EnvironmentSpec, load_spec
from firnline_local.running import RunningEnvironment

LOCAL = Path(__file__).parents[3] / "stacks" / "environments" / "local.yaml"


@pytest.fixture
def spec() -> EnvironmentSpec:
    return load_spec(LOCAL)


@pytest.mark.parametrize(
    ("environ", "missing"),
    [
        ({}, ["SNOWFLAKE_USER", "SNOWFLAKE_PASSWORD"]),
        ({"USER": "ME", "AUTHENTICATOR": "SNOWFLAKE_JWT"}, ["SNOWFLAKE_PRIVATE_KEY"]),
        ({"USER": "ME", "AUTHENTICATOR": "programmatic_access_token"}, ["SNOWFLAKE_TOKEN"]),
        ({"USER": "ME", "AUTHENTICATOR": "WORKLOAD_IDENTITY"}, ["SNOWFLAKE_WORKLOAD_IDENTITY_PROVIDER"]),
    ],
)
def test_what_is_missing_to_log_in_is_named(spec: EnvironmentSpec, environ: dict[str, str], missing: list[str]) -> None:
    accounts = RealAccounts(spec, {f"SNOWFLAKE_{name}": value for name, value in environ.items()})
    with pytest.raises(SnowflakeLoginMissing) as caught:
        accounts.snowflake()
    assert f"{', '.join(missing)} is not set" in caught.value.what


@pytest.mark.contract
@pytest.mark.parametrize("phrase", ["", "a phrase"])
def test_a_key_is_read_whether_it_is_encrypted_or_not(
    spec: EnvironmentSpec, phrase: str, local_environment: RunningEnvironment
) -> None:
    pem = local_environment.logins["admin"].private_key_file.read_text()
    if phrase:
        key = load_pem_private_key(pem.encode(), None)
        encryption = BestAvailableEncryption(phrase.encode())
        pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption).decode()
    url = urlsplit(local_environment.endpoints.snowflake)
    accounts = RealAccounts(
        spec,
        {
            "SNOWFLAKE_USER": "FIRNLINE_ADMIN",
            "SNOWFLAKE_ROLE": "ACCOUNTADMIN",
            "SNOWFLAKE_PRIVATE_KEY": pem,
            "SNOWFLAKE_PRIVATE_KEY_PASSPHRASE": phrase,
            "SNOWFLAKE_HOST": str(url.hostname),
            "SNOWFLAKE_PORT": str(url.port),
        },
    )
    assert accounts._private_key() == local_environment.logins["admin"].private_key_file.read_text()
    assert accounts._url == local_environment.endpoints.snowflake


def test_ci_logs_in_as_what_it_runs_as(spec: EnvironmentSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}
    monkeypatch.setattr("snowflake.connector.connect", lambda **options: given.update(options))
    values = {"USER": "ME", "AUTHENTICATOR": "WORKLOAD_IDENTITY", "WORKLOAD_IDENTITY_PROVIDER": "AWS"}
    RealAccounts(spec, {f"SNOWFLAKE_{name}": value for name, value in values.items()}).snowflake()
    assert (given["user"], given["authenticator"], given["workload_identity_provider"]) == tuple(values.values())
    assert not {"password", "token"} & given.keys()
    assert given["session_parameters"]["QUOTED_IDENTIFIERS_IGNORE_CASE"] is False


def test_a_session_does_not_begin_with_what_another_one_was_told(
    spec: EnvironmentSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Connector 4 writes the answer of the login into the dictionary that it was given."""
    begun: list[dict[str, Any]] = []

    def connect(**options: Any) -> None:
        begun.append(dict(options["session_parameters"]))
        options["session_parameters"]["TIMEZONE"] = "America/Los_Angeles"

    monkeypatch.setattr("snowflake.connector.connect", connect)
    for user in ("ONE", "OTHER"):
        RealAccounts(spec, {"SNOWFLAKE_USER": user, "SNOWFLAKE_PASSWORD": "x"}).snowflake()
    assert begun[0] == begun[1]


def test_the_accounts_url_is_the_default(spec: EnvironmentSpec) -> None:
    assert RealAccounts(spec, {})._url == "https://firnline-local.snowflakecomputing.com"
