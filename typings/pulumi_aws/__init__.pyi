"""The part of Pulumi's SDK for AWS that our code calls, with the SDK's own types (tests/test_typings.py).

mypy reads this instead of the SDK's 3,140 modules, which take more of its time than everything else together.
"""

from collections.abc import Sequence

import pulumi

from . import s3 as s3

class Provider(pulumi.ProviderResource):
    def __init__(
        self,
        resource_name: str,
        opts: pulumi.ResourceOptions | None = None,
        *,
        allowed_account_ids: pulumi.Input[Sequence[pulumi.Input[str]] | None] = None,
        region: pulumi.Input[str | None] = None,
        skip_credentials_validation: pulumi.Input[bool | None] = None,
        skip_region_validation: pulumi.Input[bool | None] = None,
    ) -> None: ...
