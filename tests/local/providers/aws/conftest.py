"""The embedded AWS alone, in this process: nothing of these types needs Snowflake."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from firnline_local.aws.server import AwsServer
from firnline_local.endpoints import Endpoints, Login
from firnline_local.faults import FaultPlan
from firnline_local.kinesis import FakeKinesis, KinesisServer
from firnline_local.providers.clients import Clients
from firnline_local.runtimes.jobs.credentials import JobEndpoints
from firnline_local.runtimes.jobs.submission import LaunchRefused, Running, Submission
from firnline_local.runtimes.server import RuntimesApplication
from firnline_local.wsgi import WsgiServer

NOWHERE = Path("/nowhere")


def no_jobs(_: Submission, /) -> Running:
    raise LaunchRefused("no job runs here")


@pytest.fixture(scope="module")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clients]:
    folder, place = tmp_path_factory.mktemp("runtimes"), {"account": "123456789012", "region": "us-east-1"}
    application = RuntimesApplication(folder, **place, faults=FaultPlan(), launch=no_jobs)
    with (
        AwsServer() as aws,
        KinesisServer(FakeKinesis()) as kinesis,
        WsgiServer(application, name="runtimes") as runtimes,
    ):
        application.places = JobEndpoints(aws=aws.endpoint, kinesis=kinesis.endpoint, **place)
        endpoints = Endpoints(
            region="us-east-1",
            aws_account="123456789012",
            kinesis=kinesis.endpoint,
            aws=aws.endpoint,
            runtimes=runtimes.endpoint,
            snowflake="https://127.0.0.1:1",
            snowflake_account="NONE",
            ca_file=NOWHERE,
        )
        with closing(Clients(endpoints, Login(user="", role="", private_key_file=NOWHERE))) as clients:
            yield clients
