"""A request as botocore signs it, and the host as it is signed."""

import ssl
from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials, ReadOnlyCredentials

from firnline_ingest.aws.http import Connections
from firnline_ingest.aws.signed_calls import Signature, SignedRequest


@pytest.mark.parametrize(
    "url",
    [
        "https://kinesis.us-east-1.amazonaws.com:443/",
        "http://Kinesis.example:80/",
        "https://KINESIS.example:8443/",
        "http://[::1]:4566/",
    ],
)
def test_the_host_is_sent_as_it_is_signed(url: str) -> None:
    context = ssl.create_default_context() if url.startswith("https") else None
    sent = Connections(url, context, most=1, connect_timeout_s=1, read_timeout_s=1)._start
    signer = SigV4Auth(Credentials("first", "secret"), "kinesis", "us-east-1")
    signed = signer.headers_to_sign(AWSRequest("POST", url, headers={}, data=b"{}"))["host"]
    assert f"\r\nHost: {signed}\r\n" in sent


@pytest.mark.parametrize("token", [None, "session/token+=="])
@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://kinesis.eu-central-1.amazonaws.com/", "kinesis.eu-central-1.amazonaws.com"),
        (
            "https://123456789012.data-kinesis.us-gov-west-1.amazonaws.com/",
            "123456789012.data-kinesis.us-gov-west-1.amazonaws.com",
        ),
        ("http://127.0.0.1:4567/a%20path/", "127.0.0.1:4567"),
        ("https://[::1]:8443/", "[::1]:8443"),
    ],
)
def test_a_request_is_signed_as_botocore_signs_it(
    url: str, host: str, token: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime(2026, 11, 29, 9, 30, tzinfo=UTC)
    monkeypatch.setattr("botocore.auth.get_current_datetime", lambda: now)
    headers = {
        "X-Amz-Target": "Kinesis_20131202.GetRecords",
        "User-Agent": "Boto3/1.44  md/Botocore",
        "Content-Type": "application/x-amz-json-1.1",
        "amz-sdk-invocation-id": "4a1c3b60-5d0c-4d6f-8f0e-0a7b3a0c8f11",
        "amz-sdk-request": "attempt=1",
        "X-Odd": "  two   words ",
    }
    body, credentials = b'{"ShardIterator":"iterator","Limit":10}', ReadOnlyCredentials("AKID", "secret", token)
    botocores: Any = AWSRequest(method="POST", url=url, headers=headers, data=body)
    SigV4Auth(credentials, "kinesis", "eu-central-1").add_auth(botocores)
    ours: Any = SignedRequest(url, dict(headers), body)
    Signature(credentials, "kinesis", "eu-central-1", host).add_auth(ours)
    assert ours.headers == dict(botocores.headers.items())
    assert "host;" in ours.headers["Authorization"]
