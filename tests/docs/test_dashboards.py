"""Grafana's dashboards ask for what the engine publishes, each metric once."""

import re
from typing import Any

import pytest

from docs.tools.dashboards import NAMES, dashboard, file_of, text
from firnline_ingest.config.metrics import METRICS, Kind

pytestmark = pytest.mark.parametrize("flavour", NAMES)


def targets(flavour: str) -> list[dict[str, Any]]:
    return [target for panel in dashboard(flavour)["panels"] for target in panel["targets"]]


def test_the_file_is_what_the_list_of_metrics_makes(flavour: str) -> None:
    """`python -m docs.tools.dashboards` writes it anew."""
    assert file_of(flavour).read_text(encoding="utf-8") == text(flavour)


def test_each_metric_is_asked_for_once_by_the_name_that_it_is_published_under(flavour: str) -> None:
    asked = [re.findall(r"firnline_\w+", target["expr"]) for target in targets(flavour)]
    assert sorted(name for names in asked for name in names) == sorted(NAMES[flavour](metric) for metric in METRICS)
    if flavour == "prometheus":
        assert {name for names in asked for name in names} == {metric.prometheus for metric in METRICS}


def test_counters_are_rates_and_what_stands_is_the_worst_shards(flavour: str) -> None:
    """Prometheus answers a rate of what is not a counter with nonsense, and a plain counter with a line that only rises."""
    by_name = {NAMES[flavour](metric): metric for metric in METRICS}
    for target in targets(flavour):
        (name,) = re.findall(r"firnline_\w+", target["expr"])
        assert ("rate(" in target["expr"]) == (by_name[name].kind is Kind.SUM), target["expr"]
        assert ("stream=~" in target["expr"]) != by_name[name].of_application
        assert target["expr"].count("(") == target["expr"].count(")")


def test_panels_have_places_of_their_own_and_fit_the_grid(flavour: str) -> None:
    panels = dashboard(flavour)["panels"]
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels]
    assert len(set(places)) == len({panel["id"] for panel in panels}) == len(panels)
    assert all(panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in panels)
    assert all(panel["description"] for panel in panels)
    variables = {each["name"] for each in dashboard(flavour)["templating"]["list"]}
    used = set(re.findall(r"\$\{?([a-z]+)", text(flavour)))
    assert used == variables
