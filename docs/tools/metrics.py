"""The tables of docs/metrics.md: each metric of firnline_ingest/config/metrics.py, and each alarm of blueprint/alarms.py.

`python -m docs.tools.metrics` writes them into the page, between its marks. The prose around them is the page's own.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from firnline_infra.blueprint.alarms import ALARMS, PERIOD_S, AlarmRule, MetricScope
from firnline_infra.specification.aws import Alarms
from firnline_ingest.config.metrics import METRICS, Metric

PAGE = Path(__file__).parents[1] / "metrics.md"
METRICS_HEAD = (
    "| metric | unit | statistic | what it is | what to do | Prometheus, OpenTelemetry |\n|---|---|---|---|---|---|"
)
ALARMS_HEAD = "| alarm | rings | without a value | what it says |\n|---|---|---|---|"
SILENCE = {"breaching": "rings", "notBreaching": "is good", "ignore": "keeps its state"}


class _Options:
    """Stands for the section `alarms`: each option is 1, and the one that a threshold reads is remembered."""

    read = ""

    def __getattr__(self, name: str) -> int:
        self.read = name
        return 1


def tables() -> dict[str, str]:
    """By the name of their marks."""
    return {
        "metrics": "\n".join([METRICS_HEAD, *map(_metric_row, METRICS)]),
        "alarms": "\n".join([ALARMS_HEAD, *map(_alarm_row, ALARMS)]),
    }


def page(text: str) -> str:
    """The page with each table as it has to be."""
    for name, table in tables().items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        before, found, rest = text.partition(begin)
        assert found, f"{PAGE.name} has no {begin}"
        assert end in rest, f"{PAGE.name} has no {end} behind its beginning"
        text = f"{before}{begin}\n{table}\n{end}{rest.partition(end)[2]}"
    return text


def _metric_row(metric: Metric) -> str:
    alarms = [f"`{rule.name.removeprefix('{stream}-')}`" for rule in ALARMS if rule.metric is metric]
    steps = [_linked(metric.next_step), *(f"Alarm: {name}." for name in alarms)]
    cells = (metric.unit, metric.kind, metric.meaning, " ".join(filter(None, steps)))
    return f"| `{metric.name}` | {' | '.join(cells)} | `{metric.prometheus}`, `{metric.opentelemetry}` |"


def _linked(text: str) -> str:
    """With a link for each id of an error and each page."""
    text = re.sub(r"\b[a-z-]+\.md\b", r"[\g<0>](\g<0>)", text)
    return re.sub(r"\bFL-\d{4}\b", r"[\g<0>](runbook.md)", text)


def _alarm_row(rule: AlarmRule) -> str:
    name = re.sub(r"\{(\w+)\}", lambda slot: slot[1].upper(), rule.name)
    return f"| `{name}` | {_when(rule)} | {SILENCE[rule.treat_missing_data]} | {' '.join(_said(rule))} |"


def _when(rule: AlarmRule) -> str:
    metric = rule.metric[1] if isinstance(rule.metric, tuple) else rule.metric.name
    threshold, how = (rule.at_least, "≥") if rule.less_than is None else (rule.less_than, "<")
    if callable(threshold):
        options = _Options()
        threshold(cast("Alarms", options))
        value = f"`alarms.{options.read}` ({Alarms.model_fields[options.read].default})"
    else:
        value = f"{threshold:g}"
    whole = f"{rule.periods * PERIOD_S // 60} minutes"
    if rule.scope is MetricScope.VIEW:
        whole = f"{rule.periods} times `refresh_every_minutes`"
    return f"`{metric}` {how} {value}, for {whole}"


def _said(rule: AlarmRule) -> Iterator[str]:
    """Yields what its description says, with the specification's options by name."""
    for word in rule.description.split():
        yield re.sub(r"\{([\w.]+)\}", lambda slot: f"`{slot[1]}`" if "." in slot[1] else slot[1].upper(), word)


def main() -> None:
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
