"""Origins of an object: created here, adopted, or none."""

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field


class Origin(StrEnum):
    """Says whether an object is made here, exists already, or is not used."""

    CREATE = "create"
    """Made here, and removed with the environment."""
    ADOPT = "adopt"
    """Exists already and belongs to another owner: it is used, and neither changed nor removed."""
    SKIP = "skip"
    """There is none."""


def _not_skipped(origin: Origin) -> Origin:
    if origin is Origin.SKIP:
        raise ValueError("is create or adopt: the engine can't do without")
    return origin


CreateOrAdopt = Annotated[Origin, Field(strict=False), AfterValidator(_not_skipped)]
