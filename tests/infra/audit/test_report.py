from dataclasses import replace

import pytest

from firnline_infra.audit.findings import NEXT_STEPS, Counts, ProblemKind, ShardFindings
from firnline_infra.audit.latest import LatestReport
from firnline_infra.audit.rejections import Rejection
from firnline_infra.audit.report import AuditReport, PipelineReport
from firnline_infra.audit.report_text import report_text
from firnline_infra.audit.window import AuditWindow

UNTIL_MS = 1_700_000_000_999


def shard(number: int, counts: Counts, *problems: tuple[ProblemKind, str]) -> ShardFindings:
    findings = ShardFindings(f"shardId-{number:012d}", counts)
    for kind, position in problems:
        findings.report(kind, position, f"because of {position}")
    return findings


def report(*shards: ShardFindings, compares_contents: bool = True) -> AuditReport:
    pipeline = PipelineReport(
        stream="orders",
        tables=("DB.RAW.ORDERS",),
        window=AuditWindow(None, UNTIL_MS),
        compares_contents=compares_contents,
        shards=shards,
        remarks=["A remark."],
    )
    return AuditReport([pipeline])


GOOD = report(shard(0, Counts(records=10, rows=9, dead_letters=1)), shard(1, Counts(records=1000, rows=1000)))
BAD = report(
    shard(0, Counts(records=10, rows=8), (ProblemKind.MISSING, "100"), (ProblemKind.DOUBLED, "101")),
    shard(1, Counts(records=5, rows=5, older=3, later=2), (ProblemKind.CHANGED, "200")),
)


def test_what_is_proven_ends_with_0() -> None:
    assert (GOOD.is_proven, GOOD.exit_status) == (True, 0)


@pytest.mark.parametrize("kind", set(ProblemKind) - {ProblemKind.UNPROVEN})
def test_any_problem_ends_with_3(kind: ProblemKind) -> None:
    found = report(shard(0, Counts(records=1)), shard(1, Counts(records=1), (kind, "100")))
    assert (found.is_proven, found.exit_status) == (False, 3)
    found = report(shard(0, Counts(records=1), (ProblemKind.UNPROVEN, "1")), shard(1, Counts(records=1), (kind, "100")))
    assert (found.is_proven, found.exit_status) == (False, 3)


def test_what_can_be_neither_proven_nor_refuted_ends_with_4() -> None:
    found = report(shard(0, Counts(records=2, skipped=1), (ProblemKind.UNPROVEN, "100")))
    assert (found.is_proven, found.exit_status) == (False, 4)
    assert (found.pipelines[0].as_document()["proven"], found.pipelines[0].as_document()["refuted"]) == (False, False)
    assert report_text(found).endswith("NOT PROVEN, and nothing is refuted, of 2 records: 1 unproven.")
    assert AuditReport([*GOOD.pipelines, *found.pipelines]).exit_status == 4
    assert AuditReport([*BAD.pipelines, *found.pipelines]).exit_status == 3


def test_what_no_audit_can_prove_keeps_rows_from_being_proven() -> None:
    of_rows, without = (
        replace(
            report(shard(0, Counts(records=9, rows=rows, multiplied=max(0, rows - 9)))).pipelines[0],
            unprovable="how many",
        )
        for rows in (12, 0)
    )
    assert AuditReport([of_rows]).exit_status == 4
    text = report_text(AuditReport([of_rows]))
    assert "3 rows are beyond the first of their records" in text
    assert text.endswith("NOT PROVEN, and nothing is refuted, of 9 records: not provable: how many.")
    assert AuditReport([without]).is_proven


def test_one_pipeline_with_a_problem_is_enough() -> None:
    assert AuditReport([*GOOD.pipelines, *BAD.pipelines]).exit_status == 3


def test_a_table_of_latest_rows_that_was_not_compared_is_not_proven() -> None:
    unread = LatestReport(
        table="DB.RAW.ORDERS_LATEST", shown="", remark="it was refreshed meanwhile", next_step="audit again."
    )
    found = AuditReport(GOOD.pipelines, latest=[unread])
    assert (found.exit_status, found.as_document()["latest"][0]["proven"]) == (3, False)
    *_, verdict, why = report_text(found).splitlines()
    assert verdict == "NOT PROVEN: DB.RAW.ORDERS_LATEST, the latest row of each key."
    assert why == "not compared: it was refreshed meanwhile. Next: audit again."


