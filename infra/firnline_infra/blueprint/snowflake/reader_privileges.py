"""Every privilege of the reader's role, and why: audit, status and people select, and do nothing else."""

from firnline_ingest.permissions.snowflake import Need, Privilege

READER_PRIVILEGES = (
    Privilege(privilege="USAGE", on="DATABASE", why="Nothing in a database is seen without it."),
    Privilege(privilege="USAGE", on="SCHEMA", why="Nothing in a schema is seen without it."),
    Privilege(privilege="SELECT", on="TABLE", why="Reads rows: the audit counts and compares them with the stream."),
    Privilege(
        privilege="SELECT ERROR TABLE",
        on="TABLE",
        need=Need.ERROR_LOGGING,
        why="Reads the rows that the table rejected: the audit accounts for them.",
    ),
    Privilege(
        privilege="USAGE",
        on="WAREHOUSE",
        need=Need.READER_WAREHOUSE,
        why="Runs the queries. The engine needs none: ingestion is serverless.",
    ),
)
