"""Several tables as one: each record is in the table that its routes say, once and in no other, as it came."""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from firnline_infra.audit.columns import AuditedColumn
from firnline_infra.audit.comparison import ReplayedRecord, compare_shard, position_of
from firnline_infra.audit.content_check import ContentComparison, RowContent, digest_of
from firnline_infra.audit.conversion import as_read, decoded_of
from firnline_infra.audit.findings import NEXT_STEPS, Counts, ProblemKind, ShardFindings
from firnline_infra.audit.mode import AuditMode
from firnline_infra.audit.outcome import AuditOutcome, ClaimStatus, LetterContent, RecordPlace, StreamRecord
from firnline_infra.audit.pipeline import PipelineAudit
from firnline_infra.audit.report import PipelineReport
from firnline_infra.audit.report_text import report_text
from firnline_infra.audit.routed import ContentOfTables
from firnline_infra.audit.table import TableInventory
from firnline_infra.audit.window import AuditWindow, RetentionCutoff
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.kinesis.user_record import UserRecord
from firnline_ingest.records.rows import RowMaker

from .configured import config_of, pipeline
from .routed import NAMES, ORDERS, OWN, REFUNDS, SHARD, Table, several

ROUTES = {"key": "kind", "tables": {"order": "orders", "refund": "REFUNDS"}, "unmatched": "own_table"}
COLUMNS = {OWN: ("N", "KIND"), ORDERS: ("N", "KIND", "TOTAL"), REFUNDS: ("KIND", "N")}
"""Of each table others, and in another order."""


def shop_of(**changes: object) -> PipelineConfig:
    return pipeline(**{"stream": "events", "table": "SHOP", "routes": ROUTES, **changes})


def column(name: str) -> AuditedColumn:
    kind = "NUMBER(38,0)" if name in ("N", "TOTAL") else "VARCHAR"
    return AuditedColumn.described({"name": name, "type": kind, "default": None})


def record(number: int, kind: str | None, **more: object) -> StreamRecord:
    data = {"n": number, **({} if kind is None else {"kind": kind}), **more}
    return StreamRecord(number, json.dumps(data).encode(), partition_key="key", arrived_ms=1)


@dataclass
class Shop:
    """A shard of a pipeline with three tables: what its records became, first as the engine has it, then as somebody left it."""

    pipeline: PipelineConfig
    records: list[StreamRecord]
    outcomes: list[AuditOutcome] = field(init=False)
    replayed: dict[int, ReplayedRecord] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.outcomes = list(self._made())

    def _made(self) -> Iterator[AuditOutcome]:
        """By the engine's own conversion."""
        maker = RowMaker(self.pipeline, "events", SHARD)
        for each in self.records:
            made = maker.convert([as_read(each)])
            yield from (self.letter(each, rejected.reason) for rejected in made.rejected)
            for row, (table, text) in enumerate(zip(made.tables, made.rows, strict=True)):
                yield self.row(each, NAMES[table], json.loads(bytes(text)), row)

    def row(self, of: StreamRecord, table: str, values: dict[str, Any] | None = None, row: int = 0) -> AuditOutcome:
        sent = {key.upper(): value for key, value in (values or json.loads(of.data)).items()}
        content = RowContent({}, [sent.get(name) for name in COLUMNS[table]])
        place = RecordPlace.TABLE
        return AuditOutcome(of.sequence_number, of.sub_sequence_number, place, 1, content, row, table)

    def letter(self, of: StreamRecord, reason: str) -> AuditOutcome:
        content = LetterContent(digest_of(of.data), reason)
        return AuditOutcome(of.sequence_number, of.sub_sequence_number, RecordPlace.DEAD_LETTERS, 1, content)

    def move(self, number: int, table: str, *, row: int = 0) -> None:
        for index, each in enumerate(self.outcomes):
            if (each.sequence_number, each.row) == (number, row):
                self.outcomes[index] = each._replace(table=table)

    def compared(self, *, content: bool = True) -> ShardFindings:
        checks = {
            table: ContentComparison("events", [column(name) for name in names], evolves=True)
            for table, names in COLUMNS.items()
        }
        findings = ShardFindings(SHARD)
        compare_shard(
            findings,
            decoded_of(self.pipeline, labels=NAMES)(SHARD)(self.records),
            sorted(self.outcomes, key=position_of),
            cutoff=RetentionCutoff(0),
            check=ContentOfTables(checks) if content else None,
            replayed_into=lambda number, _: self.replayed.get(number),
        )
        return findings


