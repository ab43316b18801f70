"""Whose an object is."""

from enum import StrEnum


class Origin(StrEnum):
    """Whose an object is."""

    CREATE = "create"
    """Made here, and removed with the environment."""
    ADOPT = "adopt"
    """Exists already and belongs to somebody else: it is used, and neither changed nor removed."""
    SKIP = "skip"
    """There is none."""
