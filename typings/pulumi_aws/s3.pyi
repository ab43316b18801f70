import pulumi

class BucketObjectv2(pulumi.CustomResource):
    def __init__(
        self,
        resource_name: str,
        opts: pulumi.ResourceOptions | None = None,
        *,
        bucket: pulumi.Input[str | None] = None,
        content: pulumi.Input[str | None] = None,
        content_type: pulumi.Input[str | None] = None,
        key: pulumi.Input[str | None] = None,
    ) -> None: ...
    @property
    def bucket(self) -> pulumi.Output[str]: ...
    @property
    def key(self) -> pulumi.Output[str]: ...
