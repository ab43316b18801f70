"""Names of what an operator watches: the engine publishes these metrics, and alarms, dashboard and page are made of the same."""

import re
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import ip_address
from typing import Annotated

from pydantic import AfterValidator, Field

from firnline_ingest.config.document import Section
from firnline_ingest.config.form import Form

NAMESPACE = Form(
    r"(?!AWS/)[A-Za-z0-9._/#:-]{1,255}", "1 to 255 letters, digits and . _ / # : -, not beginning with AWS/", "Firnline"
)
ENDPOINT = Form(
    r"https?://[^\s/@?#]+(/[^\s/?#]{1,24})*/?",
    "a URL with http:// or https://, and no password in it, no ?, and no part of more than 24 letters, as keys are",
    "https://collector.example.com/v1/metrics",
)
EXTRAS = ("opentelemetry", "prometheus")
DEFAULT_NAMESPACE = "Firnline"
APPLICATION, STREAM = "Application", "Stream"
"""Dimensions. Each metric of a stream is there of the application too."""


class Unit(StrEnum):
    """Units, in CloudWatch's spelling."""

    COUNT = "Count"
    BYTES = "Bytes"
    MILLISECONDS = "Milliseconds"
    SECONDS = "Seconds"


class Kind(StrEnum):
    """Composition of a metric's value for an epoch and a stream, and the statistic with which CloudWatch has it right."""

    SUM = "Sum"
    """What was counted since the epoch before, of all shards."""
    GREATEST = "Maximum"
    """Of the worst shard; absent where no shard has it."""
    LEAST = "Minimum"
    """The same, where less is worse."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric; a value an epoch and stream, none a record."""

    name: str
    unit: Unit
    kind: Kind
    meaning: str
    next_step: str = ""
    """What an operator does about a value that is not as usual."""
    of_application: bool = False
    """Of the whole engine: no stream has it."""

    @property
    def snake(self) -> str:
        """time_to_trim: the name where capitals are not the custom."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", self.name).lower()

    @property
    def prometheus(self) -> str:
        """firnline_time_to_trim_seconds: with the unit, as Prometheus names metrics."""
        unit = f"_{self.unit.lower()}" if self.unit in (Unit.MILLISECONDS, Unit.SECONDS) else ""
        return f"firnline_{self.snake}{unit}{'_total' if self.kind is Kind.SUM else ''}"

    @property
    def opentelemetry(self) -> str:
        """firnline.time_to_trim: OpenTelemetry sends the unit in a field of its own."""
        return f"firnline.{self.snake}"


def _count(name: str, meaning: str, next_step: str = "") -> Metric:
    return Metric(name, Unit.COUNT, Kind.SUM, meaning, next_step)


RECORDS = _count(
    "Records", "Records that were read, including re-reads.", "Compare them with the stream's `IncomingRecords`."
)
INGESTED = _count("Ingested", "Records that became rows.")
ROWS = _count("Rows", "Rows that are proven to be with Snowflake, each once.")
BYTES = Metric("Bytes", Unit.BYTES, Kind.SUM, "Bytes of these rows.", "`firnline estimate` takes them for a forecast.")
REREAD_ROWS = _count(
    "RereadRows",
    "Rows that were read again: in the table already, or sent again because a channel was lost.",
    "Some are usual after a start or a lost channel; steadily many: see `Opens`.",
)
DEAD_LETTERS = _count(
    "DeadLetters", "Records that can't be rows, and were kept.", "`firnline dead-letters list` says which and why."
)
REPLAYED_ROWS = _count(
    "ReplayedRows",
    "Rows of dead letters that the engine put into the table by file (`oversize_rows: file`).",
    "Fewer than `DeadLetters` of reason too-large: `oversize.left` or `oversize.failed` in the log says why.",
)
SKIPPED = _count(
    "Skipped", "Records that can't be rows, in a pipeline that leaves them out.", "`on_error: dead_letter` keeps them."
)
REREAD_LETTERS = _count(
    "RereadLetters",
    "Records that were read again, and dead letters already.",
    "Some are usual after a start or a lost channel.",
)
LEFT_OUT = _count(
    "LeftOut",
    "Records that are intentionally not ingested: tombstones, control messages, and what a transform filters.",
)
REJECTED_ROWS = _count(
    "RejectedRows",
    "Rows that the table refused; its error table has them.",
    "FL-3105 has the steps. Each try counts them again until an operator accepts them.",
)
UNKNOWN_KEYS = _count(
    "UnknownKeys",
    "Keys of rows that have no column in a table of a fixed schema: their values are not kept.",
    "`schema.unknown_keys` in the log names each, with the statement that adds its column (records.md).",
)
NEW_COLUMNS = _count(
    "NewColumns",
    "Columns that tables got for new keys of records.",
    "`schema.evolved`, or `schema.columns_added`, in the log names each with its first record (records.md).",
)
NOT_NULLS_DROPPED = _count(
    "NotNullsDropped",
    "Columns that schema evolution made nullable, because records came without them.",
    "`schema.not_null_dropped` in the log names each; correct the producer.",
)
LAG = Metric(
    "Lag",
    Unit.MILLISECONDS,
    Kind.GREATEST,
    "How far behind its end the slowest shard is read.",
    "More cores, or see `FailingShards`.",
)
UNANSWERED = Metric(
    "Unanswered",
    Unit.SECONDS,
    Kind.GREATEST,
    "Time since Kinesis last gave a good answer.",
    "The log's `problem` says whether it is network, rights or throttling.",
)
PROOF_DELAY = Metric(
    "ProofDelay",
    Unit.MILLISECONDS,
    Kind.GREATEST,
    "How long sent rows waited until they were proven to be in the table; it grows while they wait.",
    "Some seconds are usual; after minutes, look at Snowflake's status page.",
)
TIME_TO_TRIM = Metric(
    "TimeToTrim",
    Unit.SECONDS,
    Kind.LEAST,
    "How long until Kinesis drops the oldest record that was not read, of the shard that has least time.",
    "Lengthen the stream's retention at once: it keeps what is still there. Then `firnline status`.",
)
THROTTLED = _count(
    "Throttled",
    "Reads that Kinesis refused for their rate.",
    "Another consumer reads the same shards: fewer of them, or enhanced fan-out.",
)
UNREADABLE_PAGES = _count(
    "UnreadablePages",
    "Answers of Kinesis that were not a page of records.",
    "Look for a proxy between the engine and Kinesis.",
)
OPENS = _count("Opens", "Channels that were opened.", "One a shard is usual at a start; more: see `Interruptions`.")
INTERRUPTIONS = _count(
    "Interruptions",
    "Channels that were given back for trouble that passes.",
    "The log's `shard.reopens` says which trouble.",
)
INCIDENTS = _count(
    "Incidents", "Incidents that the ledger keeps for a person.", "`shard.incident` in the log names each (runbook.md)."
)
SHARDS = Metric("Shards", Unit.COUNT, Kind.GREATEST, "Shards that were worked on.")
IDLE_SHARDS = Metric(
    "IdleShards",
    Unit.COUNT,
    Kind.GREATEST,
    "Shards to which nothing came for `idle_after_seconds`, and which are read to their tip.",
    "If all shards of a busy stream are idle, look at its producers.",
)
WAITING_SHARDS = Metric(
    "WaitingShards",
    Unit.COUNT,
    Kind.GREATEST,
    "Shards that are not read because executors or cores are too few.",
    "resharding.md has the arithmetic of executors and cores.",
)
FAILING_SHARDS = Metric(
    "FailingShards",
    Unit.COUNT,
    Kind.GREATEST,
    "Shards and pipelines with a problem.",
    "The engine tries them again by itself; `firnline status` says when.",
)
UNDECIDED_SHARDS = Metric(
    "UndecidedShards",
    Unit.COUNT,
    Kind.GREATEST,
    "Shards whose next records have keys that a person has to decide about.",
    "`firnline columns ENV` lists the keys; --approve or --decline them.",
)
STOPPED = Metric(
    "Stopped",
    Unit.COUNT,
    Kind.GREATEST,
    "Shards and pipelines that are skipped until a person decides.",
    "`shard.failed` in the log says what to do; then `firnline resume`.",
)
HEARTBEAT = Metric(
    "Heartbeat",
    Unit.COUNT,
    Kind.SUM,
    "Epochs that ended: 1 each.",
    "`firnline status` says whether an engine runs.",
    of_application=True,
)

METRICS = (
    *(RECORDS, INGESTED, ROWS, BYTES, REREAD_ROWS, DEAD_LETTERS, REREAD_LETTERS, SKIPPED, LEFT_OUT, REJECTED_ROWS),
    *(REPLAYED_ROWS, UNKNOWN_KEYS, NEW_COLUMNS, NOT_NULLS_DROPPED),
    *(LAG, UNANSWERED, PROOF_DELAY, TIME_TO_TRIM, THROTTLED, UNREADABLE_PAGES),
    *(OPENS, INTERRUPTIONS, INCIDENTS, SHARDS, IDLE_SHARDS, WAITING_SHARDS, UNDECIDED_SHARDS, FAILING_SHARDS),
    *(STOPPED, HEARTBEAT),
)
"""All of them; shard/receipt.py says of which counter each is made. Tests compare them with what is published, with alarms and
dashboard, and with docs/metrics.md."""


def _listens(address: str) -> str:
    try:
        ip_address(address)
    except ValueError:
        raise ValueError("is not an address of a machine, such as 127.0.0.1, 0.0.0.0 or ::1") from None
    return address


class PrometheusConfig(Section):
    """An endpoint on the driver, for Prometheus to ask: http://<address>:<port>/metrics."""

    port: int = Field(default=9464, ge=1024, le=65_535)
    """The port that OpenTelemetry's exporters for Prometheus have by default. One engine a machine can have it."""
    address: Annotated[str, AfterValidator(_listens)] = "127.0.0.1"
    """Where it listens; 0.0.0.0 lets other machines ask. It has no password: it tells names of streams, and counts."""


