"""Hooks of the site's builder: the navigation, made from the lists of docs/README.md, and links that lead out of docs/.

A heading of the second level is a section, a bold line of its own a group in it, and each link of a list a page.
"""

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

DOCS = Path(__file__).parents[1]
if str(DOCS.parent) not in sys.path:  # `mkdocs` is a program of its own, and this file one that it reads by its path
    sys.path.insert(0, str(DOCS.parent))

from docs.tools import error_pages, python_api, split  # noqa: E402

LINK = re.compile(r"\[([^\]]+)\]\(([a-z0-9/-]+\.md)\)", re.IGNORECASE)
OUTSIDE = re.compile(
    r"\[([^\]]+)\]\((?:\.\./)+(?!docs)(?:tests|examples|infra|ingest|local|scripts|stacks|CONTRIBUTING)[^)]*\)"
)
LISTS = ("spec.md", "spec/", "permissions.md", "permissions/", "runbook.md", "runbook/", "options.md", "python-api/")
LESS = 0.3
"""Pages that have a section for nearly each word, and how much less they count in the search."""

MORE = {"targets.md": 3, "dead-letters.md": 3}
"""Pages about a subject that other pages' headings mention, and how much more they count."""

AN_ERROR = 0.5
"""How much an error's page counts: it is found first by its id, which its title has, and no words of it before a how-to."""

CONTRIBUTORS = ("design/beliefs.md", "design/requests.md")
"""Pages for people who change Firnline: the first page lists them, and the navigation has none of them."""

Nav = list[Any]


def on_config(config: Any) -> Any:
    """Called by mkdocs once the configuration is read: a release's site says of which version it is."""
    version = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    config["site_name"] = f"Firnline {version}"
    config["nav"] = navigation((DOCS / "README.md").read_text(encoding="utf-8"))
    (reference,) = (section["Reference"] for section in config["nav"] if "Reference" in section)
    reference.append({"Errors": f"{error_pages.FOLDER}/index.md"})
    pages = [{title: f"{python_api.FOLDER}/{name}.md"} for name, (title, _) in python_api.PAGES.items()]
    reference.append({"Python API": pages})
    return config


def on_files(files: Any, *, config: Any) -> Any:
    """Called by mkdocs with what it has found: adds a page for each error, and the parts of long pages."""
    for path, text in (*error_pages.pages(), *split.generated(), *python_api.generated()):
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Called by mkdocs with each page's text: what leads to a file of the repository is named, and no link.

    Of a word that a how-to and a long list of names both have, the search shows the how-to first.
    """
    if page.file.src_uri == "README.md":
        markdown = landing() + re.sub(r"(?m)^#(#*) ", r"##\1 ", markdown)
    if error_pages.ID.search(page.file.src_uri):
        page.meta["search"] = {"boost": AN_ERROR}
        return markdown
    if page.file.src_uri in split.SPLIT:
        markdown = split.sections_linked(split.split(page.file.src_uri).index, up="")
    markdown = split.links_led_on(markdown, page.file.src_uri)
    if page.file.src_uri.startswith(LISTS) or page.file.src_uri.startswith("design/"):
        page.meta["search"] = {"boost": LESS}
    if page.file.src_uri in MORE:
        page.meta["search"] = {"boost": MORE[page.file.src_uri]}
    return error_pages.linked(OUTSIDE.sub(r"\1", markdown), page.file.src_uri)


def landing() -> str:
    """Returns the site's first page before the lists: what Firnline is, and three ways in."""
    return (DOCS / "tools" / "landing.template").read_text(encoding="utf-8")


def _with_parts(page: str) -> Any:
    """Returns a page's entry of the navigation; a split one's has its parts below it."""
    if page not in split.SPLIT:
        return page
    parts: Nav = [{title: path} for path, title in split.split(page).titles.items()]
    return {split.SECTIONS[page]: [page, *parts]}


def navigation(index: str) -> Nav:
    """Returns mkdocs's `nav` of the first page's lists: sections of pages, or of groups of pages."""
    nav: Nav = ["README.md"]
    group: Nav = nav
    section: Nav = nav
    seen = set[str]()
    for line in index.splitlines():
        if heading := re.fullmatch(r"## (.+)", line):
            section = group = []
            nav.append({heading[1]: section})
        elif title := re.fullmatch(r"\*\*(.+)\*\*", line):
            group = []
            section.append({title[1]: group})
        elif line.startswith("| ") and section is not nav:
            for _, page in LINK.findall(line):
                if page not in seen and page not in CONTRIBUTORS:
                    seen.add(page)
                    group.append(_with_parts(page))
    return nav
