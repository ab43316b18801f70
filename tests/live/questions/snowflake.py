"""Statements whose answers are believed. What counts of an answer: the names of its columns, or code, state and text of an error.

They are asked in a database of the run's own, by a user of its own that has no warehouse, in one of three roles.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from tests.live.names import Run
from tests.live.questions import stories
from tests.live.recordings import anonymous

Role = Literal["OWNER", "INGEST", "NOBODY"]
Session = Any
QUERY_ID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")


@dataclass(frozen=True, kw_only=True)
class Question:
    name: str
    ask: str
    role: Role = "OWNER"
    settles: str


QUESTIONS = (
    Question(name="out of sight: select", ask="SELECT * FROM {db}.ASKED.T", role="NOBODY", settles="B20"),
    Question(name="out of sight: describe", ask="DESCRIBE TABLE {db}.ASKED.T", role="NOBODY", settles="B20"),
    Question(name="out of sight: drop", ask="DROP TABLE {db}.ASKED.T", role="NOBODY", settles="B20"),
    Question(name="out of sight: grant", ask="GRANT INSERT ON TABLE {db}.ASKED.T TO ROLE {db}_INGEST", role="NOBODY",
             settles="B20"),
    Question(name="out of sight: show", ask="SHOW TABLES IN SCHEMA {db}.ASKED", role="NOBODY", settles="B20"),
    Question(name="missing: show in schema", ask="SHOW TABLES IN SCHEMA {db}.MISSING", settles="B34"),
    Question(name="missing: drop", ask="DROP TABLE {db}.ASKED.MISSING", settles="B20"),
    Question(name="nothing to see: show databases", ask="SHOW DATABASES LIKE '{db}'", role="NOBODY", settles="B34"),
    Question(name="insert alone: describe", ask="DESCRIBE TABLE {db}.ASKED.T", role="INGEST", settles="B21"),
    Question(name="insert alone: show tables", ask="SHOW TABLES LIKE 'T' IN SCHEMA {db}.ASKED", role="INGEST", settles="B21"),
    Question(name="insert alone: its own grants", ask="SHOW GRANTS TO ROLE {db}_INGEST", role="INGEST", settles="B31"),
    Question(name="insert alone: select", ask="SELECT * FROM {db}.ASKED.T", role="INGEST", settles="B22"),
    Question(name="insert alone: alter", ask="ALTER TABLE {db}.ASKED.T ADD COLUMN X INT", role="INGEST", settles="B22"),
    Question(name="insert alone: create beside it", ask="CREATE TABLE {db}.ASKED.X (A INT)", role="INGEST", settles="B22"),
    Question(name="no warehouse: select", ask="SELECT * FROM {db}.ASKED.T", settles="B33"),
    Question(name="no warehouse: insert", ask="INSERT INTO {db}.ASKED.T (A) VALUES (1)", settles="B33"),
    Question(name="no warehouse: a constant", ask="SELECT 1 AS ONE", settles="B33"),
    Question(name="no warehouse: error table", ask="SELECT * FROM ERROR_TABLE({db}.ASKED.T)", settles="B33"),
    Question(name="no warehouse: policies of a user", ask="SELECT * FROM TABLE(SNOWFLAKE.INFORMATION_SCHEMA.POLICY_REFERENCES("
             "REF_ENTITY_NAME => '{db}_USER', REF_ENTITY_DOMAIN => 'USER'))", settles="B54"),
    Question(name="no warehouse: files that were loaded", ask="SELECT * FROM TABLE({db}.INFORMATION_SCHEMA.COPY_HISTORY("
             "TABLE_NAME => '{db}.ASKED.T', START_TIME => '{day}'::TIMESTAMP_LTZ))", settles="B417"),
    Question(name="insert alone: grants to others", ask="SHOW GRANTS ON TABLE {db}.ASKED.T", role="INGEST", settles="B450"),
    Question(name="insert alone: future grants", ask="SHOW FUTURE GRANTS IN SCHEMA {db}.ASKED", role="INGEST", settles="B450"),
    Question(name="insert alone: all tables", ask="SHOW TABLES IN SCHEMA {db}.ASKED LIMIT 10000", role="INGEST", settles="B565"),
    Question(name="nothing to see: grants of a role", ask="SHOW GRANTS OF ROLE {db}_INGEST", role="NOBODY", settles="B450"),
    Question(name="nothing to see: grants to a role", ask="SHOW GRANTS TO ROLE {db}_INGEST", role="NOBODY", settles="B59"),
    Question(name="nothing to see: roles", ask="SHOW ROLES LIKE '{db}_INGEST'", role="NOBODY", settles="B59"),
    Question(name="rotates keys: describe user", ask="DESCRIBE USER {db}_ASKED", role="INGEST", settles="B24"),
    Question(name="show tables", ask="SHOW TABLES LIKE 'T' IN SCHEMA {db}.ASKED", settles="B40 B41 B44"),
    Question(name="show schemas", ask="SHOW SCHEMAS IN DATABASE {db}", settles="B47"),
    Question(name="show databases", ask="SHOW DATABASES LIKE '{db}'", settles="B47"),
    Question(name="show pipes", ask="SHOW PIPES IN SCHEMA {db}.ASKED", settles="B35"),
    Question(name="show channels", ask="SHOW CHANNELS IN TABLE {db}.ASKED.T", settles="B45"),
    Question(name="show grants on table", ask="SHOW GRANTS ON TABLE {db}.ASKED.T", settles="B30"),
    Question(name="show grants of role", ask="SHOW GRANTS OF ROLE {db}_INGEST", settles="B46"),
    Question(name="show future grants", ask="SHOW FUTURE GRANTS IN SCHEMA {db}.ASKED", settles="B46"),
    Question(name="show parameters", ask="SHOW PARAMETERS IN TABLE {db}.ASKED.T", settles="B46 B56"),
    Question(name="show roles", ask="SHOW ROLES LIKE '{db}_INGEST'", settles="B47"),
    Question(name="describe table", ask="DESCRIBE TABLE {db}.ASKED.T", settles="B48"),
    Question(name="give ownership past grants", ask="GRANT OWNERSHIP ON TABLE {db}.ASKED.T TO ROLE {db}_NOBODY", settles="B27"),
    Question(name="take ownership", ask="REVOKE OWNERSHIP ON TABLE {db}.ASKED.T FROM ROLE {db}_OWNER", settles="B28"),
    Question(name="two of a name", ask="CREATE TABLE {db}.ASKED.T (A INT)", settles="B36"),
    Question(name="no warehouse: no such column", ask="SELECT NOT_THERE FROM {db}.ASKED.T", settles="B36"),
    Question(name="no statement", ask="CREATE SOMETHING ODD", settles="B36 B37"),
    Question(name="interactive of columns", ask="CREATE INTERACTIVE TABLE {db}.ASKED.I (A INT) CLUSTER BY (A)", settles="B60"),
    Question(name="interactive: GRANT INSERT", ask="GRANT INSERT ON INTERACTIVE TABLE {db}.ASKED.I TO ROLE {db}_INGEST",
             settles="B1003"),
)  # fmt: skip


SETTLES = {each.name: tuple(each.settles.split()) for each in QUESTIONS} | stories.SETTLES


def database_of(run: Run) -> str:
    """Returns the database's name; its user is <database>_USER, which ingests as <database>_INGEST."""
    return f"{run.snowflake}_ASKED"


