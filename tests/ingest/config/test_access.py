"""Tests of who the engine is to AWS, as a document says it."""

from typing import Any

import pytest

from firnline_ingest.config.access import HERE
from firnline_ingest.config.document import parse
from firnline_ingest.config.model import EngineConfig
from tests.ingest.config.test_model import document, problems

READER = {"arn": "arn:aws:iam::222233334444:role/acme/reader", "external_id": "firnline-4f1c"}
SECRET = "arn:aws:secretsmanager:eu-west-1:111122223333:secret:key-AbCdEf"


def aws(**credentials: Any) -> dict[str, Any]:
    return document(aws={"region": "eu-west-1", "credentials": credentials})


def elsewhere(**access: Any) -> dict[str, Any]:
    (pipeline,) = document()["pipelines"]
    return document(pipelines=[{**pipeline, "access": access}])


def test_a_stream_is_where_the_engine_is_unless_it_says_otherwise() -> None:
    assert parse(EngineConfig, document(), "engine.json").access_of("orders") == HERE


def test_a_stream_elsewhere_has_a_region_and_the_roles_that_lead_to_it() -> None:
    config = parse(EngineConfig, elsewhere(region="us-east-2", roles=[READER]), "engine.json")
    access = config.access_of("orders")
    assert (access.region, [role.arn for role in access.roles]) == ("us-east-2", [READER["arn"]])
    assert (access.roles[0].session_name, access.roles[0].duration_seconds) == ("firnline", 3600)
    assert config.access_of("another") == HERE


@pytest.mark.parametrize(
    "credentials",
    [
        {"profile": {"name": "partner", "file": "/etc/aws/credentials"}},
        {"access_key": {"id_env": "KEY_ID", "secret_env": "KEY", "token_env": "TOKEN"}},
        {"access_key": {"secret_arn": SECRET}},
        {"web_identity": {"token_file": "/var/run/token", "role_arn": READER["arn"]}, "roles": [READER]},
    ],
)
def test_credentials_begin_in_one_of_four_places_and_go_on_with_roles(credentials: dict[str, Any]) -> None:
    begun = parse(EngineConfig, aws(**credentials), "engine.json").aws.credentials
    assert begun.has_beginning


@pytest.mark.parametrize(
    ("credentials", "problem"),
    [
        ({"profile": {"name": "a"}, "access_key": {"secret_arn": SECRET}}, "at most one of profile, access_key"),
        ({"access_key": {"id_env": "A"}}, "either id_env and secret_env, or secret_arn"),
        ({"access_key": {}}, "either id_env and secret_env, or secret_arn"),
        ({"access_key": {"id_env": "A", "secret_env": "B", "secret_arn": SECRET}}, "either id_env and secret_env"),
        ({"access_key": {"token_env": "A", "secret_arn": SECRET}}, "either id_env and secret_env"),
        ({"roles": [{"arn": "reader"}]}, "roles[0].arn: has to be the ARN of a role, for example"),
        ({"roles": [{**READER, "duration_seconds": 60}]}, "roles[0].duration_seconds"),
        ({"roles": [READER, {**READER, "duration_seconds": 7200}]}, "3,600 seconds at most"),
        ({"roles": [{**READER, "external_id": "a b"}]}, "roles[0].external_id: has to be"),
        ({"roles": [{**READER, "session_name": "x"}]}, "roles[0].session_name: has to be"),
    ],
)
def test_what_can_not_be_meant_is_refused(credentials: dict[str, Any], problem: str) -> None:
    assert any(problem in found for found in problems(aws(**credentials)))


def test_an_access_key_in_the_document_is_refused_and_not_shown() -> None:
    key = {"access_key_id": "AKIAIOSFODNN7EXAMPLE", "secret_access_key": "wJalrXUtnFEMI/K7MDENG"}
    found = problems(aws(access_key=key))
    assert found
    assert not any("AKIA" in problem or "wJal" in problem for problem in found)


def test_a_region_that_is_none_is_refused() -> None:
    assert problems(elsewhere(region="Ireland"))[0].startswith("pipelines[0].access.region: has to be an AWS region")


ARN = "arn:aws:kinesis:us-east-1:222233334444:stream/orders"


@pytest.mark.parametrize(
    ("access", "problem"),
    [
        ({"arn": ARN.replace("orders", "other")}, "access.arn: is of stream other; expected orders"),
        ({"arn": ARN, "region": "eu-west-1"}, "arn: is of region us-east-1; expected eu-west-1"),
        ({"arn": "events"}, "has to be the ARN of a stream"),
    ],
)
def test_an_arn_is_of_the_stream_and_of_its_region(access: dict[str, str], problem: str) -> None:
    (found,) = problems(elsewhere(**access))
    assert problem in found


def test_a_stream_by_its_arn_is_in_the_region_that_it_names() -> None:
    access = parse(EngineConfig, elsewhere(arn=ARN), "engine.json").access_of("orders")
    assert (access.arn, access.stream_region, HERE.stream_region) == (ARN, "us-east-1", None)
