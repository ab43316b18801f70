from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from firnline_local.endpoints import Endpoints, Login
from firnline_local.pulumi.configuration import configuration_of, plain, problems_of
from firnline_local.state import EnvironmentState

ENDPOINTS = Endpoints(
    region="us-east-1",
    aws_account="000000000000",
    kinesis="http://127.0.0.1:1",
    aws="http://127.0.0.1:2",
    runtimes="http://127.0.0.1:4",
    snowflake="https://127.0.0.1:3",
    snowflake_account="FIRNLINE-LOCAL",
    ca_file=Path("/env/ca.pem"),
)
STATE = EnvironmentState(
    name="local",
    pid=1,
    started_at=datetime(2026, 1, 31, tzinfo=UTC),
    endpoints=ENDPOINTS,
    logins={"admin": Login(user="FIRNLINE_ADMIN", role="ACCOUNTADMIN", private_key_file=Path("/env/admin.pem"))},
    engine_config={},
)


def problems(package: str, **arguments: Any) -> list[str]:
    return problems_of(package, plain(package, arguments), STATE)


@pytest.mark.parametrize(
    ("package", "arguments"),
    [
        ("aws", {}),
        ("aws", {"region": "us-east-1", "allowedAccountIds": '["000000000000"]', "version": "7.51.1"}),
        ("aws", {"endpoints": '[{"kinesis":"http://127.0.0.1:1/","iam":"http://127.0.0.1:2"}]'}),
        ("aws", {"skipMetadataApiCheck": "true", "s3UsePathStyle": "true", "accessKey": "x", "secretKey": "y"}),
        ("snowflake", {"organizationName": "firnline", "accountName": "local", "role": "R", "port": "3"}),
        ("snowflake", {"user": "FIRNLINE_ADMIN", "host": "127.0.0.1", "previewFeaturesEnabled": '["a"]'}),
    ],
)
def test_these_configurations_are_for_the_environment(package: str, arguments: dict[str, str]) -> None:
    assert problems(package, **arguments) == []


@pytest.mark.parametrize(
    ("package", "arguments", "problem"),
    [
        ("aws", {"region": "eu-west-1"}, "region: eu-west-1 is not here"),
        ("aws", {"allowedAccountIds": '["111111111111"]'}, "allowedAccountIds: 111111111111, but"),
        ("aws", {"forbiddenAccountIds": '["000000000000"]'}, "forbiddenAccountIds: 000000000000"),
        ("aws", {"endpoints": '[{"s3":"http://127.0.0.1:9"}]'}, "endpoints.s3: http://127.0.0.1:9 is not"),
        ("aws", {"assumeRoles": '[{"roleArn":"arn"}]'}, "assumeRoles: the embedded environment does not carry this"),
        ("aws", {"regoin": "us-east-1"}, "regoin: unknown input; did you mean 'region'?"),
        ("aws", {"maxRetries": "many"}, "maxRetries: expected a number, got a value that is not shown"),
        ("snowflake", {"organizationName": "acme", "accountName": "prod"}, "acme-prod is not the environment's"),
        ("snowflake", {"host": "acme.snowflakecomputing.com"}, "host: acme.snowflakecomputing.com is not"),
        ("snowflake", {"user": "SOMEBODY"}, "no key of SOMEBODY; it has those of FIRNLINE_ADMIN"),
    ],
)
def test_these_are_for_another_cloud_or_a_mistake(package: str, arguments: dict[str, str], problem: str) -> None:
    (found,) = problems(package, **arguments)
    assert problem in found


def test_an_account_that_looks_like_a_number_stays_text() -> None:
    assert plain("aws", {"allowedAccountIds": "[123456789012]"}) == {"allowedAccountIds": ["123456789012"]}


def test_what_is_honoured_is_kept() -> None:
    found = configuration_of(
        plain("aws", {"defaultTags": '{"tags":{"team":"data"}}'})
        | plain("snowflake", {"previewFeaturesEnabled": '["x"]', "role": "R", "user": "U"})
    )
    assert (found.default_tags, found.preview_features) == ({"team": "data"}, {"x"})
    assert (found.role, found.user) == ("R", "U")
