"""The documentation builds as a site: strictly, with every page in its navigation, and without a request to anybody else."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from docs.tools import split
from docs.tools.error_pages import linked
from docs.tools.runbook import errors_by_id
from docs.tools.site import navigation
from firnline_ingest.errors import DOCUMENTATION, url_of

ROOT = Path(__file__).parents[2]


def test_every_page_is_built_and_can_be_searched(site: Path) -> None:
    pages = {page.relative_to(ROOT / "docs").with_suffix("").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    built = {page.parent.relative_to(site).as_posix() for page in site.rglob("index.html")}
    assert {page for page in pages if not page.endswith("README")} <= built
    index = (site / "search" / "search_index.json").read_text(encoding="utf-8")
    assert "exactly once" in index


def test_of_a_word_that_lists_have_too_the_how_to_is_found_first(site: Path) -> None:
    """A page that is not a list has what a newcomer asks for in its title: material's search counts a title most."""
    found = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    boosts = {each["location"]: each.get("boost", 1) for each in found}
    assert boosts["spec/"] == boosts["permissions/"] == boosts["design/ledger/"] < boosts["metrics/"]
    titles = [each["title"].lower() for each in found if each.get("boost", 1) >= 1]
    for word in ("dev to prod", "cost", "upgrade", "rollback", "metrics", "outage", "uninstall", "columns", "replay"):
        assert any(word in title for title in titles), word


def test_the_site_says_of_which_version_it_is(site: Path) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert f"<title>Firnline {version}</title>" in (site / "index.html").read_text(encoding="utf-8")


def test_no_page_shows_its_source_has_a_broken_table_or_misses_a_picture(site: Path) -> None:
    """A browser looks for the same with --all (test_site_in_a_browser.py)."""
    assert {page.parent.name: found for page in site.rglob("*.html") if (found := faults(page))} == {}


@pytest.mark.parametrize(
    ("article", "found"),
    [
        ("<p>a</p>\n<p>\n| x | y |</p>", "source"),
        ("<p>a [b](c.md)</p>", "source"),
        ("<p>**a**</p>", "source"),
        ("<p>```</p>", "source"),
        ("<p>## A</p>", "source"),
        ("<p>A {: #b}</p>", "source"),
        ("<p>::: firnline_infra</p>", "source"),
        ('<pre class="mermaid"><code>flowchart TD</code></pre>', "source"),
        ("<table><tr><th>a</th><th>b</th></tr><tr><td>c</td></tr></table>", "table"),
        ('<img src="none.png" alt="a">', "picture"),
        ("<p><code>| **a** |</code></p><table><tr><th>a</th><th>b</th></tr><tr><td colspan=2>c</td></tr></table>", ""),
    ],
)
def test_each_fault_of_a_page_would_be_found(tmp_path: Path, article: str, found: str) -> None:
    page = tmp_path / "index.html"
    page.write_text(f"<html><body><article class=a>{article}</article></body></html>", encoding="utf-8")
    assert faults(page) == [found] * bool(found)


SOURCE = re.compile(r"^\s*\||\]\([^)]*\)|\*\*|```|^#{1,6} |\{:|:::", re.MULTILINE)
DIAGRAM = re.compile(r'class="?(?:language-)?mermaid|<code>flowchart ')
LITERAL = re.compile(r"<(pre|code|script|style)\b[^>]*>.*?</\1>", re.DOTALL)
TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL)
CELL = re.compile(r'<t[dh]\b(?:[^>]*?\bcolspan="?(\d+))?')
PICTURE = re.compile(r'<img\b[^>]*?\bsrc="?([^"\s>]+)')


def faults(page: Path) -> list[str]:
    """Returns which of its faults a page has: text that is Markdown, a table with a row that is too long or too short, a picture
    that is not there."""
    text = page.read_text(encoding="utf-8")
    article = text.partition("<article")[2].partition("</article>")[0]
    shown = re.split(r"<[^>]+>", LITERAL.sub("", article))
    rows = [each.split("<tr")[1:] for each in TABLE.findall(article)]
    widths = [{sum(int(span or 1) for span in CELL.findall(row)) for row in table} for table in rows]
    found = {
        "source": any(map(SOURCE.search, shown)) or DIAGRAM.search(article),
        "table": any(len(each) > 1 for each in widths),
        "picture": any(not (page.parent / each).is_file() for each in PICTURE.findall(article)),
    }
    return [name for name, is_there in found.items() if is_there]


def test_no_page_asks_another_host_for_anything(site: Path) -> None:
    """Scripts, styles, fonts and pictures are the site's own."""
    asked = re.compile(
        r'<(?:script|img|iframe)[^>]*src="?https?:|<link[^>]*rel="?(?:stylesheet|preconnect)[^>]*https?:'
    )
    assert [page.name for page in site.rglob("*.html") if asked.search(page.read_text(encoding="utf-8"))] == []


