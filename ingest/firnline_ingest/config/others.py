"""What routes may say of records that they have no table for, and how many tables they may have."""

from enum import StrEnum

MOST_TABLES = 20  # each is a channel of every shard


class Others(StrEnum):
    """What a record does whose value has no table, or that has no such key."""

    DEAD_LETTER = "dead_letter"
    """It can't be a row."""
    OWN_TABLE = "own_table"
    """It goes to the pipeline's own table."""