KINDS = ("order", "refund", "other", "order", None)


@pytest.fixture
def shop() -> Shop:
    return Shop(shop_of(), [record(100 + place, kind) for place, kind in enumerate(KINDS)])


def told(findings: ShardFindings) -> list[tuple[str, str, str]]:
    return [(each.kind.value, each.position, each.detail) for each in findings.problems]


def counted(findings: ShardFindings) -> dict[str, int]:
    return {table: rows for (table, place), rows in findings.by_table.items() if place is RecordPlace.TABLE}


def test_what_the_engine_made_is_proven_and_counted_by_table(shop: Shop) -> None:
    findings = shop.compared()
    assert told(findings) == []
    assert findings.counts == Counts(records=5, rows=5)
    assert counted(findings) == {ORDERS: 2, REFUNDS: 1, OWN: 2}


@pytest.mark.parametrize("content", [True, False])
def test_a_row_that_was_moved_to_another_routes_table_is_told(shop: Shop, content: bool) -> None:
    shop.move(100, REFUNDS)
    shop.outcomes[0] = shop.row(shop.records[0], REFUNDS)
    findings = shop.compared(content=content)
    detail = f"in the table {REFUNDS}; by the routes its record goes to {ORDERS}"
    assert told(findings) == [("misrouted", "100", detail)]
    assert "insert it into the right table and delete it there" in NEXT_STEPS[ProblemKind.MISROUTED]


@pytest.mark.parametrize(("number", "table", "wanted"), [(101, OWN, REFUNDS), (102, ORDERS, OWN), (104, REFUNDS, OWN)])
def test_it_is_told_from_and_to_the_pipelines_own_table_too(shop: Shop, number: int, table: str, wanted: str) -> None:
    shop.move(number, table)
    assert told(shop.compared(content=False)) == [
        ("misrouted", str(number), f"in the table {table}; by the routes its record goes to {wanted}")
    ]


def test_a_row_that_two_tables_have_is_doubled_with_both_names(shop: Shop) -> None:
    shop.outcomes.append(shop.row(shop.records[0], REFUNDS))
    assert told(shop.compared()) == [("doubled", "100", f"1 x table {ORDERS}, 1 x table {REFUNDS}")]
    shop.move(100, OWN)
    findings = shop.compared(content=False)
    assert (findings.counts.doubled, findings.counts.misrouted) == (1, 2), "twice, and nowhere right"


def test_a_row_that_was_changed_is_told_with_its_position_and_column(shop: Shop) -> None:
    at = shop.outcomes.index(next(each for each in shop.outcomes if each.table == REFUNDS))
    shop.outcomes[at] = shop.outcomes[at]._replace(content=RowContent({}, ["refund", 7]))
    assert told(shop.compared()) == [("changed", "101", "N NUMBER(38,0): the record has 101, the table 7")]


def test_a_row_that_is_in_no_table_is_missing(shop: Shop) -> None:
    del shop.outcomes[1]
    assert [each[:2] for each in told(shop.compared())] == [("missing", "101")]


def test_a_record_that_no_route_takes_is_a_dead_letter_and_no_row() -> None:
    shop = Shop(shop_of(routes={**ROUTES, "unmatched": "dead_letter"}), [record(100, "order"), record(101, "new")])
    assert shop.compared().counts == Counts(records=2, rows=1, dead_letters=1)
    shop.outcomes[1] = shop.row(shop.records[1], ORDERS)
    assert told(shop.compared(content=False)) == [
        ("misrouted", "101", f"in the table {ORDERS}; by the routes its record goes to no table")
    ]


