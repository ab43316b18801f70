"""Every privilege in Snowflake that the engine's role needs, and why; granted to the role itself, not inherited.

The source is Snowflake's page on access control for Snowpipe Streaming. The blueprint grants these, and nothing else; the
engine names the one that is missing (snowflake/grants.py).
"""

from dataclasses import dataclass
from enum import StrEnum


class Need(StrEnum):
    """Circumstances in which a privilege is needed."""

    ALWAYS = "always"
    EVOLUTION = "the table's schema evolves"
    CUSTOM_PIPE = "the pipeline has a pipe of its own"
    ICEBERG = "the table is an Iceberg table"
    FILES = "dead letters go into the table by file"
    ERROR_LOGGING = "the table keeps rejected rows"
    LATEST = "the table has a table of the latest row of each key"
    READER_WAREHOUSE = "the specification names a warehouse for the reader"


@dataclass(frozen=True, kw_only=True, slots=True)
class Privilege:
    """`on` is the kind of object, as GRANT spells it."""

    privilege: str
    on: str
    need: Need = Need.ALWAYS
    why: str


OWNERSHIP = "OWNERSHIP"
"""Of a table, it comes with every privilege on it; where a specification asks for it, it is granted in their place."""

TO_SEE_A_TABLE = (
    Privilege(privilege="USAGE", on="DATABASE", why="Nothing in a database is seen without it."),
    Privilege(privilege="USAGE", on="SCHEMA", why="Nothing in a schema is seen without it."),
)
"""Whatever is done to it then."""

PRIVILEGES = (
    *TO_SEE_A_TABLE,
    Privilege(privilege="INSERT", on="TABLE", why="Opens channels on the table, and appends rows."),
    Privilege(
        privilege="EVOLVE SCHEMA",
        on="TABLE",
        need=Need.EVOLUTION,
        why="Adds a column for a key that has none. Without it the table does not follow, and the values are not loaded.",
    ),
    Privilege(
        privilege="OPERATE",
        on="PIPE",
        need=Need.CUSTOM_PIPE,
        why="Opens channels on the pipe. A table's default pipe needs nothing.",
    ),
    Privilege(
        privilege="SELECT",
        on="TABLE",
        need=Need.FILES,
        why="Snowflake asks for it where files are submitted to a pipe (user guide, Snowpipe REST).",
    ),
    Privilege(privilege="READ", on="STAGE", need=Need.FILES, why="Submits files to the pipe; it goes with WRITE."),
    Privilege(privilege="WRITE", on="STAGE", need=Need.FILES, why="Puts files into the stage, and removes them."),
    Privilege(privilege="OPERATE", on="PIPE", need=Need.FILES, why="Tells the pipe which files to load."),
    Privilege(privilege="MONITOR", on="PIPE", need=Need.FILES, why="Asks the pipe what it has loaded."),
    Privilege(
        privilege="USAGE",
        on="EXTERNAL VOLUME",
        need=Need.ICEBERG,
        why="Writes the table's files where the volume says.",
    ),
)


def required_privileges(*needs: Need) -> tuple[Privilege, ...]:
    """The privileges in an order in which they can be granted."""
    return tuple(one for one in PRIVILEGES if one.need in (Need.ALWAYS, *needs))
