"""Conditions under which a key may be used: only through a service, and only for some of its data."""

from collections.abc import Mapping

from firnline_infra.blueprint.iam.statement import Conditions
from firnline_infra.blueprint.value import Value


def via(
    service: str, region: str, encryption_context: Mapping[str, Value | tuple[Value, ...]] | None = None
) -> Conditions:
    """Through `service` in `region`; in China a service's name ends as its hosts do there, and either way is allowed."""
    name = f"{service}.{region}.amazonaws.com"
    names: Value | tuple[Value, ...] = (name, f"{name}.cn") if region.startswith("cn-") else name
    context = {f"kms:EncryptionContext:{key}": value for key, value in (encryption_context or {}).items()}
    return {"StringEquals": {"kms:ViaService": names, **context}}
