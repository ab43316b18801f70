from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from tests.infra.runtimes.environments import Job, job_on

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
def job() -> Job:
    return job_on
