"""What holds tables: databases and schemas."""

from dataclasses import dataclass

from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_infra.specification.model import Durability


@dataclass(frozen=True, kw_only=True)
class Database:
    name: Identifier
    durability: Durability = Durability.PROTECTED
    comment: str = ""


@dataclass(frozen=True, kw_only=True)
class Schema:
    name: QualifiedName
    durability: Durability = Durability.PROTECTED
    comment: str = ""
