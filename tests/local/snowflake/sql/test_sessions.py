"""Sessions: their tokens, what they remember, and what USE changes."""

import pytest

from firnline_local.snowflake.catalog import AuthenticationFailed, Catalog, Role, User, kinds
from firnline_local.snowflake.catalog.errors import NotKnown
from firnline_local.snowflake.sql.parameters import session_value
from firnline_local.snowflake.sql.sessions import (
    LONGEST_REMEMBERED,
    MASTER_TOKEN_LIFETIME,
    REMEMBERED_ANSWERS,
    TOKEN_LIFETIME,
    Session,
    Sessions,
)


@pytest.fixture
def sessions(catalog: Catalog) -> Sessions:
    return Sessions(catalog)


def opened(catalog: Catalog, sessions: Sessions) -> Session:
    user = catalog.directory.find(kinds.USER, ("FIRNLINE_ADMIN",))
    role = catalog.directory.find(kinds.ROLE, ("PUBLIC",))
    assert isinstance(user, User)
    assert isinstance(role, Role)
    return sessions.open(user, role)


def code(sessions: Sessions, token: str, *, renew: bool = False) -> str:
    with pytest.raises(AuthenticationFailed) as caught:
        sessions.renew(token) if renew else sessions.get(token)
    return caught.value.code


def test_a_session_is_found_by_its_token_until_it_is_closed(catalog: Catalog, sessions: Sessions) -> None:
    first, second = opened(catalog, sessions), opened(catalog, sessions)
    assert (first.id, second.id) == (1, 2)
    assert sessions.get(first.token) is first

    sessions.close(first.token)
    sessions.close(first.token)
    assert code(sessions, first.token) == "390111"
    assert code(sessions, first.master_token, renew=True) == "390114"
    assert sessions.get(second.token) is second


def test_an_expired_token_is_renewed_with_the_master_token(catalog: Catalog, sessions: Sessions, clock) -> None:
    session = opened(catalog, sessions)
    old = session.token
    clock.advance(seconds=TOKEN_LIFETIME.total_seconds())
    assert code(sessions, old) == "390112"

    assert sessions.renew(session.master_token) is session
    assert sessions.get(session.token) is session
    assert code(sessions, old) == "390111"


def test_an_expired_master_token_ends_the_session(catalog: Catalog, sessions: Sessions, clock) -> None:
    session = opened(catalog, sessions)
    clock.advance(seconds=MASTER_TOKEN_LIFETIME.total_seconds())

    assert code(sessions, session.master_token, renew=True) == "390114"
    opened(catalog, sessions)  # forgets what has expired
    assert code(sessions, session.token) == "390111"


def test_a_session_remembers_its_last_answers_and_no_large_ones(catalog: Catalog, sessions: Sessions) -> None:
    session = opened(catalog, sessions)
    for number in range(REMEMBERED_ANSWERS + 1):
        session.remember(str(number), b"answer")
    session.remember("large", b"x" * (LONGEST_REMEMBERED + 1))

    assert list(session.answers) == [str(number) for number in range(1, REMEMBERED_ANSWERS + 1)]


def test_use_moves_the_session_and_functions_tell_where_it_is(sql) -> None:
    sql.run("CREATE SCHEMA raw", "USE DATABASE db", "USE SCHEMA raw", "USE ROLE SYSADMIN")
    answer = sql.rows(
        "SELECT CURRENT_ROLE(), CURRENT_USER(), CURRENT_ACCOUNT(), CURRENT_DATABASE(), CURRENT_SCHEMA(), "
        "CURRENT_WAREHOUSE(), CURRENT_SESSION()"
    )

    assert answer == [("SYSADMIN", "FIRNLINE_ADMIN", "FIRNLINE", "DB", "RAW", "COMPUTE_WH", "1")]


def test_using_a_database_means_its_public_schema(sql) -> None:
    sql.run("CREATE SCHEMA raw", "USE DATABASE db")

    assert sql.value("SELECT CURRENT_SCHEMA()") == "PUBLIC"
    sql("USE SCHEMA db.raw")
    assert sql.value("SELECT CURRENT_SCHEMA()") == "RAW"


def test_a_role_that_the_user_does_not_hold_can_not_be_used(sql) -> None:
    sql.run("CREATE ROLE theirs", "USE ROLE USERADMIN")
    error = sql.refusal("USE ROLE theirs")

    assert (error.code, "Insufficient privileges" in error.message) == ("003001", True)
    assert sql.refusal("USE ROLE nobodys").code == "002003"


def test_a_session_that_gives_up_secondary_roles_has_none_here_anyway(sql) -> None:
    """sql-reference/sql/use-secondary-roles."""
    sql.run("USE ROLE SYSADMIN", "USE SECONDARY ROLES NONE")
    assert sql.value("SELECT CURRENT_ROLE()") == "SYSADMIN"
    assert sql.refusal("USE SECONDARY ROLES SYSADMIN").code == "000002"


def test_a_name_needs_a_database_from_somewhere(sql) -> None:
    sql("DROP DATABASE db")
    assert sql.refusal("CREATE TABLE t (a INT)").code == "002003"  # the session still points at what is gone
    sql.session.database = sql.session.schema = None
    error = sql.refusal("CREATE TABLE t (a INT)")

    assert (error.code, "does not have a current database" in error.message) == ("090105", True)


def test_the_clock_answers_for_the_time(sql) -> None:
    assert sql.rows("SELECT CURRENT_TIMESTAMP()") == [("1767268800.000000000",)]
    assert sql.types("SELECT CURRENT_TIMESTAMP()") == ["TIMESTAMP_LTZ(9)"]


def test_a_session_begins_with_parameters_that_change_no_answer() -> None:
    assert session_value("QUERY_TAG", "x") == "x"
    assert session_value("TIMEZONE", "utc") == "UTC"
    assert session_value("CLIENT_PREFETCH_THREADS", "2") == 2


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("TIMEZONE", "America/New_York"),
        ("WEEK_START", 1),
        ("AUTOCOMMIT", False),
        ("TIMESTAMP_OUTPUT_FORMAT", "x"),
    ],
)
def test_a_parameter_that_would_change_answers_is_refused(key: str, value: object) -> None:
    with pytest.raises(NotKnown, match=key):
        session_value(key, value)


def test_a_query_needs_a_warehouse_and_ddl_does_not(sql) -> None:
    sql.session.warehouse = None
    sql("CREATE TABLE t (a INT)")

    assert sql.refusal("SELECT * FROM t").code == "000606"
    assert sql.refusal("INSERT INTO t VALUES (1)").code == "000606"
    references = "SNOWFLAKE.INFORMATION_SCHEMA.POLICY_REFERENCES(REF_ENTITY_NAME => 'u', REF_ENTITY_DOMAIN => 'USER')"
    assert sql.refusal(f"SELECT * FROM TABLE({references})").code == "000606"
    assert sql.value("SELECT 1") == "1"
    sql("CREATE WAREHOUSE w WAREHOUSE_SIZE = 'SMALL'")  # which is used from then on
    assert sql.rows("SELECT * FROM t") == []
