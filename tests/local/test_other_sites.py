"""A browser reaches each port of this machine: no page of another site is answered, whatever name it gave to 127.0.0.1."""

import json
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, closing
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from firnline_local.aws.server import AwsServer
from firnline_local.faults import FaultPlan
from firnline_local.keys import make_key_pair
from firnline_local.kinesis import FakeKinesis, KinesisServer
from firnline_local.runtimes.server import RuntimesApplication
from firnline_local.snowflake.catalog import Catalog
from firnline_local.snowflake.server import EmbeddedSnowflake
from firnline_local.wsgi import WsgiServer

FAULTS = "/__firnline__/faults"
STRANGERS = [
    {"Host": "rebound.example"},
    {"Host": "rebound.example:{port}", "Origin": "http://rebound.example:{port}"},
    {"Host": "127.0.0.1.rebound.example"},
    {"Origin": "https://page.example"},
    {"Origin": "null"},
    {"Origin": "http://localhost:8888"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
]
KNOWN = [
    {},
    {"Host": "localhost"},
    {"Host": "bucket.localhost:{port}"},
    {"Host": "127.0.0.1:{port}", "Origin": "{scheme}://127.0.0.1:{port}", "Sec-Fetch-Site": "same-origin"},
]


@pytest.fixture(params=["kinesis", "aws", "runtimes", "snowflake"])
def connection(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HTTPConnection]:
    with ExitStack() as stack:
        opened = _to_snowflake(tmp_path, stack) if request.param == "snowflake" else None
        opened = opened or HTTPConnection(urlsplit(_endpoint(request.param, tmp_path, stack)).netloc)
        with closing(opened):
            yield opened


def _to_snowflake(folder: Path, stack: ExitStack) -> HTTPConnection:
    catalog = stack.enter_context(
        closing(Catalog("ACME-DEV", admin_public_key=make_key_pair(folder, "admin").public_key))
    )
    server = stack.enter_context(EmbeddedSnowflake(catalog, folder=folder))
    context = ssl.create_default_context(cafile=str(server.ca_file))
    return HTTPSConnection(urlsplit(server.url).netloc, context=context)


def _endpoint(name: str, folder: Path, stack: ExitStack) -> str:
    if name == "kinesis":
        return stack.enter_context(KinesisServer(FakeKinesis())).endpoint
    return stack.enter_context(AwsServer() if name == "aws" else WsgiServer(runtimes_in(folder), name=name)).endpoint


def runtimes_in(folder: Path) -> RuntimesApplication:
    return RuntimesApplication(folder, account="000000000000", region="eu-central-1", faults=FaultPlan())


def status(connection: HTTPConnection, method: str, path: str, headers: dict[str, str]) -> int:
    scheme = "https" if isinstance(connection, HTTPSConnection) else "http"
    sent = {name: value.format(port=connection.port, scheme=scheme) for name, value in headers.items()}
    connection.request(method, path, body="[]" if method == "POST" else None, headers=sent)
    answer = connection.getresponse()
    answer.read()
    return answer.status


def test_pages_of_other_sites_are_refused_and_everybody_else_is_not(connection: HTTPConnection) -> None:
    for method in ("GET", "POST"):
        assert [status(connection, method, FAULTS, each) for each in STRANGERS] == [403] * len(STRANGERS)
        assert [status(connection, method, FAULTS, each) for each in KNOWN] == [200] * len(KNOWN)


def test_no_page_makes_an_application_whose_jobs_run_on_this_machine(tmp_path: Path) -> None:
    """EMR Serverless gets what is not signed."""
    application = {"name": "x", "releaseLabel": "emr-8.0.0", "type": "SPARK", "clientToken": "t"}
    runtimes = runtimes_in(tmp_path)
    with (
        WsgiServer(runtimes, name="runtimes") as server,
        closing(HTTPConnection(urlsplit(server.endpoint).netloc)) as connection,
    ):
        page = {"Host": f"rebound.example:{connection.port}", "Content-Type": "text/plain"}
        connection.request("POST", "/applications", json.dumps(application), page)
        assert connection.getresponse().status == 403
    runtimes.stop()
