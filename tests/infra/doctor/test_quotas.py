"""Quotas against answers that Service Quotas' model takes (botocore's Stubber); none goes over the network."""

import re
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber
from policy_sentry.querying.actions import get_action_data

from firnline_infra.blueprint import Blueprint, blueprint_of
from firnline_infra.doctor import quotas
from firnline_infra.kinds.keys_and_secrets import SECRET
from firnline_infra.kinds.kind import own_name
from firnline_infra.specification import EnvironmentSpec
from firnline_ingest.checks import Verdict
from tests.infra.specifications import smallest

PAGE = Path(__file__).parents[3] / "docs" / "doctor.md"
NETWORK = {"subnets": ["subnet-0a1b2c3d"], "security_group": {"vpc": "vpc-0a1b2c3d"}}
ON_EMR = {"trust": "emr-serverless", "emr_serverless": NETWORK}


def spec_of(runtime: dict[str, Any] | None = None) -> EnvironmentSpec:
    aws = {"account": "111122223333", "key": {"origin": "skip"}, "runtime": runtime or {}}
    return smallest(aws=aws, streams=[{"name": "orders", "shards": 8}])


@pytest.fixture
def blueprint() -> Blueprint:
    return blueprint_of(spec_of())


def service_quotas(
    value: float | None = None, *, defaults: dict[str, float] | None = None, error: str | None = None
) -> Any:
    """The account's own, or that it has none and then the default, or a refusal."""
    client = boto3.client("service-quotas", region_name="eu-central-1")
    stubber = Stubber(client)
    if value is not None:
        stubber.add_response("get_service_quota", {"Quota": {"Value": value}})
    else:
        stubber.add_client_error("get_service_quota", error or "NoSuchResourceException", "said so")
    if defaults is not None:
        listed = [{"QuotaCode": code, "Value": number} for code, number in defaults.items()]
        stubber.add_response("list_aws_default_service_quotas", {"Quotas": listed})
    stubber.activate()
    return client


def listing(service: str, operation: str, answer: dict[str, Any]) -> Any:
    client = boto3.client(service, region_name="eu-central-1")
    stubber = Stubber(client)
    stubber.add_response(operation, answer)
    stubber.activate()
    return client


def tables(*names: str) -> Any:
    return listing("dynamodb", "list_tables", {"TableNames": list(names)})


def test_the_ledger_counts_unless_it_is_there(blueprint: Blueprint) -> None:
    def verdict(*names: str) -> Verdict:
        (found,) = quotas.tables(blueprint, tables(*names), service_quotas(2.0))
        return found.verdict

    assert verdict("one") is Verdict.GOOD
    assert verdict("one", "two") is Verdict.WRONG
    assert verdict("one", blueprint.names.ledger_table) is Verdict.GOOD


def test_a_quota_that_nobody_changed_is_aws_own(blueprint: Blueprint) -> None:
    (found,) = quotas.tables(blueprint, tables("one"), service_quotas(defaults={"L-0": 9.0, "L-F98FE922": 1.0}))
    assert (found.verdict, found.found) == (Verdict.WRONG, "1 used, 1 more asked for, 1 allowed")
    assert "L-F98FE922 of dynamodb" in found.next_step


def test_a_quota_that_may_not_be_asked_is_unknown_and_what_is_usual_is_told(blueprint: Blueprint) -> None:
    (found,) = quotas.tables(blueprint, tables("one"), service_quotas(error="AccessDeniedException"))
    assert found.verdict is Verdict.UNKNOWN
    assert "AccessDeniedException" in found.found
    assert "allow servicequotas:GetServiceQuota" in found.next_step
    assert "2,500 in an account that is new" in found.next_step


def test_a_quota_that_aws_does_not_know_is_unknown(blueprint: Blueprint) -> None:
    (found,) = quotas.tables(blueprint, tables("one"), service_quotas(defaults={}))
    assert (found.verdict, "has no L-F98FE922" in found.found) == (Verdict.UNKNOWN, True)


def test_secrets_that_are_there_are_not_asked_for_again(blueprint: Blueprint) -> None:
    secrets = SECRET.all_rows(blueprint)
    there = {"SecretList": [{"Name": own_name(secrets[0])}]}
    client = listing("secretsmanager", "list_secrets", there)
    (found,) = quotas.secrets(blueprint, client, service_quotas(500_000.0))
    assert found.found == f"1 used, {len(secrets) - 1} more asked for, 500,000 allowed"


def test_a_job_that_is_larger_than_what_the_account_gets_at_once_is_told_before_it_is_started() -> None:
    spec = spec_of(ON_EMR)
    (found,) = quotas.vcpus(spec, service_quotas(1.0))
    assert found.verdict is Verdict.WRONG
    assert "aws.runtime.size" in found.next_step
    (found,) = quotas.vcpus(spec, service_quotas(1_000.0))
    assert found.verdict is Verdict.GOOD
    assert list(quotas.vcpus(spec_of(), service_quotas())) == []


ASKED = (
    *("servicequotas:GetServiceQuota", "servicequotas:ListAWSDefaultServiceQuotas", "iam:SimulatePrincipalPolicy"),
    *("dynamodb:ListTables", "secretsmanager:ListSecrets", "kinesis:DescribeLimits", "kinesis:DescribeStreamSummary"),
    "kinesis:ListStreamConsumers",
)
"""What whoever runs `firnline doctor` needs beside what deploying needs; no role of CI has it."""


@pytest.mark.parametrize("action", ASKED)
def test_each_right_that_it_needs_is_on_its_page_and_one_of_awss(action: str) -> None:
    assert re.search(rf"^\| `{action}` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    service, _, name = action.partition(":")
    assert get_action_data(service, name)
