"""Who may come from where, and with what: network policies with their rules, and authentication policies.

Documentation: `user-guide/network-policies`, `user-guide/network-rules`, `user-guide/authentication-policies`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from firnline_local.snowflake.catalog import kinds
from firnline_local.snowflake.catalog.objects import ConfiguredObject

ALL = "ALL"
KEYPAIR = "KEYPAIR"


@dataclass(kw_only=True, eq=False)
class NetworkRule(ConfiguredObject):
    kind = kinds.NETWORK_RULE

    def contains(self, address: str) -> bool:
        """Only rules of IPv4 addresses that come in can contain one."""
        mine = (self.properties.get("TYPE"), self.properties.get("MODE", "INGRESS"))
        return mine == ("IPV4", "INGRESS") and _contained(address, self.listed("VALUE_LIST"))


FindRule = Callable[[str], NetworkRule | None]


@dataclass(kw_only=True, eq=False)
class NetworkPolicy(ConfiguredObject):
    """Lists of addresses, and of rules by their full names."""

    kind = kinds.NETWORK_POLICY

    def allows(self, address: str, find_rule: FindRule) -> bool:
        """What is blocked is not allowed; where nothing is allowed by name, everything else is."""
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
