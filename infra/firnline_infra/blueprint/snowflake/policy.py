"""From where, and with what, a service user may connect."""

from dataclasses import dataclass
from typing import ClassVar

from firnline_infra.specification.identifier import Identifier, QualifiedName


@dataclass(frozen=True, kw_only=True)
class NetworkPolicy:
    kind: ClassVar[str] = "Snowflake network policy"

    name: Identifier
    allowed_networks: tuple[str, ...]
    """CIDR"""
    comment: str = ""


@dataclass(frozen=True, kw_only=True)
class AuthenticationPolicy:
    """Nothing but a key pair opens the door, whatever else a user may be given later."""

    kind: ClassVar[str] = "Snowflake authentication policy"
    methods: ClassVar[tuple[str, ...]] = ("KEYPAIR",)

    name: QualifiedName
    comment: str = ""
