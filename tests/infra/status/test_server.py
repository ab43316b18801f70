"""The page's server: what it gives to whom. What the page draws of it: test_page.py."""

import http.client
import json
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from firnline_infra.status import server
from firnline_infra.status.feed import StatusFeed
from firnline_infra.status.server import FILES, MOST_LISTENERS, OF_ALL, StatusServer
from firnline_ingest.ledger.errors import LedgerUnavailable
from tests.infra.status import sample
from tests.infra.status.sample import SampleReader

PAGE = Path(server.__file__).parent / "page"
READS, WRITES = ("GET", "HEAD"), ("POST", "PUT", "PATCH", "DELETE", "OPTIONS")


@pytest.fixture
def page() -> Iterator[StatusServer]:
    with StatusServer(SampleReader.of(sample.status(sample.REFUSED))) as served:
        yield served


def ask(page: StatusServer, path: str, method: str = "GET", **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=10)
    connection.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    return connection.getresponse()


def event(answer: http.client.HTTPResponse) -> dict[str, object]:
    line = answer.readline()
    assert line.startswith(b"data: "), line
    assert answer.readline() == b"\n"
    found: dict[str, object] = json.loads(line[6:])
    return found


def test_it_listens_on_loopback_alone(page: StatusServer) -> None:
    assert page.url == f"http://127.0.0.1:{page.port}/"
    assert page._server.server_address[0] == "127.0.0.1"


def test_a_page_of_many_files_is_not_reset_while_the_machine_is_busy() -> None:
    """Nobody accepts yet, as on a machine that is busy: a browser opens a connection for each file of the page."""
    waiting = StatusServer(SampleReader(sample.good()))
    with ExitStack() as browsers:
        browsers.callback(waiting._server.server_close)
        for _ in range(4 * len(FILES)):
            browsers.enter_context(socket.create_connection(("127.0.0.1", waiting.port), timeout=5))


