"""From where, and with what, a service user may connect."""

from dataclasses import dataclass
from typing import ClassVar

from firnline_infra.specification.identifier import Identifier, QualifiedName


@dataclass(frozen=True, kw_only=True)
class NetworkPolicy:
    name: Identifier
    allowed_networks: tuple[str, ...]
    """CIDR"""
    comment: str = ""


@dataclass(frozen=True, kw_only=True)
class AuthenticationPolicy:
    """Nothing but a key pair opens the door, whatever else a user may be given later."""

    methods: ClassVar[tuple[str, ...]] = ("KEYPAIR",)

    name: QualifiedName
    comment: str = ""
