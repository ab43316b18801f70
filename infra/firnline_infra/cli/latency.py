"""`firnline latency`"""

from typing import TYPE_CHECKING, Any

import click

from firnline_infra.cli.engine_argument import ChosenEngine, engine_argument, require_one
from firnline_infra.cli.output import output_option, show
from firnline_infra.cli.reader_options import reader_of, reader_options

if TYPE_CHECKING:
    from firnline_infra.audit.latency import LatencyReport, Spread


@click.command()
@engine_argument
@reader_options
@click.option("--pipeline", "stream", metavar="STREAM", help="Only the pipeline of this stream.")
@click.option("--minutes", type=click.IntRange(min=1), default=60, show_default=True, help="How far back to look.")
@click.option("--produced-at", metavar="COLUMN", help="The column that has the producer's time.")
@output_option()
def latency(
    *,
    engine: ChosenEngine,
    stream: str | None,
    minutes: int,
    produced_at: str | None,
    output: str,
    **reader: Any,
) -> None:
    """Measure latency from producer to visible row.

    Asks each table for its newest rows: when Kinesis took the record, when the row became visible (row_timestamp, which only
    standard tables have), when the engine made the row (metadata.push_time), and with --produced-at when the producer made
    the record. Changes nothing.
    """
    from firnline_infra.audit.latency import latencies

    require_one(engine)
    engine.check_stream(stream, "--pipeline")
    looks = reader_of(engine, **reader)
    found = latencies(engine.config(), looks, stream=stream, minutes=minutes, produced_at=produced_at)
    show(output, lambda: [each.as_document() for each in found], lambda: text_of(found))


def text_of(found: "list[LatencyReport]") -> str:
    from firnline_ingest.terminal import text_table

    rows = [
        (each.table, what, *_figures(spread))
        for each in found
        for what, spread in each.parts()
        if spread or what == "Kinesis to visible"
    ]
    table = text_table(("table", "", "rows", "p50", "p95", "p99", "max"), rows)
    return "\n".join([table, *(f"{each.table}: {remark}" for each in found for remark in each.remarks)])


def _figures(spread: "Spread | None") -> tuple[str, ...]:
    if spread is None:
        return ("0", "", "", "", "")
    times = (spread.p50_ms, spread.p95_ms, spread.p99_ms, spread.max_ms)
    return (f"{spread.rows:,}", *(f"{each / 1000:.1f} s" for each in times))
