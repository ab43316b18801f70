"""Tests of what each option of `aws` and of a stream's access changes in a client, and in what is asked before it signs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse

from firnline_ingest.aws import identity
from firnline_ingest.aws.client import aws_client
from firnline_ingest.aws.session import new_session
from firnline_ingest.config.access import HERE, Access, AccessKey, Credentials, Profile, WebIdentity
from firnline_ingest.config.model import AwsConfig

ROLE = "arn:aws:iam::123456789012:role/pod"
SECRET = "arn:aws:secretsmanager:us-east-1:123456789012:secret:partner-AbCdEf"
PUBLIC = "https://kinesis.us-east-1.amazonaws.com"


@pytest.mark.parametrize(
    ("aws", "access", "region", "endpoint", "trusts"),
    [
        ({}, HERE, "us-east-1", PUBLIC, True),
        ({"endpoints": {"kinesis": "http://own"}}, HERE, "us-east-1", "http://own", True),
        ({"ca_file": Path("/etc/ours.pem")}, HERE, "us-east-1", PUBLIC, "/etc/ours.pem"),
        ({}, Access(region="eu-west-1"), "eu-west-1", "https://kinesis.eu-west-1.amazonaws.com", True),
        ({"endpoints": {"kinesis": "http://own"}}, Access(endpoint="http://vpce"), "us-east-1", "http://vpce", True),
    ],
)
def test_a_client_goes_where_its_options_say(
    aws: dict[str, Any], access: Access, region: str, endpoint: str, trusts: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_CA_BUNDLE", raising=False)
    monkeypatch.delenv("REQUESTS_CA_BUNDLE", raising=False)
    client = aws_client(AwsConfig(region="us-east-1", **aws), "kinesis", access=access)
    trusted = client._endpoint.http_session._verify
    assert (client.meta.region_name, client.meta.endpoint_url, trusted) == (region, endpoint, trusts)


@pytest.mark.parametrize(("app_id", "ends"), [("", ""), ("orders", " app/orders")])
def test_a_client_says_who_it_is_without_putting_that_together_for_each_request(
    app_id: str, ends: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"SDK_UA_APP_ID": app_id, "ACCESS_KEY_ID": "a", "SECRET_ACCESS_KEY": "b"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    client = aws_client(AwsConfig(region="us-east-1"), "kinesis")
    sent = list[str]()
    client.meta.events.register(
        "before-send",
        lambda request, **_: sent.append(request.headers["User-Agent"].decode()) or AWSResponse("", 200, {}, None),
    )
    monkeypatch.setattr(AWSResponse, "content", b"{}")
    client.list_streams()
    assert sent == [new_session().user_agent() + ends]
    assert sent[0].startswith("Botocore/")


class Asked:
    """STS and Secrets Manager, which keep what they are asked."""

    def __init__(self) -> None:
        self.request: dict[str, Any] = {}

    def assume_role_with_web_identity(self, **request: Any) -> dict[str, Any]:
        self.request = request
        return {"Credentials": {"AccessKeyId": "THEIRS", "SecretAccessKey": "s", "SessionToken": "t"}}

    def get_secret_value(self, **request: Any) -> dict[str, Any]:
        self.request = request
        return {"SecretString": '{"access_key_id": "THEIRS", "secret_access_key": "s"}'}


@pytest.mark.parametrize(
    ("credentials", "asked"),
    [
        (
            lambda folder: Credentials(
                web_identity=WebIdentity(token_file=folder / "token", role_arn=ROLE, duration_seconds=900)
            ),
            {"DurationSeconds": 900},
        ),
        (lambda _: Credentials(access_key=AccessKey(secret_arn=SECRET)), {"SecretId": SECRET}),
        (lambda folder: Credentials(profile=Profile(name="partner", file=folder / "keys")), {}),
    ],
    ids=["duration", "secret", "file"],
)
def test_what_signs_is_asked_for_as_its_options_say(
    credentials: Callable[[Path], Credentials],
    asked: dict[str, object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "token").write_text("header.payload.signature")
    (tmp_path / "keys").write_text("[partner]\naws_access_key_id = THEIRS\naws_secret_access_key = s\n")
    service = Asked()
    monkeypatch.setattr(identity, "_client", lambda *_: service)
    aws = AwsConfig(region="us-east-1", credentials=credentials(tmp_path))
    found = identity.signing(new_session(), aws).get_credentials()
    assert found.get_frozen_credentials().access_key == "THEIRS"
    assert service.request.items() >= asked.items()
