"""The records of deployments as objects of the environment's bucket; a new one only where there is none of its name."""

from dataclasses import dataclass
from typing import Any, Self

from firnline_infra.blueprint.bucket_layout import DEPLOYMENT_FOLDER, folder
from firnline_infra.environment import Environment
from firnline_infra.runtimes.aws import call, code_of, is_missing
from firnline_infra.runtimes.errors import RuntimeRefused
from firnline_infra.specification import EnvironmentSpec

TAKEN = "PreconditionFailed"
"""S3's answer to If-None-Match where there is one. Where another request makes one at this moment, which may yet fail, it says
ConditionalRequestConflict, and is asked again (PutObject)."""
JSON = "application/json"


@dataclass(frozen=True, slots=True)
class BucketObjects:
    """Implements records.Objects."""

    s3: Any
    bucket: str
    folder: str
    """Ends with a slash."""

    @classmethod
    def of(cls, s3: Any, spec: EnvironmentSpec) -> Self:
        environment = Environment.of(spec)
        return cls(s3, environment.names.bucket, folder(environment, DEPLOYMENT_FOLDER))

    @property
    def place(self) -> str:
        return f"s3://{self.bucket}/{self.folder}"

    def names(self) -> list[str]:
        with call("s3:ListBucket", self.place):
            pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=self.folder)
            return [each["Key"].removeprefix(self.folder) for page in pages for each in page.get("Contents", ())]

    def read(self, name: str) -> str | None:
        try:
            with call("s3:GetObject", self.place + name):
                body: bytes = self.s3.get_object(Bucket=self.bucket, Key=self.folder + name)["Body"].read()
                return body.decode()
        except RuntimeRefused as error:
            if is_missing(error):
                return None
            raise

    def create(self, name: str, text: str) -> bool:
        try:
            with call("s3:PutObject", self.place + name):
                self.s3.put_object(
                    Bucket=self.bucket, Key=self.folder + name, Body=text.encode(), ContentType=JSON, IfNoneMatch="*"
                )
        except RuntimeRefused as error:
            if code_of(error) == TAKEN:
                # It is ours where only the answer to an earlier attempt of the client was lost.
                return self.read(name) == text
            raise
        return True

    def overwrite(self, name: str, text: str) -> None:
        with call("s3:PutObject", self.place + name):
            self.s3.put_object(Bucket=self.bucket, Key=self.folder + name, Body=text.encode(), ContentType=JSON)
