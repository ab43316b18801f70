"""Flink's Kinesis table connector: CREATE TABLE statements, each a stream with its columns and the options of reading."""

import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from firnline_infra.specification.other_connectors.flink_columns import put_columns
from firnline_infra.specification.other_connectors.flink_sql import FlinkTable, creates_a_table, tables
from firnline_infra.specification.other_connectors.taken_over import TakenOver
from firnline_ingest.config.other_names import FLINK, FLINK_5, FLINK_UNLISTED, RETRIES
from firnline_ingest.config.pipeline import Alignment, PipelineOptions
from firnline_ingest.config.retries import UNCHANGED
from firnline_ingest.config.running import FanOutConfig, PollingConfig

__all__ = ["creates_a_table", "from_flink"]

CONNECTORS = ("kinesis", "kinesis-legacy")
ARN = re.compile(r"arn:[a-z-]+:kinesis:(?P<region>[a-z0-9-]+):\d{12}:stream/(?P<name>[\w.-]+)")
BY_A_ROLE = "the engine reads with a role that `firnline up` makes; no credentials are configured"
SECTIONS: Mapping[str, type[BaseModel]] = {"polling": PollingConfig, "fan_out": FanOutConfig}
NUMBERS = {
    "scan.shard.getrecords.maxrecordcount": ("polling.max_records", 1),
    "scan.shard.getrecords.intervalmillis": ("polling.interval_ms", 1),
    "scan.stream.efo.http-client.max-concurrency": ("fan_out.max_concurrency", 1),
    "scan.stream.efo.http-client.read-timeout": ("fan_out.read_timeout_seconds", 1000),
}
"""The path, and the divisor from their unit to ours."""


def from_flink(text: str) -> TakenOver:
    taken = TakenOver("Flink's Kinesis table connector")
    try:
        found = list(tables(text))
    except ValueError as error:
        taken.problems.append(str(error))
        return taken
    for table in found:
        connector = table.options.get("connector", "")
        if connector in CONNECTORS:
            _Reading(taken, table).take_over()
        else:
            taken.leave(f"CREATE TABLE {table.name}", connector, "is not a table of the Kinesis connector")
    if not taken.pipelines and not taken.problems:
        taken.problems.append(f"connector: no table has one of {', '.join(CONNECTORS)}")
    taken.answers["streams"] = tuple(each["name"] for each in taken.streams)
    return taken


NAMED_BEFORE = {
    "source.init.position": "scan.stream.initpos",
    "source.init.timestamp": "scan.stream.initpos-timestamp",
    "source.init.timestamp.format": "scan.stream.initpos-timestamp-format",
    "source.reader.type": "scan.stream.recordpublisher",
    "source.shard.get-records.max-record-count": "scan.shard.getrecords.maxrecordcount",
    "source.efo.consumer.name": "scan.stream.efo.consumername",
}
"""Options since version 5 of the connector, with the same values as those of the table `kinesis-legacy`."""


LIFECYCLE = "source.efo.lifecycle"
EXISTS = (
    "the consumer exists: give its ARN, reader: {fan_out: {consumer_arn: …}}; the one that is written here is registered by the "
    "engine, which refuses a consumer of another application (FL-2325)"
)


