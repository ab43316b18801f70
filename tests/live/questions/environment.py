"""Questions about what the roles of an environment see of it, once `up` has made it: the engine's, and that of
previews.

Iceberg tables, their volume and interactive tables are there, which no question can make by itself.
"""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from tests.live.recordings import anonymous

PREVIEWS, ENGINE, DEPLOYS = "PREVIEW", "INGEST", "DEPLOY"
ICEBERG = "{db}.RAW.COLD"


@dataclass(frozen=True, kw_only=True)
class Question:
    name: str
    ask: str
    role: str
    settles: str
    shows: tuple[str, ...] = ()


QUESTIONS = (
    Question(name="iceberg: describe, with REFERENCES", ask=f"DESCRIBE TABLE {ICEBERG}", role=PREVIEWS, settles="B57 B48",
             shows=("name", "type")),
    Question(name="iceberg: show, with REFERENCES", ask="SHOW ICEBERG TABLES IN SCHEMA {db}.RAW", role=PREVIEWS, settles="B57"),
    Question(name="iceberg: columns, with INSERT", ask=f"SHOW COLUMNS IN TABLE {ICEBERG}", role=ENGINE, settles="B21 B701",
             shows=("data_type",)),
    Question(name="iceberg: its volume, with INSERT", ask=f"SHOW PARAMETERS LIKE 'EXTERNAL_VOLUME' IN TABLE {ICEBERG}",
             role=ENGINE, settles="B700", shows=("level",)),
    Question(name="iceberg: show, as its owner", ask="SHOW ICEBERG TABLES IN SCHEMA {db}.RAW", role=DEPLOYS,
             settles="B445", shows=("base_location", "iceberg_table_format_version")),
    Question(name="iceberg: switches of SHOW TABLES", ask="SHOW TABLES LIKE 'COLD' IN SCHEMA {db}.RAW", role=DEPLOYS,
             settles="B41 B44", shows=("error_logging", "enable_schema_evolution", "is_iceberg")),
    Question(name="iceberg: whole numbers of its own", ask="CREATE ICEBERG TABLE {db}.RAW.WHOLE"
             " (A INT, B LONG, C INTEGER, D BIGINT)"
             " EXTERNAL_VOLUME = '{volume}' CATALOG = 'SNOWFLAKE' BASE_LOCATION = 'whole'", role=DEPLOYS, settles="B444"),
    Question(name="iceberg: ALTER TABLE is ALTER ICEBERG TABLE", ask="ALTER TABLE {db}.RAW.WHOLE SET COMMENT = 'asked'",
             role=DEPLOYS, settles="B62"),
    Question(name="iceberg: types of whole numbers", ask="DESCRIBE TABLE {db}.RAW.WHOLE", role=DEPLOYS, settles="B444",
             shows=("type",)),
    Question(name="iceberg: GRANT EVOLVE SCHEMA", ask="GRANT EVOLVE SCHEMA ON ICEBERG TABLE {db}.RAW.WHOLE TO ROLE {ingest}",
             role=DEPLOYS, settles="B1001"),
    Question(name="iceberg: GRANT SELECT ERROR TABLE", ask="GRANT SELECT ERROR TABLE ON ICEBERG TABLE {db}.RAW.WHOLE"
             " TO ROLE {ingest}", role=DEPLOYS, settles="B1002"),
    Question(name="grants: what they are on, as SHOW has it", ask="SHOW GRANTS TO ROLE {ingest}", role=ENGINE, settles="B30 B31",
             shows=("granted_on",)),
    Question(name="interactive: show", ask="SHOW INTERACTIVE TABLES IN SCHEMA {db}.RAW", role=DEPLOYS, settles="B44",
             shows=("name",)),
    Question(name="interactive: one of its own", ask="CREATE INTERACTIVE TABLE {db}.RAW.ASKED (ID VARCHAR) CLUSTER BY (ID)",
             role=DEPLOYS, settles="B540"),
    Question(name="interactive: an INSERT", ask="INSERT INTO {db}.RAW.ASKED (ID) VALUES ('a')", role=DEPLOYS, settles="B540"),
    Question(name="interactive: an UPDATE", ask="UPDATE {db}.RAW.ASKED SET ID = 'b'", role=DEPLOYS, settles="B540"),
    Question(name="interactive: a DELETE", ask="DELETE FROM {db}.RAW.ASKED", role=DEPLOYS, settles="B540"),
    Question(name="interactive: the pipe of one AS SELECT", ask="SHOW PIPES IN SCHEMA {db}.RAW", role=DEPLOYS,
             settles="B453 B154", shows=("name", "definition")),
    Question(name="policies of a table, as its owner", ask="SELECT * FROM TABLE(SNOWFLAKE.INFORMATION_SCHEMA.POLICY_REFERENCES("
             "REF_ENTITY_NAME => '{db}_INGEST', REF_ENTITY_DOMAIN => 'USER'))", role=DEPLOYS, settles="B54"),
)  # fmt: skip
AFTERWARDS = ("DROP TABLE IF EXISTS {db}.RAW.WHOLE", "DROP TABLE IF EXISTS {db}.RAW.ASKED")
"""So that what comes next finds the environment as `up` has made it."""
SETTLES = {each.name: tuple(each.settles.split()) for each in QUESTIONS}


def asked(session: Any, names: dict[str, str], hidden: dict[str, str]) -> Iterator[tuple[str, Any]]:
    """`session` is of a user who has all of the roles; only the one that asks acts."""
    _execute(session, "USE SECONDARY ROLES NONE")
    _execute(session, f"USE WAREHOUSE {names['warehouse']}")
    for question in QUESTIONS:
        _execute(session, f"USE ROLE {names[question.role.lower()]}")
        yield question.name, _answer(session, question, names, hidden)
    _execute(session, f"USE ROLE {names[DEPLOYS.lower()]}")
    for statement in AFTERWARDS:
        _execute(session, statement.format(**names))


def _answer(session: Any, question: Question, names: dict[str, str], hidden: dict[str, str]) -> dict[str, Any]:
    from snowflake.connector.errors import Error

    from tests.live.questions.snowflake import refusal

    with closing(session.cursor()) as cursor:
        try:
            cursor.execute(question.ask.format(**names))
        except Error as error:
            return refusal(error, hidden)
        columns = [column[0].lower() for column in cursor.description or ()]
        found = cursor.fetchall()
        answer: dict[str, Any] = {"columns": columns, "any_rows": bool(found)}
        for shown in question.shows:
            at = columns.index(shown) if shown in columns else None
            answer[f"{shown} is"] = [] if at is None else sorted({anonymous(str(row[at]), hidden) for row in found})
        return answer


def _execute(session: Any, statement: str) -> None:
    with closing(session.cursor()) as cursor:
        cursor.execute(statement)
