"""Users and their public keys."""

from dataclasses import dataclass, field

from firnline_local.snowflake.catalog import kinds
from firnline_local.snowflake.catalog.keys import PublicKey
from firnline_local.snowflake.catalog.objects import ConfiguredObject
from firnline_local.snowflake.catalog.policies import AuthenticationPolicy

KEY_SLOTS = ("RSA_PUBLIC_KEY", "RSA_PUBLIC_KEY_2")


@dataclass(kw_only=True, eq=False)
class User(ConfiguredObject):
    """Who can open a session: a person or a service. Keys are not among the properties."""

    kind = kinds.USER
    authentication_policy: AuthenticationPolicy | None = field(default=None, repr=False)
    public_keys: dict[str, PublicKey] = field(default_factory=dict)
    """By slot, RSA_PUBLIC_KEY and RSA_PUBLIC_KEY_2; both are valid at the same time."""

    @property
    def type(self) -> str:
        """PERSON, SERVICE or LEGACY_SERVICE; empty where nothing was said."""
        return self.properties.get("TYPE", "")

    @property
    def login_name(self) -> str:
        return self.properties.get("LOGIN_NAME", self.name).upper()

    @property
    def default_role(self) -> str:
        """The stored name of the role that a session begins with; empty where none was set."""
        return self.properties.get("DEFAULT_ROLE", "")

    @property
    def disabled(self) -> bool:
        return self.properties.get("DISABLED", "false") == "true"

    def key_for(self, fingerprint: str) -> PublicKey | None:
        return next((key for key in self.public_keys.values() if key.fingerprint == fingerprint), None)
