"""The rows are whole: each kind once, each action with one reason, each lookup of what is made."""

from collections import Counter

import boto3
import pytest

from firnline_infra.accounts.aws import MISSING
from firnline_infra.kinds import KINDS, Kind

TERRAFORM = {
    "aws:kinesis/stream:Stream": "aws_kinesis_stream",
    "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration": (
        "aws_s3_bucket_server_side_encryption_configuration"
    ),
    "aws:s3/bucketObjectv2:BucketObjectv2": "aws_s3_object",
    "aws:ec2/securityGroup:SecurityGroup": "aws_security_group",
    "aws:emrserverless/application:Application": "aws_emrserverless_application",
}
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.token)


def test_each_kind_is_in_the_table_once() -> None:
    assert Counter(kind.token for kind in KINDS).most_common(1)[0][1] == 1


@every_kind
def test_each_action_has_one_reason(kind: Kind) -> None:
    phases = ("create", "read", "update", "delete")
    reasons = {(name, right.why) for right in kind.rights for phase in phases for name in getattr(right, phase).split()}
    compared = {name for each in kind.comparisons for name in each.actions.split()} - {name for name, _ in reasons}
    assert len(reasons) + len(compared) == len(kind.actions())


@every_kind
def test_what_is_made_under_a_fixed_name_is_adopted_here(kind: Kind) -> None:
    if kind.exists is not None:
        client = boto3.client(kind.exists.client, region_name="eu-west-1")
        assert callable(getattr(client, kind.exists.operation))


@every_kind
def test_what_its_lookup_answers_of_an_object_that_is_not_there_is_known(kind: Kind) -> None:
    """By the model of the service: another code would end the first `up` of an environment that has the kind."""
    if kind.exists is None:
        return
    meta = boto3.client(kind.exists.client, region_name="eu-west-1").meta
    operation = meta.service_model.operation_model(meta.method_to_api_mapping[kind.exists.operation])
    codes = {shape.metadata.get("error", {}).get("code", shape.name) for shape in operation.error_shapes}
    absent = {each for each in codes if "NotFound" in each or each.startswith("NoSuch")}
    assert absent <= MISSING


def test_terraforms_name_follows_from_the_token() -> None:
    assert {kind.token: kind.terraform_type for kind in KINDS if kind.token in TERRAFORM} == TERRAFORM
