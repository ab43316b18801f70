"""Latency of records: from their producer to Kinesis, and from there until a query sees their rows.

A table with ROW_TIMESTAMP keeps when each row became visible; the metadata has when Kinesis took its record, and with
`push_time` when the engine made the row. The producer's own time is in a column, where it sends one. Read with the reader's
rights; the engine's books are not asked.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from firnline_infra.audit.errors import LatencyUnknown, PipelineNotAudited, QueryFailed
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
    """Distribution of how long so many rows took, in milliseconds: below 0 if the clock at the beginning is ahead of
    the one at the end.
    """

    rows: int
    p50_ms: int
    p95_ms: int
    p99_ms: int
    max_ms: int
    negative: int = 0
    """How many of the rows took less than nothing, by two clocks that disagree."""

    @classmethod
    def of(cls, taken_ms: Iterable[int]) -> "Spread | None":
        """The spread of these times; None where there are none."""
        ordered = sorted(taken_ms)
        if not ordered:
            return None
        last, negative = len(ordered) - 1, sum(each < 0 for each in ordered)
        quantiles = {name: ordered[round(q * last)] for name, q in QUANTILES.items()}
        return cls(len(ordered), max_ms=ordered[-1], negative=negative, **quantiles)


class Times(NamedTuple):
    """The times of a row, in milliseconds since 1970; None where nothing tells one."""

    arrived: int | None
    visible: int
    produced: int | None
    pushed: int | None


CLOCKS = {"produced": "the producer's", "arrived": "Kinesis'", "pushed": "the engine's", "visible": "Snowflake's"}
PARTS = (
    ("produced_to_arrived", "producer to Kinesis"),
    ("arrived_to_pushed", "Kinesis to engine"),
    ("pushed_to_visible", "engine to visible"),
    ("arrived_to_visible", "Kinesis to visible"),
    ("produced_to_visible", "producer to visible"),
)
"""The parts of a report with their words, in the order of a record's way."""


@dataclass(frozen=True, slots=True)
class LatencyReport:
    """One table's. A part is None where no row tells it."""

    stream: str
    table: str
    arrived_to_visible: Spread | None
    produced_to_arrived: Spread | None = None
    produced_to_visible: Spread | None = None
    arrived_to_pushed: Spread | None = None
    pushed_to_visible: Spread | None = None
    remarks: tuple[str, ...] = ()

    def parts(self) -> Iterator[tuple[str, Spread | None]]:
        """Each part with its words, in the order of a record's way."""
        return ((words, getattr(self, name)) for name, words in PARTS)

    def as_document(self) -> dict[str, Any]:
        return asdict(self)


def latencies(
    config: EngineConfig, reader: ReaderUser, *, stream: str | None = None, minutes: int, produced_at: str | None = None
) -> list[LatencyReport]:
    """The report of each table of each pipeline, or of the stream's. Raises UnknownPipeline, what `latencies_of` raises, and
    what the reader's connection does.
    """
    streams = [each.stream for each in config.pipelines]
    if stream is not None and stream not in streams:
        raise PipelineNotAudited(stream, streams)
    now = datetime.now(UTC)
    with closing(reader.connect(config)) as connection:
        rows = partial(_rows, connection)
        of = partial(latency_of, rows=rows, now=now, minutes=minutes, produced_at=produced_at)
        return [found for each in config.pipelines if stream in (None, each.stream) for found in latencies_of(each, of)]


def latencies_of(pipeline: PipelineConfig, of: Callable[[PipelineConfig], LatencyReport]) -> list[LatencyReport]:
    """The reports of its own table and of those that its routes lead to. Raises what `of` does, LatencyUnknown where no table
    tells.
    """
    found, refused = list[LatencyReport](), list[LatencyUnknown]()
    for into in (pipeline, *pipeline.routed.values()):
        try:
            found.append(of(into))
        except LatencyUnknown as error:
            refused.append(error)
            found.append(LatencyReport(into.stream, error.table, None, remarks=(f"not known, because {error.cause}.",)))
    if len(refused) == len(found):
        raise refused[0]
    return found


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
    """The report of the newest rows that became visible in the last `minutes`. `produced_at` names the column with the
    producer's time: a timestamp, ISO 8601, or seconds or milliseconds since 1970. Raises LatencyUnknown and QueryFailed.
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
    spreads = {name: Spread.of(_taken(found, *name.split("_to_"))) for name, _ in PARTS}
    remarks = [] if found else [_why_none(asked, rows, minutes)]
    return LatencyReport(pipeline.stream, shown, **spreads, remarks=(*remarks, *_remarks(found, spreads)))


def _taken(found: Iterable[Times], begins: str, ends: str) -> Iterator[int]:
    for times in found:
        begin, end = getattr(times, begins), getattr(times, ends)
        if begin is not None and end is not None:
            yield end - begin


def _remarks(found: Sequence[Times], spreads: Mapping[str, Spread | None]) -> Iterator[str]:
    if lacking := sum(times.arrived is None for times in found):
        yield (
            f"{lacking:,} of {len(found):,} rows say not when Kinesis took their records: metadata.approximate_arrival was off "
            "then."
        )
    for name, words in PARTS:
        spread, (begins, ends) = spreads[name], name.split("_to_")
        if spread and spread.negative:
            ahead = -min(_taken(found, begins, ends)) / 1000
            yield (
                f"{words}: {spread.negative:,} of {spread.rows:,} rows took less than nothing, so {CLOCKS[begins]} clock is "
                f"ahead of {CLOCKS[ends]}, by {ahead:.1f} s at least."
            )


def _why_none(asked: Statements, rows: Rows, minutes: int) -> str:
    ((count, timed),) = rows(count_statement(asked))
    text = f"No row became visible in the last {minutes} minutes. The table has {count:,} rows of the stream"
    if count == timed:
        return f"{text}."
    return f"{text}; {count - timed:,} of them are from before row_timestamp was switched on, and have no time."


def latency_statement(statements: Statements, *, since: datetime, produced_at: str | None) -> str:
    """Arrival, commit time, the producer's time and the engine's (NULL where there is none), of the stream's newest rows."""
    produced = quoted(stored_name(produced_at)) if produced_at else "NULL"
    moment = text_literal(f"{since.astimezone(UTC):%Y-%m-%dT%H:%M:%S}Z")
    return (
        f"SELECT {statements.arrival}, {COMMITTED}, {produced}, {statements.pushed} FROM {statements.table_sql} "
        f"WHERE {statements.of_the_stream} AND {COMMITTED} >= {moment}::TIMESTAMP_TZ ORDER BY {COMMITTED} DESC LIMIT {MOST_ROWS}"
    )


def count_statement(statements: Statements) -> str:
    """Counts the stream's rows: all, and those that have a commit time."""
    return f"SELECT COUNT(*), COUNT({COMMITTED}) FROM {statements.table_sql} WHERE {statements.of_the_stream}"


def _times(row: Sequence[Any]) -> Times:
    arrived, visible, produced, pushed = row
    seen = _milliseconds(visible)
    assert seen is not None, "the statement leaves out rows without one"
    return Times(arrival_ms(arrived), seen, _milliseconds(produced), arrival_ms(pushed))


def _milliseconds(value: Any) -> int | None:
    """Milliseconds since 1970; None for what is not a time."""
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
