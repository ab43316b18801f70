"""The page as a browser draws it: what is said, in both themes, for a few shards and a thousand, by mouse and by keyboard.

Where there is no Chromium (scripts/chromium provides one) these are skipped; what the server gives is in test_server.py.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest

from firnline_infra.status.model import CheckFinding, EnvironmentStatus, ServiceStatus
from firnline_infra.status.server import StatusServer
from firnline_ingest.ledger.engine_report import EngineProblem
from firnline_ingest.ledger.errors import LedgerUnavailable
from tests.browser import CHROMIUM, HANGS_S, PROVIDED_BY, Browser
from tests.infra.status import sample
from tests.infra.status.sample import SampleReader

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason=PROVIDED_BY),
    pytest.mark.timeout(4 * HANGS_S),
    pytest.mark.xdist_group("chromium"),
]
DRAWN = "document.querySelector('#figures div')"
CONTRAST = """
(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (text) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const linear = (c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
  const behind = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const found = rgba(getComputedStyle(each).backgroundColor);
      if (found[3] === 255) return found;
    }
    return [255, 255, 255, 255];
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const text = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent.trim()).join("");
    if (!text || !element.checkVisibility() || element.closest(".hidden, .skip, title")) continue;
    const style = getComputedStyle(element), ink = element.closest("svg") ? style.fill : style.color;
    const [a, b] = [light(rgba(ink)), light(behind(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) found.push(`${text.slice(0, 40)}: ${ratio.toFixed(2)}`);
  }
  return found;
})()
"""

Visit = Callable[..., Browser]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser.opened() as opened:
        yield opened


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """Whatever it was, the browser has nothing to complain about."""
    with ExitStack() as stack:

        def go(
            found: EnvironmentStatus | Exception, until: str = DRAWN, *, width: int = 1280, **others: Any
        ) -> Browser:
            page = stack.enter_context(StatusServer(SampleReader.of(found)))
            browser.sized(width, 900, **others).visit(page.url, until=until)
            return browser

        browser.complaints.clear()
        yield go
        assert browser.complaints == []


def text(browser: Browser, selector: str) -> str:
    return str(browser.value(f"document.querySelector({selector!r}).innerText"))


def test_what_is_wrong_is_said_first_with_its_next_step_to_copy(visit: Visit) -> None:
    page = visit(sample.status(sample.REFUSED, sample.THROTTLED))
    assert text(page, "#verdict").startswith("2 shards are not read")
    assert "5 of 7" in text(page, "#figures")
    said = text(page, ".problem")
    for words in (
        "FL-3011",
        "clicks",
        "met 4 times",
        "tried again at 14:08:12",
        "Insufficient privileges",
        "GRANT INSERT",
    ):
        assert words in said
    assert page.value(
        "document.querySelector('#problems').compareDocumentPosition(document.querySelector('#shards')) & 4"
    )
    assert page.value("document.querySelectorAll('#problems button').length") == 2


def test_each_shard_is_a_lane_with_its_numbers_beside_it(visit: Visit) -> None:
    page = visit(sample.good())
    assert text(page, "#verdict").startswith("Every shard is read")
    assert page.value("document.querySelectorAll('#lanes svg.lane').length") == 10
    lane = page.value(
        "[...document.querySelectorAll('#lanes tbody tr')].find((row) => row.cells[0].title.endsWith('06')).innerText"
    )
    assert lane.split() == ["6", "read", "3.8", "s", "5.4", "s", "24", "h", "5.4", "M"]
    lineage = page.value("document.querySelector('#lineage svg').getAttribute('aria-label')")
    assert lineage == "Shards and what came of them: 1 to 4, 1 to 5, 2 to 6, 3 to 6"
    assert "PROVEN: 91,204,117 records" in text(page, "#checks")
    assert "a rollback to 10" in text(page, "#deployments")


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_everything_can_be_read_in_both_themes_and_at_any_width(visit: Visit, width: int, is_dark: bool) -> None:
    page = visit(sample.status(sample.REFUSED, sample.THROTTLED), width=width, is_dark=is_dark)
    assert page.value(CONTRAST) == []
    assert page.value("document.documentElement.scrollWidth") <= width, "only tables scroll sideways"
    assert page.value("document.querySelectorAll('svg[role=img]:not([aria-label])').length") == 0


def test_a_thousand_shards_are_a_picture_and_the_worst_of_them_lanes(visit: Visit) -> None:
    page = visit(sample.status(shards=sample.many()))
    assert page.value("document.querySelectorAll('.cells i').length") == 1000
    assert page.value("document.querySelectorAll('.cells .bad').length") == 3
    assert page.value("document.querySelectorAll('svg.lane').length") == 40
    first = page.value("document.querySelector('#lanes tr:nth-child(2)').innerText")
    assert "not read FL-2004" in first, "the worst one comes first"
    page.value("document.querySelector('#more').click()")
    assert page.value("document.querySelectorAll('svg.lane').length") == 1000
    page.value(
        "const found = document.querySelector('#filter'); found.value = '000777'; found.dispatchEvent(new Event('input'))"
    )
    assert page.value("document.querySelectorAll('svg.lane').length") == 1


def test_it_is_painted_before_the_status_is_known_and_loads_nothing_else(browser: Browser) -> None:
    """A first look may take seconds: the page does not wait for it."""
    reader, is_painted = SampleReader(sample.status(shards=sample.many())), threading.Event()
    read = reader.read

    def slow(**chosen: bool) -> EnvironmentStatus:
        assert is_painted.wait(HANGS_S)
        return read(**chosen)

    reader.read = slow  # type: ignore[method-assign] # until the page was seen
    with StatusServer(reader) as page:  # type: ignore[arg-type] # a double
        browser.complaints.clear()
        browser.sized(1280, 900).visit(page.url, until="performance.getEntriesByName('first-contentful-paint').length")
        assert "Reading the ledger" in text(browser, "#verdict")
        is_painted.set()
        browser.wait(DRAWN)
        loaded = browser.value("performance.getEntriesByType('resource').map((each) => new URL(each.name).host)")
        assert set(loaded) == {browser.value("location.host")}
        sizes = "performance.getEntriesByType('resource').reduce((sum, each) => sum + each.encodedBodySize, 0)"
        assert browser.value(sizes) < 300_000
    assert browser.complaints == []


def test_what_others_wrote_is_text_and_nothing_else(visit: Visit) -> None:
    evil = sample.INJECTED
    found = sample.status(replace(sample.REFUSED, what=evil, next_step=evil, stream=evil))
    page = visit(replace(found, notes=(evil,), application=evil, incidents=[replace(found.incidents[0], detail=evil)]))
    assert page.value("document.querySelectorAll('img, iframe, script:not([src])').length") == 0
    assert evil in text(page, ".problem")


def test_a_result_of_ci_leads_to_its_run_and_says_what_it_found_and_an_old_one_is_not_called_good(visit: Visit) -> None:
    evil = sample.INJECTED
    drift, audit = sample.good().checks
    bad = replace(
        drift,
        exit_status=3,
        summary=evil,
        ran_in="https://ci.example/7",
        findings=(CheckFinding(what=evil, next_step=evil),),
    )
    old = replace(audit, at="2026-11-01T14:05:12+00:00", ran_in="javascript:alert(1)")
    page = visit(replace(sample.good(), checks=(bad, old)))
    assert page.value("[...document.querySelectorAll('#checks .tag')].map((each) => each.innerText)") == ["old", "look"]
    assert page.value("[...document.querySelectorAll('#checks a')].map((each) => each.href)") == [
        "https://ci.example/7"
    ]
    page.value("document.querySelector('#checks summary').click()")
    assert text(page, "#checks .findings").count(evil) == 2
    assert page.value("document.querySelectorAll('#checks img').length") == 0


def test_views_of_redshift_are_shown_with_their_state_and_what_helps_and_a_blocked_one_is_the_verdict(
    visit: Visit,
) -> None:
    evil = sample.INJECTED
    failed = {"outcome": "Refresh failed. Internal error", "blocked_by": evil, "refreshed_well": ""}
    odd = {"name": "public.odd", "refreshed_well": "no time", "newest": "no time either"}
    found = replace(
        sample.good(),
        views=(
            sample.VIEW,
            replace(sample.VIEW, name="public.late", refreshed_well="2026-11-23 12:05:12"),
            replace(sample.VIEW, **odd),
            replace(sample.VIEW, name="public.clicks", **failed),
        ),
    )
    page = visit(found, width=390, is_dark=True)
    assert text(page, "#verdict").startswith("1 view of Redshift is blocked or missing")
    states = page.value("[...document.querySelectorAll('#views .tag')].map((each) => each.innerText)")
    assert states == ["blocked", "stale", "stale", "good"]
    said = text(page, "#views")
    for words in (
        evil,
        "firnline redshift rebuild ENV public.clicks",
        "firnline redshift refresh ENV public.late",
        "2 h ago",
    ):
        assert words in said
    assert page.value("document.querySelectorAll('#views img').length") == 0
    assert page.value(CONTRAST) == []
    assert page.value("document.documentElement.scrollWidth") <= 390
    page = visit(replace(found, views=found.views[:2]))
    assert text(page, "#verdict").startswith("Every shard is read")
    page = visit(sample.good())
    assert page.value("document.querySelector('#views').checkVisibility()") is False


def test_it_can_be_used_without_a_mouse(visit: Visit) -> None:
    page = visit(sample.status(sample.REFUSED))
    focused = "document.activeElement.id || document.activeElement.className || document.activeElement.textContent"
    page.press("Tab")
    assert page.value(focused) == "skip"
    seen = []
    for _ in range(14):
        page.press("Tab")
        seen.append(page.value(focused))
    assert [each for each in seen if each in ("theme", "small", "filter", "scroll")] == [
        "theme",
        "small",
        "filter",
        "scroll",
    ]
    page.value("document.querySelector('#theme').focus()")
    page.press("Enter")
    assert page.value("document.documentElement.dataset.theme") == "dark"
    assert page.value("getComputedStyle(document.body).backgroundColor") == "rgb(12, 17, 22)"
    page.value("localStorage.clear()")


def test_it_goes_on_living(visit: Visit, browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firnline_infra.status.feed.EVERY_S", 0.02)
    reader = SampleReader(sample.good())
    with StatusServer(reader) as page:  # type: ignore[arg-type] # a double
        browser.sized(1280, 900).visit(page.url, until=DRAWN)
        reader.found = sample.status(sample.REFUSED)
        browser.wait("document.querySelector('#announce').textContent === '2 shards are not read'")
        reader.found = LedgerUnavailable("ledger", "it does not answer")
        browser.wait("document.querySelector('#verdict').innerText.includes('it does not answer')")
        reader.found = sample.good()
        browser.wait("document.querySelector('#verdict-title').textContent === 'Every shard is read'")
        browser.wait("document.querySelector('#problems').classList.contains('hidden')")


def test_without_an_engine_it_says_what_the_last_one_said(visit: Visit) -> None:
    found = sample.status(replace(sample.REFUSED, stream="", what="Spark did not start."))
    nothing = replace(
        found, holder="", is_beating=False, is_own_report=False, shards=(), service=ServiceStatus(), letters=None
    )
    page = visit(replace(nothing, incidents=(), checks=()))
    assert text(page, "#verdict").startswith("No engine is running")
    assert "Problems of the engine before" in text(page, "#problems")
    assert "No result here" in text(page, "#checks")


def test_one_cause_of_many_shards_is_one_problem_that_names_them(visit: Visit) -> None:
    others = [replace(sample.THROTTLED, shard=f"shardId-{number:012}") for number in range(3)]
    page = visit(sample.status(*others))
    assert page.value("document.querySelectorAll('.problem').length") == 1
    assert "3 shards" in text(page, ".problem")
    page.value("document.querySelector('.problem details').open = true")
    assert "shardId-000000000002" in text(page, ".problem")


def test_a_problem_that_lasts_is_the_verdict_although_every_shard_is_read(visit: Visit) -> None:
    good = sample.good()
    assert good.report is not None
    at_ms = good.report.at_ms
    waits = EngineProblem(
        id="FL-4101", what="The registry does not answer", next_step="look at it", since_ms=at_ms - 200_000
    )
    report = replace(good.report, problems=(waits,), all_problems=1, began_ms=at_ms - 900_000)
    page = visit(replace(good, report=report))
    assert text(page, "#verdict").startswith("Something keeps the engine from going on")


def test_the_lag_of_each_shard_can_be_seen_on_a_telephone_without_scrolling(visit: Visit) -> None:
    page = visit(sample.status(sample.REFUSED), width=390)
    seen = page.value(
        "[...document.querySelectorAll('#lanes td[data-name=\"commit lag\"]')].filter((each) => each.innerText.trim())"
        ".map((each) => each.getBoundingClientRect().right <= innerWidth && each.checkVisibility())"
    )
    assert seen == [True] * 7
    assert page.value(
        "document.querySelector('#shards .scroll').scrollWidth <= document.querySelector('#shards .scroll').clientWidth"
    )


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
def test_the_legend_has_the_colours_of_the_lanes(visit: Visit, is_dark: bool) -> None:
    page = visit(sample.status(sample.REFUSED), is_dark=is_dark)
    for swatch, part in (("proven", "proven"), ("sent", "sent"), ("unread", "waits"), ("fuse", "fuse")):
        shown = page.value(f"getComputedStyle(document.querySelector('.k.{swatch}')).backgroundColor")
        drawn = page.value(f"getComputedStyle(document.querySelector('.lane:not(.ended):not(.hot) .{part}')).fill")
        assert shown == drawn, swatch
        assert page.value(f"getComputedStyle(document.querySelector('.lane:not(.ended) .{part}')).opacity") == "1"


def test_a_shards_error_leads_to_its_problem_and_one_that_nothing_is_said_of_to_the_errors_page(visit: Visit) -> None:
    page = visit(sample.status(sample.THROTTLED, sample.REFUSED))
    links = page.value("[...document.querySelectorAll('#lanes td a')].map((each) => each.getAttribute('href'))")
    assert links == ["#problem-1", "#problem-1"]
    assert "FL-3011" in text(page, "#problem-1")
    page = visit(sample.status(shards=sample.few()))
    links = page.value("[...document.querySelectorAll('#lanes td a')].map((each) => each.href)")
    assert len(links) == 2
    assert {each.partition("/errors/")[2] for each in links} == {"FL-3011/"}
    assert page.value("document.querySelector('#verdict-text a').href").endswith("/errors/FL-3011/")


def test_each_time_says_its_zone(visit: Visit) -> None:
    page = visit(sample.status(sample.REFUSED))
    assert "14:05:12 UTC" in text(page, "#live-text")
    times = page.value("[...document.querySelectorAll('time')].map((each) => each.innerText)")
    assert times
    assert [each for each in times if not each.endswith(" UTC")] == []
    assert "tried again at 14:08:12 UTC" in text(page, ".problem")


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_overview_can_be_read_in_both_themes_and_leads_to_each_page(
    browser: Browser, width: int, is_dark: bool
) -> None:
    evil = sample.INJECTED
    readers = {
        "prod": SampleReader(sample.good()),
        "staging": SampleReader(sample.status(replace(sample.REFUSED, what=evil), sample.THROTTLED)),
        "dev": SampleReader(LedgerUnavailable("ledger", evil)),
    }
    browser.complaints.clear()
    with StatusServer(readers) as served:
        rows = "[...document.querySelectorAll('#environments tbody tr')]"
        drawn = f"{rows}.filter((each) => /Every|not read|can't/.test(each.innerText)).length === 3"
        browser.sized(width, 900, is_dark=is_dark).visit(served.url, until=drawn)
        assert text(browser, "#verdict").startswith("2 of 3 environments need a look")
        said = browser.value(f"{rows}.map((each) => each.innerText)")
        for words, row in zip((("prod", "5.4 s"), ("FL-3011", "17 min"), ("FL-2103", evil)), said, strict=True):
            assert [each for each in words if each not in row] == []
        assert browser.value(CONTRAST) == []
        assert browser.value("document.documentElement.scrollWidth") <= width
        assert browser.value("document.querySelectorAll('img').length") == 0
        browser.value("document.querySelector('#environments a').click()")
        browser.wait(DRAWN)
        assert text(browser, "#verdict").startswith("Every shard is read")
        assert browser.value("location.pathname") == "/env/prod/"
    assert browser.complaints == []


def test_the_last_day_is_asked_for_when_it_is_looked_at_and_says_where_it_is_from(visit: Visit) -> None:
    page = visit(sample.status(sample.REFUSED))
    asked = "performance.getEntriesByType('resource').filter((each) => each.name.endsWith('history.json')).length"
    assert page.value(asked) == 0
    page.value("document.querySelector('[data-minutes=\"1440\"]').click()")
    page.wait("document.querySelector('#history').textContent.startsWith('CloudWatch')")
    assert "Rows in 5 minutes" in text(page, ".charts")
    assert page.value("document.querySelectorAll('.chart:first-child rect').length") == 288
    lag = page.value("document.querySelector('.chart:nth-child(2) svg').getAttribute('aria-label')")
    assert lag == "Read lag, worst shard: latest 0.9 s, highest 2.3 s within 1440 minutes"
    assert page.value(asked) == 1
    page.value("document.querySelector('[data-minutes=\"60\"]').click()")
    assert "Rows a minute" in text(page, ".charts")
    assert page.value("document.querySelector('#history').checkVisibility()") is False
