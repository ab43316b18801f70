"""docs/metrics.md says of each metric and of each alarm what the code says."""

from docs.tools.metrics import PAGE, page, tables
from firnline_infra.blueprint.alarms import ALARMS
from firnline_ingest.config.metrics import METRICS


def test_the_page_is_what_the_lists_of_metrics_and_of_alarms_make() -> None:
    """`python -m docs.tools.metrics` writes it anew."""
    text = PAGE.read_text(encoding="utf-8")
    assert text == page(text)


def test_each_metric_and_each_alarm_has_a_row() -> None:
    rows = {name: table.splitlines()[2:] for name, table in tables().items()}
    assert [row.split("`")[1] for row in rows["metrics"]] == [metric.name for metric in METRICS]
    assert len(rows["alarms"]) == len(ALARMS)
    assert all(row.count(" | ") == 5 for row in rows["metrics"])
    assert all(row.count(" | ") == 3 and "{" not in row for row in rows["alarms"])


def test_a_threshold_that_is_an_option_is_named_with_its_default() -> None:
    [row] = [row for row in tables()["alarms"].splitlines() if row.startswith("| `STREAM-lag`")]
    assert "≥ `alarms.lag_minutes` (15), for 15 minutes | rings |" in row
