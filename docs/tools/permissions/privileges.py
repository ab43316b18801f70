"""Privileges of the reader's role in Snowflake, each with its reason. A test holds them against the grants that are made."""

from firnline_ingest.permissions.snowflake import TO_SEE_A_TABLE, Need, Privilege

READER_PRIVILEGES = (
    *TO_SEE_A_TABLE,
    Privilege(privilege="SELECT", on="TABLE", why="Reads rows: the audit counts and compares them with the stream."),
    Privilege(
        privilege="SELECT ERROR TABLE",
        on="TABLE",
        need=Need.ERROR_LOGGING,
        why="Reads the rows that the table rejected: the audit accounts for them.",
    ),
    Privilege(
        privilege="SELECT",
        on="DYNAMIC TABLE",
        need=Need.LATEST,
        why="Reads the latest row of each key: the audit compares them with the table.",
    ),
    Privilege(
        privilege="MONITOR",
        on="DYNAMIC TABLE",
        need=Need.LATEST,
        why="Sees how old the table is: the audit compares the rows of that moment.",
    ),
    Privilege(
        privilege="USAGE",
        on="WAREHOUSE",
        need=Need.READER_WAREHOUSE,
        why="Runs the queries. The engine needs none: ingestion is serverless.",
    ),
)
