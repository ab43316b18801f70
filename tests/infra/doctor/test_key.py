"""The recorded key against answers that KMS's model takes (botocore's Stubber); none goes over the network."""

import boto3
import pytest
from botocore.stub import Stubber

from firnline_infra.doctor.key import recorded
from firnline_infra.specification import EnvironmentSpec
from firnline_ingest.checks import Finding, Verdict
from tests.infra.doctor.test_boundary import spec_of
from tests.infra.specifications import changed

ARN = "arn:aws:kms:eu-central-1:111122223333:key/1"
ALIAS = "alias/firnline-dev"


@pytest.fixture
def spec() -> EnvironmentSpec:
    return changed(spec_of(), "aws.key.arn", ARN)


def looked(spec: EnvironmentSpec, leads_to: str | None, *, state: str = "Enabled") -> list[Finding]:
    kms = boto3.client("kms", region_name="eu-central-1", aws_access_key_id="x", aws_secret_access_key="x")
    with Stubber(kms) as stub:
        stub.add_response("describe_key", {"KeyMetadata": {"KeyId": "1", "KeyState": state}}, {"KeyId": ARN})
        if leads_to is None:
            stub.add_client_error("describe_key", "NotFoundException", expected_params={"KeyId": ALIAS})
        else:
            stub.add_response("describe_key", {"KeyMetadata": {"KeyId": "1", "Arn": leads_to}}, {"KeyId": ALIAS})
        return list(recorded(spec, kms))


def test_a_key_that_was_swapped_in_the_file_is_wrong(spec: EnvironmentSpec) -> None:
    (found,) = looked(spec, ARN)
    assert found.verdict is Verdict.GOOD
    (found,) = looked(spec, ARN.replace("key/1", "key/2"))
    assert (found.verdict, "key/2" in found.found, "key/1" in found.found) == (Verdict.WRONG, True, True)
    (found,) = looked(spec, None)
    assert found.verdict is Verdict.WRONG


def test_a_key_that_nothing_can_be_encrypted_with_is_wrong(spec: EnvironmentSpec) -> None:
    for state in ("Disabled", "PendingDeletion"):
        found, _ = looked(spec, ARN, state=state)
        assert (found.verdict, state in found.found, "cancel-key-deletion" in found.next_step) == (
            Verdict.WRONG,
            True,
            True,
        )


def test_where_none_is_recorded_nothing_is_asked() -> None:
    assert list(recorded(spec_of(), kms=None)) == []
