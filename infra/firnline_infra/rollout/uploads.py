"""Uploads the files that a job is started with into the environment's bucket.

Uploads are content-addressed and never overwritten, so that the running engine and a rollback keep their files.
"""

from pathlib import Path
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from firnline_infra.artefact import BuiltArtefact
from firnline_infra.rollout.bucket import JSON, TAKEN
from firnline_infra.runtimes.aws import call, code_of, is_missing
from firnline_infra.runtimes.errors import RuntimeRefused, RuntimeUnavailable
from firnline_infra.runtimes.job import Artefact
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.runtimes.options import Architecture

IMAGE_ENTRY, IMAGE_ENVIRONMENT = "/opt/firnline/entry.py", "/opt/firnline/environment"
"""The entry script and the environment in an image that the artefact's Containerfile makes."""
ARCHITECTURES = {"aarch64": Architecture.ARM64, "x86_64": Architecture.X86_64}


def uploaded(s3: Any, bucket: str, folder: str, built: BuiltArtefact) -> Artefact:
    """The artefact below s3://bucket/folder; its manifest comes last, so that where that is, everything is."""
    manifest = built.manifest
    place = f"{folder}{manifest.hash}/"
    if not _is_there(s3, bucket, f"{place}manifest.json"):
        for file in built.files:
            _upload(s3, bucket, f"{place}{file.name}", file)
    return Artefact(
        hash=manifest.hash,
        python=manifest.python,
        architecture=ARCHITECTURES[manifest.architecture],
        entry=f"s3://{bucket}/{place}{built.entry.name}",
        archive=f"s3://{bucket}/{place}{built.archive.name}",
    )


def in_image(spec: EnvironmentSpec, image: str) -> Artefact:
    """The artefact as an image has it that was made with its Containerfile. The image's own name stands for its content: with a
    digest that is what it is.
    """
    section = spec.aws.runtime.kubernetes
    assert section is not None
    return Artefact(
        hash=image,
        python=spec.aws.runtime.python,
        architecture=section.architecture,
        entry=IMAGE_ENTRY,
        archive=IMAGE_ENVIRONMENT,
    )


def with_image(spec: EnvironmentSpec, image: str) -> EnvironmentSpec:
    """Says which image it is, where the specification leaves that to a deploy."""
    runtime = spec.aws.runtime
    assert runtime.kubernetes is not None
    section = runtime.kubernetes.model_copy(update={"image": image})
    there = spec.aws.model_copy(update={"runtime": runtime.model_copy(update={"kubernetes": section})})
    return spec.model_copy(update={"aws": there})


def put_once(s3: Any, bucket: str, key: str, text: str) -> str:
    """The URI of an object whose name says its content: where it is there already, it is the same."""
    uri = f"s3://{bucket}/{key}"
    try:
        with call("s3:PutObject", uri):
            s3.put_object(Bucket=bucket, Key=key, Body=text.encode(), ContentType=JSON, IfNoneMatch="*")
    except RuntimeRefused as error:
        if code_of(error) != TAKEN:
            raise
    return uri


def _is_there(s3: Any, bucket: str, key: str) -> bool:
    try:
        with call("s3:HeadObject", f"s3://{bucket}/{key}"):
            s3.head_object(Bucket=bucket, Key=key)
    except RuntimeRefused as error:
        if is_missing(error):
            return False
        raise
    return True


def _upload(s3: Any, bucket: str, key: str, file: Path) -> None:
    """Uploads a file: a large one in parts, several at a time."""
    from boto3.exceptions import S3UploadFailedError

    try:
        s3.upload_file(str(file), bucket, key)
    except S3UploadFailedError as error:
        raise RuntimeRefused("s3:PutObject", f"s3://{bucket}/{key}", str(error)) from error
    except (ClientError, BotoCoreError) as error:
        raise RuntimeUnavailable("s3:PutObject", f"s3://{bucket}/{key}", str(error)) from error
