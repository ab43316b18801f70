"""`firnline audit`"""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from firnline_infra.cli.engine_argument import ChosenEngine, engine_argument, require_one
from firnline_infra.cli.output import output_option, show
from firnline_infra.cli.reader_options import NAMES, reader_of, reader_options
from firnline_ingest.values import moment

if TYPE_CHECKING:
    from firnline_infra.audit.findings import ShardFindings
    from firnline_infra.audit.latest import LatestClaim
    from firnline_infra.audit.report import AuditReport
    from firnline_infra.specification import EnvironmentSpec
    from firnline_infra.specification.pipeline import Pipeline
    from firnline_infra.status.model import CheckFinding


class Moment(click.ParamType[datetime]):
    """ISO 8601 with an offset."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        if isinstance(value, datetime):
            return value
        try:
            return moment(value)
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)


@click.command()
@engine_argument
@reader_options
@click.option("--pipeline", "stream", metavar="STREAM", help="Only the pipeline of this stream.")
@click.option("--content", is_flag=True, help="Compare the values too, which reads the whole table.")
@click.option("--since", type=Moment(), help="Records that arrived earlier may be absent.")
@click.option("--until", type=Moment(), help="Exclude records that arrived later; now by default.")
@click.option(
    "--also-holds",
    metavar="STREAM",
    multiple=True,
    help="A stream that the table may have rows of as well; repeatable.",
)
@click.option(
    "--migrated",
    is_flag=True,
    help="Records of the consumer that firnline migrate took over from have to be absent, all else there.",
)
@click.option(
    "--counters",
    is_flag=True,
    help="Rows that Snowflake counted as rejected, by the ledger, have to be in the error table.",
)
@click.option(
    "--dead-letters",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Their folder on this machine, if it is not that of the configuration.",
)
@output_option()
def audit(
    *,
    engine: ChosenEngine,
    dead_letters: Path | None,
    output: str,
    **claim: Any,
) -> None:
    """Prove that every record is in its table, once.

    Reads the stream, the table, its error table and the dead letters; never the engine's internal state, but
    for --counters. With ENV, tables of the latest row of each key are proven too. Changes nothing.
    Exit status: 0 proven, 3 something is missing, doubled, unexpected, changed, misrouted or not stored,
    4 nothing of that, and something can't be proven, 2 the audit could not be completed.

    \b
    For example:
      firnline audit dev
      firnline audit --config engine.json --reader-user FIRNLINE_DEV_READER \\
        --reader-role FIRNLINE_DEV_READER --reader-key reader.pem
    """
    import os

    from firnline_infra.audit import audit as audit_streams
    from firnline_infra.audit.report_text import report_text
    from firnline_infra.status.checks import embedded_at, remember_check
    from firnline_ingest.config.model import DeadLettersConfig

    require_one(engine)
    engine.check_stream(claim["stream"], "--pipeline")
    reader = reader_of(engine, **{name: claim.pop(name) for name in NAMES})
    config = engine.config()
    if dead_letters is not None:
        config = config.model_copy(update={"dead_letters": DeadLettersConfig(folder=dead_letters)})
    latest = [] if engine.spec is None else latest_claims(engine.spec)
    report = audit_streams(config, reader, latest=latest, on_shard=_say, **claim)
    records = sum(pipeline.totals.records for pipeline in report.pipelines)
    verdict = "PROVEN" if report.is_proven else "not proven"
    summary = f"{verdict}: {records:,} records"
    place = embedded_at(config.aws.endpoints, os.environ)
    remember_check(
        config.application, "audit", report.exit_status, summary, findings=_findings(report), embedded_at=place
    )
    show(output, report.as_document, lambda: report_text(report))
    raise SystemExit(report.exit_status)


def _findings(report: "AuditReport") -> "list[CheckFinding]":
    from firnline_infra.audit.findings import NEXT_STEPS
    from firnline_infra.status.model import CheckFinding

    of_pipelines = [
        CheckFinding(what=f"{each.stream}: {count:,} {kind.text}", next_step=NEXT_STEPS[kind])
        for each in report.pipelines
        for kind, count in each.found.items()
    ]
    return of_pipelines + [
        CheckFinding(what=f"{each.table}: {problem}", next_step=step)
        for each in report.latest
        for problem, step in each.problems
    ]


def latest_claims(spec: "EnvironmentSpec") -> "list[LatestClaim]":
    """Returns the claims of a specification about tables of latest rows, in stored names."""
    from firnline_infra.specification.target_tables import target_tables

    return [_claim(each.pipeline) for each in target_tables(spec) if each.pipeline.keeps_latest]


def _claim(pipeline: "Pipeline") -> "LatestClaim":
    from firnline_infra.audit.latest import LatestClaim
    from firnline_infra.audit.statements import Statements
    from firnline_infra.specification.identifier import Identifier
    from firnline_infra.specification.names import latest_name, table_of

    database, schema, table = (part.name for part in table_of(pipeline).parts)
    latest, are_numbered = pipeline.latest, pipeline.format.makes_several_rows
    return LatestClaim(
        stream=pipeline.stream,
        rows=Statements(database, schema, table, pipeline.stream, pipeline.metadata, are_numbered),
        name=latest_name(pipeline).parts[-1].name,
        key=tuple(Identifier.parse(each).name for each in pipeline.latest_by),
        by_partition_key=latest.partition_key,
        order_by=tuple(Identifier.parse(each).name for each in latest.order_by),
        deleted_column=None if latest.deleted_by is None else Identifier.parse(latest.deleted_by).name,
        deleted_values=tuple(latest.deleted_values),
        has_row_timestamp=pipeline.row_timestamp,
    )


def _say(stream: str, findings: "ShardFindings") -> None:
    """Reports a shard's findings on stderr, because an audit of a large stream takes hours."""
    counts = findings.counts
    kept = f", {counts.dead_letters:,} of them dead letters" if counts.dead_letters else ""
    verdict = f"problems: {counts.problems:,}" if counts.problems else "no problem"
    click.echo(f"{stream}/{findings.shard_id}: {counts.records:,} records{kept}; {verdict}", err=True)
