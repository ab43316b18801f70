"""All clients of the engine behind a real proxy on loopback, by public names that no resolver knows, in a process of their own.

Kinesis, DynamoDB and Snowflake are behind TLS of their own; the proxy sees names of hosts and nothing else.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import pytest

from firnline_local.kinesis import FakeKinesis, KinesisServer
from firnline_local.snowflake.tls import make_certificates
from tests.contract.snowpipe_streaming.conftest import PUBLIC_HOST, World
from tests.contract.test_ca_file import NothingThere
from tests.contract.tls_relay import TlsRelay
from tests.fakes.connect_proxy import ConnectProxy

pytestmark = [pytest.mark.contract, pytest.mark.timeout(240)]

ROOT = Path(__file__).parents[3]
KINESIS, LEDGER = "kinesis.us-east-1.amazonaws.com", "dynamodb.us-east-1.amazonaws.com"
LOGIN = "engine:p@ss/w:rd"
UNKNOWN_HERE = {"FL-3002", "FL-3005"}
"""A name that the machine's resolver does not know, or can't ask for."""
METADATA = {"169.254.169.254", "169.254.170.2", "169.254.170.23"}


@dataclass
class Office:
    """A network whose machines reach nothing but by its proxy."""

    proxy: ConnectProxy
    world: World
    aws: dict[str, Any]

    def clients(self, proxy: dict[str, Any] | None, *, aws: Any = None, **variables: str) -> dict[str, Any]:
        """Returns what all clients saw; `variables` are those of their machine."""
        snowflake = {"url": None, "account": "acct"}
        document = self.world.engine_config(**snowflake).model_dump(mode="json", by_alias=True, exclude_none=True)
        document |= {"aws": self.aws | (aws or {})} | ({} if proxy is None else {"proxy": proxy})
        question = {"config": document, "target": asdict(self.world.target)}
        environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        ran = subprocess.run(
            [sys.executable, "-m", "tests.contract.clients_behind_a_proxy"],
            input=json.dumps(question),
            capture_output=True,
            text=True,
            env=environment | variables,
            cwd=ROOT,
            timeout=200,
            check=False,
        )
        assert LOGIN not in ran.stdout + ran.stderr
        assert "p%40ss" not in ran.stdout + ran.stderr, "the password in the variable"
        assert ran.stdout, ran.stderr
        answer: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
        return answer


@pytest.fixture
def office(world: World, tmp_path: Path) -> Iterator[Office]:
    world.table()
    kinesis = FakeKinesis(read_limits=False)
    kinesis.create_stream("orders").put({"n": 1})
    certificates = make_certificates(tmp_path / "tls", hosts=(KINESIS, LEDGER))
    with (
        KinesisServer(kinesis, hosts=[KINESIS]) as server,
        TlsRelay(certificates, urlsplit(server.endpoint).port or 0) as streams,
        ThreadingHTTPServer(("127.0.0.1", 0), NothingThere) as table,
    ):
        Thread(target=table.serve_forever, daemon=True).start()
        with TlsRelay(certificates, table.server_port) as ledger:
            ports = {
                KINESIS: urlsplit(streams.endpoint).port or 0,
                LEDGER: urlsplit(ledger.endpoint).port or 0,
                PUBLIC_HOST: urlsplit(world.snowflake.url).port or 0,
            }
            with ConnectProxy(ports) as proxy:
                yield Office(proxy, world, {"region": "us-east-1", "ca_file": str(certificates.ca_file)})
        table.shutdown()


def assert_all_moved(seen: dict[str, Any]) -> None:
    assert (seen.get("records"), seen.get("run", "none"), seen.get("committed")) == (['{"n":1}'], None, True), seen
    assert seen["answer"] == 1
    assert seen["metadata"] == [True, True, True]


def test_streams_ledger_sessions_and_rows_go_through_the_proxy_and_nothing_else_does(office: Office) -> None:
    office.proxy.login = LOGIN
    seen = office.clients(
        {"url": office.proxy.url, "login": {"username_env": "PX_USER", "password_env": "PX_WORD"}},
        PX_USER="engine",
        PX_WORD="p@ss/w:rd",
        ALL_PROXY="http://127.0.0.1:9",
    )
    assert_all_moved(seen)
    assert office.proxy.asked_hosts == {KINESIS, LEDGER, PUBLIC_HOST}
    assert {method for method, _ in office.proxy.asked} == {"CONNECT"}, "TLS from end to end"
    assert seen["proxy"] == f"{office.proxy.url} leads to {PUBLIC_HOST}"


def test_a_machine_whose_own_variables_name_a_proxy_needs_no_option(office: Office) -> None:
    assert_all_moved(office.clients(None, HTTPS_PROXY=office.proxy.url, NO_PROXY=",".join(METADATA)))
    assert office.proxy.asked_hosts == {KINESIS, LEDGER, PUBLIC_HOST}


def test_a_private_endpoint_is_asked_without_the_proxy(office: Office) -> None:
    """By its URL, and Snowflake by the domain that it is in: names that only the proxy knows are not found without it."""
    seen = office.clients(
        {"url": office.proxy.url, "no_proxy": ["snowflakecomputing.com"]},
        aws={"endpoints": {"dynamodb": f"https://127.0.0.1:{office.proxy.hosts[LEDGER]}"}},
    )
    assert (PUBLIC_HOST in seen["what"], seen["problem"] in UNKNOWN_HERE) == (True, True), seen
    assert office.proxy.asked_hosts == {KINESIS}


@pytest.mark.parametrize("login", [None, {"username_env": "PX_USER", "password_env": "PX_WORD"}])
def test_a_proxy_that_answers_407_is_named_with_what_to_do(office: Office, login: dict[str, str] | None) -> None:
    office.proxy.login = LOGIN
    given = {"url": office.proxy.url} | ({"login": login} if login else {})
    seen = office.clients(given, PX_USER="engine", PX_WORD="another")
    assert seen["problem"] == "FL-1111", seen
    assert office.proxy.url in seen["what"]
    assert "proxy.login" in seen["next"]
    assert "another" not in json.dumps(seen["what"])


def test_a_host_that_the_proxy_forbids_and_a_proxy_that_is_not_there_are_told_apart(office: Office) -> None:
    office.proxy.forbidden = {PUBLIC_HOST}
    seen = office.clients({"url": office.proxy.url})
    assert (seen["problem"], PUBLIC_HOST in seen["what"]) == ("FL-1112", True)
    assert office.clients({"url": "http://127.0.0.1:9"})["problem"] == "FL-1113"
