"""The login of a registry: its ARNs go into policies as they stand."""

import pytest
from pydantic import ValidationError

from firnline_ingest.config.registries import RegistryLogin

SECRET = "arn:aws:secretsmanager:eu-west-1:111122223333:secret:"
KEY = "arn:aws:kms:eu-west-1:111122223333:key/"


def test_a_login_names_one_secret_and_one_key() -> None:
    login = RegistryLogin(secret_arn=f"{SECRET}team/registry-AbCdEf", secret_key_arn=f"{KEY}mrk-0a1b2c3d")
    assert login.secret_key_arn == f"{KEY}mrk-0a1b2c3d"


@pytest.mark.parametrize(
    ("secret", "key"), [("*", "0a1b2c3d"), ("registry-??????", "0a1b2c3d"), ("registry-AbCdEf", "*")]
)
def test_a_login_that_names_many_is_refused(secret: str, key: str) -> None:
    with pytest.raises(ValidationError, match="has to be the ARN"):
        RegistryLogin(secret_arn=f"{SECRET}{secret}", secret_key_arn=f"{KEY}{key}")
