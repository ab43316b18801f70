"""The environment's own repository of images in ECR: which image of an artefact is in it, and how one gets there."""

import base64
from collections.abc import Callable
from typing import Any

from firnline_infra.artefact.artefact import BuiltArtefact, Manifest
from firnline_infra.artefact.image import build_image
from firnline_infra.runtimes.aws import call, code_of
from firnline_infra.runtimes.errors import RuntimeRefused
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_infra.specification.partition import partition_of

NOT_THERE = {
    "RepositoryNotFoundException": "firnline up creates the repository; or give aws.runtime.kubernetes.image.",
}


def tag_of(manifest: Manifest) -> str:
    """Returns an image's tag: all that decides what runs in it. A tag of the repository can't be moved."""
    return f"{manifest.hash[:32]}-spark-{manifest.spark}"


def image_in_repository(spec: EnvironmentSpec, ecr: Any, built: BuiltArtefact, say: Callable[[str], None]) -> str:
    """The reference, by digest, of the artefact's image, which is built and pushed where it is not there yet. Raises NoBuilder,
    ImageFailed, RuntimeRefused, RuntimeUnavailable, and what fetching S3A's jars does.
    """
    name, tag = Names.of(spec).repository, tag_of(built.manifest)
    host = partition_of(spec).host(f"{spec.aws.account}.dkr.ecr", spec.aws.region)
    digest = _digest_of(ecr, name, tag)
    if digest is not None:
        return f"{host}/{name}@{digest}"
    with call("ecr:GetAuthorizationToken", host):
        token = ecr.get_authorization_token()["authorizationData"][0]["authorizationToken"]
    password = base64.b64decode(token).decode().partition(":")[2]
    return build_image(built, f"{host}/{name}:{tag}", push=True, login=(host, password), say=say)


def _digest_of(ecr: Any, name: str, tag: str) -> str | None:
    try:
        with call("ecr:DescribeImages", name, next_steps=NOT_THERE):
            found = ecr.describe_images(repositoryName=name, imageIds=[{"imageTag": tag}])["imageDetails"]
    except RuntimeRefused as error:
        if code_of(error) == "ImageNotFoundException":
            return None
        raise
    return str(found[0]["imageDigest"])
