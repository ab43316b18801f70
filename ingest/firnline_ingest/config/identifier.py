"""Names of Snowflake's objects and columns, as a configuration writes them: what is not an identifier is refused when it is read.

Words: docs.snowflake.com/en/sql-reference/reserved-keywords, those that can't be columns.
"""

import re
from typing import Annotated

from pydantic import AfterValidator

from firnline_ingest.identifiers import InvalidIdentifier, stored_name, written_name

RESERVED = frozenset(
    re.findall(
        r"\w+",
        """
    ALL ALTER AND ANY AS BETWEEN BY CASE CAST CHECK COLUMN CONNECT CONSTRAINT CREATE CURRENT CURRENT_DATE CURRENT_TIME
    CURRENT_TIMESTAMP CURRENT_USER DELETE DISTINCT DROP ELSE EXISTS FALSE FOLLOWING FOR FROM GRANT GROUP HAVING ILIKE IN
    INCREMENT INSERT INTERSECT INTO IS LIKE LOCALTIME LOCALTIMESTAMP MINUS NOT NULL OF ON OR ORDER QUALIFY REGEXP REVOKE
    RLIKE ROW ROWS SAMPLE SELECT SET SOME START TABLE TABLESAMPLE THEN TO TRIGGER TRUE TRY_CAST UNION UNIQUE UPDATE VALUES
    WHEN WHENEVER WHERE WITH
""",
    )
)


def checked(written: str) -> str:
    """Raises ValueError that says how it has to be written."""
    try:
        stored_name(written)
    except InvalidIdentifier as error:
        raise ValueError(f"{error.what.rstrip('.')}; {error.next_step.rstrip('.')}") from None
    return written


def checked_column(written: str) -> str:
    """The name of a column that the configuration brings into being. Raises ValueError."""
    if written.upper() in RESERVED:
        raise ValueError(
            f"{written!r} is a reserved word of Snowflake, and no column's name by itself; choose another one, or write it "
            f'between double quotes, which queries then need too: "{written.upper()}"'
        )
    return checked(written)


def _plainest(written: str) -> str:
    return written_name(stored_name(checked(written)))


ObjectName = Annotated[str, AfterValidator(checked)]
"""The text stays as it is written."""
IdentifierText = Annotated[str, AfterValidator(_plainest)]
"""All ways to write one name become the same text."""
OwnColumn = Annotated[str, AfterValidator(checked_column)]
