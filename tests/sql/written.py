"""The SQL that Firnline only writes down for people: what `bootstrap` renders, and the examples of the pages."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.sql.gaps import SNOWFLAKE
from tests.sql.shapes import TOKEN

ROOT = Path(__file__).parents[2]
SCRIPTS = (
    *sorted((ROOT / "tests/infra/render/bootstrap/golden").glob("*.sql")),
    *sorted((ROOT / "examples").glob("*/*.sql")),
)
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
BLOCK = re.compile(r"^( *)```sql\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
EXECUTED = re.compile(r"EXECUTE\s+IMMEDIATE\s+\$\$(.*)\$\$$", re.DOTALL)
PLACEHOLDER = "…"


def written() -> Iterator[tuple[str, str, str]]:
    """Yields where it stands, its dialect, and the statement. What has a part left out is not SQL."""
    for script in SCRIPTS:
        for sql in split(script.read_text(encoding="utf-8")):
            yield script.name, SNOWFLAKE, sql
    for page in PAGES:
        for _, block in BLOCK.findall(page.read_text(encoding="utf-8")):
            for sql in split(block):
                if PLACEHOLDER not in sql:
                    yield page.name, SNOWFLAKE, sql


def split(script: str) -> Iterator[str]:
    """The statements of a script; a block that is executed at once is its content."""
    start = 0
    for match in TOKEN.finditer(f"{script};"):
        if match[0] == ";":
            sql = script[start : match.start()].strip()
            executed = EXECUTED.search(sql)
            if any(each.lastgroup != "skip" for each in TOKEN.finditer(sql)):
                yield executed[1].strip() if executed else sql
            start = match.end()
