"""Fetching the log of commits over a socket."""

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from firnline_infra.audit.errors import QueryFailed
from firnline_infra.audit.order import LoggedCommit
from firnline_ingest.config.document import parse
from firnline_ingest.config.model import EngineConfig
from firnline_local.commit_log import commit_log_of, fetch_commits
from firnline_local.running import RunningEnvironment

pytestmark = pytest.mark.contract

ENTRIES = [
    {"entry": n, "channel": "c", "start_offset_token": f"{n}", "end_offset_token": f"{n}", "rows_inserted": 1}
    for n in range(5)
]
Answer = Callable[[dict[str, str]], tuple[int, Any]]


@pytest.fixture
def serve() -> Iterator[Callable[[Answer], str]]:
    """Serves what it is given on this machine, and tells where."""
    servers: list[ThreadingHTTPServer] = []

    def start(answer: Answer) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
                status, document = answer(query)
                self.send_response(status)
                self.end_headers()
                self.wfile.write(json.dumps(document).encode())

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def fetch(url: str) -> list[LoggedCommit] | None:
    return fetch_commits(url, None, database='"D"', schema='"S"', table='"T"')


def test_a_long_log_comes_in_several_answers(serve: Callable[[Answer], str]) -> None:
    asked: list[dict[str, str]] = []

    def two_at_a_time(query: dict[str, str]) -> tuple[int, Any]:
        asked.append(query)
        entries = [entry for entry in ENTRIES if int(str(entry["entry"])) > int(query["after"])]
        return 200, {"table_id": 1, "commits": entries[:2], "is_complete": len(entries) <= 2}

    commits = fetch(serve(two_at_a_time))
    assert commits is not None
    assert [commit.entry for commit in commits] == [0, 1, 2, 3, 4]
    assert asked[0] == {"db": '"D"', "schema": '"S"', "table": '"T"', "after": "-1"}


def test_a_server_that_keeps_no_log_has_none(serve: Callable[[Answer], str]) -> None:
    assert fetch(serve(lambda _: (404, {}))) is None


def test_a_server_that_answers_nonsense_is_said(serve: Callable[[Answer], str]) -> None:
    with pytest.raises(QueryFailed, match="in which order"):
        fetch(serve(lambda _: (200, "\ud800")) + "/")


def test_a_real_account_is_not_even_asked(local_environment: RunningEnvironment) -> None:
    here = parse(EngineConfig, local_environment.engine_config(), "engine.json")
    assert commit_log_of(here) is not None
    elsewhere = here.snowflake.model_copy(update={"url": "https://acme.snowflakecomputing.com"})
    assert commit_log_of(here.model_copy(update={"snowflake": elsewhere})) is None
