from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import boto3
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from moto import mock_aws

from firnline_infra.keys.owner import KeyOwner
from firnline_infra.keys.pair import KeyPair, pair_of
from firnline_infra.specification import load_spec

SPEC = """
version: 1
name: dev
aws: {region: us-east-1, account: "123456789012"}
snowflake: {account: ACME-DEV}
streams: [{name: orders}]
pipelines: [{stream: orders, database: SHOP, schema: RAW}]
tags: {owner: platform}
"""
AWS = {"aws_access_key_id": "tests", "aws_secret_access_key": "tests", "region_name": "us-east-1"}


@cache
def client(service: str) -> Any:
    """Returns one for all tests: it asks the account of the test that runs, and to make it takes longer than all that it asks."""
    return boto3.client(service, **AWS)


@dataclass
class AwsAlone:
    """Accounts of which only the AWS half is ever asked; clients are moto's, in this process."""

    place: str = "tests"
    begin_empty: bool = False

    def aws(self, service: str) -> Any:
        return client(service)

    def snowflake(self) -> Any:
        raise AssertionError("Snowflake has no part in this")

    def snowflake_as(self, **_: Any) -> Any:
        raise AssertionError("Snowflake has no part in this")


@pytest.fixture
def accounts() -> Iterator[AwsAlone]:
    with mock_aws():
        yield AwsAlone()


@pytest.fixture(scope="session")
def pairs() -> list[KeyPair]:
    """Made once: 2048 bits are enough for what is looked at here."""
    return [pair_of(new_pem()) for _ in range(3)]


def new_pem() -> str:
    key = rsa.generate_private_key(65537, 2048)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


@pytest.fixture
def spec_file(tmp_path: Path) -> Path:
    path = tmp_path / "dev.yaml"
    path.write_text(SPEC)
    return path


@pytest.fixture
def owner(spec_file: Path) -> KeyOwner:
    return owner_of(spec_file)


def owner_of(spec_file: Path, user: str = "ingest") -> KeyOwner:
    """The owner as a command finds it: with what the file of keys says by now."""
    return KeyOwner.of(load_spec(spec_file), spec_file, user, environment="dev")
