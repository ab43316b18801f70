"""The bucket for the engine's configuration, Spark's checkpoint, or a volume's tables."""

import pulumi

from firnline_infra.blueprint.aws import Bucket as LandingBucketArgs
from firnline_infra.pulumi.rendering import RenderedComponent
from firnline_infra.resources.aws_storage import landing_bucket

__all__ = ["LandingBucket", "LandingBucketArgs"]


class LandingBucket(RenderedComponent):
    """Creates an S3 bucket that is versioned, encrypted, closed to the public and reached only through TLS.

    >>> bucket = LandingBucket("bucket", LandingBucketArgs(name="orders-111122223333-eu-west-1"))

    To adopt: `pulumi import aws:s3/bucket:Bucket NAME-bucket BUCKET`; the settings have the bucket's name as their id too.
    """

    name: pulumi.Output[str]
    """Told once the bucket is as it should be: what is put there by name is encrypted and versioned."""
    arn: pulumi.Output[str]

    def __init__(self, name: str, args: LandingBucketArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(landing_bucket(name, args), opts)
        self.name, self.arn = self.made["name"], self.made["arn"]
