"""Tables."""

from firnline_local.providers.snowflake.tables import TABLE

INPUTS = {
    "database": "PROVIDED_DB", "schema": "S", "name": "T", "comment": "c", "changeTracking": True,
    "clusterBies": ["ID", "TO_DATE(AT)"], "dataRetentionTimeInDays": 2,
    "columns": [
        {"name": "META", "type": "OBJECT", "nullable": True, "comment": ""},
        {"name": "ID", "type": "STRING", "nullable": False, "comment": "it's"},
        {"name": "AT", "type": "TIMESTAMP_NTZ", "nullable": True, "comment": ""},
        {"name": "N", "type": "NUMBER(10,2)", "nullable": True, "comment": "", "default": {"constant": "7"}},
        {"name": "lower", "type": "VARCHAR(5)", "nullable": True, "comment": "", "default": {"constant": "it's"}},
    ],
}  # fmt: skip # a paragraph, not a column
T = "PROVIDED_DB.S.T"


def columns(*changes: tuple[str, dict[str, object] | None]) -> list[dict[str, object]]:
    """Those of INPUTS, some of them changed or taken away."""
    by_name = dict(changes)
    found = [{**column, **(by_name.get(column["name"], {}) or {})} for column in INPUTS["columns"]]
    return [column for column in found if by_name.get(column["name"], {}) is not None]


def test_a_table_lives_and_repairs(live, clients) -> None:
    with live(TABLE, INPUTS) as made:
        assert made.made.id == "PROVIDED_DB|S|T"
        made.drifts(f"ALTER TABLE {T} SET COMMENT = 'x'", comment="x")
        made.drifts(f"ALTER TABLE {T} SET CHANGE_TRACKING = FALSE", changeTracking=False)
        made.drifts(f"ALTER TABLE {T} SET DATA_RETENTION_TIME_IN_DAYS = 4", dataRetentionTimeInDays=4)
        made.drifts(f"ALTER TABLE {T} DROP CLUSTERING KEY", clusterBies=None)
        made.drifts(f"ALTER TABLE {T} ALTER COLUMN \"AT\" COMMENT 'x'", columns=columns(("AT", {"comment": "x"})))
        made.drifts(f"ALTER TABLE {T} ALTER COLUMN ID DROP NOT NULL", columns=columns(("ID", {"nullable": True})))
        added = {"name": "EXTRA", "type": "VARCHAR(16777216)", "nullable": True, "comment": ""}
        made.drifts(f"ALTER TABLE {T} ADD COLUMN EXTRA STRING", columns=[*columns(), added])


def test_what_can_be_changed_in_place_is(live) -> None:
    with live(TABLE, {**INPUTS, "columns": columns(("N", None))}) as made:
        wider = [{**column} for column in columns(("N", None), ("lower", {"type": "VARCHAR(5)"}))]
        changed = made.changes_to(
            name="T2", comment=None, clusterBies=None, dataRetentionTimeInDays=None, changeTracking=None,
            columns=[*wider, {"name": "NEW", "type": "BOOLEAN", "nullable": True, "comment": "n"}],
        )  # fmt: skip # a paragraph, not a column
        assert changed["columns"][-1] == {"name": "NEW", "type": "BOOLEAN", "nullable": True, "comment": "n"}
        assert (changed["comment"], changed["dataRetentionTimeInDays"]) == ("", -1)


def test_a_longer_text_is_altered(live, clients) -> None:
    with live(TABLE, INPUTS) as made:
        longer = {**INPUTS, "columns": columns(("lower", {"type": "VARCHAR(9)"}))}
        TABLE.update(made.made.id, INPUTS, longer, clients)
        assert TABLE.read(made.made.id, longer, clients)["columns"][-1]["type"] == "VARCHAR(9)"


def test_a_removed_column_comes_back_at_the_end(live, clients) -> None:
    with live(TABLE, INPUTS) as made:
        clients.execute(f"ALTER TABLE {T} DROP COLUMN N")
        seen = made.read()
        assert [column["name"] for column in seen["columns"]] == ["META", "ID", "AT", "lower"]
        TABLE.update(made.made.id, {**INPUTS, "columns": seen["columns"]}, INPUTS, clients)
        assert [column["name"] for column in made.read()["columns"]] == ["META", "ID", "AT", "lower", "N"]


def test_an_imported_table_shows_canonical_types(live, clients) -> None:
    with live(TABLE, INPUTS) as made:
        found = TABLE.read(made.made.id, {}, clients)
        assert [column["type"] for column in found["columns"]] == [
            "OBJECT", "VARCHAR(16777216)", "TIMESTAMP_NTZ(9)", "NUMBER(10,2)", "VARCHAR(5)",
        ]  # fmt: skip # a paragraph, not a column


def test_a_column_is_read_in_the_words_in_which_it_was_asked_for(live, clients) -> None:
    terse = [{"name": "ID", "type": "INT", "identity": {"stepNum": 5}}, {"name": "V", "type": "VARIANT"}]
    with live(TABLE, {"database": "PROVIDED_DB", "schema": "S", "name": "T", "columns": terse}) as made:
        clients.execute(f"ALTER TABLE {T} ALTER COLUMN V COMMENT 'x'")
        assert made.read()["columns"] == [terse[0], {**terse[1], "comment": "x"}]