class OpenTelemetryConfig(Section):
    """A collector that figures are sent to, over OTLP and HTTP, from the driver."""

    endpoint: Annotated[str, ENDPOINT]
    """The whole URL: https://collector.example.com/v1/metrics. Headers, such as a key, come from the driver's variable
    OTEL_EXPORTER_OTLP_HEADERS: nothing secret is in a configuration."""
    interval_seconds: int = Field(default=60, ge=10, le=3600)
    """Between two sendings. An epoch's figures are taken in at its end."""


class MetricsOptions(Section):
    """The backends that receive an epoch's figures beside the log."""

    prometheus: PrometheusConfig | None = None
    """An endpoint on the driver for Prometheus; none by default. The engine has to be installed with the extra `prometheus`, as
    `firnline deploy` does it."""
    opentelemetry: OpenTelemetryConfig | None = None
    """A collector that the driver sends figures to, over OTLP; none by default. The same with the extra `opentelemetry`."""


class MetricsConfig(MetricsOptions):
    """The backends that receive an epoch's figures beside the log."""

    cloudwatch: Annotated[str, NAMESPACE] | None = None
    """A namespace of CloudWatch, such as Firnline: an epoch writes a line for each stream to standard output, in the embedded
    metric format; where that goes to a log group, CloudWatch makes metrics of it. No call and no right is needed. Nothing is
    written by default."""

    @property
    def extras(self) -> tuple[str, ...]:
        """The extras of firnline-ingest that have to be installed where the engine runs."""
        return tuple(sorted(name for name in EXTRAS if getattr(self, name) is not None))
