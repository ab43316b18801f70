"""docs/metrics.md says of each metric what the code says."""

import re
from pathlib import Path

from firnline_ingest.config.metrics import METRICS

PAGE = Path(__file__).parents[3] / "docs" / "metrics.md"
ROW = re.compile(r"^\| `(\w+)` \| (\w+) \| (\w+) \| ([^|]+) \|", re.MULTILINE)


def test_the_page_has_every_metric_with_its_unit_its_statistic_and_its_meaning() -> None:
    assert ROW.findall(PAGE.read_text(encoding="utf-8")) == [
        (metric.name, metric.unit.value, metric.kind.value, metric.meaning) for metric in METRICS
    ]
