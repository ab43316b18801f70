"""A place in S3 where Snowflake keeps Iceberg tables, and the statements that prove it (rows: `kinds/storage.py`)."""

from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar

from firnline_infra.blueprint.aws import Bucket, IamRole
from firnline_infra.blueprint.iam.volume import volume_statements, volume_trust
from firnline_infra.blueprint.value import Reference
from firnline_infra.specification.definition import Definition, part
from firnline_infra.specification.identifier import Identifier
from firnline_infra.specification.model import Durability


@part
class IcebergVolumeDefinition(Definition):
    """An external volume, as durable as its bucket and encrypted with the same key."""

    location: ClassVar[str] = "s3"
    """The name of the volume's only storage location."""
    providers: ClassVar[dict[str, str]] = {"aws": "S3", "aws-us-gov": "S3GOV", "aws-cn": "S3CHINA"}

    name: Identifier
    bucket: Bucket
    role_arn: str
    """Of the role that is made; its name is the ARN's last part."""
    external_id: str
    """Ours, so that replacing the volume does not break the trust; no secret."""
    prefix: str = "tables/"
    """Ends with a slash; Snowflake's rights end there."""
    permissions_boundary: str | None = None
    comment: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def durability(self) -> Durability:
        return self.bucket.durability

    @property
    def provider(self) -> str:
        return self.providers[self.bucket.partition]

    @property
    def base_url(self) -> str:
        """The place as Snowflake writes it; its schemes are s3, s3gov and s3china."""
        return f"{self.provider.lower()}://{self.bucket.name}/{self.prefix}"

    @property
    def encryption(self) -> str:
        return "NONE" if self.bucket.key_arn is None else "AWS_SSE_KMS"

    @property
    def iam_user(self) -> Reference:
        """Identity of Snowflake in AWS; known once the volume is created."""
        return Reference(f"volume/{self.name.name}", "iam_user_arn")

    @property
    def role(self) -> IamRole:
        bucket = self.bucket
        return IamRole(
            name=self.role_arn.rpartition("/")[2],
            trust=volume_trust(principal=self.iam_user, external_id=self.external_id),
            statements=volume_statements(bucket_arn=bucket.arn, prefix=self.prefix, key_arn=bucket.key_arn),
            description=f"Snowflake's external volume {self.name}",
            permissions_boundary=self.permissions_boundary,
            tags=self.tags,
        )

    @property
    def verify(self) -> str:
        """Writes, reads, lists and deletes a file through the role, and answers how each went; it never raises an error."""
        return f"SELECT {self._verification}"

    @property
    def prove(self) -> str:
        """Raises an error that contains the verification's result if it is not a success.

        TO_NUMBER of a text that is not a number is used because it can fail without a script or a warehouse.
        """
        succeeded = f"REPLACE({self._verification}, ' ') LIKE '%\"success\":true%'"
        return f"SELECT TO_NUMBER(IFF({succeeded}, '1', {self._verification}))"

    @property
    def _verification(self) -> str:
        name = self.name.name.replace("\\", "\\\\").replace("'", "\\'")
        return f"SYSTEM$VERIFY_EXTERNAL_VOLUME('{name}')"
