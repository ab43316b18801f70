"""Grafana's dashboards of the engine's metrics: python -m docs.tools.dashboards writes docs/dashboards.

Panels and metrics are those of the CloudWatch dashboard that a stack makes (blueprint/dashboard.py); names are the metrics' own.
For OpenTelemetry they are as Prometheus stores OTLP: dots become underscores, a unit is appended, `_total` to a counter and
`_ratio` to a gauge without unit (OpenTelemetry's specification, "Prometheus and OpenMetrics Compatibility").
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from firnline_infra.blueprint.dashboard import ENGINE
from firnline_ingest.config.metrics import Kind, Metric, Unit

FOLDER = Path(__file__).parents[1] / "dashboards"
COLUMNS, WIDTH, HEIGHT = 3, 8, 8
SCHEMA = 39
"""Grafana 10's; newer ones migrate it."""
UNITS = {Unit.COUNT: "short", Unit.BYTES: "bytes", Unit.MILLISECONDS: "ms", Unit.SECONDS: "s"}
SUMMED = {Unit.COUNT: "cps", Unit.BYTES: "Bps"}
AGGREGATES = {Kind.SUM: "sum", Kind.GREATEST: "max", Kind.LEAST: "min"}
SOURCE = {"type": "prometheus", "uid": "${datasource}"}


def of_otlp(metric: Metric) -> str:
    """The name under which Prometheus stores it."""
    is_bare = metric.kind is not Kind.SUM and metric.unit is Unit.COUNT
    return f"{metric.prometheus}_ratio" if is_bare else metric.prometheus


NAMES: Mapping[str, Callable[[Metric], str]] = {
    "prometheus": lambda metric: metric.prometheus,
    "opentelemetry": of_otlp,
}


def dashboard(flavour: str) -> dict[str, Any]:
    name = NAMES[flavour]
    shards = name(next(metric for _, metrics in ENGINE for metric in metrics if metric.name == "Shards"))
    return {
        "title": "Firnline" if flavour == "prometheus" else "Firnline (OpenTelemetry)",
        "uid": f"firnline-{flavour}",
        "tags": ["firnline", "kinesis", "snowflake"],
        "schemaVersion": SCHEMA,
        "editable": True,
        "graphTooltip": 1,
        "refresh": "30s",
        "time": {"from": "now-3h", "to": "now"},
        "templating": {"list": list(_variables(shards))},
        "panels": [_panel(index, title, metrics, name) for index, (title, metrics) in enumerate(ENGINE)],
    }


def _variables(shards: str) -> Iterator[dict[str, Any]]:
    yield {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"}
    for label, query in (
        ("application", f"label_values({shards}, application)"),
        ("stream", f'label_values({shards}{{application=~"$application"}}, stream)'),
    ):
        yield {
            "name": label, "label": label.capitalize(), "type": "query", "datasource": SOURCE, "query": query, "refresh": 2,
            "multi": True, "includeAll": True, "current": {"text": ["All"], "value": ["$__all"]},
        }  # fmt: skip # a paragraph, not a column


def _panel(index: int, title: str, metrics: tuple[Metric, ...], name: Callable[[Metric], str]) -> dict[str, Any]:
    row, column = divmod(index, COLUMNS)
    first = metrics[0]
    unit = SUMMED[first.unit] if first.kind is Kind.SUM else UNITS[first.unit]
    return {
        "id": index + 1,
        "type": "timeseries",
        "title": title,
        "description": "\n\n".join(f"{metric.name}: {metric.meaning}" for metric in metrics),
        "datasource": SOURCE,
        "gridPos": {"x": column * WIDTH, "y": row * HEIGHT, "w": WIDTH, "h": HEIGHT},
        "fieldConfig": {
            "defaults": {"unit": unit, "min": 0, "custom": {"fillOpacity": 8, "showPoints": "never"}},
            "overrides": [],
        },
        "options": {
            "legend": {"displayMode": "list", "placement": "bottom"},
            "tooltip": {"mode": "multi", "sort": "desc"},
        },
        "targets": [_target(metric, name(metric), chr(ord("A") + number)) for number, metric in enumerate(metrics)],
    }


def _target(metric: Metric, name: str, ref: str) -> dict[str, Any]:
    """Counts a second; of what stands, the worst shard's."""
    by = "application" if metric.of_application else "stream"
    of = 'application=~"$application"' + ("" if metric.of_application else ', stream=~"$stream"')
    value = f"rate({name}{{{of}}}[$__rate_interval])" if metric.kind is Kind.SUM else f"{name}{{{of}}}"
    expression = f"{AGGREGATES[metric.kind]} by ({by}) ({value})"
    return {"refId": ref, "datasource": SOURCE, "expr": expression, "legendFormat": f"{metric.name} {{{{{by}}}}}"}


def text(flavour: str) -> str:
    return json.dumps(dashboard(flavour), indent=2) + "\n"


def file_of(flavour: str) -> Path:
    return FOLDER / f"grafana-{flavour}.json"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for flavour in NAMES:
        file_of(flavour).write_text(text(flavour), encoding="utf-8")


if __name__ == "__main__":
    main()
