"""An audit's report for a terminal: a line a shard, what is wrong and what to do about it, the verdict last."""

from collections.abc import Iterator, Sequence

from firnline_infra.audit.findings import NEXT_STEPS, NOT_INGESTED, Counts, ProblemKind
from firnline_infra.audit.latest import LatestReport
from firnline_infra.audit.report import AuditReport, PipelineReport
from firnline_infra.audit.window import arrival_text
from firnline_ingest.terminal import in_a_line, text_table

PLACES = ("records", "rows", "error_rows", "dead_letters", "not_ingested")
MOST_RECORDS = 3  # of each reason why rows were rejected
MOST_SHOWN = 10  # positions of a problem, in all shards together; --output json has more


def report_text(report: AuditReport) -> str:
    return "\n\n".join((*map(_pipeline, report.pipelines), *map(_latest, report.latest)))


def _latest(report: LatestReport) -> str:
    what = f"{report.table}, the latest row of each key"
    if report.shown:
        what = f"{report.table} as of {report.shown}: the latest row of each of {report.keys:,} keys"
    verdict = "PROVEN" if report.is_proven else "NOT PROVEN"
    return "\n".join([f"{verdict}: {what}.", *(f"{problem}. Next: {step}" for problem, step in report.problems)])


def _pipeline(report: PipelineReport) -> str:
    sections = [
        f"{report.stream} -> {report.table}\n{_claim(report)}",
        _table(report),
        _by_table(report),
        "\n".join(_remarks(report)),
        "\n".join(_rejections(report)),
        *_problems(report),
        _verdict(report),
    ]
    return "\n\n".join(section for section in sections if section)


def _claim(report: PipelineReport) -> str:
    since_ms = report.window.since_ms
    since = "the oldest record of the stream" if since_ms is None else f"{arrival_text(since_ms)}"
    contents = "values compared" if report.compares_contents else "values not compared (--content does)"
    return f"from {since} to {arrival_text(report.window.until_ms)}; {contents}"


def _table(report: PipelineReport) -> str:
    rows = [[findings.shard_id, *_counts(findings.counts, report)] for findings in report.shards]
    if len(rows) != 1:
        rows.append(["all shards", *_counts(report.totals, report)])
    return text_table(["shard", *(column.replace("_", " ") for column in _columns(report))], rows)


def _by_table(report: PipelineReport) -> str:
    """A table of the counts by table, if routes lead to several."""
    if len(report.tables) == 1:
        return ""
    rows = [[table, *counts.values()] for table, counts in report.by_table.items()]
    rows.append(["all tables", report.totals.rows, report.totals.error_rows])
    return text_table(["table", "rows", "error rows"], rows)


def _counts(counts: Counts, report: PipelineReport) -> Sequence[object]:
    return [getattr(counts, column) for column in _columns(report)]


def _columns(report: PipelineReport) -> list[str]:
    """A kind of problem has a column where there is one: so a table without is as wide as a terminal."""
    return [*PLACES, *report.found]


def _remarks(report: PipelineReport) -> Iterator[str]:
    totals = report.totals
    if totals.replayed:
        more = f", and {totals.repaired_rows:,} more of them by their repair" if totals.repaired_rows else ""
        yield f"{totals.replayed:,} rows are replayed dead letters{more}; their values are not compared."
    if totals.not_ingested:
        causes = (f"{count:,} {name.replace('_', ' ')}" for name in NOT_INGESTED if (count := getattr(totals, name)))
        yield f"Intentionally not ingested: {', '.join(causes)}."
    if totals.multiplied:
        yield f"{totals.multiplied:,} rows are beyond the first of their records: the pipe makes several."
    if totals.older:
        yield f"{totals.older:,} rows and dead letters are older than the stream's oldest record: not checkable."
    if totals.later:
        yield f"{totals.later:,} rows and dead letters are of records that arrived later: left out."
    if totals.before_start:
        yield f"{totals.before_start:,} records arrived before the pipeline's beginning and are in no place: left out."
    if totals.unchecked_values:
        yield f"{totals.unchecked_values:,} values are in types or notations that the audit can't compare."
    if totals.values_without_column:
        yield f"{totals.values_without_column:,} values have no column: the table doesn't evolve, so they are dropped."
    if totals.values_before_column:
        yield f"{totals.values_before_column:,} values are older than their column, by when the engine saw it first."
    yield from report.remarks


def _rejections(report: PipelineReport) -> Iterator[str]:
    """Yields what the table rejected and its error table has, with the first records of each reason."""
    found = report.rejections.by_reason
    if not found:
        return
    yield f"Rejected by the table, and in its error table: {sum(each.rows for each in found.values()):,} rows."
    for reason, rejected in list(found.items())[:MOST_SHOWN]:
        first = rejected.first[0]
        column = f" in {reason.column}" if reason.column else ""
        why = in_a_line(f"{reason.code or 'no code'}{column}: {first.message or 'no message'}")
        yield f"  {rejected.rows:,} x {why}"
        yield f"    first: {', '.join(f'{each.shard_id} {each.position}' for each in rejected.first[:MOST_RECORDS])}"
    if len(found) > MOST_SHOWN:
        yield f"  and {len(found) - MOST_SHOWN:,} reasons more; --output json has them."
    tables = [table for table, counts in report.by_table.items() if counts["error_rows"]]
    asked = "; ".join(f"SELECT * FROM ERROR_TABLE({table})" for table in tables)
    yield f"  Next: correct the producer or the columns. The rows as they were sent: {asked}"


def _problems(report: PipelineReport) -> Iterator[str]:
    for kind, count in report.found.items():
        problems = report.problems(kind)[:MOST_SHOWN]
        lines = [f"{count:,} {kind.text}{_at_the_end(report) if kind is ProblemKind.MISSING else ''}:"]
        lines += [in_a_line(f"  {each.shard_id} {each.position}: {each.detail}") for each in problems]
        lines.append(f"  Next: {NEXT_STEPS[kind]}")
        yield "\n".join(lines)


def _at_the_end(report: PipelineReport) -> str:
    return f" ({report.totals.missing_at_the_end:,} of them at the end of their shard)"


def _verdict(report: PipelineReport) -> str:
    totals = report.totals
    if report.is_proven:
        values = ", with the values that it came with" if report.compares_contents else ""
        return f"PROVEN: each of {totals.records:,} records is where it belongs, once{values}."
    found = [f"{count:,} {kind.text}" for kind, count in report.found.items()]
    if not report.is_refuted:
        rest = [f"not provable: {report.unprovable}"] if report.unprovable else []
        return f"NOT PROVEN, and nothing is refuted, of {totals.records:,} records: {', '.join([*found, *rest])}."
    return f"NOT PROVEN, of {totals.records:,} records: {', '.join(found)}."
