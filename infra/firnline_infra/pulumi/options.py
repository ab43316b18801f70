"""The options of a component's children.

Names are fixed, because grants, dashboards and the engine's configuration hold them; so the old goes before the new comes.
"""

from typing import Any

import pulumi

from firnline_infra.specification.model import Durability


def child_of(
    parent: pulumi.Resource, *, durability: Durability = Durability.EPHEMERAL, **more: Any
) -> pulumi.ResourceOptions:
    """PROTECTED is for what holds data: then Pulumi refuses to delete or replace it. `more` are fields of ResourceOptions."""
    protect = True if durability is Durability.PROTECTED else None  # None: as its component
    return pulumi.ResourceOptions(parent=parent, protect=protect, delete_before_replace=True, **more)
