"""The boundary against answers that IAM's model takes (botocore's Stubber); none goes over the network."""

import json
from typing import Any
from urllib.parse import quote

import boto3
import pytest
from botocore.stub import Stubber

from firnline_infra.accounts.errors import AwsRefused
from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.iam import policy_document
from firnline_infra.doctor.boundary import boundary
from firnline_infra.render.bootstrap.boundary import boundary_statements
from firnline_infra.specification import EnvironmentSpec
from firnline_ingest.checks import Finding, Verdict
from tests.infra.specifications import smallest

OWN = "arn:aws:iam::111122223333:policy/firnline-dev-boundary"
READ = {
    "sid": "ReadLookups",
    "why": "a transform looks up prices",
    "actions": ["dynamodb:GetItem"],
    "resources": ["arn:aws:dynamodb:eu-central-1:111122223333:table/lookups"],
}


def spec_of(*statements: dict[str, Any], arn: str | None = OWN) -> EnvironmentSpec:
    runtime = {"statements": list(statements)}
    return smallest(aws={"account": "111122223333", "permissions_boundary": arn, "runtime": runtime})


def rendered(spec: EnvironmentSpec) -> dict[str, Any]:
    return policy_document(boundary_statements(blueprint_of(spec)))


def looked(spec: EnvironmentSpec, there: dict[str, Any] | None) -> list[Finding]:
    iam = boto3.client("iam", region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x")
    with Stubber(iam) as stub:
        if there is None:
            stub.add_client_error("get_policy", "NoSuchEntity", expected_params={"PolicyArn": OWN})
        else:
            policy = {"PolicyName": "firnline-dev-boundary", "DefaultVersionId": "v2", "Arn": OWN}
            stub.add_response("get_policy", {"Policy": policy}, {"PolicyArn": OWN})
            version = {"Document": quote(json.dumps(there))}
            stub.add_response("get_policy_version", {"PolicyVersion": version}, {"PolicyArn": OWN, "VersionId": "v2"})
        return list(boundary(blueprint_of(spec), iam))


def test_a_boundary_that_was_not_renewed_lacks_what_the_specification_adds_since() -> None:
    (found,) = looked(spec_of(READ), rendered(spec_of()))
    assert found.verdict is Verdict.WRONG
    assert found.found == "is not as specified: ExtraReadLookups"
    assert "have an administrator apply it" in found.next_step


def test_one_that_was_renewed_is_good_however_iam_writes_it() -> None:
    there = rendered(spec_of(READ))
    for statement in there["Statement"]:
        statement["Action"] = statement["Action"][0] if len(statement["Action"]) == 1 else statement["Action"][::-1]
    (found,) = looked(spec_of(READ), there)
    assert found.verdict is Verdict.GOOD


@pytest.mark.parametrize("name", ["Everything", None])
def test_one_that_somebody_has_widened_bounds_nobody(name: str | None) -> None:
    there = rendered(spec_of())
    there["Statement"].append({"Effect": "Allow", "Action": "*", "Resource": "*", **({"Sid": name} if name else {})})
    (found,) = looked(spec_of(), there)
    assert found.verdict is Verdict.WRONG
    assert found.found == f"allows what nobody specified: {name or 'a statement without a name'}"
    assert "find out who wrote it" in found.next_step


def test_what_has_left_the_specification_is_in_it_until_it_is_renewed() -> None:
    (found,) = looked(spec_of(), rendered(spec_of(READ)))
    assert found.found == "allows what nobody specified: ExtraReadLookups"
    assert "applies `firnline bootstrap` again" in found.next_step


def test_one_that_is_not_there_is_wrong_and_one_of_ones_own_is_not_known() -> None:
    (missing,) = looked(spec_of(), None)
    assert missing.found == "is not there"
    own = spec_of(arn="arn:aws:iam::111122223333:policy/everybody")
    (found,) = boundary(blueprint_of(own), iam=None)
    assert found.verdict is Verdict.UNKNOWN
    assert list(boundary(blueprint_of(spec_of(arn=None)), iam=None)) == []


def test_who_may_not_look_is_told_so() -> None:
    iam = boto3.client("iam", region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x")
    with Stubber(iam) as stub:
        stub.add_client_error("get_policy", "AccessDenied")
        with pytest.raises(AwsRefused, match="iam:GetPolicyVersion"):
            list(boundary(blueprint_of(spec_of()), iam))
