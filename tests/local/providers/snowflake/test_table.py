"""Tables."""

import pytest

from firnline_local.errors import InputNotCarried
from firnline_local.providers.snowflake.tables import TABLE

INPUTS = {
    "database": "PROVIDED_DB", "schema": "S", "name": "T", "comment": "c", "changeTracking": True,
    "clusterBies": ["ID", "TO_DATE(AT)"], "dataRetentionTimeInDays": 2,
    "columns": [
        {"name": "META", "type": "OBJECT", "nullable": True, "comment": ""},
        {"name": "ID", "type": "STRING", "nullable": False, "comment": "it's"},
        {"name": "AT", "type": "TIMESTAMP_NTZ", "nullable": True, "comment": ""},
        {"name": "N", "type": "NUMBER(10,2)", "nullable": True, "comment": ""},
        {"name": "lower", "type": "VARCHAR(5)", "nullable": True, "comment": ""},
    ],
}  # fmt: skip # a paragraph, not a column
T = "PROVIDED_DB.S.T"


def test_a_table_lives_and_repairs(live, clients) -> None:
    with live(TABLE, INPUTS) as made:
        assert made.made.id == "PROVIDED_DB|S|T"
        made.drifts(f"ALTER TABLE {T} SET COMMENT = 'x'", comment="x")
        made.drifts(f"ALTER TABLE {T} SET CHANGE_TRACKING = FALSE", changeTracking=False)
        made.drifts(f"ALTER TABLE {T} SET DATA_RETENTION_TIME_IN_DAYS = 4", dataRetentionTimeInDays=4)
        made.drifts(f"ALTER TABLE {T} DROP CLUSTERING KEY", clusterBies=None)


def test_what_can_be_changed_in_place_is(live) -> None:
    with live(TABLE, INPUTS) as made:
        changed = made.changes_to(
            name="T2", comment=None, clusterBies=None, dataRetentionTimeInDays=None, changeTracking=None
        )
        assert (changed["comment"], changed["dataRetentionTimeInDays"]) == ("", -1)


@pytest.mark.parametrize(
    "columns",
    [
        INPUTS["columns"][:-1],
        [*INPUTS["columns"], {"name": "NEW", "type": "INT"}],
        [*INPUTS["columns"][:-1], {"name": "lower", "type": "VARCHAR(9)"}],
        [*INPUTS["columns"][:-1], {"name": "lower", "type": "VARCHAR(5)", "nullable": False}],
    ],
)
def test_other_columns_are_refused(live, clients, columns) -> None:
    with live(TABLE, INPUTS) as made:
        with pytest.raises(InputNotCarried, match="other columns than it has"):
            TABLE.update(made.made.id, INPUTS, {**INPUTS, "columns": columns}, clients)
        assert made.read()["columns"] == INPUTS["columns"]


def test_a_default_is_refused_and_one_that_somebody_set_is_shown(live, clients) -> None:
    with pytest.raises(InputNotCarried, match="default"):
        TABLE.create({**INPUTS, "columns": [{"name": "N", "type": "INT", "default": {"constant": "7"}}]}, clients)
    with live(TABLE, INPUTS) as made:
        clients.execute(f"ALTER TABLE {T} ADD COLUMN EXTRA NUMBER(1,0) DEFAULT 7")
        assert made.read()["columns"][-1]["default"] == {"expression": "7"}


def test_an_imported_table_shows_canonical_types(live, clients) -> None:
    with live(TABLE, INPUTS) as made:
        found = TABLE.read(made.made.id, {}, clients)
        assert [column["type"] for column in found["columns"]] == [
            "OBJECT", "VARCHAR(16777216)", "TIMESTAMP_NTZ(9)", "NUMBER(10,2)", "VARCHAR(5)",
        ]  # fmt: skip # a paragraph, not a column


def test_a_column_is_read_in_the_words_in_which_it_was_asked_for(live, clients) -> None:
    terse = [{"name": "ID", "type": "INT"}, {"name": "V", "type": "VARIANT"}]
    with live(TABLE, {"database": "PROVIDED_DB", "schema": "S", "name": "T", "columns": terse}) as made:
        clients.execute(f"ALTER TABLE {T} ALTER COLUMN V COMMENT 'x'")
        assert made.read()["columns"] == [terse[0], {**terse[1], "comment": "x"}]