def test_an_error_row_has_to_be_of_the_right_table_too(shop: Shop) -> None:
    shop.outcomes[0] = AuditOutcome(100, 0, RecordPlace.ERROR_TABLE, 1, table=ORDERS)
    findings = shop.compared()
    assert (told(findings), findings.by_table[ORDERS, RecordPlace.ERROR_TABLE]) == ([], 1)
    shop.outcomes[0] = AuditOutcome(100, 0, RecordPlace.ERROR_TABLE, 1, table=OWN)
    assert told(shop.compared()) == [
        ("misrouted", "100", f"in the error table {OWN}; by the routes its record goes to {ORDERS}")
    ]


def test_several_rows_of_a_record_are_together() -> None:
    lines = StreamRecord(100, b'{"n":0,"kind":"order"}\n{"n":1,"kind":"order"}', partition_key="key", arrived_ms=1)
    mixed = StreamRecord(101, b'{"n":0,"kind":"order"}\n{"n":1,"kind":"refund"}', partition_key="key", arrived_ms=1)
    shop = Shop(shop_of(format={"type": "json_lines"}), [lines, mixed])
    findings = shop.compared()
    assert (told(findings), findings.counts) == ([], Counts(records=3, rows=2, dead_letters=1))
    shop.move(100, REFUNDS, row=1)
    assert [each[:2] for each in told(shop.compared(content=False))] == [("misrouted", "100.0.1")]


def test_user_records_of_an_aggregate_go_each_to_its_own() -> None:
    packed = [
        record(100, kind)._replace(
            sub_sequence_number=sub,
            read=UserRecord("100", record(100, kind).data, "key", 0.001, SubSequenceNumber=sub),
        )
        for sub, kind in enumerate(("order", "refund", "other"))
    ]
    shop = Shop(shop_of(), packed)
    findings = shop.compared()
    assert (told(findings), counted(findings)) == ([], {ORDERS: 1, REFUNDS: 1, OWN: 1})
    shop.outcomes[1] = shop.outcomes[1]._replace(table=ORDERS)
    assert [each[:2] for each in told(shop.compared(content=False))] == [("misrouted", "100.1")]


def test_routes_look_at_what_transforms_made_and_filters_leave_out() -> None:
    transforms = [
        {"type": "filter", "field": "n", "one_of": [103]},
        {"type": "rename", "fields": {"type": "kind"}},
        {"type": "mask", "fields": ["n"], "replacement": 0},
    ]
    records = [record(100, None, type="order"), record(102, None, type="refund"), record(103, None, type="order")]
    shop = Shop(shop_of(transforms=transforms), records)
    findings = shop.compared()
    assert (told(findings), findings.counts) == ([], Counts(records=3, rows=2, filtered=1))
    assert counted(findings) == {ORDERS: 1, REFUNDS: 1}
    shop.outcomes.append(shop.row(records[2], ORDERS, {"n": 0, "kind": "order"}))
    assert told(shop.compared()) == [
        ("misrouted", "103", "there is a row of it, and the pipeline leaves it out (filtered)")
    ]


def test_a_replayed_record_is_where_its_replay_brought_it() -> None:
    """By the journal's word, whatever the record's own bytes say: the row may be of repaired ones."""
    shop = Shop(shop_of(), [record(100, "order"), StreamRecord(101, b"oops", arrived_ms=1)])
    shop.outcomes += [shop.letter(shop.records[0], "too-large"), shop.row(shop.records[1], OWN, {"n": 1})]
    shop.replayed = {100: ReplayedRecord(ORDERS), 101: ReplayedRecord(OWN)}
    findings = shop.compared()
    assert (told(findings), findings.counts) == ([], Counts(records=2, rows=2, replayed=2))
    shop.move(100, REFUNDS)
    assert [each[:2] for each in told(shop.compared())] == [("misrouted", "100")]
    shop.move(100, ORDERS)
    shop.replayed = {100: ReplayedRecord(OWN), 101: ReplayedRecord(ORDERS)}
    assert [each[:2] for each in told(shop.compared())] == [("misrouted", "100"), ("misrouted", "101")]