def test_the_table_has_a_line_a_shard_and_the_verdict_at_the_end() -> None:
    lines = report_text(GOOD).splitlines()
    assert lines[0] == "orders -> DB.RAW.ORDERS"
    assert lines[1] == "from the oldest record of the stream to 2023-11-14T22:13:20.999Z; values compared"
    columns = "shard records rows error rows dead letters not ingested"
    assert lines[3].split() == columns.split()
    assert lines[5].split() == ["shardId-000000000000", "10", "9", "0", "1", "0"]
    assert lines[7].split() == ["all", "shards", "1010", "1009", "0", "1", "0"]
    assert "A remark." in lines
    assert lines[-1] == "PROVEN: each of 1,010 records is where it belongs, once, with the values that it came with."


def test_what_is_left_out_is_told_by_its_reasons_and_adds_up() -> None:
    counts = Counts(records=9, rows=2, skipped=1, filtered=3, tombstones=2, control_messages=1)
    assert counts.records == counts.rows + counts.not_ingested
    assert "Intentionally not ingested: 1 skipped, 2 tombstones, 1 control messages, 3 filtered." in report_text(
        report(shard(0, counts))
    )


def test_the_table_says_what_is_wrong_where_and_what_to_do() -> None:
    table = report_text(BAD)
    assert "1 missing (0 of them at the end of their shard):" in table
    assert "  shardId-000000000000 100: because of 100" in table
    assert f"  Next: {NEXT_STEPS[ProblemKind.CHANGED]}" in table
    assert NEXT_STEPS[ProblemKind.UNEXPECTED] not in table
    assert "3 rows and dead letters are older than the stream's oldest record: not checkable." in table
    assert "2 rows and dead letters are of records that arrived later: left out." in table
    assert table.splitlines()[-1] == "NOT PROVEN, of 15 records: 1 missing, 1 doubled, 1 changed."


def test_rejected_rows_are_told_by_their_reason_with_the_first_records() -> None:
    shards = shard(0, Counts(records=3, error_rows=3)), shard(1, Counts(records=1, error_rows=1))
    for number in range(3):
        shards[0].rejections.add(
            Rejection("100038", "PRICE", f"'{number}' is not a number"), shards[0].shard_id, str(number)
        )
    shards[1].rejections.add(Rejection("100069", "", ""), shards[1].shard_id, "7.1")
    found = report(*shards)
    first, second = "shardId-000000000000", "shardId-000000000001"
    assert found.exit_status == 0, "they are where they belong"
    lines = report_text(found).splitlines()
    at = lines.index("Rejected by the table, and in its error table: 4 rows.")
    assert lines[at + 1 : at + 6] == [
        "  3 x 100038 in PRICE: '0' is not a number",
        f"    first: {first} 0, {first} 1, {first} 2",
        "  1 x 100069: no message",
        f"    first: {second} 7.1",
        "  Next: correct the producer or the columns. The rows as they were sent: SELECT * FROM ERROR_TABLE(DB.RAW.ORDERS)",
    ]
    (pipeline,) = found.as_document()["pipelines"]
    assert [(each["code"], each["column"], each["rows"]) for each in pipeline["rejections"]] == [
        ("100038", "PRICE", 3),
        ("100069", "", 1),
    ]


def test_values_that_nobody_compared_are_not_called_unchanged() -> None:
    lines = report_text(report(shard(0, Counts(records=1, rows=1)), compares_contents=False)).splitlines()
    assert lines[1].endswith("values not compared (--content does)")
    assert "changed" not in lines[3]
    assert lines[-1] == "PROVEN: each of 1 records is where it belongs, once."


def test_json_has_everything_and_the_next_steps() -> None:
    document = BAD.as_document()
    (pipeline,) = document["pipelines"]
    assert document["proven"] is False
    assert (pipeline["stream"], pipeline["table"], pipeline["until"]) == (
        "orders",
        "DB.RAW.ORDERS",
        "2023-11-14T22:13:20.999Z",
    )
    assert pipeline["since"] is None
    assert (pipeline["totals"]["records"], pipeline["totals"]["missing"], pipeline["totals"]["older"]) == (15, 1, 3)
    assert pipeline["shards"][1]["shard"] == "shardId-000000000001"
    assert pipeline["shards"][1]["problems"] == [{"kind": "changed", "position": "200", "detail": "because of 200"}]
    assert pipeline["next_steps"].keys() == {"missing", "doubled", "changed"}


def test_every_problem_has_a_next_step() -> None:
    assert NEXT_STEPS.keys() == set(ProblemKind)


def test_what_a_producer_wrote_steers_no_terminal_and_adds_no_line() -> None:
    shards = shard(0, Counts(records=1, error_rows=1))
    steering = Rejection("100038", "A\x1b[2J", "'\x1b]0;\x07\nPROVEN: each of 1 records' is not a number")
    shards.rejections.add(steering, shards.shard_id, "1")
    lines = report_text(report(shards)).splitlines()
    assert r"  1 x 100038 in A\x1b[2J: '\x1b]0;\x07\nPROVEN: each of 1 records' is not a number" in lines
