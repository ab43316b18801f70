"""Quotas that Service Quotas keeps, against what the specification adds: tables, secrets, vCPUs of EMR Serverless at once.

A quota that nobody has changed is asked for as AWS's default. Where it may not be asked, that is said, with what AWS gives to
an account that is new.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from firnline_infra.accounts.aws import aws_call
from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.size import size_of_specification
from firnline_infra.environment import Environment
from firnline_infra.kinds.keys_and_secrets import SECRET
from firnline_infra.kinds.kind import own_name
from firnline_infra.specification import EnvironmentSpec
from firnline_ingest.checks import Finding, good, unknown, wrong

UNCHANGED = {"NoSuchResourceException"}
"""GetServiceQuota's answer where the account has no quota of its own: the default counts then (API reference)."""


@dataclass(frozen=True, kw_only=True)
class Quota:
    service: str
    code: str
    """The code in Service Quotas; each region has a quota of its own."""
    about: str
    usual: int
    """What AWS gives to an account that is new, as of November 2026; not asked, and no verdict rests on it."""


TABLES = Quota(service="dynamodb", code="L-F98FE922", about="tables of DynamoDB", usual=2_500)
SECRETS = Quota(service="secretsmanager", code="L-2F66C23C", about="secrets", usual=500_000)
VCPUS = Quota(service="emr-serverless", code="L-D05C8A75", about="vCPUs of EMR Serverless at once", usual=16)


def tables(blueprint: Blueprint, dynamodb: Any, quotas: Any) -> Iterator[Finding]:
    """Raises AwsRefused where tables can't be listed."""
    with aws_call("dynamodb:ListTables", "the account"):
        pages = dynamodb.get_paginator("list_tables").paginate()
        names = {name for page in pages for name in page["TableNames"]}
    yield _judged(quotas, TABLES, len(names), len({blueprint.names.ledger_table} - names))


def secrets(blueprint: Blueprint, secretsmanager: Any, quotas: Any) -> Iterator[Finding]:
    """Raises AwsRefused where secrets can't be listed."""
    with aws_call("secretsmanager:ListSecrets", "the account"):
        pages = secretsmanager.get_paginator("list_secrets").paginate()
        names = {each["Name"] for page in pages for each in page["SecretList"]}
    yield _judged(quotas, SECRETS, len(names), len({own_name(each) for each in SECRET.all_rows(blueprint)} - names))


def vcpus(spec: EnvironmentSpec, quotas: Any) -> Iterator[Finding]:
    """Compares one job alone with the quota: what other applications of the account use at this moment, the service doesn't
    tell.
    """
    if spec.aws.runtime.emr_serverless is not None:
        yield _judged(quotas, VCPUS, None, size_of_specification(Environment.of(spec)).cores)


def _judged(quotas: Any, quota: Quota, used: int | None, more: int) -> Finding:
    """`used` is None where nobody counts it."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        limit = _limit(quotas, quota)
    except (ClientError, BotoCoreError, LookupError) as error:
        step = (
            f"allow servicequotas:GetServiceQuota, or look at {quota.code} of {quota.service} in Service Quotas: {quota.usual:,} "
            "in an account that is new"
        )
        return unknown(quota.about, f"{_said(used, more)}; the quota could not be asked: {error}", next_step=step)
    said = f"{_said(used, more)}, {limit:,} allowed"
    if (used or 0) + more <= limit:
        return good(quota.about, said)
    step = f"ask for more in Service Quotas ({quota.code} of {quota.service}) before `firnline up`"
    return wrong(quota.about, said, next_step=f"{step}, or for less in aws.runtime.size" if quota is VCPUS else step)


def _said(used: int | None, more: int) -> str:
    return (
        f"{more:,} asked for, beside what other jobs use" if used is None else f"{used:,} used, {more:,} more asked for"
    )


def _limit(quotas: Any, quota: Quota) -> int:
    """Raises ClientError or BotoCoreError, and LookupError where AWS knows no such quota."""
    from botocore.exceptions import ClientError

    try:
        answer = quotas.get_service_quota(ServiceCode=quota.service, QuotaCode=quota.code)
        return int(answer["Quota"]["Value"])
    except ClientError as error:
        if error.response["Error"]["Code"] not in UNCHANGED:
            raise
    pages = quotas.get_paginator("list_aws_default_service_quotas").paginate(ServiceCode=quota.service)
    for each in (each for page in pages for each in page["Quotas"]):
        if each["QuotaCode"] == quota.code:
            return int(each["Value"])
    raise LookupError(f"{quota.service} has no {quota.code}")
