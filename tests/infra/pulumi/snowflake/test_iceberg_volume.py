import json
from typing import Any

import pulumi

from firnline_infra.blueprint.aws import Bucket
from firnline_infra.pulumi.snowflake import IcebergVolume, IcebergVolumeArgs
from firnline_infra.specification.identifier import Identifier
from tests.infra.pulumi.conftest import Deploy

IAM_USER = "arn:aws:iam::999988887777:user/snowflake"  # what the mocks answer
ROLE = "arn:aws:iam::111122223333:role/lake-volume"


ARGS: dict[str, Any] = {
    "name": Identifier.parse("LAKE"),
    "bucket": Bucket(name="lake"),
    "role_arn": ROLE,
    "external_id": "ours",
}


def program(**changes: Any) -> Any:
    args = {**ARGS, **changes}

    def run() -> None:
        pulumi.export("iam_user_arn", IcebergVolume("v", IcebergVolumeArgs(**args)).iam_user_arn)

    return run


def test_the_roles_trust_names_the_user_that_the_volume_told(deploy: Deploy) -> None:
    deployment = deploy(program())
    role, volume = deployment["v-role-role"], deployment["v-volume"]
    (statement,) = json.loads(role.inputs["assumeRolePolicy"])["Statement"]
    assert statement["Principal"] == {"AWS": IAM_USER} == {"AWS": deployment.outputs["iam_user_arn"]}
    assert statement["Condition"] == {"StringEquals": {"sts:ExternalId": "ours"}}
    assert role.inputs["name"] == "lake-volume"
    assert volume.name in role.after
    assert role.name not in volume.after


def test_the_volume_knows_the_role_before_it_is_there(deploy: Deploy) -> None:
    volume = deploy(program())["v-volume"]
    assert volume.inputs["storageLocations"] == [
        {
            "storageLocationName": "s3",
            "storageProvider": "S3",
            "storageBaseUrl": "s3://lake/tables/",
            "storageAwsRoleArn": ROLE,
            "storageAwsExternalId": "ours",
            "encryptionType": "NONE",
        }
    ]


def test_a_key_encrypts_the_bucket_and_what_snowflake_writes(deploy: Deploy) -> None:
    key = "arn:aws:kms:eu-west-1:111122223333:key/k"
    deployment = deploy(program(bucket=Bucket(name="lake", key_arn=key)))
    (location,) = deployment["v-volume"].inputs["storageLocations"]
    assert (location["encryptionType"], location["encryptionKmsKeyId"]) == ("AWS_SSE_KMS", key)
    statements = json.loads(deployment["v-role-policy"].inputs["policy"])["Statement"]
    assert [key] in [each["Resource"] for each in statements]


def test_snowflake_tries_it_once_everything_is_there_and_again_if_it_must(deploy: Deploy) -> None:
    verify = deploy(program())["v-verify"]
    assert verify.inputs["query"] == "SELECT SYSTEM$VERIFY_EXTERNAL_VOLUME('LAKE')"
    assert verify.inputs["execute"] == IcebergVolumeArgs(**ARGS).prove
    assert {"v-volume", "v-role-role", "v-role-policy", "v-bucket-bucket", "v-bucket-policy"} <= verify.after
    assert verify.is_tried_again