def asked(
    administrator: Session,
    as_user: Callable[[str, str], Session],
    as_stranger: Callable[[str, str], Session],
    run: Run,
    public_key: str,
) -> dict[str, Any]:
    """Each answer by its question. `as_user` opens a session of a user in a role, `as_stranger` tries to with another key. What
    was made stays for the sweep.
    """
    db = database_of(run)
    for statement in _scene(db, public_key):
        run_statement(administrator, statement)
    answers: dict[str, Any] = {}
    day = datetime.fromtimestamp(run.began_s, UTC).date()
    for role in ("OWNER", "INGEST", "NOBODY"):
        with closing(as_user(f"{db}_USER", f"{db}_{role}")) as session:
            for question in QUESTIONS:
                if question.role == role:
                    answers[question.name] = _answer(session, question.ask.format(db=db, day=day), run.placeholders({}))
    return answers | dict(stories.asked(administrator, as_user, as_stranger, run, db))


def _scene(db: str, public_key: str) -> Iterator[str]:
    yield f"CREATE USER IF NOT EXISTS {db}_USER TYPE = SERVICE RSA_PUBLIC_KEY = '{public_key}' DEFAULT_ROLE = {db}_INGEST"
    for role in ("OWNER", "INGEST", "NOBODY"):
        yield f"CREATE ROLE IF NOT EXISTS {db}_{role}"
        yield f"GRANT ROLE {db}_{role} TO USER {db}_USER"
    yield f"CREATE USER IF NOT EXISTS {db}_ASKED TYPE = SERVICE RSA_PUBLIC_KEY = '{public_key}'"
    yield f"GRANT MODIFY PROGRAMMATIC AUTHENTICATION METHODS ON USER {db}_ASKED TO ROLE {db}_INGEST"
    yield f"CREATE DATABASE IF NOT EXISTS {db}"
    yield f"CREATE SCHEMA IF NOT EXISTS {db}.ASKED"
    yield (
        f"CREATE TABLE IF NOT EXISTS {db}.ASKED.T (A NUMBER(38,0), B VARCHAR, C VARIANT, D OBJECT)"
        " ENABLE_SCHEMA_EVOLUTION = TRUE ERROR_LOGGING = TRUE"
    )
    yield f"ALTER TABLE {db}.ASKED.T SET ROW_TIMESTAMP = TRUE"
    for role in ("OWNER", "INGEST"):
        yield f"GRANT USAGE ON DATABASE {db} TO ROLE {db}_{role}"
        yield f"GRANT USAGE ON SCHEMA {db}.ASKED TO ROLE {db}_{role}"
    yield f"GRANT CREATE TABLE, CREATE INTERACTIVE TABLE ON SCHEMA {db}.ASKED TO ROLE {db}_OWNER"
    yield f"GRANT OWNERSHIP ON TABLE {db}.ASKED.T TO ROLE {db}_OWNER COPY CURRENT GRANTS"
    yield f"GRANT INSERT ON TABLE {db}.ASKED.T TO ROLE {db}_INGEST"
    yield f"CREATE TABLE IF NOT EXISTS {db}.ASKED.R (A NUMBER(38,0))"
    yield f"GRANT INSERT ON TABLE {db}.ASKED.R TO ROLE {db}_INGEST"


def run_statement(session: Session, statement: str) -> None:
    with closing(session.cursor()) as cursor:
        cursor.execute(statement)


def rows_of_statement(session: Session, statement: str) -> list[Any]:
    with closing(session.cursor()) as cursor:
        return list(cursor.execute(statement).fetchall())


def refusal(error: Any, placeholders: Mapping[str, str]) -> dict[str, Any]:
    """Returns what an error of the driver's says, but for the query's id."""
    text = QUERY_ID.sub("<query>", str(getattr(error, "raw_msg", None) or error.msg))
    return {"code": error.errno, "state": error.sqlstate, "text": anonymous(text, placeholders)}


def _answer(session: Session, statement: str, placeholders: Mapping[str, str]) -> dict[str, Any]:
    from snowflake.connector.errors import Error

    with closing(session.cursor()) as cursor:
        try:
            cursor.execute(statement)
        except Error as error:
            return refusal(error, placeholders)
        return {"columns": [column[0] for column in cursor.description or ()], "any_rows": bool(cursor.fetchall())}
