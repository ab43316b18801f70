"""Statements that only say something one after the other, each by a role: who sees what, what a DROP takes along, what a
function is. A step without a name sets the scene; the others are questions, and of some the values of a column count too.

A warehouse of the run's own computes what needs one.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any, Literal

from tests.live.names import Run
from tests.live.recordings import anonymous
from tests.local.snowflake.sql.query.expressions import EXPRESSIONS

Session = Any
Role = Literal["ADMIN", "OWNER", "INGEST", "NOBODY", "LOOKS", "PROBE"]
OF_ITS_OWN: tuple[Role, ...] = ("LOOKS", "PROBE")
"""Roles that stories make besides those of snowflake.py."""
TYPES = "A NUMBER(10,2), B VARCHAR(5), C VARIANT, D OBJECT, E ARRAY, F FLOAT, G BOOLEAN, H BINARY, I DATE"
TYPES += ", J TIMESTAMP_LTZ NOT NULL"


@dataclass(frozen=True, kw_only=True)
class Step:
    sql: str
    name: str = ""
    settles: str = ""
    role: Role = "ADMIN"
    shows: tuple[str, ...] = ()
    """Columns whose values are recorded."""
    is_typed: bool = False
    """True if the types of the answer's columns are."""


def said(sql: str, name: str, settles: str, role: Role = "ADMIN", *shows: str) -> Step:
    return Step(sql=sql, name=name, settles=settles, role=role, shows=shows)


def done(*statements: str, role: Role = "ADMIN") -> tuple[Step, ...]:
    return tuple(Step(sql=each, role=role) for each in statements)


