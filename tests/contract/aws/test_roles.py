"""Roles through the real botocore: who a client is at the end, when it asks again, and what a refusal says."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import ClientError
from botocore.session import Session
from botocore.stub import Stubber

from firnline_ingest.aws.client import aws_client
from firnline_ingest.aws.identity import _from_secret, signing
from firnline_ingest.config.access import Access, AccessKey, Profile, Role, WebIdentity
from firnline_ingest.config.model import AwsConfig
from firnline_ingest.errors import CredentialsError
from firnline_ingest.kinesis.aws_errors import kinesis_error
from firnline_ingest.kinesis.client import kinesis_client
from firnline_local.faults import Fault, FaultKind
from tests.contract.aws.conftest import ENGINE, Account

EXTERNAL_ID = "firnline-4f1c"


def signed_as(aws: AwsConfig, access: Access | None = None) -> str:
    """The role that a request of the engine's is signed for, as STS itself says."""
    client = aws_client(aws, "sts", access=access or Access())
    arn: str = client.get_caller_identity()["Arn"]
    return arn


def refusal(aws: AwsConfig, access: Access | None = None) -> CredentialsError:
    with pytest.raises(CredentialsError) as caught:
        signed_as(aws, access)
    return caught.value


def test_a_stream_elsewhere_is_read_with_a_role_that_is_assumed_with_the_external_id(account: Account) -> None:
    reader = account.role("reader", ENGINE, external_id=EXTERNAL_ID)
    account.may_assume(reader)
    access = Access(roles=[Role(arn=reader, external_id=EXTERNAL_ID, session_name="orders-prod")])
    assert signed_as(account.config(), access).endswith("assumed-role/reader/orders-prod")


def test_a_client_of_another_region_goes_there_and_not_to_the_endpoint_of_this_one(account: Account) -> None:
    aws = account.config().model_copy(update={"endpoints": {"kinesis": "http://vpce.here", "sts": "http://sts.here"}})
    assert kinesis_client(aws).meta.endpoint_url == "http://vpce.here"
    there = kinesis_client(aws, access=Access(region="eu-west-1")).meta
    assert (there.region_name, there.endpoint_url) == ("eu-west-1", "https://kinesis.eu-west-1.amazonaws.com")
    own = Access(region="eu-west-1", endpoint="http://vpce.there")
    assert kinesis_client(aws, access=own).meta.endpoint_url == "http://vpce.there"


def test_roles_are_assumed_one_with_the_credentials_of_the_other(account: Account) -> None:
    hub = account.role("hub", ENGINE)
    spoke = account.role("spoke", hub)
    account.may_assume(hub)
    assert "assumed-role/spoke/" in signed_as(account.config(roles=[Role(arn=hub), Role(arn=spoke)]))
    assert account.sessions() == ["hub", "spoke"]
    assert "assumed-role/spoke/" in signed_as(account.config(roles=[Role(arn=hub)]), Access(roles=[Role(arn=spoke)]))
    assert refusal(account.config(roles=[Role(arn=spoke)])).id == "FL-1301"


@pytest.mark.parametrize(("said", "words"), [(None, "external_id of the role"), ("another", "'another'")])
def test_a_role_whose_trust_wants_another_external_id_says_what_was_said(
    account: Account, said: str | None, words: str
) -> None:
    partner = account.role(f"partner-{said}", ENGINE, external_id=EXTERNAL_ID)
    account.may_assume(partner)
    error = refusal(account.config(), Access(roles=[Role(arn=partner, external_id=said)]))
    assert (error.id, error.is_retryable) == ("FL-1301", False)
    assert (partner in error.what, ENGINE in error.what) == (True, True)
    assert words in error.next_step


def test_a_role_that_the_engine_may_not_assume_is_refused_by_the_engines_own_policies(account: Account) -> None:
    forbidden = account.role("forbidden", ENGINE)
    error = refusal(account.config(), Access(roles=[Role(arn=forbidden)]))
    assert error.id == "FL-1301"
    assert "no identity-based policy allows the sts:AssumeRole action" in error.what


def test_only_the_stream_whose_role_is_refused_stands_still(account: Account) -> None:
    """Making the client asks nobody; the error comes where a request would have been signed, as every other one does."""
    refused = account.role("refused", "arn:aws:iam::999999999999:root")
    client = kinesis_client(
        account.config(), access=Access(roles=[Role(arn=refused)], endpoint="http://nobody.invalid")
    )
    with pytest.raises(CredentialsError) as caught:
        client.list_shards(StreamName="orders")
    assert kinesis_error(caught.value, operation="ListShards", stream="orders") is caught.value


