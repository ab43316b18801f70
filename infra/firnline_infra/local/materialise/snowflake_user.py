"""Snowflake service users and their public keys."""

import base64
import hashlib
from typing import Any

from firnline_infra.blueprint.snowflake import User
from firnline_infra.local.errors import NotMaterialised
from firnline_infra.local.materialise.clients import Clients


def make(user: User, clients: Clients) -> None:
    """Keys follow the blueprint: a place without one is emptied."""
    clients.execute(user.create, user.set_keys, user.unset_keys)
    found = read(user, clients)
    wanted = {"fingerprints": [_fingerprint(user.public_key), _fingerprint(user.public_key_2)]}
    if found is None or found["fingerprints"] != wanted["fingerprints"]:
        raise NotMaterialised(kind=user.kind, name=str(user.name), wanted=wanted, found=found)


def read(user: User, clients: Clients) -> dict[str, Any] | None:
    rows = clients.rows(f"DESCRIBE USER {user.name.sql}")
    if not rows:
        return None
    properties = {row["property"]: row["value"] for row in rows}
    places = ("RSA_PUBLIC_KEY_FP", "RSA_PUBLIC_KEY_2_FP")
    return {
        "type": properties.get("TYPE"),
        "default_role": properties.get("DEFAULT_ROLE"),
        "fingerprints": [_set_or_none(properties.get(place)) for place in places],
    }


def remove(user: User, clients: Clients) -> None:
    clients.execute(user.drop)


def _fingerprint(public_key: str | None) -> str | None:
    """As DESCRIBE USER shows it (user guide `key-pair-auth`)."""
    if public_key is None:
        return None
    return "SHA256:" + base64.b64encode(hashlib.sha256(base64.b64decode(public_key)).digest()).decode()


def _set_or_none(value: str | None) -> str | None:
    return None if value in (None, "", "null") else value
