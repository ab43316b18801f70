"""Who may do something: roles, and the service users that have them."""

from dataclasses import dataclass
from typing import ClassVar

from firnline_infra.specification.identifier import Identifier, QualifiedName


@dataclass(frozen=True, kw_only=True)
class Role:
    name: Identifier
    comment: str = ""


@dataclass(frozen=True, kw_only=True)
class User:
    """TYPE = SERVICE: it can't have a password, and only its key pair opens the door."""

    secondary_roles: ClassVar[str] = "NONE"
    """It acts in its default role alone, whatever it may be granted later."""

    name: Identifier
    default_role: Identifier
    default_warehouse: Identifier | None = None
    """Absent for the engine, which computes nothing."""
    public_key: str | None
    """Base64 without PEM armour; the first of the user's two places."""
    public_key_2: str | None
    network_policy: Identifier | None = None
    authentication_policy: QualifiedName | None = None
    comment: str = ""
