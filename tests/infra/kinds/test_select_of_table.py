"""The SELECT that an interactive table was made with, against the pipe that Snowflake lists for it."""

from collections.abc import Callable
from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.snowflake import Column, InteractiveTable
from firnline_infra.drift.errors import OutOfSight
from firnline_infra.kinds.comparison import Subject
from firnline_infra.kinds.snowflake_objects import selected
from firnline_infra.specification import load_spec
from firnline_infra.specification.identifier import Identifier, QualifiedName
from tests.infra.runtimes.environments import ENVIRONMENTS

SPEC = load_spec(ENVIRONMENTS / "dev.yaml")
TABLE = InteractiveTable(
    name=QualifiedName.of("DB", "RAW", "ORDERS"),
    metadata=(Column(name=Identifier("META"), type="OBJECT"),),
    columns=(Column(name=Identifier("ID"), type="VARCHAR", select="$1:orderId::VARCHAR"),),
    cluster_by=(Identifier("ID"),),
)
COPY = "COPY INTO DB.RAW.ORDERS FROM (SELECT {} FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING')))"


def subject(shown: list[dict[str, Any]]) -> Subject:
    def rows(statement: str) -> list[dict[str, Any]]:
        if statement.startswith("DESCRIBE PIPE"):
            raise OutOfSight("snowflake interactive table DB.RAW.ORDERS")
        assert statement == 'SHOW PIPES IN SCHEMA "DB"."RAW"'
        return shown

    clients: Callable[[str], Any] = {}.__getitem__
    return Subject(wanted=TABLE, blueprint=blueprint_of(SPEC), clients=clients, rows=rows)


def pipe(select: str, *, name: str = "ORDERS") -> dict[str, Any]:
    return {"name": name, "definition": COPY.format(select)}


@pytest.mark.parametrize("name", ["ORDERS", "ORDERS-STREAMING"])
def test_the_select_is_the_same_however_snowflake_spaces_and_capitalizes_it(name: str) -> None:
    said = TABLE.select.replace(", ", ",\n  ").replace("VARCHAR", "varchar")
    assert list(selected(subject([pipe(said, name=name), pipe("$1:other::NUMBER", name="OTHERS")]))) == []


def test_another_select_is_a_difference() -> None:
    (found,) = selected(subject([pipe('$1:"META"::OBJECT, $1:order_id::VARCHAR')]))
    assert (found.path, found.expected) == ("select", TABLE.select)
    assert "$1:order_id::VARCHAR" in found.found


def test_a_table_that_has_no_such_pipe_any_more_is_not_taken_for_unchanged() -> None:
    with pytest.raises(OutOfSight):
        list(selected(subject([pipe(TABLE.select, name="OTHERS")])))
