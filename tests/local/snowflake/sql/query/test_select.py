"""SELECT over tables: names, joins, groups, windows, order."""

import pytest


@pytest.fixture
def orders(sql):
    sql('CREATE TABLE orders (id INT, customer VARCHAR, total NUMBER(10, 2), "Note" VARCHAR, f FLOAT)')
    sql(
        "INSERT INTO orders VALUES (1, 'ann', 10.5, 'x', 1.5), (2, 'bob', 20, NULL, NULL), (3, 'ann', NULL, 'y', 2.5), "
        "(4, NULL, 1.25, 'z', 1e10)"
    )
    return sql


QUERIES = {
    "SELECT id FROM orders ORDER BY customer, id": [("1",), ("3",), ("2",), ("4",)],  # NULLs are the largest
    "SELECT id FROM orders ORDER BY customer DESC, id": [("4",), ("2",), ("1",), ("3",)],
    "SELECT id FROM orders ORDER BY customer NULLS FIRST, 1 DESC": [("4",), ("3",), ("1",), ("2",)],
    "SELECT customer, COUNT(*), SUM(total) FROM orders GROUP BY 1 ORDER BY 2 DESC, 1": [
        ("ann", "2", "10.50"), ("bob", "1", "20.00"), (None, "1", "1.25")
    ],
    "SELECT customer FROM orders GROUP BY customer HAVING COUNT(*) > 1": [("ann",)],
    "SELECT AVG(f), COUNT(DISTINCT customer), COUNT(customer) FROM orders WHERE id < 4": [("2.0", "2", "3")],
    "SELECT SUM(id), MIN(total), MAX(customer) FROM orders WHERE FALSE": [(None, None, None)],
    "SELECT id, ROW_NUMBER() OVER (PARTITION BY customer ORDER BY id DESC) AS n FROM orders QUALIFY n = 1 ORDER BY id": [
        ("2", "1"), ("3", "1"), ("4", "1")
    ],
    "SELECT o.id, p.id FROM orders o LEFT JOIN orders p ON o.id = p.id + 2 ORDER BY 1 LIMIT 3": [
        ("1", None), ("2", None), ("3", "1")
    ],
    "SELECT COUNT(*) FROM orders a JOIN orders b USING (customer)": [("5",)],
    "SELECT id FROM orders WHERE id NOT IN (SELECT id FROM orders WHERE id > 1)": [("1",)],
    "SELECT id FROM orders o WHERE EXISTS (SELECT 1 FROM orders p WHERE p.id = o.id + 3)": [("1",)],
    "WITH big AS (SELECT id AS n FROM orders WHERE total > 5) SELECT MAX(n) FROM big": [("2",)],
    "SELECT 1 UNION ALL SELECT 1 UNION ALL SELECT 2 ORDER BY 1": [("1",), ("1",), ("2",)],
    "SELECT MAX(id) AS m, m + 1 FROM orders": [("4", "5")],
    'SELECT "Note" FROM orders WHERE "Note" ILIKE \'X\'': [("x",)],
    "SELECT db.public.orders.id FROM db.public.orders WHERE orders.id = 1": [("1",)],
    "SELECT TOP 1 id FROM orders ORDER BY id DESC": [("4",)],
    "SELECT column1, column2 FROM (VALUES (1, 'a'), (2, NULL)) ORDER BY 1": [("1", "a"), ("2", None)],
    "SELECT x, y FROM (VALUES (1, NULL)) AS v (x, y)": [("1", None)],
    "SELECT f FROM orders ORDER BY id": [("1.5",), (None,), ("2.5",), ("10000000000.0",)],
}  # fmt: skip # a paragraph, not a column


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_answers_as_snowflake_would(orders, query: str) -> None:
    assert orders.rows(query) == QUERIES[query]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("SELECT * FROM orders", ["ID", "CUSTOMER", "TOTAL", "Note", "F"]),
        ("SELECT o.*, 1 FROM orders o", ["ID", "CUSTOMER", "TOTAL", "Note", "F", "1"]),
        ("SELECT count(*), max( id )+1, 'It''s', id::varchar, id FROM orders GROUP BY id",
         ["COUNT(*)", "MAX( ID )+1", "'It''s'", "ID::VARCHAR", "ID"]),
        ('SELECT id AS lower, id AS "Kept", id "Too" FROM orders', ["LOWER", "Kept", "Too"]),
        ("SELECT 1 + 1 UNION ALL SELECT 2", ["1 + 1"]),
    ],
)  # fmt: skip # a paragraph, not a column
def test_columns_are_called_what_snowflake_calls_them(orders, query: str, names: list[str]) -> None:
    assert [column.name for column in orders(query).columns] == names


@pytest.mark.parametrize(
    ("query", "code", "message"),
    [
        ("SELECT nope FROM orders", "000904", "invalid identifier 'NOPE'"),
        ('SELECT "note" FROM orders', "000904", "invalid identifier 'note'"),
        ("SELECT * FROM nope", "002003", "Object 'DB.PUBLIC.NOPE' does not exist or not authorized."),
        ("SELECT * FROM db2.public.t", "002003", "Object 'DB2.PUBLIC.T' does not exist or not authorized."),
        ("SELECT a.id FROM orders a, orders b WHERE id = 1", "000904", "invalid identifier 'ID'"),
        ("SELECT * FROM (SELECT id, id FROM orders)", "000002", "two columns that differ in case only, or not at all"),
        ('SELECT * FROM (SELECT id AS "a", id AS a FROM orders)', "000002", "differ in case only"),
        ("SELECT customer = 1 FROM orders", "000002", "comparing the text"),
        ("SELECT SUM(total) / COUNT(*) FROM orders", "000002", "which would be an exact number"),
        ("SELECT 1 UNION SELECT 2", "000002", "UNION without ALL"),
        ("SELECT 1 EXCEPT SELECT 2", "000002", "EXCEPT"),
        ("SELECT * EXCLUDE (f) FROM orders", "000002", "EXCLUDE"),
        ("SELECT id FROM orders ORDER BY id OFFSET 3 ROWS FETCH FIRST 1 ROWS ONLY", "000002", "FL-6040"),
        ("SELECT * FROM db.information_schema.tables", "000002", "INFORMATION_SCHEMA.TABLES: SHOW and DESCRIBE"),
        ("SELECT id FROM orders WHERE id = ?", "000002", "FL-6040"),
    ],
)
def test_a_query_that_can_not_be_right_is_refused(orders, query: str, code: str, message: str) -> None:
    error = orders.refusal(query)

    assert (error.code, message in error.message) == (code, True), error.message


def test_a_result_has_a_limit_that_is_said(orders, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firnline_local.snowflake.sql.query.run.MAX_ROWS", 3)

    assert "[FL-6043]" in orders.refusal("SELECT * FROM orders").message
    assert len(orders.rows("SELECT * FROM orders LIMIT 3")) == 3


def test_the_commit_time_is_asked_for_by_name_and_not_shown_by_star(sql) -> None:
    sql.run("CREATE TABLE t (a INT) ROW_TIMESTAMP = TRUE", "INSERT INTO t VALUES (1)")

    assert sql.rows("SELECT * FROM t") == [("1",)]
    assert sql.rows("SELECT t.metadata$row_last_commit_time FROM t") == [("1767268800.000000000",)]
