"""moto's defects are listed by operation and member, and no other answer that breaks its service's model is passed on."""

import tomllib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from firnline_local.aws.server import AwsServer
from firnline_local.service_models import liberties
from firnline_local.service_models.liberties import LIBERTIES, MOTO, refused_of_moto
from firnline_local.service_models.models import service_model

LOCK = Path(__file__).parents[3] / "uv.lock"
VALUE = "Value at 'Rules.1.member.CreatedBy' failed to satisfy constraint:"
UNKNOWN, WRONG = f"{VALUE} Member is not in the service's model", f"{VALUE} Member must be a string"


@pytest.fixture(scope="module")
def aws() -> Iterator[AwsServer]:
    with AwsServer() as server:
        yield server


def listed(aws: AwsServer) -> object:
    events = boto3.client(
        "events",
        region_name="us-east-1",
        endpoint_url=aws.endpoint,
        aws_access_key_id="a",
        aws_secret_access_key="b",
        config=Config(retries={"total_max_attempts": 1}),
    )
    events.put_rule(Name="nightly", ScheduleExpression="rate(1 day)")
    return events.list_rules()["Rules"][0]["Name"]


@pytest.mark.contract
def test_an_answer_of_moto_that_breaks_its_model_is_refused_unless_it_is_listed(
    aws: AwsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert listed(aws) == "nightly"
    monkeypatch.setattr(liberties, "LIBERTIES", ())
    with pytest.raises(
        ClientError, match=rf"moto {MOTO} answers ListRules beside .*'Rules\.1\.member\.CreatedBy'"
    ) as found:
        listed(aws)
    assert found.value.response["Error"]["Code"] == "ImitationDefect"
    assert found.value.response["ResponseMetadata"]["HTTPStatusCode"] == 501


def test_the_list_was_made_with_the_moto_that_is_locked() -> None:
    """An update of the lock goes with a run of the whole suite, which finds what the new one answers otherwise."""
    packages = tomllib.loads(LOCK.read_text(encoding="utf-8"))["package"]
    assert [each["version"] for each in packages if each["name"] == "moto"] == [MOTO]


@pytest.mark.parametrize(("installed", "refused"), [(MOTO, [UNKNOWN, WRONG]), ("6.0.0", [WRONG])])
def test_another_moto_may_know_members_of_a_newer_model(
    monkeypatch: pytest.MonkeyPatch, installed: str, refused: list[str]
) -> None:
    monkeypatch.setattr(liberties, "installed", lambda: installed)
    assert refused_of_moto([UNKNOWN, WRONG]) == refused


def test_each_entry_names_operations_that_there_are() -> None:
    for each in LIBERTIES:
        assert any(fnmatchcase(name, each.operation) for name in service_model(each.service).operation_names), each
