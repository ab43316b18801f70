"""Rows through a pipe with a transformation."""

from firnline_local.snowflake.catalog import Column, DataType
from firnline_local.snowflake.catalog.tables import PipeColumn
from firnline_local.snowflake.streaming.reader import TransformedReader

COLUMNS = [
    Column(name="N", type=DataType.parse("NUMBER")),
    Column(name="TEXT", type=DataType.parse("VARCHAR"), nullable=False),
    Column(name="WHOLE", type=DataType.parse("VARIANT")),
]
READER = TransformedReader(COLUMNS, [PipeColumn("N", ("a", "b")), PipeColumn("TEXT", ("t",)), PipeColumn("WHOLE", ())])


def test_paths_lead_to_values_and_nothing_is_matched_by_name() -> None:
    batch = READER.read(b'{"a": {"b": 7}, "t": "x", "N": 9, "extra": 1}\n')
    assert batch.rows == [{"N": 7, "TEXT": "x", "WHOLE": '{"a": {"b": 7}, "t": "x", "N": 9, "extra": 1}'}]
    assert not batch.wants_evolution


def test_a_path_that_leads_nowhere_is_null() -> None:
    batch = READER.read(b'{"t": "x"}\n{"a": 5, "t": "y"}\n{"a": {"b": null}, "t": "z"}\n')
    assert [row["N"] for row in batch.rows] == [None, None, None]


def test_a_bad_row_is_set_aside_and_the_others_go_in() -> None:
    batch = READER.read(b'{"a": {"b": "seven"}, "t": "x"}\n{}\nnonsense\n{"t": "x"}\n')
    assert [error.column for error in batch.errors] == ["N", "TEXT", ""]
    assert len(batch.rows) == 1