class _Reading:
    """One table."""

    def __init__(self, taken: TakenOver, table: FlinkTable) -> None:
        self._taken, self._table = taken, table
        spelt = {NAMED_BEFORE[name]: name for name in table.options if name in NAMED_BEFORE}
        self._spelt = {before: name for before, name in spelt.items() if before not in table.options}
        """The file's own names, by those that are read here."""
        here = {name: before for before, name in self._spelt.items()}
        self._options: Mapping[str, str] = {here.get(name, name): value for name, value in table.options.items()}
        self._pipeline: dict[str, Any] = {}
        self._told: set[str] = set()
        self._path = f"pipelines[{len(taken.pipelines)}]"

    def take_over(self) -> None:
        if not self._stream():
            return
        self._format()
        put_columns(self._taken, self._table, self._pipeline, self._path)
        self._position()
        self._reader()
        self._pace()
        for option, value in self._options.items():
            if option not in self._told:
                self._leave(option, value)
        self._taken.pipelines.append(self._pipeline)

    def _take(self, option: str, path: str) -> None:
        self._told.add(option)
        self._taken.take(self._spelt.get(option, option), path)

    def _leave(self, option: str, value: str, reason: str = "") -> None:
        self._told.add(option)
        self._taken.leave(self._spelt.get(option, option), value, reason or _reason(option))

    def _stream(self) -> bool:
        arn = ARN.fullmatch(self._options.get("stream.arn", ""))
        name = arn["name"] if arn else self._options.get("stream", "")
        if not name:
            self._taken.problems.append(
                f"{self._table.name}: stream is missing, or stream.arn is not an ARN of a stream"
            )
            return False
        self._take("connector", "the engine")
        if arn is None:
            self._take("stream", f"{self._path}.stream")
        self._region(arn)
        self._pipeline.update(stream=name, table=_table_name(self._table.name))
        self._taken.take(f"CREATE TABLE {self._table.name}", f"{self._path}.table")
        earlier = next((each for each in self._taken.streams if each["name"] == name), None)
        region = arn["region"] if arn else self._options.get("aws.region")
        if earlier is None:
            place = {"arn": arn[0]} if arn else {}
            self._taken.streams.append({"name": name, "origin": "adopt", **place})
            self._taken.placed[name] = region, arn[0] if arn else None
        else:
            self._taken.problems.append(self._twice(name, region, arn[0] if arn else None))
        return True

    def _twice(self, name: str, region: str | None, arn: str | None) -> str:
        """Says why the table's stream has no place beside the one of that name; two ARNs, or two regions, are two streams."""
        its_region, its_arn = self._taken.placed[name]
        if (arn and its_arn and arn != its_arn) or (region and its_region and region != its_region):
            this, that = arn or f"{name} of {region}", its_arn or f"that of {its_region}"
            return (
                f"{self._table.name}: {this} is another stream than {that}, and an environment has one of a name. "
                "Put this table into a file of its own, for an environment of its own"
            )
        return f"{self._table.name}: {name} is read by two tables; a stream has one pipeline"

    def _region(self, arn: re.Match[str] | None) -> None:
        """A stream's ARN is kept: it may be of another account or region than the environment. One of another region has none
        here: it gets one with the environment's account."""
        region, path = self._options.get("aws.region"), f"streams[{len(self._taken.streams)}].arn"
        if arn is not None:
            self._taken.answers.setdefault("region", arn["region"])
            self._take("stream.arn", path)
            if region and region != arn["region"]:
                self._leave("aws.region", region, f"stream.arn is of {arn['region']}")
            elif region:
                self._take("aws.region", path)
        elif region and self._taken.answers.setdefault("region", region) != region:
            self._taken.regions[self._options["stream"]] = region
            self._take("aws.region", path)
        elif region:
            self._take("aws.region", "aws.region")

    def _format(self) -> None:
        option = "format" if "format" in self._options else "value.format"
        kind = self._options.get(option, "")
        columns = [each.name for each in self._table.columns if each.metadata is None and each.computed is None]
        known: dict[str, dict[str, Any]] = {
            "json": {},
            "csv": {"type": "csv", "columns": columns},
            "raw": {"type": "text"},
            "avro-confluent": {"type": "avro", "framing": "confluent", "registry": {"url": self._registry()}},
            "avro-glue": {"type": "avro", "framing": "glue"},
        }
        if kind not in known:
            self._leave(
                option, kind, f"no format here reads it as it is: say which in {self._path}.format (docs/records.md)"
            )
            return
        self._take(option, f"{self._path}.format")
        if kind == "csv" and "csv.field-delimiter" in self._options:
            known["csv"]["delimiter"] = self._options["csv.field-delimiter"].replace("\\t", "\t")
            self._take("csv.field-delimiter", f"{self._path}.format.delimiter")
        if kind == "csv" and self._options.get("csv.disable-quote-character") == "true":
            known["csv"]["quote"] = None
            self._take("csv.disable-quote-character", f"{self._path}.format.quote")
        if known[kind]:
            self._pipeline["format"] = known[kind]

    def _registry(self) -> str:
        for option in ("avro-confluent.url", "avro-confluent.schema-registry.url"):
            if option in self._options:
                self._take(option, f"{self._path}.format.registry.url")
                return self._options[option]
        return ""

    def _position(self) -> None:
        at = self._options.get("scan.stream.initpos", "LATEST")
        position = {"at": at}
        for option, name in (("timestamp", "timestamp"), ("timestamp-format", "timestamp_format")):
            if value := self._options.get(f"scan.stream.initpos-{option}"):
                position[name] = value
                self._take(f"scan.stream.initpos-{option}", f"{self._path}.initial_position.{name}")
        if at not in ("LATEST", "TRIM_HORIZON", "AT_TIMESTAMP"):
            self._leave("scan.stream.initpos", at, "expected LATEST, TRIM_HORIZON or AT_TIMESTAMP")
            return
        if "scan.stream.initpos" in self._options:
            self._take("scan.stream.initpos", f"{self._path}.initial_position.at")
        self._pipeline["initial_position"] = position

    def _reader(self) -> None:
        option = "scan.stream.recordpublisher"
        if self._options.get(option, "POLLING") != "EFO":
            if option in self._options:
                self._take(option, f"{self._path}.reader")
            return
        self._take(option, f"{self._path}.reader")
        registration = self._options.get("scan.stream.efo.registration", "LAZY").lower()
        if "scan.stream.efo.registration" in self._options:
            self._take("scan.stream.efo.registration", f"{self._path}.reader.fan_out.registration")
        names = ("scan.stream.efo.consumerarn", f"scan.stream.efo.consumerarn.{self._pipeline['stream']}")
        arn = next((name for name in names if name in self._options), None)
        name = self._options.get("scan.stream.efo.consumername")
        if registration == "none" and arn is not None:
            self._take(arn, f"{self._path}.reader.fan_out.consumer_arn")
            self._pipeline["reader"] = {"fan_out": {"consumer_arn": self._options[arn]}}
            return
        if registration == "none":
            self._taken.problems.append(
                f"{self._table.name}: scan.stream.efo.consumerarn is missing (registration NONE)"
            )
        if name:
            self._take("scan.stream.efo.consumername", f"{self._path}.reader.fan_out.consumer")
        if (managed := self._options.get(LIFECYCLE, "")).upper() == "SELF_MANAGED":
            self._leave(LIFECYCLE, managed, EXISTS)
        self._pipeline["reader"] = {
            "fan_out": {"registration": registration, **({"consumer": name} if name else {})},
        }

    def _pace(self) -> None:
        for option, value in self._options.items():
            if option in RETRIES:
                self._number(option, RETRIES[option], _of_a_retry(RETRIES[option], value), "is out of bounds here")
            elif option in NUMBERS:
                path, divisor = NUMBERS[option]
                section, field = path.split(".")
                least, most = _bounds(SECTIONS[section], field)
                given = _whole(value)
                number = None if given is None else given / divisor if divisor > 1 else given
                is_fit = number is not None and least <= number <= most
                reason = f"{path} is from {least:,} to {most:,}; it has its default"
                self._number(option, path, number if is_fit else None, reason)
        self._seconds("scan.shard.idle.interval", PipelineOptions, "idle_after_seconds")
        self._seconds("scan.watermark.lookahead.millis", Alignment, "max_ahead_seconds")

    def _number(self, option: str, path: str, number: float | None, reason: str) -> None:
        if number is None:
            self._leave(option, self._options[option], reason)
            return
        self._told.add(option)
        self._taken.put(self._spelt.get(option, option), path, number)

    def _seconds(self, option: str, model: type[BaseModel], field: str) -> None:
        given = self._options.get(option)
        if given is None:
            return
        least, most = _bounds(model, field)
        milliseconds = _whole(given) or 0
        if not least <= milliseconds // 1000 <= most:
            self._leave(option, given, f"{field} is from {least:,} to {most:,} seconds; it has its default")
        elif field == "max_ahead_seconds":
            self._pipeline["alignment"] = {field: milliseconds // 1000}
            self._take(option, f"{self._path}.alignment.{field}")
        else:
            self._pipeline[field] = milliseconds // 1000
            self._take(option, f"{self._path}.{field}")


def _bounds(model: type[BaseModel], field: str) -> tuple[int, int]:
    """Returns the least and the largest value that a field takes."""
    metadata = model.model_fields[field].metadata
    (least,), (most,) = ([getattr(each, end) for each in metadata if hasattr(each, end)] for end in ("ge", "le"))
    return least, most


def _whole(text: str) -> int | None:
    return int(text) if re.fullmatch(r"-?\d{1,15}", text) else None


def _of_a_retry(path: str, text: str) -> float | None:
    """None for what the field does not take."""
    if not re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text):
        return None
    _, operation, field = path.split(".")
    number = float(text) if "." in text else int(text)
    try:
        type(getattr(UNCHANGED, operation)).model_validate({field: number})
    except ValueError:
        return None
    return number


def _table_name(name: str) -> str:
    plain = name.rpartition(".")[2]
    return plain if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_$]*", plain) else '"' + plain.replace('"', '""') + '"'


def _reason(option: str) -> str:
    if option.startswith("aws.credentials."):
        return BY_A_ROLE
    if option.startswith("sink."):
        here = FLINK.get(option, "see docs/put.md")
        return f"a specification reads streams; of writing, {here}" if "nothing" not in here else here
    known: str | None = (FLINK | FLINK_UNLISTED | FLINK_5).get(option)
    if known is None:
        return "not on the connector's page that docs/options.md compares"
    return known.replace("aws.endpoints.kinesis", "network.endpoints.kinesis")