def test_the_status_is_sent_again_whenever_it_was_read(page: StatusServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firnline_infra.status.feed.EVERY_S", 0.01)
    answer = ask(page, "/events")
    assert answer.getheader("Content-Type") == "text/event-stream"
    found = [event(answer) for _ in range(3)]
    assert [each["application"] for each in found] == ["firnline-prod"] * 3
    assert found[0]["problems"][0]["id"] == "FL-3011"
    assert found[0]["problems"][0]["url"].endswith("/errors/FL-3011/")


def test_a_program_gets_it_as_one_document(page: StatusServer) -> None:
    assert json.loads(ask(page, "/status.json").read())["exit_status"] == 3


@pytest.mark.parametrize("path", [*FILES, "/status.json", "/nowhere", "/../server.py", "/page/page.js"])
@pytest.mark.parametrize("method", READS)
def test_every_answer_lets_nothing_else_in(page: StatusServer, path: str, method: str) -> None:
    answer = ask(page, path, method)
    assert answer.status == (200 if path in {*FILES, "/status.json"} else 404)
    policy = answer.getheader("Content-Security-Policy") or ""
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.getheader("X-Frame-Options") == "DENY"
    assert answer.getheader("Cache-Control") == "no-store"
    assert answer.getheader("Access-Control-Allow-Origin") is None
    assert answer.getheader("Server") == "firnline "
    assert bool(answer.read()) == (method == "GET" and answer.status == 200)


@pytest.mark.parametrize("method", WRITES)
@pytest.mark.parametrize("path", ["/", "/events", "/status.json"])
def test_nothing_can_be_written(page: StatusServer, path: str, method: str) -> None:
    answer = ask(page, path, method)
    assert (answer.status, answer.read()) == (501, b"")
    assert answer.getheader("X-Frame-Options") == "DENY"


@pytest.mark.parametrize("path", ["/", "/events", "/status.json"])
def test_a_name_that_only_resolves_to_this_machine_is_refused(page: StatusServer, path: str) -> None:
    """DNS rebinding: a stranger's page asks under its own name."""
    for host in ("evil.example", f"evil.example:{page.port}", "127.0.0.1", f"127.0.0.1:{page.port + 1}", ""):
        assert ask(page, path, Host=host).status == 421, host
    for host in (f"127.0.0.1:{page.port}", f"localhost:{page.port}"):
        assert ask(page, path, Host=host).status == 200, host


def test_another_pages_script_is_refused(page: StatusServer) -> None:
    for origin in (
        "https://evil.example",
        "null",
        f"http://127.0.0.1:{page.port + 1}",
        f"https://127.0.0.1:{page.port}",
    ):
        assert ask(page, "/status.json", Origin=origin).status == 403, origin
    assert ask(page, "/status.json", Origin=f"http://localhost:{page.port}").status == 200


def test_an_image_on_another_page_reads_no_ledger(page: StatusServer) -> None:
    """No script asks for it, so that a browser sends no Origin: it says Sec-Fetch-Site (Fetch Metadata Request Headers)."""
    for path in ("/events", "/status.json"):
        for site in ("cross-site", "same-site"):
            assert ask(page, path, **{"Sec-Fetch-Site": site}).status == 403, (path, site)
        for site in ("same-origin", "none"):
            assert ask(page, path, **{"Sec-Fetch-Site": site}).status == 200, (path, site)
    assert ask(page, "/", **{"Sec-Fetch-Site": "cross-site"}).status == 200  # a link to the page


def test_what_can_not_be_read_is_said_and_read_again() -> None:
    reader = SampleReader(LedgerUnavailable("ledger", "no answer"))
    with StatusServer(reader) as page:  # type: ignore[arg-type] # a double
        found = json.loads(ask(page, "/status.json").read())
        assert found["trouble"]["id"] == "FL-2103"
        assert found["trouble"]["next_step"]
        reader.found = KeyError("a defect")
        assert json.loads(ask(page, "/status.json").read())["trouble"]["id"] == "FL-1000"
        reader.found = sample.good()
        assert json.loads(ask(page, "/status.json").read())["exit_status"] == 0


def test_nothing_is_asked_while_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firnline_infra.status.feed.EVERY_S", 0.001)
    reader = SampleReader(sample.good())
    feed = StatusFeed(reader)  # type: ignore[arg-type] # a double
    assert feed.after(0, 0.05) == (0, {})
    with feed.listening():
        assert feed.after(2, 10)[0] >= 3
    number, _ = feed.after(10**9, 0.05)
    assert feed.after(number, 0.05)[0] <= number + 1, "one may have been at work"
    feed.close()


def test_listeners_are_bounded(page: StatusServer) -> None:
    answers = [ask(page, "/events") for _ in range(MOST_LISTENERS)]
    assert {answer.status for answer in answers} == {200}
    assert ask(page, "/events").status == 503
    assert ask(page, "/status.json").status == 200


def test_a_port_that_is_taken_leaves_no_thread(page: StatusServer) -> None:
    before = set(threading.enumerate())
    with pytest.raises(OSError, match="in use"):
        StatusServer(SampleReader.of(sample.good()), port=page.port)
    assert not {thread.name for thread in set(threading.enumerate()) - before if thread.name.startswith("status-")}


def test_it_ends_with_its_block_and_leaves_no_thread() -> None:
    with StatusServer(SampleReader.of(sample.good())) as page:
        answer = ask(page, "/events")
        event(answer)
    assert answer.readline() == b""
    for thread in threading.enumerate():
        if thread.name in ("status-page", "status-feed"):
            thread.join(60)
            assert not thread.is_alive()


def test_the_page_is_small_and_names_nothing_beyond_itself() -> None:
    texts = {file.name: file.read_text(encoding="utf-8") for file in PAGE.iterdir()}
    assert set(texts) == {name for name, _ in FILES.values()} | {OF_ALL[0]}
    assert sum(map(len, texts.values())) < 300_000
    for name, text in texts.items():
        addresses = set(re.findall(r"https?://[^\s'\"]+", text))
        assert addresses <= {"http://www.w3.org/2000/svg"}, name
        for forbidden in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", " style=", "onclick="):
            assert forbidden not in text, f"{name}: {forbidden}"


def test_a_thousand_shards_and_the_longest_history_are_a_document_of_bounded_size() -> None:
    found = replace(sample.status(*[sample.REFUSED] * 50, shards=sample.many(1000)))
    assert len(json.dumps(found.as_document())) < 1_000_000
