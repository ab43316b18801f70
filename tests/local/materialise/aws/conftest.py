"""The embedded AWS alone, in this process: nothing of these types needs Snowflake."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from firnline_local.aws.server import AwsServer
from firnline_local.endpoints import Endpoints, Login
from firnline_local.kinesis import FakeKinesis, KinesisServer
from firnline_local.materialise.clients import Clients

NOWHERE = Path("/nowhere")


@pytest.fixture(scope="module")
def clients() -> Iterator[Clients]:
    with AwsServer() as aws, KinesisServer(FakeKinesis()) as kinesis:
        endpoints = Endpoints(
            region="us-east-1",
            aws_account="123456789012",
            kinesis=kinesis.endpoint,
            aws=aws.endpoint,
            runtimes="http://127.0.0.1:1",
            snowflake="https://127.0.0.1:1",
            snowflake_account="NONE",
            ca_file=NOWHERE,
        )
        with closing(Clients(endpoints, Login(user="", role="", private_key_file=NOWHERE))) as clients:
            yield clients