WHO_SEES = (
    *done(f"CREATE TABLE {{s}}.SEEN ({TYPES})", "GRANT INSERT ON TABLE {s}.SEEN TO ROLE {db}_INGEST"),
    *done("GRANT REFERENCES ON TABLE {s}.SEEN TO ROLE {db}_LOOKS", "GRANT MONITOR ON USER {db}_ASKED TO ROLE {db}_LOOKS"),
    said("SHOW COLUMNS IN TABLE {s}.SEEN", "sight: columns, with INSERT", "B21 B701", "INGEST", "data_type", "null?"),
    said("DESCRIBE TABLE {s}.SEEN", "sight: describe, with REFERENCES", "B57", "LOOKS", "name", "type"),
    said("SHOW TABLES LIKE 'SEEN' IN SCHEMA {s}", "sight: show, with REFERENCES", "B57", "LOOKS"),
    said("SHOW PARAMETERS IN TABLE {s}.SEEN", "sight: parameters, with INSERT", "B700", "INGEST"),
    said("SHOW GRANTS ON TABLE {s}.SEEN", "sight: grants, with REFERENCES", "B57 B450", "LOOKS", "privilege"),
    said("DESCRIBE USER {db}_ASKED", "sight: describe a user, with MONITOR", "B57 B452", "LOOKS", "property"),
    said("SHOW USERS LIKE '{db}_ASKED'", "sight: show a user, with MONITOR", "B452", "LOOKS", "name", "owner", "created_on"),
    said("SHOW GRANTS TO ROLE ACCOUNTADMIN", "sight: what the administrator has", "B620", "PROBE"),
)  # fmt: skip
WHO_MAY = (
    *done("GRANT CREATE DATABASE, CREATE NETWORK POLICY, CREATE WAREHOUSE ON ACCOUNT TO ROLE {db}_PROBE"),
    *done("CREATE DATABASE {db}_OTHER", "CREATE NETWORK POLICY {db}_NET ALLOWED_IP_LIST = ('0.0.0.0/0')"),
    *done("GRANT USAGE ON DATABASE {db} TO ROLE {db}_PROBE", "GRANT USAGE ON SCHEMA {s} TO ROLE {db}_PROBE"),
    *done("GRANT CREATE SCHEMA ON DATABASE {db} TO ROLE {db}_PROBE"),
    *done("GRANT CREATE STAGE, CREATE TABLE, CREATE AUTHENTICATION POLICY ON SCHEMA {s} TO ROLE {db}_PROBE"),
    *done("CREATE SCHEMA {db}.HIDDEN", "CREATE STAGE {s}.HIDDEN", "CREATE AUTHENTICATION POLICY {s}.HIDDEN"),
    *done("CREATE TABLE {s}.HIDDEN (A INT)"),
    said("CREATE TRANSIENT DATABASE {db}_OTHER", "taken: a database", "B454", "PROBE"),
    said("CREATE TRANSIENT TABLE {s}.HIDDEN (A INT)", "taken: a table", "B454", "PROBE"),
    said("CREATE SCHEMA {db}.HIDDEN", "taken: a schema", "B621", "PROBE"),
    said("CREATE STAGE {s}.HIDDEN", "taken: a stage", "B621", "PROBE"),
    said("CREATE NETWORK POLICY {db}_NET ALLOWED_IP_LIST = ('0.0.0.0/0')", "taken: a network policy", "B621", "PROBE"),
    said("CREATE AUTHENTICATION POLICY {s}.HIDDEN", "taken: an authentication policy", "B621", "PROBE"),
    said("CREATE WAREHOUSE {warehouse}", "taken: a warehouse", "B621", "PROBE"),
    *done("ALTER USER {db}_ASKED SET AUTHENTICATION POLICY {s}.HIDDEN"),
    said("DROP AUTHENTICATION POLICY {s}.HIDDEN", "in use: an authentication policy", "B29"),
    *done("ALTER USER {db}_ASKED UNSET AUTHENTICATION POLICY", "ALTER USER {db}_ASKED SET NETWORK_POLICY = {db}_NET"),
    said("DROP NETWORK POLICY {db}_NET", "in use: a network policy", "B29"),
    said("ALTER NETWORK POLICY {db}_NET SET ALLOWED_IP_LIST = ('192.0.2.1')", "in use: a policy without this address", "B74"),
    *done("ALTER USER {db}_ASKED UNSET NETWORK_POLICY"),
    *done("CREATE EXTERNAL VOLUME {db}_NOWHERE STORAGE_LOCATIONS = ((NAME = 'one' STORAGE_PROVIDER = 'S3' STORAGE_BASE_URL ="
          " 's3://firnline-live-no-such-bucket/' STORAGE_AWS_ROLE_ARN = 'arn:aws:iam::000000000000:role/no-such-role'))",
          "GRANT USAGE ON EXTERNAL VOLUME {db}_NOWHERE TO ROLE {db}_NOBODY"),
    said("SELECT TO_NUMBER(IFF(REPLACE(SYSTEM$VERIFY_EXTERNAL_VOLUME('{db}_NOWHERE'), ' ') LIKE '%\"success\":true%', '1',"
         " 'refused'))", "volume: verified without a warehouse, and refused", "B52 B88", "NOBODY"),
)  # fmt: skip
WHAT_GOES_ALONG = (
    *done("CREATE TABLE {s}.SWAPPED (A INT)", "CREATE TABLE {s}.OTHER (B INT)"),
    *done("GRANT INSERT ON TABLE {s}.SWAPPED TO ROLE {db}_INGEST", "ALTER TABLE {s}.SWAPPED SWAP WITH {s}.OTHER"),
    said("SHOW GRANTS ON TABLE {s}.OTHER", "swap: grants go with the table", "B190", "ADMIN", "privilege"),
    said("SHOW COLUMNS IN TABLE {s}.OTHER", "swap: columns go with the table", "B190", "ADMIN", "column_name"),
    *done("CREATE TABLE {s}.MOVED (A INT)", "GRANT INSERT ON TABLE {s}.MOVED TO ROLE {db}_LOOKS"),
    *done("GRANT OWNERSHIP ON TABLE {s}.MOVED TO ROLE {db}_OWNER COPY CURRENT GRANTS"),
    said("SHOW GRANTS TO ROLE {db}_LOOKS", "moved: a grant stays listed", "B455", "ADMIN", "privilege"),
    *done("DROP TABLE {s}.MOVED"),
    said("SHOW GRANTS TO ROLE {db}_LOOKS", "dropped: its grants are listed no more", "B455 B59", "ADMIN", "privilege"),
    *done("UNDROP TABLE {s}.MOVED"),
    said("SHOW GRANTS ON TABLE {s}.MOVED", "undropped: its grants are back", "B64", "ADMIN", "privilege"),
    said("UNDROP TABLE {s}.SEEN", "undropped: one that is there", "B64"),
    *done("CREATE TABLE {s}.TWICE (FIRST INT)", "DROP TABLE {s}.TWICE", "CREATE TABLE {s}.TWICE (SECOND INT)"),
    *done("ALTER TABLE {s}.TWICE RENAME TO {s}.RENAMED", "DROP TABLE {s}.RENAMED", "UNDROP TABLE {s}.TWICE"),
    said("SHOW COLUMNS IN TABLE {s}.TWICE", "undropped: which of two", "B622", "ADMIN", "column_name"),
    *done("CREATE ROLE {db}_GONE", "CREATE TABLE {s}.ORPHAN (A INT)"),
    *done("GRANT OWNERSHIP ON TABLE {s}.ORPHAN TO ROLE {db}_GONE", "DROP ROLE {db}_GONE"),
    said("SHOW TABLES LIKE 'ORPHAN' IN SCHEMA {s}", "dropped: a role that owned", "B64", "ADMIN", "owner"),
    *done("CREATE STAGE {s}.FILES"),
    *done("CREATE PIPE {s}.LOADS AS COPY INTO {s}.OTHER FROM @{s}.FILES/x/ FILE_FORMAT = (TYPE = JSON)"
          " MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"),
    said("SELECT PARSE_JSON(SYSTEM$PIPE_STATUS('{s}.LOADS')):executionState::VARCHAR AS STATE", "pipe: its stage is there",
         "B199", "ADMIN", "STATE"),
    *done("DROP STAGE {s}.FILES"),
    said("SELECT PARSE_JSON(SYSTEM$PIPE_STATUS('{s}.LOADS')):executionState::VARCHAR AS STATE", "pipe: its stage was dropped",
         "B199", "ADMIN", "STATE"),
    *done("CREATE STAGE {s}.FILES"),
    said("SELECT PARSE_JSON(SYSTEM$PIPE_STATUS('{s}.LOADS')):executionState::VARCHAR AS STATE", "pipe: another stage is there",
         "B199", "ADMIN", "STATE"),
    *done("CREATE PIPE {s}.STREAMS AS COPY INTO {s}.OTHER FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING'))"
          " MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE", "GRANT OPERATE ON PIPE {s}.STREAMS TO ROLE {db}_INGEST"),
    said("SHOW PIPES LIKE 'STREAMS' IN SCHEMA {s}", "pipe: its definition, with OPERATE", "B198", "INGEST", "definition"),
)  # fmt: skip
COLUMNS = ", ".join(f"C{number} INT" for number in range(100))
WHAT_IS_WHAT = (
    *done("CREATE TABLE {s}.WIDE (A NUMBER(10,2), B VARCHAR)", "INSERT INTO {s}.WIDE (A, B) VALUES (1.5, 'b')"),
    said(f"ALTER TABLE {{s}}.WIDE ADD COLUMN {COLUMNS}", "columns: a hundred at once", "B471"),
    said("ALTER TABLE {s}.WIDE ADD COLUMN Z INT, C1 INT", "columns: one of two is there", "B471"),
    said("SHOW COLUMNS LIKE 'Z' IN TABLE {s}.WIDE", "columns: the other was not added", "B471"),
    said("ALTER TABLE {s}.WIDE ADD COLUMN IF NOT EXISTS C1 INT", "columns: if it is not there", "B471"),
    Step(sql="SELECT SUM(A), COUNT(*), MAX(A), ROUND(A, 1) FROM {s}.WIDE GROUP BY A", name="types: of aggregates", settles="B67",
         is_typed=True),
    Step(sql="SELECT  a +  1, count( * ), 'x', \"B\" || 'y' FROM {s}.WIDE GROUP BY a, b", name="names: of expressions",
         settles="B69"),
    said("GRANT EVOLVE SCHEMA ON ALL ICEBERG TABLES IN SCHEMA {s} TO ROLE {db}_LOOKS", "all Iceberg: EVOLVE SCHEMA", "B1001"),
    said("GRANT SELECT ERROR TABLE ON ALL ICEBERG TABLES IN SCHEMA {s} TO ROLE {db}_LOOKS", "all Iceberg: ERROR TABLE", "B1002"),
    said("SELECT * FRM T", "words: a syntax error", "B37"),
    said("SELECT TO_NUMBER('x')", "words: no number", "B36"),
)  # fmt: skip
STORIES = (WHO_SEES, WHO_MAY, WHAT_GOES_ALONG, WHAT_IS_WHAT)
FUNCTIONS = "functions: values"
LOGINS = {
    "login: disabled": "B38",
    "login: a role that was not granted": "B38",
    "login: another key": "B38",
    "login: nobody": "B38",
}
SETTLES = {
    **{step.name: tuple(step.settles.split()) for story in STORIES for step in story if step.name},
    FUNCTIONS: ("B68",),
    **{name: (belief,) for name, belief in LOGINS.items()},
}


