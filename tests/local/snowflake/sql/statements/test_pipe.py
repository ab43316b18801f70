"""Tests of what a pipe may say about the way from a row to its columns."""

import pytest

from firnline_local.snowflake.catalog import Pipe
from firnline_local.snowflake.catalog.errors import CompilationFault

SOURCE = "FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING'))"


@pytest.fixture
def table(sql):
    sql("CREATE TABLE t (meta OBJECT, n NUMBER, whole VARIANT)")
    return sql


def mapping(sql) -> list[tuple[str, tuple[str, ...]]]:
    (pipe,) = [found for found in sql.catalog.account.walk() if isinstance(found, Pipe)]
    return [(each.column, each.path) for each in pipe.transformation]


def test_each_column_gets_a_path_or_the_whole_row(table) -> None:
    table(f"CREATE PIPE p AS COPY INTO t FROM (SELECT $1:kinesisMetadata, $1:a.b::NUMBER, $1 {SOURCE})")
    assert mapping(table) == [("META", ("kinesisMetadata",)), ("N", ("a", "b")), ("WHOLE", ())]


def test_a_column_list_says_which_columns(table) -> None:
    table(f'CREATE PIPE p AS COPY INTO db.public.t (whole, n) FROM (SELECT $1::VARIANT v, $1:"N x" {SOURCE})')
    assert mapping(table) == [("WHOLE", ()), ("N", ("N x",))]


@pytest.mark.parametrize(
    ("copy", "message"),
    [
        (f"(n) FROM (SELECT $1:a, $1:b {SOURCE})", "expecting 1 but got 2"),
        (f"(n) FROM (SELECT $1:a + 1 {SOURCE})", "[FL-6040]"),
        (f"(n) FROM (SELECT $1:a[0] {SOURCE})", "[FL-6040]"),
        (f"(n) FROM (SELECT $1:a::VARCHAR {SOURCE})", "a cast to VARCHAR"),
        (f"(n) FROM (SELECT $1:a {SOURCE} WHERE $1:a > 1)", "a pipe's SELECT with WHERE"),
        (f"(n) FROM (SELECT $1:a {SOURCE} s LEFT OUTER JOIN dim d ON s.$1:k = d.k)", "[FL-6040]"),
        ("(n) FROM (SELECT $1:a FROM @stage)", "[FL-6040]"),
        (f"(missing) FROM (SELECT $1:a {SOURCE})", "invalid identifier 'MISSING'"),
        (f"(n) FROM (SELECT $1:a {SOURCE}) MATCH_BY_COLUMN_NAME = CASE_SENSITIVE", "not supported with copy transform"),
        (f"(n) {SOURCE} MATCH_BY_COLUMN_NAME = CASE_SENSITIVE", "needs a SELECT"),
    ],
)
def test_anything_else_is_refused(table, copy: str, message: str) -> None:
    assert message in table.refusal(f"CREATE PIPE p AS COPY INTO t {copy}").message


OPTIONS = (
    "FILE_FORMAT = (TYPE = JSON BINARY_FORMAT = BASE64) MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE ON_ERROR = SKIP_FILE"
)


def test_a_stage_with_a_blank_in_its_name_stands_between_single_quotes(table) -> None:
    table('CREATE STAGE "my letters"')
    with pytest.raises(CompilationFault, match="syntax error"):
        table(f'CREATE PIPE p AS COPY INTO t FROM @"my letters" {OPTIONS}')
    table(f"""CREATE PIPE p AS COPY INTO t FROM '@"DB"."PUBLIC"."my letters"' {OPTIONS}""")
    (pipe,) = [found for found in table.catalog.account.walk() if isinstance(found, Pipe)]
    assert pipe.source is not None
