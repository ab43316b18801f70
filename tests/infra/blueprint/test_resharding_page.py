"""docs/resharding.md: the table by which a person decides is what the blueprint makes."""

import math
import re
from pathlib import Path

from firnline_infra.blueprint.size import size_of

PAGE = Path(__file__).parents[3] / "docs" / "resharding.md"
ROW = re.compile(r"^\| ([\d,]+) \| (\d+) \| (\d+) \|$", re.MULTILINE)


def test_the_page_says_how_many_tasks_and_cores_follow_from_the_shards() -> None:
    rows = [tuple(int(cell.replace(",", "")) for cell in row) for row in ROW.findall(PAGE.read_text(encoding="utf-8"))]
    assert len(rows) >= 5
    assert rows == [(shards, math.ceil(shards / 32), size_of(shards).slots) for shards, _, _ in rows]
