"""Containers in Snowflake that may belong to somebody else: databases and their schemas are listed only if something is
to be said of them; one that no list has is made with the first pipeline that names it.
"""

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from firnline_ingest.config.document import Section
from firnline_ingest.config.identifier import IdentifierText


class ObjectOrigin(StrEnum):
    """Says whether an object in Snowflake is made here or exists already."""

    CREATE = "create"
    """Made here, owned by the deploy role, and removed with the environment."""
    ADOPT = "adopt"
    """Exists already and belongs to another owner: it is used, and neither owned, changed nor removed."""


class SchemaOptions(Section):
    """A schema of the database."""

    name: IdentifierText
    """As pipelines name it."""
    origin: ObjectOrigin = Field(default=ObjectOrigin.CREATE, strict=False)
    """`adopt` leaves it as it is; PUBLIC, which Snowflake makes with every database, can only be adopted."""


class DatabaseOptions(Section):
    """A database that pipelines name."""

    name: IdentifierText
    """As pipelines name it."""
    origin: ObjectOrigin = Field(default=ObjectOrigin.CREATE, strict=False)
    """`adopt` leaves it as it is. Its owner grants what `firnline bootstrap` writes down for that."""
    schemas: list[SchemaOptions] = Field(default=[])
    """Those of its schemas that exist already; any other one that pipelines name is made in it."""


class NetworkPolicyOptions(Section):
    """The networks from which the users may connect."""

    origin: ObjectOrigin = Field(default=ObjectOrigin.CREATE, strict=False)
    """`create` makes one of `allowed_networks`, where there are any; `adopt` gives both users a policy that exists."""
    name: IdentifierText | None = None
    """<APPLICATION>_NETWORK by default; of the policy to adopt, its name."""

    @model_validator(mode="after")
    def _an_adopted_one_has_a_name(self) -> Self:
        if self.origin is ObjectOrigin.ADOPT and self.name is None:
            raise ValueError("give the name of the network policy to adopt")
        return self
