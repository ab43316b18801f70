"""Snowflake's role for an external volume."""

from firnline_infra.blueprint.iam import policy_document
from firnline_infra.blueprint.iam.volume import volume_statements, volume_trust
from firnline_infra.blueprint.value import Reference

BUCKET = "arn:aws:s3:::lake-iceberg"


def test_only_snowflakes_user_with_our_external_id_may_be_the_role() -> None:
    principal = Reference("volume/LAKE", "iam_user_arn")
    (statement,) = volume_trust(principal=principal, external_id="firnline-0123")
    assert statement.principals == {"AWS": principal}
    assert statement.actions == ("sts:AssumeRole",)
    assert statement.conditions == {"StringEquals": {"sts:ExternalId": "firnline-0123"}}


def test_objects_are_kept_and_listed_in_the_prefix_alone() -> None:
    document = policy_document(volume_statements(bucket_arn=BUCKET, prefix="tables/"))
    keep, names, place = document["Statement"]
    assert keep["Resource"] == [f"{BUCKET}/tables/*"]
    assert names["Condition"] == {"StringLike": {"s3:prefix": "tables/*"}}
    assert place["Action"] == ["s3:GetBucketLocation"]
    assert "Condition" not in place, "the location has no prefix: a condition on one would refuse it"


def test_a_key_is_used_through_s3_alone() -> None:
    use = volume_statements(bucket_arn=BUCKET, prefix="tables/", key_arn=Reference("key"))[-1]
    assert use.resources == (Reference("key"),)
    assert use.actions == ("kms:Decrypt", "kms:GenerateDataKey")
    assert set(use.conditions) == {"StringLike"}