def asked(
    administrator: Session,
    as_user: Callable[[str, str], Session],
    as_stranger: Callable[[str, str], Session],
    run: Run,
    db: str,
) -> Iterator[tuple[str, Any]]:
    """In a database that snowflake.py has made; `as_user` opens a session of a user in a role, `as_stranger` with another key."""
    names = {"db": db, "s": f"{db}.STORY", "warehouse": run.warehouse}
    hidden = run.placeholders({})
    for statement in _scene():
        _execute(administrator, statement.format(**names))
    with ExitStack() as stack:
        sessions: dict[str, Session] = {"ADMIN": administrator}
        for role in ("OWNER", "INGEST", "NOBODY", *OF_ITS_OWN):
            sessions[role] = stack.enter_context(closing(as_user(f"{db}_USER", f"{db}_{role}")))
        for step in (step for story in STORIES for step in story):
            answer = _answer(sessions[step.role], step, step.sql.format(**names), hidden)
            if step.name:
                yield step.name, answer
            elif "code" in answer:
                raise RuntimeError(f"{step.sql.format(**names)}: {answer}")
        yield FUNCTIONS, {each: _value(administrator, each) for each in EXPRESSIONS}
    yield from _logins(administrator, as_user, as_stranger, db)


def _scene() -> Iterator[str]:
    yield "CREATE WAREHOUSE IF NOT EXISTS {warehouse} WAREHOUSE_SIZE = XSMALL AUTO_SUSPEND = 60 INITIALLY_SUSPENDED = TRUE"
    yield "USE WAREHOUSE {warehouse}"
    yield "CREATE SCHEMA {s}"
    for role in OF_ITS_OWN:
        yield f"CREATE ROLE {{db}}_{role}"
        yield f"GRANT ROLE {{db}}_{role} TO USER {{db}}_USER"
    for role in ("OWNER", "INGEST", "LOOKS"):
        yield f"GRANT USAGE ON DATABASE {{db}} TO ROLE {{db}}_{role}"
        yield f"GRANT USAGE ON SCHEMA {{s}} TO ROLE {{db}}_{role}"


