"""The real botocore client, whose answers come from its own hook before anything is sent."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse

from firnline_ingest.aws import identity
from firnline_ingest.aws.client import dynamodb_client
from firnline_ingest.aws.codes import STALE
from firnline_ingest.config.access import AccessKey, Credentials, Profile
from firnline_ingest.config.model import AwsConfig
from firnline_ingest.kinesis.aws_errors import kinesis_error
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.ledger.dynamodb import DynamoLedger
from firnline_ingest.ledger.errors import LedgerCredentialsStale

CREDENTIALS = (
    "[{profile}]\naws_access_key_id = {key}\naws_secret_access_key = secret\naws_session_token = {key}-token\n"
)
PROFILE = "renewed"
AWS = AwsConfig(region="us-east-1", credentials=Credentials(profile=Profile(name=PROFILE)))


@pytest.fixture
def presents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Writes a profile's file, as a login tool does."""
    file = tmp_path / "credentials"
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(file))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))

    def write(key: str) -> None:
        file.write_text(CREDENTIALS.format(profile=PROFILE, key=key))

    write("OLD")
    return write


def test_each_service_is_asked_at_its_own_endpoint_and_the_others_in_public(presents: Callable[[str], None]) -> None:
    private = AWS.model_copy(update={"endpoints": {"dynamodb": "https://ledger.internal:8443"}})
    assert dynamodb_client(private).meta.endpoint_url == "https://ledger.internal:8443"
    assert kinesis_client(private).meta.endpoint_url == "https://kinesis.us-east-1.amazonaws.com"


def test_a_temporary_key_of_the_environment_is_sent_with_its_token(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ID", "SECRET", "TOKEN"):
        monkeypatch.setenv(f"OURS_{name}", f"{name}-of-ours")
    key = AccessKey(id_env="OURS_ID", secret_env="OURS_SECRET", token_env="OURS_TOKEN")
    client = kinesis_client(AWS.model_copy(update={"credentials": Credentials(access_key=key)}))
    sent: list[object] = []

    def answered(request: AWSPreparedRequest, **_: object) -> AWSResponse:
        sent.append(request.headers["X-Amz-Security-Token"])
        return _Response(request.url, 200, b"{}")

    client.meta.events.register("before-send", answered)
    client.list_streams()
    assert sent in (["TOKEN-of-ours"], [b"TOKEN-of-ours"])


class Service:
    """Refuses requests that were signed with the old key."""

    def __init__(self, client: Any, code: str, answer: dict[str, Any]) -> None:
        self.keys: list[str] = []
        self._code, self._answer = code, answer
        client.meta.events.register("before-send", self._answered)

    def _answered(self, request: AWSPreparedRequest, **_: object) -> AWSResponse:
        authorization = request.headers["Authorization"]
        found = re.search(
            r"Credential=(\w+)/", authorization.decode() if isinstance(authorization, bytes) else authorization
        )
        self.keys.append(found[1])
        is_refused = found[1] == "OLD"
        body = {"__type": self._code, "message": "too old"} if is_refused else self._answer
        return _Response(request.url, 400 if is_refused else 200, json.dumps(body).encode())


class _Response(AWSResponse):
    def __init__(self, url: str, status: int, body: bytes) -> None:
        super().__init__(url, status, {"content-type": "application/x-amz-json-1.1"}, None)
        self._content = body


@pytest.mark.parametrize("code", sorted(STALE))
def test_a_ledger_whose_credentials_have_expired_goes_on_with_the_next_ones(
    code: str, presents: Callable[[str], None]
) -> None:
    client = dynamodb_client(AWS)
    service = Service(client, code, {})
    ledger = DynamoLedger(client, "ledger")
    presents("NEW")
    with pytest.raises(LedgerCredentialsStale, match="too old") as caught:
        ledger.current_run()
    assert caught.value.is_retryable
    assert "clock" in caught.value.next_step
    assert ledger.current_run() is None
    assert service.keys[-2:] == ["OLD", "NEW"]


def test_a_stream_whose_credentials_have_expired_is_read_on_with_the_next_ones(presents: Callable[[str], None]) -> None:
    client = kinesis_client(AWS)
    service = Service(
        client, "ExpiredTokenException", {"Records": [], "NextShardIterator": "i", "MillisBehindLatest": 0}
    )
    presents("NEW")
    with pytest.raises(Exception, match="too old") as caught:
        client.get_records(ShardIterator="i")
    error = kinesis_error(caught.value, operation="GetRecords", stream="orders")
    assert getattr(error, "id", "") == "FL-1208"
    assert getattr(error, "is_retryable", False)
    assert client.get_records(ShardIterator="i")["MillisBehindLatest"] == 0
    assert service.keys == ["OLD", "NEW"]


def test_credentials_that_nobody_renews_are_looked_for_now_and_then_and_refused_each_time(
    presents: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[Profile | None] = []
    chain = identity._chain

    def counted(aws: AwsConfig, profile: Profile | None = None) -> Any:
        looks.append(profile)
        return chain(aws, profile)

    monkeypatch.setattr(identity, "_chain", counted)
    ledger = DynamoLedger(client := dynamodb_client(AWS), "ledger")
    Service(client, "ExpiredTokenException", {})
    for _ in range(5):
        with pytest.raises(LedgerCredentialsStale):
            ledger.current_run()
    assert len(looks) == 2, "at the client's making, and once since: all shards of a process are refused at once"


def test_a_look_that_fails_keeps_what_there_is(
    presents: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = DynamoLedger(client := dynamodb_client(AWS), "ledger")
    service = Service(client, "ExpiredTokenException", {})
    (tmp_path / "credentials").unlink()
    for _ in range(2):
        with pytest.raises(LedgerCredentialsStale):
            ledger.current_run()
    assert service.keys == ["OLD", "OLD"]
