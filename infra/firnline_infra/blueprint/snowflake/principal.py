"""Who may do something: roles, and the service users that have them."""

from dataclasses import dataclass
from typing import ClassVar

from firnline_infra.spec.identifier import Identifier


@dataclass(frozen=True, kw_only=True)
class Role:
    kind: ClassVar[str] = "Snowflake role"

    name: Identifier

    @property
    def create(self) -> str:
        return f"CREATE ROLE IF NOT EXISTS {self.name.sql}"

    @property
    def drop(self) -> str:
        return f"DROP ROLE IF EXISTS {self.name.sql}"


@dataclass(frozen=True, kw_only=True)
class User:
    """TYPE = SERVICE: it can't have a password, and only its key pair opens the door."""

    kind: ClassVar[str] = "Snowflake user"

    name: Identifier
    default_role: Identifier
    default_warehouse: Identifier | None = None
    """Absent for the engine, which computes nothing."""
    public_key: str | None
    """Base64 without PEM armour; the first of the user's two places."""
    public_key_2: str | None

    @property
    def create(self) -> str:
        warehouse = f" DEFAULT_WAREHOUSE = {self.default_warehouse.sql}" if self.default_warehouse else ""
        role = self.default_role.sql
        return f"CREATE USER IF NOT EXISTS {self.name.sql} TYPE = SERVICE DEFAULT_ROLE = {role}{warehouse}"

    @property
    def set_keys(self) -> str | None:
        """A statement of its own, because a key is replaced while the user lives; None where there is no key."""
        keys = {place: key for place, key in self._places.items() if key is not None}
        assignments = " ".join(f"{place} = '{key}'" for place, key in keys.items())  # base64: nothing to escape
        return f"ALTER USER {self.name.sql} SET {assignments}" if keys else None

    @property
    def unset_keys(self) -> str | None:
        """Empties the places without a key, so that a replaced one opens nothing any more; None where both have one."""
        empty = [place for place, key in self._places.items() if key is None]
        return f"ALTER USER {self.name.sql} UNSET {', '.join(empty)}" if empty else None

    @property
    def _places(self) -> dict[str, str | None]:
        return {"RSA_PUBLIC_KEY": self.public_key, "RSA_PUBLIC_KEY_2": self.public_key_2}

    @property
    def drop(self) -> str:
        return f"DROP USER IF EXISTS {self.name.sql}"
