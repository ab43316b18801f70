"""Several environments on one server: a row and a page each, and no trouble of one hides another."""

import json
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from firnline_infra.status.model import EnvironmentStatus, verdict_of
from firnline_infra.status.overview import LazyReader, row_of
from firnline_infra.status.server import MOST_LISTENERS, StatusServer
from firnline_ingest.ledger.errors import LedgerUnavailable
from tests.infra.status import sample
from tests.infra.status.sample import SampleReader
from tests.infra.status.test_server import READS, WRITES, ask, event

READERS = {
    "prod": SampleReader(sample.good()),
    "staging": SampleReader(sample.status(sample.REFUSED, sample.THROTTLED)),
    "a b/é": SampleReader(LedgerUnavailable("ledger", "no answer")),
}
PAGES = ("/env/prod/", "/env/staging/", "/env/a%20b%2F%C3%A9/")


@pytest.fixture
def page() -> Iterator[StatusServer]:
    with StatusServer(READERS) as served:
        yield served


def test_each_environment_is_a_row_with_its_verdict_lag_problems_and_checks(page: StatusServer) -> None:
    prod, staging, dev = json.loads(ask(page, "/status.json").read())["environments"]
    assert (prod["name"], prod["page"], prod["verdict"]["kind"]) == ("prod", "/env/prod/", "good")
    assert prod["worst_lag_s"] == pytest.approx(5.4)
    assert [(each["name"], each["exit_status"]) for each in prod["checks"]] == [("drift", 0), ("audit", 0)]
    assert staging["verdict"]["title"] == "2 shards are not read"
    assert [each["id"] for each in staging["problems"]] == ["FL-3011", "FL-2004"]
    assert staging["problems"][0]["url"].endswith("/errors/FL-3011/")
    assert (dev["trouble"]["id"], dev["page"]) == ("FL-2103", PAGES[2])
    assert "shards" not in prod


def test_each_has_a_page_of_its_own_with_its_events(page: StatusServer) -> None:
    for path, application in zip(PAGES[:2], ("firnline-prod", "firnline-prod"), strict=True):
        assert b'id="shards"' in ask(page, path).read()
        assert event(ask(page, f"{path}events"))["application"] == application
        assert json.loads(ask(page, f"{path}status.json").read())["application"] == application
    assert json.loads(ask(page, f"{PAGES[2]}status.json").read())["trouble"]["id"] == "FL-2103"
    assert len(json.loads(ask(page, "/env/prod/history.json").read())["points"]) == 288
    assert ask(page, "/history.json").status == 404
    assert b'id="environments"' in ask(page, "/").read()
    for nowhere in (
        "/env/",
        "/env/prod",
        "/env/other/",
        "/env/other/events",
        "/env/prod/../staging/events",
        "/env/prod//events",
    ):
        assert ask(page, nowhere).status == 404, nowhere


@pytest.mark.parametrize(
    "path", ["/", "/events", "/status.json", *PAGES, f"{PAGES[0]}events", f"{PAGES[0]}status.json"]
)
def test_what_is_refused_for_one_environment_is_refused_for_several(page: StatusServer, path: str) -> None:
    for host in ("evil.example", f"127.0.0.1:{page.port + 1}"):
        assert ask(page, path, Host=host).status == 421
    assert ask(page, path, Origin="https://evil.example").status == 403
    is_page = path.endswith("/")
    for site in ("cross-site", "same-site"):
        assert ask(page, path, **{"Sec-Fetch-Site": site}).status == (200 if is_page else 403)
    for method in WRITES:
        assert ask(page, path, method).status == 501
    if not path.endswith("events"):
        for method in READS:
            answer = ask(page, path, method)
            assert "default-src 'none'" in (answer.getheader("Content-Security-Policy") or "")
            assert answer.getheader("X-Frame-Options") == "DENY"


def test_listeners_of_all_pages_together_are_bounded(page: StatusServer) -> None:
    paths = ["/events", "/env/prod/events"] * (MOST_LISTENERS // 2)
    answers = [ask(page, path) for path in paths]
    assert {answer.status for answer in answers} == {200}
    assert ask(page, "/env/staging/events").status == 503


def test_one_that_does_not_answer_keeps_no_other_waiting() -> None:
    asked, may_answer = threading.Event(), threading.Event()

    class Stuck(SampleReader):
        def read(self, *, with_letters: bool = False) -> EnvironmentStatus:
            asked.set()
            assert may_answer.wait(60)
            return super().read(with_letters=with_letters)

    try:
        with StatusServer({"stuck": Stuck(sample.good()), "prod": SampleReader(sample.good())}) as page:
            answer = ask(page, "/events")
            assert asked.wait(60)
            while (rows := event(answer)["environments"]) and "verdict" not in rows[1]:  # type: ignore[index]
                pass
            assert "verdict" not in rows[0]  # type: ignore[index]
            may_answer.set()
            while "verdict" not in event(answer)["environments"][0]:  # type: ignore[index]
                pass
    finally:
        may_answer.set()


def test_an_account_that_can_not_be_asked_is_tried_again_until_it_can() -> None:
    tries = iter([LedgerUnavailable("ledger", "no answer"), None])

    def make() -> SampleReader:
        if (error := next(tries)) is not None:
            raise error
        return SampleReader(sample.good())

    with StatusServer({"prod": LazyReader("prod", make)}) as page:  # type: ignore[arg-type] # a double
        (row,) = json.loads(ask(page, "/status.json").read())["environments"]
        assert (row["application"], row["trouble"]["id"]) == ("prod", "FL-2103")
        (row,) = json.loads(ask(page, "/status.json").read())["environments"]
        assert (row["application"], row["verdict"]["kind"]) == ("firnline-prod", "good")


def test_a_row_is_small_whatever_the_environment_is() -> None:
    found = replace(sample.status(*[sample.REFUSED] * 50, shards=sample.many(1000)))
    assert len(json.dumps(row_of("prod", found.as_document()))) < 20_000
    assert row_of("prod", {}) == {"name": "prod", "page": "/env/prod/", "problems": [], "checks": []}


@pytest.mark.parametrize(
    "found",
    [
        sample.good(),
        sample.status(sample.REFUSED),
        sample.status(shards=sample.many(30)),
        replace(sample.good(), waiting=3),
        replace(sample.good(), is_beating=False),
        replace(sample.good(), holder="", is_beating=False),
        replace(sample.good(), views=(replace(sample.VIEW, outcome="Refresh failed. Internal error"),)),
    ],
)
def test_the_verdict_is_good_where_the_command_ends_with_0(found: EnvironmentStatus) -> None:
    assert (verdict_of(found).kind == "good") == (found.exit_status == 0)
