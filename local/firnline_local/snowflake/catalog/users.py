"""Users, their public keys, and the policies that say from where and with what a user may come.

A key is given as Snowflake takes it: the base64 body of a PEM block, with or without its first and last line.
Documentation: `user-guide/network-policies`, `user-guide/network-rules`, `user-guide/authentication-policies`.
"""

import base64
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Self

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from firnline_ingest.snowflake.key import fingerprint_of
from firnline_local.snowflake.catalog import kinds
from firnline_local.snowflake.catalog.errors import DataFault
from firnline_local.snowflake.catalog.objects import ConfiguredObject

MIN_KEY_BITS = 2048
ARMOUR = re.compile(r"-----[A-Z ]+-----")
ALL = "ALL"
KEYPAIR = "KEYPAIR"
KEY_SLOTS = ("RSA_PUBLIC_KEY", "RSA_PUBLIC_KEY_2")


class InvalidPublicKey(DataFault):
    code = "390412"
    sql_state = "42601"

    def __init__(self, problem: str) -> None:
        super().__init__(f"New public key rejected by current policy. Reason: 'Invalid public key: {problem}'")


@dataclass(frozen=True)
class PublicKey:
    """One registered key."""

    text: str
    """As it was given: what DESC USER shows."""
    der: bytes

    @classmethod
    def read(cls, text: str) -> Self:
        """Raises InvalidPublicKey for anything but an RSA key of at least 2048 bits."""
        body = "".join(ARMOUR.sub("", text).split())
        try:
            der = base64.b64decode(body, validate=True)
            key = serialization.load_der_public_key(der)
        except ValueError as error:
            raise InvalidPublicKey("it is not the base64 body of a PEM public key") from error
        if not isinstance(key, RSAPublicKey):
            raise InvalidPublicKey("only RSA keys are known here")
        if key.key_size < MIN_KEY_BITS:
            raise InvalidPublicKey(f"it has {key.key_size} bits, and {MIN_KEY_BITS} are the least")
        return cls(text=text, der=der)

    @cached_property
    def fingerprint(self) -> str:
        return fingerprint_of(self.der)

    @cached_property
    def rsa(self) -> RSAPublicKey:
        key = serialization.load_der_public_key(self.der)
        assert isinstance(key, RSAPublicKey)
        return key


@dataclass(kw_only=True, eq=False)
class NetworkRule(ConfiguredObject):
    kind = kinds.NETWORK_RULE

    def contains(self, address: str) -> bool:
        """True if the rule contains the address; only ingress rules of IPv4 addresses can."""
        mine = (self.properties.get("TYPE"), self.properties.get("MODE", "INGRESS"))
        return mine == ("IPV4", "INGRESS") and _contained(address, self.listed("VALUE_LIST"))


FindRule = Callable[[str], NetworkRule | None]


@dataclass(kw_only=True, eq=False)
class NetworkPolicy(ConfiguredObject):
    """Lists of addresses, and of rules by their full names."""

    kind = kinds.NETWORK_POLICY

    def allows(self, address: str, find_rule: FindRule) -> bool:
        """Returns whether an address is allowed: what is blocked is not; if nothing is allowed by name, everything else is."""
        if self._names("BLOCKED", address, find_rule):
            return False
        says = any(self.listed(f"ALLOWED_{what}_LIST") for what in ("IP", "NETWORK_RULE"))
        return not says or self._names("ALLOWED", address, find_rule)

    def _names(self, what: str, address: str, find_rule: FindRule) -> bool:
        rules = (find_rule(name) for name in self.listed(f"{what}_NETWORK_RULE_LIST"))
        return _contained(address, self.listed(f"{what}_IP_LIST")) or any(
            rule is not None and rule.contains(address) for rule in rules
        )


@dataclass(kw_only=True, eq=False)
class AuthenticationPolicy(ConfiguredObject):
    kind = kinds.AUTHENTICATION_POLICY

    @property
    def allows_key_pairs(self) -> bool:
        methods = set(self.listed("AUTHENTICATION_METHODS")) or {ALL}
        return bool(methods & {ALL, KEYPAIR})


def _contained(address: str, networks: list[str]) -> bool:
    return any(ip_address(address) in network for network in _networks(networks))


def _networks(texts: list[str]) -> Iterator[IPv4Network | IPv6Network]:
    return (ip_network(text, strict=False) for text in texts)


@dataclass(kw_only=True, eq=False)
class User(ConfiguredObject):
    """A person or a service that can open a session. Keys are not among the properties."""

    kind = kinds.USER
    authentication_policy: AuthenticationPolicy | None = field(default=None, repr=False)
    public_keys: dict[str, PublicKey] = field(default_factory=dict)
    """By slot, RSA_PUBLIC_KEY and RSA_PUBLIC_KEY_2; both are valid at the same time."""
    access_tokens: set[str] = field(default_factory=set)
    """The names of programmatic access tokens. They are kept and listed; no login here takes one."""

    @property
    def type(self) -> str:
        """PERSON, SERVICE or LEGACY_SERVICE; empty where nothing was said."""
        return self.properties.get("TYPE", "")

    @property
    def logins(self) -> dict[str, bool]:
        """The other ways to log in that the user has, by their columns of SHOW USERS."""
        return {
            "has_password": "PASSWORD" in self.properties,
            "has_pat": bool(self.access_tokens),
            "has_workload_identity": "WORKLOAD_IDENTITY" in self.properties,
        }

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