def test_an_sts_that_answers_with_an_error_of_its_own_is_asked_again(account: Account) -> None:
    busy = account.role("busy", ENGINE)
    account.may_assume(busy)
    fault = Fault(endpoint="sts:AssumeRole", kind=FaultKind.ERROR, status=400, code="Throttling", times=9)
    account.server.faults.replace([fault])
    assert refusal(account.config(roles=[Role(arn=busy)])).is_retryable


@pytest.mark.parametrize("code", ["ExpiredToken", "ExpiredTokenException"])
def test_a_source_that_has_expired_is_not_taken_for_a_refusal(account: Account, code: str) -> None:
    role = account.role(f"source-{code}", ENGINE)
    account.server.faults.replace(
        [Fault(endpoint="sts:AssumeRole", kind=FaultKind.ERROR, status=403, code=code, times=9)]
    )
    error = refusal(account.config(roles=[Role(arn=role)]))
    assert (error.id, error.is_retryable) == ("FL-1303", True)


class Hour:
    """A service that refuses sessions which are older than they may be, on a clock that is moved."""

    def __init__(self, lasts_s: float) -> None:
        self.now_s = 1000.0
        self.refused = 0
        self._lasts_s = lasts_s
        self._since_s: dict[str, float] = {}

    def __call__(self) -> float:
        return self.now_s

    def answer(self, request: AWSPreparedRequest, **_: object) -> AWSResponse:
        token = str(request.headers["X-Amz-Security-Token"])
        is_good = self.now_s - self._since_s.setdefault(token, self.now_s) < self._lasts_s
        self.refused += not is_good
        body: dict[str, Any] = {"Shards": []} if is_good else {"__type": "ExpiredTokenException", "message": "old"}
        return _Response(request.url, 200 if is_good else 400, json.dumps(body).encode())

    @property
    def sessions(self) -> int:
        return len(self._since_s)


class _Response(AWSResponse):
    def __init__(self, url: str, status: int, body: bytes) -> None:
        super().__init__(url, status, {"content-type": "application/x-amz-json-1.1"}, None)
        self._content = body


@pytest.fixture
def hour() -> Hour:
    return Hour(lasts_s=900)


@pytest.fixture
def reads(account: Account, hour: Hour, request: pytest.FixtureRequest) -> Callable[[], object]:
    """A call of a client that signs with a session of 15 minutes."""
    arn = account.role(f"quarter-{request.node.name[:40]}", ENGINE)
    account.may_assume(arn)
    access = Access(roles=[Role(arn=arn, duration_seconds=900)])
    session = signing(Session(), account.config(), access, clock=hour)
    client = session.create_client("kinesis", region_name="us-east-1", endpoint_url="http://nobody.invalid")
    client.meta.events.register("before-send", hour.answer)
    return lambda: client.list_shards(StreamName="orders")


def test_sessions_of_15_minutes_last_for_an_hour_and_no_request_carries_an_old_one(
    account: Account, hour: Hour, reads: Callable[[], object]
) -> None:
    """botocore would ask STS for every request: to it, what ends within 15 minutes is due."""
    for _ in range(3600):
        reads()
        hour.now_s += 1
    assert (hour.refused, hour.sessions, len(account.sessions())) == (0, 6, 6)


def test_an_sts_that_is_away_for_minutes_is_noticed_by_no_request_while_a_session_lasts(
    account: Account, hour: Hour, reads: Callable[[], object]
) -> None:
    reads()
    account.server.faults.replace(
        [Fault(endpoint="sts:AssumeRole", kind=FaultKind.ERROR, status=400, code="Throttling", times=999)]
    )
    for _ in range(85):
        hour.now_s += 10
        reads()
    hour.now_s += 60
    with pytest.raises(CredentialsError) as caught:
        reads()
    assert caught.value.is_retryable
    account.server.faults.replace([])
    with pytest.raises(CredentialsError):
        reads()  # all shards of a process ask at once: STS is asked again only some seconds later
    hour.now_s += 10
    reads()
    assert (hour.refused, hour.sessions) == (0, 2)


