"""How long records took: from their producer to Kinesis, and from there until a query sees their rows.

A table with ROW_TIMESTAMP keeps when each row became visible; the metadata has when Kinesis took its record. The producer's own
time is in a column, where it sends one. Read with the reader's rights; the engine's books are not asked.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from firnline_infra.audit.errors import LatencyUnknown, QueryFailed, UnknownPipeline
from firnline_infra.audit.reader_user import ReaderUser
from firnline_infra.audit.statements import Statements
from firnline_infra.audit.window import arrival_ms
from firnline_ingest.config.model import EngineConfig, PipelineConfig
from firnline_ingest.identifiers import quoted, stored_name, table_name, text_literal, written_name

if TYPE_CHECKING:
    from snowflake.connector import SnowflakeConnection

MOST_ROWS = 100_000  # the newest ones
COMMITTED = "METADATA$ROW_LAST_COMMIT_TIME"
MILLISECONDS_FROM = 100_000_000_000  # a whole number below is seconds since 1970
QUANTILES = {"p50_ms": 0.5, "p95_ms": 0.95, "p99_ms": 0.99}

Rows = Callable[[str], Iterable[Sequence[Any]]]
"""Runs a statement. Raises QueryFailed."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Of so many rows, in milliseconds. Below 0 where the producer's clock is ahead."""

    rows: int
    p50_ms: int
    p95_ms: int
    p99_ms: int
    max_ms: int

    @classmethod
    def of(cls, taken_ms: Iterable[int]) -> "Spread | None":
        """None of nothing."""
        ordered = sorted(taken_ms)
        if not ordered:
            return None
        last = len(ordered) - 1
        return cls(
            len(ordered), max_ms=ordered[-1], **{name: ordered[round(q * last)] for name, q in QUANTILES.items()}
        )


@dataclass(frozen=True, slots=True)
class LatencyReport:
    """One pipeline's. A part is None where no row tells it."""

    stream: str
    table: str
    arrived_to_visible: Spread | None
    produced_to_arrived: Spread | None = None
    produced_to_visible: Spread | None = None

    def as_document(self) -> dict[str, Any]:
        return asdict(self)


def latencies(
    config: EngineConfig, reader: ReaderUser, *, stream: str | None = None, minutes: int, produced_at: str | None = None
) -> list[LatencyReport]:
    """Of each pipeline, or of the stream's. Raises UnknownPipeline, what `latency_of` raises, and what the reader's connection
    does.
    """
    streams = [each.stream for each in config.pipelines]
    if stream is not None and stream not in streams:
        raise UnknownPipeline(stream, streams)
    now = datetime.now(UTC)
    with closing(reader.connect(config)) as connection:
        rows = partial(_rows, connection)
        return [
            latency_of(each, rows, now=now, minutes=minutes, produced_at=produced_at)
            for each in config.pipelines
            if stream in (None, each.stream)
        ]


def _rows(connection: "SnowflakeConnection", statement: str) -> Sequence[Sequence[Any]]:
    """Raises QueryFailed."""
    from snowflake.connector.errors import Error

    try:
        with closing(connection.cursor()) as cursor:
            found: Sequence[Sequence[Any]] = cursor.execute(statement).fetchall()
            return found
    except Error as error:
        raise QueryFailed("how long rows took", str(error)) from error


def latency_of(
    pipeline: PipelineConfig, rows: Rows, *, now: datetime, minutes: int, produced_at: str | None = None
) -> LatencyReport:
    """Of the newest rows that became visible in the last `minutes`. `produced_at` names the column with the producer's time: a
    timestamp, ISO 8601, or seconds or milliseconds since 1970. Raises LatencyUnknown and QueryFailed.
    """
    table = stored_name(pipeline.table) if pipeline.table else table_name(pipeline.stream)
    database, schema = stored_name(pipeline.database), stored_name(pipeline.schema_)
    shown = ".".join(map(written_name, (database, schema, table)))
    if not pipeline.metadata.is_on("approximate_arrival"):
        cause = (
            "metadata.approximate_arrival is off, or all of the metadata, so no row says when Kinesis took its record"
        )
        raise LatencyUnknown(shown, cause, "switch it on")
    asked = Statements(database, schema, table, pipeline.stream, pipeline.metadata)
    statement = latency_statement(asked, since=now - timedelta(minutes=minutes), produced_at=produced_at)
    try:
        found = [_times(row) for row in rows(statement)]
    except QueryFailed as error:
        if COMMITTED in str(error):
            raise LatencyUnknown(
                shown,
                "it keeps no commit times",
                "give the pipeline row_timestamp: true, which only standard tables have; rows from then on have theirs",
            ) from error
        raise
    return LatencyReport(
        pipeline.stream,
        shown,
        Spread.of(visible - arrived for arrived, visible, _ in found if arrived is not None),
        Spread.of(arrived - produced for arrived, _, produced in found if arrived is not None and produced is not None),
        Spread.of(visible - produced for _, visible, produced in found if produced is not None),
    )


def latency_statement(statements: Statements, *, since: datetime, produced_at: str | None) -> str:
    """Arrival, commit time, and the producer's time or NULL, of the newest rows of the stream."""
    produced = quoted(stored_name(produced_at)) if produced_at else "NULL"
    moment = text_literal(f"{since.astimezone(UTC):%Y-%m-%dT%H:%M:%S}Z")
    return (
        f"SELECT {statements.arrival}, {COMMITTED}, {produced} FROM {statements.table_sql} "
        f"WHERE {statements.of_the_stream} AND {COMMITTED} >= {moment}::TIMESTAMP_TZ ORDER BY {COMMITTED} DESC LIMIT {MOST_ROWS}"
    )


def _times(row: Sequence[Any]) -> tuple[int | None, int, int | None]:
    """Arrival, visibility and production, in milliseconds since 1970."""
    arrived, visible, produced = row
    seen = _milliseconds(visible)
    assert seen is not None, "the statement leaves out rows without one"
    return arrival_ms(arrived), seen, _milliseconds(produced)


def _milliseconds(value: Any) -> int | None:
    """None for what is no time."""
    match value:
        case datetime():
            return round((value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp() * 1000)
        case bool() | None:
            return None
        case int() | float() | Decimal():
            number = Decimal(value)
            return round(number if abs(number) >= MILLISECONDS_FROM else number * 1000)
        case _:
            text = str(value)
            return _milliseconds(int(text)) if text.isdecimal() else _of_text(text)


def _of_text(text: str) -> int | None:
    try:
        return _milliseconds(datetime.fromisoformat(text))
    except ValueError:
        return None
