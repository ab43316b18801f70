"""A request that a service calls malformed is a defect of ours, and is said with its parts: never as an outage."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse, HeadersDict

from firnline_ingest.aws import secrets
from firnline_ingest.aws.client import aws_client
from firnline_ingest.aws.secrets import SecretRequestMalformed, read_secret
from firnline_ingest.config.form import AwsService
from firnline_ingest.config.model import AwsConfig
from firnline_ingest.dead_letters.errors import DeadLetterRequestMalformed
from firnline_ingest.dead_letters.s3 import S3Folder
from firnline_ingest.dead_letters.stream import DeadLetterStream
from firnline_ingest.errors import FirnlineError
from firnline_ingest.migration.errors import TableRequestMalformed
from firnline_ingest.migration.tables import MigrationJournal

Use = Callable[[Any], object]
MESSAGE = "1 validation error detected"


class Body:
    """The part of urllib3's response that botocore reads."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def stream(self) -> list[bytes]:
        return [self._content]


def refusing(service: AwsService, code: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The engine's own client, each request of which is refused with a code, in the form of its service."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
    of_json = json.dumps({"__type": code, "message": MESSAGE})
    of_xml = f"<Error><Code>{code}</Code><Message>{MESSAGE}</Message></Error>"
    body: Any = Body((of_xml if service == "s3" else of_json).encode())
    client = aws_client(AwsConfig(region="us-east-1"), service, attempts=1)
    headers: Any = HeadersDict({})
    client.meta.events.register("before-send", lambda request, **_: AWSResponse(request.url, 400, headers, body))
    return client


def read_one(client: Any) -> object:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(secrets, "aws_client", lambda *_: client)
        return read_secret(AwsConfig(region="us-east-1"), "not an ARN")


@pytest.mark.parametrize(
    ("service", "code", "use", "error", "parts"),
    [
        (
            "s3",
            "InvalidArgument",
            lambda client: S3Folder(client, "rows", "letters/").create("a", b"content"),
            DeadLetterRequestMalformed,
            ('Bucket="rows"', "ChecksumAlgorithm=…", "IfNoneMatch=…"),
        ),
        (
            "s3",
            "MalformedXML",
            lambda client: list(S3Folder(client, "rows", "letters/").names("")),
            DeadLetterRequestMalformed,
            ('Bucket="rows"', "Prefix=…"),
        ),
        (
            "kinesis",
            "ValidationException",
            lambda client: DeadLetterStream(client, "rejected").check(),
            DeadLetterRequestMalformed,
            ('StreamName="rejected"',),
        ),
        (
            "dynamodb",
            "SerializationException",
            lambda client: MigrationJournal(client, "ledger_migration").write("orders@1", "shard", {"note": "content"}),
            TableRequestMalformed,
            ("dynamodb:PutItem", "Item=…"),
        ),
        ("secretsmanager", "ValidationException", read_one, SecretRequestMalformed, ('SecretId="not an ARN"',)),
    ],
)
def test_a_malformed_request_is_our_defect_and_has_its_parts(
    service: AwsService,
    code: str,
    use: Use,
    error: type[FirnlineError],
    parts: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(error) as raised:
        use(refusing(service, code, monkeypatch))
    said = str(raised.value)
    for part in (code, MESSAGE, "The request: ", *parts, "report this message"):
        assert part in said
    assert not raised.value.is_retryable
    assert not any(wrong in said for wrong in ("content", "by itself", "can't be reached"))
