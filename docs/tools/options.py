"""docs/options.md: the tables of other connectors' options, each with their default and ours.

`python -m docs.tools.options` writes the tables anew; tests/docs/test_options_page.py compares. Ours are read out of the
models and of SinkOptions. Theirs are as the pages have them that the page names; what a page does not say is "not stated".
"""

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from firnline_infra.specification.model import EnvironmentSpec
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.config.other_names import FLINK, FLINK_5, FLINK_UNLISTED, KAFKA, OPENFLOW, RETRIES
from firnline_ingest.sink.options import SinkOptions

PAGE = Path(__file__).parents[1] / "options.md"
HEAD = "| there | default there | here | default here |\n|---|---|---|---|"
PATH = re.compile(r"\b[a-z_]+(?:\[\])?(?:\.[a-z_]+(?:\[\])?)+\b|^[a-z_]+\b")
OF_PUT = re.compile(r"--([a-z-]+)")
NOT_STATED, REQUIRED, NONE = "not stated", "required", "none"

_PAUSES = {
    "scan.stream.describe": (50, 2000, 5000),
    "scan.list.shards": (10, 1000, 5000),
    "scan.stream.describestreamconsumer": (50, 2000, 5000),
    "scan.stream.registerstreamconsumer": (10, 500, 2000),
    "scan.stream.deregisterstreamconsumer": (10, 500, 2000),
    "scan.shard.subscribetoshard": (10, 1000, 2000),
    "scan.shard.getrecords": (3, 300, 1000),
    "scan.shard.getiterator": (3, 300, 1000),
}
"""Flink's attempts, base and maximum in milliseconds; the factor is 1.5 in all of them."""

THEIRS = {
    "connector": REQUIRED,
    "stream": REQUIRED,
    "format": REQUIRED,
    "aws.trust.all.certificates": "false",
    "aws.credentials.provider": "AUTO",
    "scan.stream.initpos": "LATEST",
    "scan.stream.initpos-timestamp-format": "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
    "scan.stream.recordpublisher": "POLLING",
    "scan.stream.efo.registration": "LAZY",
    **dict.fromkeys(FLINK_5, NOT_STATED),
    "scan.stream.efo.http-client.max-concurrency": "10000",
    "scan.stream.efo.http-client.read-timeout": "360000 ms",
    "scan.shard.getrecords.maxrecordcount": "10000",
    "scan.shard.getrecords.intervalmillis": "200 ms",
    "scan.shard.discovery.intervalmillis": "10000 ms",
    "scan.shard.adaptivereads": "false",
    "scan.shard.idle.interval": "-1",
    "scan.watermark.sync.interval": "30000 ms",
    "scan.watermark.lookahead.millis": "0 ms",
    "scan.watermark.sync.queue.capacity": "100",
    "sink.partitioner": "random, or row-based",
    "sink.partitioner-field-delimiter": NOT_STATED,
    "sink.http-client.max-concurrency": "10000",
    "sink.http-client.read-timeout": "360000 ms",
    "sink.http-client.protocol.version": "HTTP2",
    "sink.batch.max-size": "500",
    "sink.requests.max-inflight": "16",
    "sink.requests.max-buffered": "10000",
    "sink.flush-buffer.size": "5242880",
    "sink.flush-buffer.timeout": "5000 ms",
    "sink.fail-on-error": "false",
    **{
        f"{operation}.{part}": value
        for operation, (attempts, base, most) in _PAUSES.items()
        for part, value in (
            ("maxretries", str(attempts)),
            ("backoff.base", f"{base} ms"),
            ("backoff.max", f"{most} ms"),
            ("backoff.expconst", "1.5"),
        )
    },
    "scan.stream.registerstreamconsumer.timeout": "60 s",
    "scan.stream.deregisterstreamconsumer.timeout": "60 s",
    **dict.fromkeys(OPENFLOW, NOT_STATED),
    **{name: REQUIRED for name in OPENFLOW if name.startswith("Snowflake Destination")},
    "AWS Kinesis Stream Name": REQUIRED,
    "AWS Kinesis Region": REQUIRED,
    "AWS Kinesis Application Name": REQUIRED,
    **dict.fromkeys(KAFKA, NOT_STATED),
    "snowflake.metadata.all": "true",
    "snowflake.metadata.topic": "true",
    "snowflake.metadata.offset.and.partition": "true",
    "snowflake.metadata.createtime": "true",
    "behavior.on.null.values": "DEFAULT: they are ingested",
    "errors.tolerance": "none",
}
"""By the option's name; one of Flink's that is not here has the default "none" on its page."""

REDSHIFT = {
    "AUTO REFRESH": ("NO", "redshift.views[].refresh: auto for YES, manual for NO"),
    "REFRESH MATERIALIZED VIEW, scheduled": (NONE, "redshift.views[].refresh_every_minutes"),
    "JSON_PARSE, or CAN_JSON_PARSE": ("as written", "redshift.views[].unreadable: stop, or skip"),
    "FROM KINESIS REGION": ("the cluster's", "redshift.external_schema; a stream of another region has one of its own"),
    "IAM_ROLE": (REQUIRED, "redshift.default_role: true for `default`; the ARN of the role that is made where false"),
    "enable_case_sensitive_identifier": ("false", "redshift.case_sensitive"),
    "the view's columns": ("as written", "redshift.views[].metadata and redshift.views[].columns"),
    "the view's WHERE": (NONE, "redshift.views[].where"),
}
"""Clauses of Redshift's streaming ingestion, with their defaults; AWS has no options of it but SQL."""

