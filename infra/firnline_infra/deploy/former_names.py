"""Environments that were made when names in Snowflake followed from the environment's name alone, whatever its application."""

from collections.abc import Mapping
from typing import Any

from firnline_infra.deploy.errors import NamesChanged
from firnline_infra.deploy.existing import StackResources
from firnline_infra.specification.identifier import Identifier
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names

USER, ROLE = "snowflake:index/serviceUser:ServiceUser", "snowflake:index/accountRole:AccountRole"


def changed_names(spec: EnvironmentSpec, state: Mapping[str, Any]) -> NamesChanged | None:
    """None where the stack is new, or has the names that the specification gives."""
    names, known = Names.of(spec), StackResources.of(state)
    former = {
        purpose: Identifier(f"FIRNLINE_{spec.name.replace('-', '_')}_{purpose}".upper())
        for purpose in ("INGEST", "READER", "DEPLOY", "PREVIEW", "NETWORK", "KEY_PAIR_ONLY")
    }
    has_former = any(
        known.has(type_, former[purpose].name) and getattr(names, field).user != former[purpose]
        for type_ in (USER, ROLE)
        for purpose, field in (("INGEST", "ingest"), ("READER", "reader"))
    )
    if not has_former:
        return None
    current = {
        "  ingest: {{user: {}}}": ("INGEST", names.ingest.user),
        "  reader: {{user: {}}}": ("READER", names.reader.user),
        "  deploy_role: {}": ("DEPLOY", names.deploy_role),
        "  preview_role: {}": ("PREVIEW", names.preview_role),
        "  network_policy: {{name: {}}}": ("NETWORK", names.network_policy),
        "  authentication_policy: {}": ("KEY_PAIR_ONLY", names.authentication_policy),
    }
    unused = {"NETWORK"} if not spec.snowflake.allowed_networks else set[str]()
    unused |= {"KEY_PAIR_ONLY"} if not spec.snowflake.key_pair_only else set()
    return NamesChanged(
        [
            form.format(former[purpose])
            for form, (purpose, name) in current.items()
            if purpose not in unused and name != former[purpose]
        ]
    )