def test_a_session_that_was_revoked_is_replaced_after_one_refusal(hour: Hour, reads: Callable[[], object]) -> None:
    reads()
    hour._lasts_s = 0
    with pytest.raises(ClientError, match="ExpiredToken"):
        reads()
    hour._lasts_s = 900
    reads()
    assert hour.sessions == 2


def test_an_access_key_comes_from_the_environment_when_it_is_needed(
    account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    aws = account.config(access_key=AccessKey(id_env="PARTNER_ID", secret_env="PARTNER_SECRET"))
    error = refusal(aws)
    assert (error.id, "PARTNER_ID" in error.what) == ("FL-1306", True)
    user = account.client("iam")
    user.create_user(UserName="partner")
    key = user.create_access_key(UserName="partner")["AccessKey"]
    monkeypatch.setenv("PARTNER_ID", key["AccessKeyId"])
    monkeypatch.setenv("PARTNER_SECRET", key["SecretAccessKey"])
    assert signed_as(aws).endswith(":user/partner")


@pytest.mark.parametrize("text", [None, "no JSON", "[]", '{"access_key_id": "AKIA"}'])
def test_an_access_key_that_a_secret_does_not_hold_is_named_and_never_shown(text: str | None) -> None:
    arn = "arn:aws:secretsmanager:us-east-1:123456789012:secret:none-AbCdEf"
    client = Session().create_client("secretsmanager", region_name="us-east-1")
    asked, stubber = {"SecretId": arn, "VersionStage": "AWSCURRENT"}, Stubber(client)
    if text is None:
        stubber.add_client_error("get_secret_value", "ResourceNotFoundException", expected_params=asked)
    else:
        stubber.add_response("get_secret_value", {"SecretString": text}, asked)
    with stubber, pytest.raises(CredentialsError) as caught:
        _from_secret(arn, client)
    assert (caught.value.id, arn in caught.value.what) == ("FL-1306", True)
    assert "AKIA" not in str(caught.value)


def test_a_profile_may_lie_in_a_file_of_its_own(account: Account, tmp_path: Path) -> None:
    user = account.client("iam")
    user.create_user(UserName="filed")
    key = user.create_access_key(UserName="filed")["AccessKey"]
    file = tmp_path / "partner"
    file.write_text(
        f"[partner]\naws_access_key_id = {key['AccessKeyId']}\naws_secret_access_key = {key['SecretAccessKey']}\n"
    )
    assert signed_as(account.config(profile=Profile(name="partner", file=file))).endswith(":user/filed")
    error = refusal(account.config(profile=Profile(name="another", file=file)))
    assert (error.id, "another" in error.what) == ("FL-1307", True)


def test_a_web_identity_is_a_role_for_the_token_that_its_file_holds_then(account: Account, tmp_path: Path) -> None:
    pod, token = account.role("pod", ENGINE), tmp_path / "token"
    aws = account.config(web_identity=WebIdentity(token_file=token, role_arn=pod, session_name="orders-prod"))
    error = refusal(aws)
    assert (error.id, str(token) in error.what) == ("FL-1304", True)
    token.write_text("\n")
    assert refusal(aws).id == "FL-1304"
    token.write_text("header.payload.signature\n")
    assert signed_as(aws).endswith("assumed-role/pod/orders-prod")
    assert "assumed-role/spoke-of-pod/" in signed_as(aws, Access(roles=[Role(arn=account.role("spoke-of-pod", pod))]))


@pytest.mark.parametrize(
    ("code", "problem", "passes"),
    [
        ("InvalidIdentityToken", "FL-1305", False),
        ("AccessDenied", "FL-1305", False),
        ("ExpiredTokenException", "FL-1303", True),
        ("IDPCommunicationError", "FL-1302", True),
        ("ValidationError", "FL-1308", False),
    ],
)
def test_what_sts_says_of_a_token_is_told_apart(
    account: Account, tmp_path: Path, code: str, problem: str, passes: bool
) -> None:
    token = tmp_path / "token"
    token.write_text("header.payload.signature")
    endpoint = "sts:AssumeRoleWithWebIdentity"
    account.server.faults.replace([Fault(endpoint=endpoint, kind=FaultKind.ERROR, status=400, code=code, times=9)])
    error = refusal(account.config(web_identity=WebIdentity(token_file=token, role_arn=ENGINE)))
    assert (error.id, error.is_retryable) == (problem, passes)