WHERE_ABSENT = {
    ("retries", "attempts"): "no limit",
    ("retries", "base_ms"): "twice polling.interval_ms",
}
"""What an option of a section counts as that has no value by default."""

TABLES: Mapping[str, Iterable[str]] = {
    "## Flink: connection, position, reading, sink": (
        *list(FLINK)[: list(FLINK).index("scan.stream.efo.consumerarn") + 1],
        *FLINK_UNLISTED,
        *list(FLINK)[list(FLINK).index("scan.stream.efo.consumerarn") + 1 :],
        *FLINK_5,
    ),
    "## Flink: attempts and pauses": RETRIES,
    "## Openflow": OPENFLOW,
    "## Snowflake's Kafka connector": KAFKA,
    "## Redshift: streaming ingestion": REDSHIFT,
}
HERE = {**FLINK, **FLINK_UNLISTED, **FLINK_5, **RETRIES, **OPENFLOW, **KAFKA}


def ours(here: str) -> str:
    """The defaults of what a cell names, in its order and each once; empty for what has no counterpart."""
    if here.startswith("nothing"):
        return ""
    if "firnline put" in here:
        return "; ".join(dict.fromkeys(map(_of_put, OF_PUT.findall(here))))
    found = (default for path in PATH.findall(here) if (default := _default(path.split("."))) is not None)
    return "; ".join(dict.fromkeys(found))


def _of_put(option: str) -> str:
    name = option.replace("-", "_")
    by_name = {"read_timeout": "read_timeout_s", "linger": "linger_s"}
    default = getattr(SinkOptions(), by_name.get(name, name), None)
    unit = " s" if name in by_name else ""
    return {"delimiter": "a bar"}.get(name, NONE) if default is None else f"{_text(default)}{unit}"


def _default(path: list[str]) -> str | None:
    """None for what is not a path of a configuration, or is a section that is only a place."""
    for root in (EngineConfig, EnvironmentSpec):
        field = _field(root, path)
        if field is not None:
            shown = _shown(field, path[-1])
            return WHERE_ABSENT.get((path[0], path[-1]), shown) if shown == NONE else shown
    return None


def _field(model: type[BaseModel], path: list[str]) -> tuple[FieldInfo, Any, bool] | None:
    """The last field of the path, its default as the sections before have it, and whether one of those is absent by default."""
    value: Any = PydanticUndefined
    field: FieldInfo | None = None
    models, is_in_absent = [model], False
    for part in path:
        is_in_absent = is_in_absent or value is None or value == []
        name = part.removesuffix("[]")
        holder = next((each for each in models if _named(each, name) is not None), None)
        if holder is None:
            return None
        field = _named(holder, name)
        assert field is not None
        before = value
        value = getattr(before, name, PydanticUndefined) if isinstance(before, BaseModel) else field.get_default()
        models = list(_models(field.annotation))
    return None if field is None else (field, value, is_in_absent)


def _named(model: type[BaseModel], name: str) -> FieldInfo | None:
    return next((each for known, each in model.model_fields.items() if (each.alias or known) == name), None)


def _models(annotation: object) -> Iterable[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models(argument)


def _shown(found: tuple[FieldInfo, Any, bool], name: str) -> str:
    field, value, is_in_absent = found
    if is_in_absent and value is PydanticUndefined and field.is_required():
        return NONE
    if field.default_factory is not None:
        value = field.get_default(call_default_factory=True)
    if value is PydanticUndefined:
        return REQUIRED
    return _text(value) + _unit(name, value)


def _unit(name: str, value: object) -> str:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return ""
    units = {"_ms": " ms", "_seconds": " s", "_minutes": " min", "_hours": " h"}
    return next((unit for end, unit in units.items() if f"_{name}".endswith(end)), "")


def _text(value: object) -> str:
    if isinstance(value, BaseModel):
        return str(getattr(value, "type", NONE))  # of a format; the other sections that are named have nothing set
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, list):
        return ", ".join(map(_text, value)) or NONE
    return NONE if value is None else str(value)


def row(name: str) -> str:
    """One line of a table."""
    if name in REDSHIFT:
        theirs, here = REDSHIFT[name]
    else:
        theirs, here = THEIRS.get(name, NONE), HERE[name]
    return f"| `{name}` | {theirs} | {here} | {ours(here)} |"


def page(text: str) -> str:
    """The page with its tables as they are now."""
    for title, names in TABLES.items():
        before, found, after = text.partition(f"{title}\n")
        if not found:
            raise SystemExit(f"{PAGE} has no {title!r}.")
        intro, bar, rest = after.partition("| there |")
        if not bar or "\n## " in intro:
            raise SystemExit(f"{title!r} has no table.")
        lines = f"{bar}{rest}".split("\n")
        end = next((number for number, line in enumerate(lines) if not line.startswith("|")), len(lines))
        table = "\n".join([HEAD, *map(row, names)])
        text = f"{before}{found}{intro}{table}\n" + "\n".join(lines[end:])
    return text


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
