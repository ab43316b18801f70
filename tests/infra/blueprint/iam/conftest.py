"""An engine with everything, and every combination of it."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations as choices

import pytest

from firnline_infra.blueprint.iam.engine import EngineAccess

KEY = "arn:aws:kms:eu-central-1:123456789012:key/11111111-2222-3333-4444-555555555555"
STREAM_KEY = "arn:aws:kms:eu-central-1:123456789012:key/66666666-2222-3333-4444-555555555555"


def full() -> EngineAccess:
    return EngineAccess(
        region="eu-central-1",
        streams={name: f"arn:aws:kinesis:eu-central-1:123456789012:stream/{name}" for name in ("orders", "clicks")},
        patterns={"logs-*": "arn:aws:kinesis:eu-central-1:123456789012:stream/logs-*"},
        stream_keys=(KEY, STREAM_KEY, KEY),
        ledger_table="arn:aws:dynamodb:eu-central-1:123456789012:table/lake",
        ledger_name="lake",
        ledger_creation=True,
        ledger_key=KEY,
        secrets=("arn:aws:secretsmanager:eu-central-1:123456789012:secret:lake/snowflake/ingest-AbCdEf",),
        secret_key=KEY,
        asks_glue=True,
        registry_logins=("arn:aws:secretsmanager:eu-central-1:123456789012:secret:registry-AbCdEf",),
        registry_login_keys=(STREAM_KEY,),
        bucket="arn:aws:s3:::lake-123456789012-eu-central-1",
        checkpoint_folder="checkpoint/",
        job_folders=("artefacts/", "configuration/"),
        letters_folder="dead-letters/",
        log_folder="logs/",
        letters_stream="arn:aws:kinesis:eu-central-1:123456789012:stream/orders-letters",
        letters_stream_key=STREAM_KEY,
        bucket_key=KEY,
    )


SWITCHES = {
    "patterns": {},
    "stream_keys": (),
    "ledger_creation": False,
    "ledger_key": None,
    "secrets": (),
    "secret_key": None,
    "asks_glue": False,
    "registry_login_keys": (),
    "checkpoint_folder": None,
    "job_folders": (),
    "letters_folder": None,
    "log_folder": None,
    "letters_stream": None,
    "bucket_key": None,
}


def combinations() -> Iterator[EngineAccess]:
    """Any three parts in each way there and not there, with all others and with none; a secret's key only with the secret."""
    few = [frozenset(chosen) for size in range(4) for chosen in choices(SWITCHES, size)]
    for absent in {*few, *(frozenset(SWITCHES) - chosen for chosen in few)}:
        if not ("secrets" in absent and "secret_key" not in absent):
            yield replace(full(), **{name: SWITCHES[name] for name in absent})


@pytest.fixture
def everything() -> EngineAccess:
    return full()


@pytest.fixture(scope="session")
def every_access() -> list[EngineAccess]:
    return list(combinations())
