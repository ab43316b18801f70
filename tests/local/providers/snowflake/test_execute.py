"""Statements of one's own."""

from firnline_local.providers.snowflake.execute import EXECUTE

TABLE = "PROVIDED_DB.S.E"
INPUTS = {
    "execute": f"CREATE TABLE {TABLE} (A INT) ENABLE_SCHEMA_EVOLUTION = TRUE",
    "revert": f"DROP TABLE {TABLE}",
    "query": "SHOW TABLES LIKE 'E' IN SCHEMA PROVIDED_DB.S",
}


def test_it_executes_queries_and_reverts(clients) -> None:
    made = EXECUTE.create(INPUTS, clients)
    (row,) = made.properties["queryResults"]
    assert (row["name"], row["enable_schema_evolution"]) == ("E", "Y")
    assert "budget" not in row  # NULL

    clients.execute(f"ALTER TABLE {TABLE} SET ENABLE_SCHEMA_EVOLUTION = FALSE")
    (row,) = EXECUTE.read(made.id, made.properties, clients)["queryResults"]
    assert row["enable_schema_evolution"] == "N"

    EXECUTE.delete(made.id, made.properties, clients)
    assert EXECUTE.read(made.id, made.properties, clients)["queryResults"] == []


def test_a_query_that_fails_has_found_nothing(clients) -> None:
    made = EXECUTE.create({"execute": "SELECT 1", "revert": "SELECT 1", "query": "SELECT nonsense"}, clients)
    assert made.properties["queryResults"] == []
    changed = EXECUTE.update(
        made.id, {}, {"execute": "SELECT 1", "revert": "SELECT 1", "query": "SELECT 2 AS N"}, clients
    )
    assert changed["queryResults"] == [{"N": "2"}]
