"""Reasons why a private key in Secrets Manager can't be read: each cause has its own error, and so its own next step."""

from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    PartialCredentialsError,
)

from firnline_ingest.aws import secrets
from firnline_ingest.aws.errors import ProfileUnusable
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.errors import SnowflakeError
from firnline_ingest.snowflake import errors
from firnline_ingest.snowflake.key import load_key
from tests.fakes.configs import SNOWFLAKE, config

ARN = "arn:aws:secretsmanager:us-east-1:000000000000:secret:firnline-dev/snowflake/ingest-AbCdEf"
URL = "http://secrets.invalid"


def config_of(**aws: Any) -> EngineConfig:
    return config(aws={"region": "us-east-1", **aws}, snowflake=SNOWFLAKE | {"private_key": {"secret_arn": ARN}})


class Answering:
    """A client whose every answer is this one."""

    def __init__(self, answer: dict[str, Any] | Exception) -> None:
        self._answer = answer

    def get_secret_value(self, **_: str) -> dict[str, Any]:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


def refused(monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any] | Exception) -> SnowflakeError:
    monkeypatch.setattr("firnline_ingest.aws.secrets.aws_client", lambda *_: Answering(answer))
    with pytest.raises(SnowflakeError) as caught:
        load_key(config_of())
    assert ARN in caught.value.what
    return caught.value


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("AccessDeniedException", secrets.SecretForbidden),
        ("UnrecognizedClientException", secrets.SecretForbidden),
        ("ExpiredTokenException", secrets.SecretUnreachable),
        ("DecryptionFailure", secrets.SecretForbidden),
        ("KMSDisabledException", secrets.SecretForbidden),
        ("ResourceNotFoundException", secrets.SecretMissing),
        ("InvalidRequestException", secrets.SecretMissing),
        ("InvalidParameterException", secrets.SecretRequestMalformed),
        ("ValidationException", secrets.SecretRequestMalformed),
        ("ThrottlingException", secrets.SecretUnreachable),
        ("InternalServiceError", secrets.SecretUnreachable),
    ],
)
def test_every_code_has_its_error(code: str, kind: type[SnowflakeError], monkeypatch: pytest.MonkeyPatch) -> None:
    answer = ClientError({"Error": {"Code": code, "Message": "the reason"}}, "GetSecretValue")
    error = refused(monkeypatch, answer)
    assert type(error) is kind
    assert "the reason" in error.what
    assert error.is_retryable is (kind is secrets.SecretUnreachable)


@pytest.mark.parametrize(
    "cause", [EndpointConnectionError(endpoint_url=URL), ConnectTimeoutError(endpoint_url=URL)], ids=["no way", "slow"]
)
def test_a_network_that_is_down_is_waited_out(cause: BotoCoreError, monkeypatch: pytest.MonkeyPatch) -> None:
    error = refused(monkeypatch, cause)
    assert (error.id, error.is_retryable) == ("FL-3014", True)
    assert URL in error.what
    assert "aws.endpoints.secretsmanager" in error.next_step
    assert "PEM" not in error.next_step


def test_without_credentials_it_says_who_has_to_have_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    with pytest.raises(secrets.SecretCredentialsMissing, match="Unable to locate credentials") as caught:
        load_key(config_of())
    assert "aws sts get-caller-identity" in caught.value.next_step
    assert not caught.value.is_retryable


def test_half_of_the_credentials_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    cause = PartialCredentialsError(provider="env", cred_var="AWS_SECRET_ACCESS_KEY")
    assert refused(monkeypatch, cause).id == "FL-3016"


def test_a_profile_that_is_not_there_is_named() -> None:
    with pytest.raises(ProfileUnusable, match="no-such-profile"):
        load_key(config_of(credentials={"profile": {"name": "no-such-profile"}}))


def test_only_what_a_secret_holds_can_be_the_wrong_form(monkeypatch: pytest.MonkeyPatch) -> None:
    for answer, said in (({"SecretString": "no key"}, "PEM"), ({"SecretBinary": b"no text"}, "bytes")):
        error = refused(monkeypatch, answer)
        assert (type(error), said in error.what) == (errors.KeyUnusable, True)
        assert "PKCS#8 PEM" in error.next_step
