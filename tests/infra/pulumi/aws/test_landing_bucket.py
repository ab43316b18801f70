import json

import pulumi
import pytest

from firnline_infra.pulumi.aws import LandingBucket, LandingBucketArgs
from firnline_infra.specification.model import Durability
from tests.infra.pulumi.conftest import Deploy


@pytest.mark.parametrize(("durability", "is_protected"), [(Durability.PROTECTED, True), (Durability.EPHEMERAL, False)])
def test_only_what_is_ephemeral_goes_with_what_is_in_it(
    durability: Durability, is_protected: bool, deploy: Deploy
) -> None:
    deployment = deploy(lambda: LandingBucket("b", LandingBucketArgs(name="lake", durability=durability)))
    bucket = deployment["b-bucket"]
    assert (bucket.protect, bucket.inputs["forceDestroy"]) == (is_protected, not is_protected)
    assert not any(each.protect for each in deployment.made if each is not bucket)


def test_nobody_comes_without_tls(deploy: Deploy) -> None:
    policy = json.loads(deploy(lambda: LandingBucket("b", LandingBucketArgs(name="lake")))["b-policy"].inputs["policy"])
    (statement,) = policy["Statement"]
    assert (statement["Effect"], statement["Principal"], statement["Action"]) == ("Deny", {"AWS": "*"}, ["s3:*"])
    assert statement["Resource"] == ["arn:aws:s3:::lake", "arn:aws:s3:::lake/*"]
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


@pytest.mark.parametrize(
    ("key", "algorithm"), [(None, "AES256"), ("arn:aws:kms:eu-west-1:111122223333:key/k", "aws:kms")]
)
def test_objects_are_encrypted_with_the_key_that_is_given(key: str | None, algorithm: str, deploy: Deploy) -> None:
    deployment = deploy(lambda: LandingBucket("b", LandingBucketArgs(name="lake", key_arn=key)))
    (rule,) = deployment["b-encryption"].inputs["rules"]
    assert rule["applyServerSideEncryptionByDefault"]["sseAlgorithm"] == algorithm
    assert rule["applyServerSideEncryptionByDefault"].get("kmsMasterKeyId") == key
    assert rule["bucketKeyEnabled"] is (key is not None)


def test_a_buckets_name_is_told_when_it_is_encrypted_and_closed(deploy: Deploy) -> None:
    def program() -> None:
        bucket = LandingBucket("b", LandingBucketArgs(name="lake"))
        LandingBucket("after", LandingBucketArgs(name=bucket.name))
        pulumi.export("name", bucket.name)

    deployment = deploy(program)
    assert deployment.outputs["name"] == "lake"
    settings = {"b-ownership", "b-policy", "b-encryption", "b-versioning"}
    assert settings <= deployment["after-bucket"].after