def test_what_arrived_after_the_claim_may_be_anywhere(shop: Shop) -> None:
    shop.records[4] = shop.records[4]._replace(status=ClaimStatus.AFTER_CLAIM)
    shop.move(104, REFUNDS)
    findings = shop.compared(content=False)
    assert (told(findings), findings.counts.later) == ([], 1)


def test_the_report_shows_each_table_and_all_together(shop: Shop) -> None:
    report = PipelineReport(
        stream="events",
        tables=tuple(NAMES.values()),
        window=AuditWindow(None, 1_700_000_000_999),
        compares_contents=True,
        shards=[shop.compared()],
    )
    assert report.as_document()["tables"] == [
        {"table": OWN, "rows": 2, "error_rows": 0},
        {"table": ORDERS, "rows": 2, "error_rows": 0},
        {"table": REFUNDS, "rows": 1, "error_rows": 0},
    ]
    assert sum(each["rows"] for each in report.by_table.values()) == report.totals.rows
    text = report_text(cast("Any", type("All", (), {"pipelines": [report], "latest": []})))
    assert f"events -> {OWN}, {ORDERS}, {REFUNDS}" in text
    assert [line.split() for line in text.splitlines() if line.startswith(("DB.RAW", "all tables"))] == [
        [OWN, "2", "0"],
        [ORDERS, "2", "0"],
        [REFUNDS, "1", "0"],
        ["all", "tables", "5", "0"],
    ]


# Whatever somebody does to the rows


@pytest.mark.parametrize("seed", range(20))
def test_each_thing_that_is_done_to_rows_is_told_once_and_the_sums_hold(seed: int) -> None:
    chance = random.Random(seed)
    kinds = ["order", "refund", "other", None, 7]
    shop = Shop(shop_of(), [record(100 + place, chance.choice(kinds)) for place in range(30)])  # type: ignore[arg-type]
    numbers = chance.sample(range(100, 130), 12)
    moved, removed, doubled = numbers[:4], numbers[4:8], numbers[8:]
    where = {each.sequence_number: each.table for each in shop.outcomes}
    for number in moved:
        shop.move(number, chance.choice([name for name in NAMES.values() if name != where[number]]))
    shop.outcomes = [each for each in shop.outcomes if each.sequence_number not in removed]
    shop.outcomes += [
        each._replace(table=chance.choice(list(NAMES.values())))
        for each in shop.outcomes
        if each.sequence_number in doubled
    ]
    chance.shuffle(shop.outcomes)
    findings = shop.compared(content=False)
    counts = findings.counts
    assert (counts.misrouted, counts.missing, counts.doubled, counts.unexpected) == (4, 4, 4, 0)
    found = {kind: {each.position for each in findings.problems if each.kind is kind} for kind in ProblemKind}
    assert found[ProblemKind.MISROUTED] == set(map(str, moved))
    assert found[ProblemKind.DOUBLED] == set(map(str, doubled))
    assert counts.records == counts.rows - counts.doubled + counts.missing == 30
    assert sum(counted(findings).values()) == counts.rows


def test_a_companions_rows_are_welcome_in_the_tables_that_it_fills_and_in_no_other() -> None:
    config = config_of(shop_of(), pipeline(stream="returns", table="REFUNDS"))
    nobody: Any = None
    window = AuditWindow(None, 1)
    audit = PipelineAudit(
        config=config,
        mode=AuditMode.of(config, config.pipelines[0], contents=False),
        client=nobody,
        connection=nobody,
        role="R",
        window=window,
        server_ms=1,
    )
    tables = several(*(Table(name, []) for name in NAMES.values()))
    inventory = {name: TableInventory(frozenset(), 0, {"returns": 2}) for name in NAMES.values()}
    findings = audit._unattributed(tables, inventory, {})
    assert [problem.detail for problem in findings.problems] == [
        f"rows of the stream 'returns', which the configuration doesn't bring here ({name}): 2"
        for name in (OWN, ORDERS)
    ]
