"""Tests of what an engine's registries ask AWS for, and how a refusal reads."""

import pytest

from firnline_ingest.aws import secrets
from firnline_ingest.config.model import AwsConfig
from firnline_ingest.config.registries import ConfluentRegistry, RegistryLogin
from firnline_ingest.schemas.errors import LoginUnreadable
from firnline_ingest.schemas.registries import _confluent

SECRET = "arn:aws:secretsmanager:eu-west-1:111122223333:secret:registry-AbCdEf"


def test_a_login_that_is_refused_is_not_called_a_private_key(monkeypatch: pytest.MonkeyPatch) -> None:
    class Denied:
        def get_secret_value(self, **_: str) -> None:
            raise secrets.ClientError({"Error": {"Code": "AccessDeniedException", "Message": "no"}}, "GetSecretValue")

    monkeypatch.setattr(secrets, "aws_client", lambda *_: Denied())
    registry = ConfluentRegistry(url="https://registry.invalid", login=RegistryLogin(secret_arn=SECRET))
    with pytest.raises(LoginUnreadable, match="which holds the login for it, was denied: no"):
        _confluent(AwsConfig(region="eu-west-1"), registry)(1)