def test_the_navigation_is_the_first_page_s_lists() -> None:
    index = "# T\n\n## Use\n\n**Start**\n\n| [x](x.md) | [y](y.md), [x](x.md) |\n\n## Why\n\n| [z](d/z.md) |\n"
    assert navigation(index) == ["README.md", {"Use": [{"Start": ["x.md", "y.md"]}]}, {"Why": ["d/z.md"]}]


def test_each_error_has_a_page_that_its_url_leads_to_with_its_id_in_the_title(site: Path) -> None:
    found = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    boosts = {each["location"]: each.get("boost", 1) for each in found}
    for id_, error in errors_by_id().items():
        page = (site / "errors" / id_ / "index.html").read_text(encoding="utf-8")
        assert url_of(id_).removeprefix(DOCUMENTATION) == f"errors/{id_}/"
        assert id_ in page.partition("</title>")[0], error
        assert boosts[f"errors/{id_}/"] < 1, "its words are no how-to; test_site_in_a_browser.py asks for its id"
    assert "How it comes about" in (site / "errors" / "FL-3011" / "index.html").read_text(encoding="utf-8")


def test_an_id_on_a_page_leads_to_the_errors_page(site: Path) -> None:
    assert 'href="../../errors/FL-3011/"' in (site / "runbook" / "snowflake" / "index.html").read_text(encoding="utf-8")
    assert "errors/" in (site / "index.html").read_text(encoding="utf-8"), "the list of them is in the navigation"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("the shard stops (FL-3105) unless", "the shard stops ([FL-3105](errors/FL-3105.md)) unless"),
        ("see [FL-5522](runbook.md#drift).", "see [FL-5522](errors/FL-5522.md)."),
        ("`firnline explain FL-3011`", "`firnline explain FL-3011`"),
        ("[FL-3011 and more](a.md)", "[FL-3011 and more](a.md)"),
        ("```\n[FL-3011] said\n```\nFL-3011", "```\n[FL-3011] said\n```\n[FL-3011](errors/FL-3011.md)"),
    ],
)
def test_an_id_becomes_a_link_where_it_is_text(written: str, shown: str) -> None:
    assert linked(written, "records.md") == shown


def test_from_a_folder_the_link_goes_up_first() -> None:
    assert linked("FL-3011", "design/ledger.md") == "[FL-3011](../errors/FL-3011.md)"


def test_the_first_page_says_what_firnline_is_with_three_commands_and_three_ways_in(site: Path) -> None:
    page = (site / "index.html").read_text(encoding="utf-8")
    text = page.partition("<article")[2]
    assert (
        text.index("Amazon Kinesis to Snowflake, as code.") < text.index("status-light.png") < text.index("tutorial/")
    )
    for command in ("firnline demo", "pip install firnline", "firnline init"):
        assert command in re.sub(r"<[^>]+>", "", text)
    cards = text.partition('class="grid cards"')[2].partition("</div>")[0]
    assert [way in cards for way in ('href="tutorial/"', 'href="status/"', 'href="design/ledger/"')] == [True] * 3
    assert page.count("<h1") == 1


def test_a_page_is_edited_where_its_source_is_and_the_source_is_named(site: Path) -> None:
    page = (site / "tutorial" / "index.html").read_text(encoding="utf-8")
    assert "https://github.com/firnline/firnline/edit/main/docs/tutorial.md" in page
    assert 'href="https://github.com/firnline/firnline"' in page
    assert "/edit/" not in (site / "errors" / "FL-3011" / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", split.SPLIT)
def test_a_long_page_is_split_and_each_old_link_leads_on(site: Path, page: str) -> None:
    index = (site / page.removesuffix(".md") / "index.html").read_text(encoding="utf-8")
    found = split.split(page)
    headings = re.findall(r"(?m)^#{2,4} (.+)$", (ROOT / "docs" / page).read_text(encoding="utf-8"))
    assert len(found.places) >= len(headings) - 3, "but for what stays on the index"
    ids = re.findall(r'id="([^"]+)"', index.partition("<article")[2].partition("</article>")[0])
    assert set(found.places) <= set(ids)
    assert len(ids) == len(set(ids))
    for place in found.places.values():
        path, _, anchor = place.partition("#")
        part = (site / path.removesuffix(".md") / "index.html").read_text(encoding="utf-8")
        assert f'id="{anchor}"' in part, place
    assert max(map(len, found.parts.values())) < 0.6 * len((ROOT / "docs" / page).read_text(encoding="utf-8"))


def test_a_field_that_is_a_section_leads_to_it(site: Path) -> None:
    page = (site / "spec" / "aws" / "index.html").read_text(encoding="utf-8")
    assert 'href="#awskey"' in page
    assert 'href="../runtime/#awsruntime"' in page
    assert 'href="aws/#aws"' in (site / "spec" / "index.html").read_text(encoding="utf-8")
    assert 'href="../spec/' in (site / "targets" / "index.html").read_text(encoding="utf-8")


def test_pages_for_contributors_are_built_and_not_in_the_navigation(site: Path) -> None:
    page = (site / "tutorial" / "index.html").read_text(encoding="utf-8")
    assert "design/ledger/" in page
    assert "design/beliefs/" not in page
    assert (site / "design" / "beliefs" / "index.html").is_file()
