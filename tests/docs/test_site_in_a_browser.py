"""Each page of the site as a browser draws it, at the width of a desk's screen and of a telephone's, light and dark."""

import functools
import io
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.browser import CHROMIUM, HANGS_S, PROVIDED_BY, Browser

pytestmark = [
    pytest.mark.slow,
    pytest.mark.e2e,
    pytest.mark.skipif(CHROMIUM is None, reason=PROVIDED_BY),
    pytest.mark.timeout(10 * HANGS_S),
]
WIDTHS = (1280, 390)
AN_ERROR = "errors/FL-3011/"
DRAWN = "document.querySelector('article h1')"
WIDER = """
[...document.querySelectorAll('body *')].filter((each) => {
  const box = each.getBoundingClientRect();
  return box.width && box.right > innerWidth + 1 && each.checkVisibility() && !each.closest(
    'pre, .md-typeset__scrollwrap, .md-sidebar, .md-search, .md-nav, [hidden], .highlight, .md-tabs, .md-top, .md-dialog');
}).map((each) => `${each.tagName} ${each.className}: ${each.innerText?.slice(0, 40)}`).slice(0, 3)
"""
RAW = """
(() => {
  const found = [], walk = document.createTreeWalker(document.querySelector('article'), NodeFilter.SHOW_TEXT);
  for (let node; (node = walk.nextNode());) {
    if (node.parentElement.closest('pre, code, script, style')) continue;
    if (/^\\s*\\||\\]\\([^)]*\\)|\\*\\*|```|^#{1,6} |\\{:|:::/m.test(node.data)) found.push(node.data.trim().slice(0, 60));
  }
  return found;
})()
"""
BROKEN = """
[...document.querySelectorAll('article table')].filter((table) =>
  new Set([...table.rows].map((row) => [...row.cells].reduce((sum, cell) => sum + cell.colSpan, 0))).size > 1
).map((table) => table.innerText.slice(0, 60)).concat(
  [...document.images].filter((image) => image.loading !== 'lazy' && !image.naturalWidth).map((image) => image.src))
"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Keeps what is served out of the report."""


class _WithoutIndex(_Quiet):
    """Serves an empty index of the search: each page reads and prepares the whole of it when it is opened, which takes longer
    than to draw the page."""

    def send_head(self) -> Any:
        if self.path != "/search/search_index.json":
            return super().send_head()
        whole = json.loads(Path(self.translate_path(self.path)).read_bytes())
        empty = json.dumps({**whole, "docs": []}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(empty)))
        self.end_headers()
        return io.BytesIO(empty)


class _Site(ThreadingHTTPServer):
    request_queue_size = 128  # a browser opens more than Python's 5, and on a busy machine the next is reset


@contextmanager
def served(site: Path, handler: type[_Quiet]) -> Iterator[str]:
    with _Site(("127.0.0.1", 0), functools.partial(handler, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with served(site, _Quiet) as url:
        yield url


@pytest.fixture(scope="module")
def address_without_index(site: Path) -> Iterator[str]:
    with served(site, _WithoutIndex) as url:
        yield url


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser.opened() as opened:
        yield opened


def test_no_page_shows_its_source_has_a_broken_table_runs_over_or_complains(
    site: Path, address_without_index: str, browser: Browser
) -> None:
    """One of the errors' pages stands for all: they are made by one template."""
    pages = sorted(page.parent.relative_to(site).as_posix() + "/" for page in site.rglob("index.html"))
    wrong: dict[tuple[str, str], Any] = {}
    for page in (each for each in pages if not each.startswith("errors/FL-") or each == AN_ERROR):
        browser.complaints.clear()
        browser.sized(WIDTHS[0], 900).visit(address_without_index + page.removeprefix("./"), until=DRAWN)
        found = {"raw": browser.value(RAW), "broken": browser.value(BROKEN)}
        for width in WIDTHS:
            browser.sized(width, 900)
            found[f"{width}"] = browser.value(WIDER)
            if browser.value("document.documentElement.scrollWidth") > width:
                found[f"{width} scrolls"] = True
        found["complaints"] = list(browser.complaints)
        wrong |= {(page, name): value for name, value in found.items() if value}
    assert wrong == {}


@pytest.mark.parametrize(
    ("asked", "page"),
    [
        ("FL-3011", "errors/FL-3011/"),
        ("add a column", "targets/"),
        ("replay dead letters", "dead-letters/"),
        ("upgrade", "upgrade/"),
        ("cost", "estimate/"),
        ("snowflake is down", "snowflake-is-down/"),
        ("github actions", "ci/"),
        ("uninstall", "uninstall/"),
        ("rotate keys", "rotate-keys/"),
        ("rollback", "rollout/"),
    ],
)
def test_what_a_newcomer_asks_is_answered_by_the_first_page_that_the_search_shows(
    address: str, browser: Browser, asked: str, page: str
) -> None:
    browser.sized(1280, 900).visit(f"{address}?q={asked.replace(' ', '+')}", until=DRAWN)
    browser.wait("document.querySelector('.md-search-result__link')")
    first = browser.value("document.querySelector('.md-search-result__link').href")
    assert first.removeprefix(address).partition("?")[0].partition("#")[0] == page
