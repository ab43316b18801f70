from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import boto3
import pytest
import yaml
from botocore.stub import Stubber

from firnline_infra.runtimes.engine_job import engine_job
from firnline_infra.runtimes.job import Artefact, EngineJob
from firnline_infra.runtimes.options import Architecture
from firnline_infra.specification import parse_spec

BUCKET = "firnline-dev-123456789012-eu-central-1"
ROLE = "arn:aws:iam::123456789012:role/firnline-dev-engine"
SERVERLESS = {
    "trust": "emr-serverless",
    "emr_serverless": {"origin": "adopt", "application_id": "00fapp"},
}
NOW = datetime(2026, 11, 22, 11, tzinfo=UTC)


class StubbedAws:
    """Real clients, whose calls are answered from a list that has to come out even; requests are validated by botocore."""

    def __init__(self) -> None:
        self._stubs: dict[str, Stubber] = {}
        self._clients: dict[str, Any] = {}

    def client(self, service: str) -> Any:
        if service not in self._clients:
            client: Any = boto3.client(
                service, region_name="eu-central-1", aws_access_key_id="A", aws_secret_access_key="S"
            )
            self._clients[service], self._stubs[service] = client, Stubber(client)
            self._stubs[service].activate()
        return self._clients[service]

    def answers(self, service: str, operation: str, answer: dict[str, Any], request: Any = None) -> None:
        self.client(service)
        self._stubs[service].add_response(operation, answer, request)

    def refuses(self, service: str, operation: str, code: str, words: str = "no") -> None:
        self.client(service)
        self._stubs[service].add_client_error(operation, code, words)

    def check(self) -> None:
        for stub in self._stubs.values():
            stub.assert_no_pending_responses()


@pytest.fixture
def aws() -> Iterator[StubbedAws]:
    stubbed = StubbedAws()
    yield stubbed
    stubbed.check()


@pytest.fixture
def job() -> Callable[..., EngineJob]:
    def job(runtime: dict[str, Any] | None = None, *, place: str = "00fapp") -> EngineJob:
        document = {
            "version": 1,
            "name": "dev",
            "aws": {"region": "eu-central-1", "account": "123456789012", "runtime": runtime or SERVERLESS},
            "snowflake": {"account": "ORG-ACCOUNT", "warehouse": "SMALL"},
            "streams": [{"name": "orders", "shards": 2}],
            "pipelines": [{"stream": "orders", "database": "LAKE", "schema": "RAW"}],
        }
        is_image = "kubernetes" in (runtime or {})
        folder = f"s3://{BUCKET}/artefacts/{'ab' * 32}"
        return engine_job(
            parse_spec(yaml.safe_dump(document), "dev.yaml"),
            artefact=Artefact(
                hash="ab" * 32,
                python="3.13",
                architecture=Architecture.ARM64,
                entry="/opt/firnline/entry.py" if is_image else f"{folder}/entry.py",
                archive="/opt/firnline/environment" if is_image else f"{folder}/engine.tar.gz",
            ),
            configuration=f"s3://{BUCKET}/configuration/cd.json",
            configuration_hash="cd" * 32,
            role_arn=ROLE,
            logs=f"s3://{BUCKET}/logs/",
            place=place,
        )

    return job
