from collections import Counter
from collections.abc import Set

import pytest

from firnline_infra.audit.errors import NotAuditable
from firnline_infra.audit.findings import ShardFindings
from firnline_infra.audit.mode import refuse_unauditable
from firnline_infra.audit.pipeline import report_unattributed, statements_of
from firnline_infra.audit.rejected import ErrorRows
from firnline_infra.audit.table import TableInventory
from firnline_ingest.config.model import PipelineConfig


def pipeline(**changes: object) -> PipelineConfig:
    return PipelineConfig.model_validate({"stream": "my-orders", "database": "db", "schema": '"raw"', **changes})


def unattributed(inventory: TableInventory, errors: ErrorRows, expected: Set[str], of: str = "") -> ShardFindings:
    findings = ShardFindings("(none)")
    report_unattributed(findings, inventory, errors, expected, of)
    return findings


def test_the_table_is_the_one_that_the_engine_writes_to() -> None:
    about = statements_of(pipeline())
    assert about.table_sql.startswith('"DB"."raw"."MY_ORDERS_')
    assert statements_of(pipeline(table="orders")).table_sql == '"DB"."raw"."ORDERS"'


@pytest.mark.parametrize("part", ["shard_id", "sequence_number"])
def test_rows_that_do_not_say_which_record_they_are_cant_be_audited(part: str) -> None:
    with pytest.raises(NotAuditable, match=rf"metadata\.{part}: true"):
        refuse_unauditable(pipeline(metadata={part: False}), set())


def test_the_stream_may_be_left_out_only_where_it_has_the_table_for_itself() -> None:
    without_stream = pipeline(metadata={"stream": False})
    refuse_unauditable(without_stream, set())
    with pytest.raises(NotAuditable, match=r"metadata\.stream: true"):
        refuse_unauditable(without_stream, {"other"})


def test_rows_without_a_position_belong_nowhere() -> None:
    errors = ErrorRows(without_position=Counter({"": 1, "another~producer": 4}))
    findings = unattributed(TableInventory(frozenset(), 2, {}), errors, set())
    assert findings.counts.unexpected == 7
    assert [problem.detail for problem in findings.problems] == [
        "rows of the table without stream, shard or sequence number: 2",
        "rows of the error table without stream, shard or sequence number: 1",
        "rows of the error table, by channel another~producer, without stream, shard or sequence number: 4",
    ]


def test_rows_of_streams_that_nobody_brings_here_are_foreign() -> None:
    inventory = TableInventory(frozenset(), 0, {"known": 10, "unknown": 3})
    findings = unattributed(inventory, ErrorRows(), {"known"})
    assert (findings.counts.unexpected, len(findings.problems)) == (3, 1)
    assert "'unknown'" in findings.problems[0].detail


def test_where_all_rows_have_a_home_there_is_nothing_to_say() -> None:
    assert unattributed(TableInventory(frozenset({"s"}), 0, {}), ErrorRows(), set()).counts.problems == 0
