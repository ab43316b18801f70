"""The part of Pulumi's SDK for Snowflake that our code calls, as pulumi_aws beside it: mypy would read 355,000 lines for it."""

from collections.abc import Sequence

import pulumi

class Provider(pulumi.ProviderResource):
    def __init__(
        self,
        resource_name: str,
        opts: pulumi.ResourceOptions | None = None,
        *,
        account_name: pulumi.Input[str | None] = None,
        host: pulumi.Input[str | None] = None,
        organization_name: pulumi.Input[str | None] = None,
        preview_features_enabled: pulumi.Input[Sequence[pulumi.Input[str]] | None] = None,
        role: pulumi.Input[str | None] = None,
        warehouse: pulumi.Input[str | None] = None,
    ) -> None: ...
