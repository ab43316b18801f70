"""Flink's CREATE TABLE, as a grammar that others wrote reads it."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
import sqlfluff

from firnline_infra.specification.other_connectors.flink_sql import tables

from .taking_over import FLINK_SQL

REFUSED = "VARCHAR(128) NOT NULL METADATA VIRTUAL"
"""Flink's own page has it, and sqlfluff's dialect has not."""


def parts(tree: Any, name: str) -> Iterator[Any]:
    """Yields the parts of a name, outermost ones alone."""
    for each in tree if isinstance(tree, list) else [tree]:
        for key, value in each.items() if isinstance(each, dict) else ():
            if key == name:
                yield value
            else:
                yield from parts(value, name)


def text(tree: Any) -> str:
    if isinstance(tree, str) or tree is None:
        return tree or ""
    return "".join(map(text, tree.values() if isinstance(tree, dict) else tree))


def columns(bracketed: Any) -> Iterator[str]:
    """Yields the first name behind each comma; a watermark begins with a word of its own."""
    begins = True
    children = bracketed if isinstance(bracketed, list) else [bracketed]  # a list where a name repeats
    for name, value in (item for each in children for item in each.items()):
        if name == "comma":
            begins = True
        elif begins and name not in ("start_bracket", "whitespace", "newline"):
            begins = False
            if name != "keyword":
                yield re.match(r"`[^`]+`|\w+", text(value))[0].strip("`")  # type: ignore[index] # there is one


def test_names_columns_and_options_are_those_that_sqlfluff_finds() -> None:
    sql = FLINK_SQL.replace(REFUSED, REFUSED.replace(" NOT NULL", ""))
    assert sql != FLINK_SQL
    statements = list(parts(sqlfluff.parse(sql, dialect="flink"), "create_table_statement"))
    ours = list(tables(sql))
    assert len(ours) == len(statements) == 2
    for table, statement in zip(ours, statements, strict=True):
        assert table.name == text(next(parts(statement, "table_reference")))
        assert [column.name for column in table.columns] == list(columns(next(parts(statement, "bracketed"))))
        literals = [each.strip("'") for each in parts(statement, "quoted_literal")]
        for option, value in table.options.items():
            assert (option, value) in pairwise(literals)


def test_the_form_that_sqlfluff_refuses_is_read() -> None:
    with pytest.raises(sqlfluff.api.APIParsingError):
        sqlfluff.parse(FLINK_SQL, dialect="flink")
    (column,) = (each for each in next(tables(FLINK_SQL)).columns if each.name == "shard-id")
    assert (column.type, column.is_nullable, column.metadata) == ("VARCHAR(128)", False, "shard-id")


@pytest.mark.parametrize("milliseconds", ["59000", str(8 * 86_400_000)])
def test_a_lookahead_that_no_field_takes_is_left(milliseconds: str) -> None:
    from firnline_infra.specification.other_connectors.flink import from_flink

    options = f"'connector' = 'kinesis', 'stream' = 's', 'format' = 'json', 'scan.watermark.lookahead.millis' = '{milliseconds}'"
    taken = from_flink(f"CREATE TABLE t (a INT) WITH ({options})")
    (left,) = (each for each in taken.left if each.option == "scan.watermark.lookahead.millis")
    assert left.reason == "max_ahead_seconds is from 60 to 604,800 seconds; it has its default"
    assert "alignment" not in taken.pipelines[0]
