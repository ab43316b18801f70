"""The tables of a pipeline with routes, asked as one: rows in order, and error tables."""

from firnline_infra.audit.outcome import AuditOutcome, RecordPlace
from firnline_infra.audit.routed import AuditedTables
from firnline_infra.audit.shards import RowCounts

from .routed import ORDERS, OWN, SHARD, Table, several


def at(number: int) -> AuditOutcome:
    return AuditOutcome(number, 0, RecordPlace.TABLE)


def rows_of(tables: AuditedTables, *, with_contents: bool = False) -> list[AuditOutcome]:
    rows = tables.rows(SHARD, first=None, expected=1, with_contents=with_contents, on_invalid_position=lambda _: None)
    return list(rows)


def test_rows_of_all_tables_come_in_order_and_say_theirs_with_its_columns() -> None:
    tables = several(Table(OWN, [at(2), at(5)]), Table(ORDERS, [at(1), at(3)]))
    assert [(each.sequence_number, each.table) for each in rows_of(tables)] == [
        (1, ORDERS),
        (2, OWN),
        (3, ORDERS),
        (5, OWN),
    ]
    assert [each.content for each in rows_of(tables, with_contents=True)][:2] == [["C_S"], ["C_P"]]
    assert tables.count_rows(SHARD, first=None, kept_since_ms=0) == RowCounts(2, 0, 4)
    assert list(tables.inventory()) == [OWN, ORDERS]


def test_error_tables_are_asked_where_there_are_any() -> None:
    rejected = [AuditOutcome(4, 0, RecordPlace.ERROR_TABLE)]
    tables = several(Table(OWN, [], logs=False), Table(ORDERS, [], rejected=rejected))
    (errors,) = tables.error_rows().values()
    assert [(each.sequence_number, each.table) for each in errors.by_shard[SHARD]] == [(4, ORDERS)]


def test_where_there_is_one_table_nothing_says_which() -> None:
    tables = several(Table(OWN, [at(1)], rejected=[AuditOutcome(4, 0, RecordPlace.ERROR_TABLE)]))
    assert [each.table for each in rows_of(tables)] == [""]
    assert (list(tables.error_rows()), tables.labels, tables.names) == ([""], {"": ""}, {"": OWN})
