"""docs/conversion.md as the golden tables that it is: the cells of each line, by the section and the first column's title."""

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "conversion.md").read_text(encoding="utf-8")
TIMES = re.compile(r"(\w)\*(\d+)")


def lines(first: str) -> list[tuple[str, ...]]:
    """Returns the lines of the table whose first column has this title."""
    (table,) = re.findall(rf"^\| {re.escape(first)} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    return [tuple(map(_plain, line.strip("|").split(" | "))) for line in table.splitlines()]


def _plain(cell: str) -> str:
    """Returns what stands between backticks; any other text as it is. x*3 is xxx."""
    cell = cell.strip()
    code = re.fullmatch(r"`(.*)`", cell)
    return TIMES.sub(lambda found: found[1] * int(found[2]), code[1] if code and "`" not in code[1] else cell)
