"""The engine's configuration, beside its job."""

from typing import Any, cast

import pulumi
import pulumi_aws as aws

from firnline_infra.blueprint.aws import EngineDocument as EngineConfigurationArgs
from firnline_infra.blueprint.engine_config import document_hash, document_text
from firnline_infra.pulumi.references import as_input
from firnline_infra.pulumi.rendering import child_of

__all__ = ["EngineConfiguration", "EngineConfigurationArgs"]


class EngineConfiguration(pulumi.ComponentResource):
    """Creates the object `configuration/HASH.json` in the bucket. It stays there when another takes its place: a job that
    still runs with it has to find it when it restarts.

    >>> document = {
    ...     "version": 1, "application": "orders", "aws": {"region": "eu-west-1"}, "ledger": {"table": "orders"},
    ...     "snowflake": {"account": "ORG-ACCOUNT", "user": "LOADER", "role": "LOADER", "private_key": {"env": "KEY"}},
    ...     "pipelines": [{"stream": "orders", "database": "LAKE", "schema": "RAW"}],
    ...     "dead_letters": {"folder": "/letters"}, "spark": {"checkpoint": "s3://lake/checkpoint/orders/"},
    ... }
    >>> configuration = EngineConfiguration("engine", EngineConfigurationArgs(document=document, bucket="lake"))
    """

    document: pulumi.Output[dict[str, Any]]
    hash: pulumi.Output[str]
    url: pulumi.Output[str] | None
    """s3://…; None without a bucket."""

    def __init__(self, name: str, args: EngineConfigurationArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("firnline:index:EngineConfiguration", name, None, opts)
        self.document = pulumi.Output.from_input(cast("pulumi.Input[dict[str, Any]]", args.document))
        self.hash = self.document.apply(document_hash)
        self.url = None
        if args.bucket is not None:
            key = pulumi.Output.format("{0}{1}.json", args.folder, self.hash)
            stored = aws.s3.BucketObjectv2(
                f"{name}-document",
                bucket=as_input(args.bucket),
                key=key,
                content=self.document.apply(document_text),
                content_type=args.content_type,
                opts=child_of(self, retain_on_delete=True),
            )
            self.url = pulumi.Output.format("s3://{0}/{1}", stored.bucket, stored.key)
        self.register_outputs({"hash": self.hash, "url": self.url})
