from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization as s
from cryptography.hazmat.primitives.asymmetric import rsa

Problems = Callable[..., list[str]]
Part = Callable[..., dict[str, Any]]


def test_engine_and_reader_are_different_users(problems: Problems, snowflake: Part) -> None:
    found = problems(snowflake=snowflake(ingest={"user": "FIRNLINE"}, reader={"user": '"FIRNLINE"'}))
    assert [problem.partition(":")[0] for problem in found] == ["snowflake.reader.user", "snowflake.reader.role"]


@pytest.mark.parametrize("who", ["ingest", "reader"])
def test_neither_has_the_role_that_deploys(problems: Problems, snowflake: Part, who: str) -> None:
    (problem,) = problems(snowflake=snowflake(deploy_role="DEPLOY", **{who: {"role": "deploy"}}))
    assert problem.startswith(f"snowflake.{who}.role: ")


def test_the_reader_is_granted_to_others(problems: Problems, snowflake: Part) -> None:
    granted = ["ANALYST", "FIRNLINE_DEV_INGEST", "firnline_dev_reader"]
    found = problems(snowflake=snowflake(reader={"granted_to": granted}))
    assert [problem.partition(":")[0] for problem in found] == [
        "snowflake.reader.granted_to[1]",
        "snowflake.reader.granted_to[2]",
    ]


def test_each_place_has_a_key_of_its_own(problems: Problems, snowflake: Part) -> None:
    key = rsa.generate_private_key(65537, 2048).public_key()
    pem = key.public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo).decode()
    found = problems(
        snowflake=snowflake(
            ingest={"public_keys": {"slot_1": pem, "slot_2": pem}}, reader={"public_keys": {"slot_2": pem}}
        )
    )
    assert [problem.partition(": is the same key")[0] for problem in found] == [
        "snowflake.ingest.public_keys.slot_2",
        "snowflake.reader.public_keys.slot_2",
    ]


def test_each_user_has_a_secret_of_its_own(problems: Problems, snowflake: Part) -> None:
    secret = {"secret_arn": "arn:aws:secretsmanager:eu-central-1:123456789012:secret:key-a1B2c3"}
    (problem,) = problems(snowflake=snowflake(ingest=secret, reader=secret))
    assert problem.startswith("snowflake.reader.secret_arn: is also the engine's")