def _logins(
    administrator: Session,
    as_user: Callable[[str, str], Session],
    as_stranger: Callable[[str, str], Session],
    db: str,
) -> Iterator[tuple[str, Any]]:
    yield "login: a role that was not granted", _login(as_user, f"{db}_ASKED", f"{db}_OWNER")
    yield "login: another key", _login(as_stranger, f"{db}_USER", f"{db}_INGEST")
    yield "login: nobody", _login(as_user, f"{db}_NOBODY_AT_ALL", f"{db}_INGEST")
    _execute(administrator, f"ALTER USER {db}_ASKED SET DISABLED = TRUE")
    yield "login: disabled", _login(as_user, f"{db}_ASKED", f"{db}_INGEST")


def _login(opened: Callable[[str, str], Session], user: str, role: str) -> dict[str, Any]:
    """The product's own errors name Snowflake's, which is what counts."""
    from snowflake.connector.errors import Error

    from firnline_ingest.errors import FirnlineError

    try:
        with closing(opened(user, role)):
            return {"taken": True}
    except (Error, FirnlineError) as error:
        cause = error if isinstance(error, Error) else error.__cause__
        return {"code": getattr(cause, "errno", None)}


def _answer(session: Session, step: Step, sql: str, hidden: Mapping[str, str]) -> dict[str, Any]:
    from snowflake.connector.errors import Error

    from tests.live.questions.snowflake import refusal

    with closing(session.cursor()) as cursor:
        try:
            cursor.execute(sql)
        except Error as error:
            return refusal(error, hidden)
        names = [column[0] for column in cursor.description or ()]
        found = cursor.fetchall()
        answer: dict[str, Any] = {"columns": names, "any_rows": bool(found)}
        if step.is_typed:
            answer["types"] = [[column.type_code, column.precision, column.scale] for column in cursor.description]
        lower = [name.lower() for name in names]
        for shown in step.shows:
            at = lower.index(shown.lower()) if shown.lower() in lower else None
            values = set() if at is None else {anonymous(str(row[at]), hidden) for row in found}
            answer[f"{shown} is"] = "set" if shown == "created_on" and values != {"None"} else sorted(values)
        return answer


def _value(session: Session, expression: str) -> str:
    """Returns a value as text: what the drivers make of it is not in question."""
    from snowflake.connector.errors import Error

    with closing(session.cursor()) as cursor:
        try:
            (row,) = cursor.execute(f"SELECT {expression} AS V").fetchall()
        except Error as error:
            return f"error {error.errno}"
        return str(row[0])


def _execute(session: Session, statement: str) -> None:
    with closing(session.cursor()) as cursor:
        cursor.execute(statement)
