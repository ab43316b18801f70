"""docs/drift.md decides about each way to change an object from outside that AWS's models and the providers' schemas have.

A new operation, or a new attribute, fails here until the page says what becomes of it.
"""

import json
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import botocore.session
import pytest
from packaging.version import Version

from firnline_infra.kinds import KINDS
from firnline_infra.kinds.kind import noun_of
from firnline_infra.kinds.snowflake import SNOWFLAKE_KINDS

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "drift.md").read_text(encoding="utf-8")
INFRA = ROOT / "infra" / "firnline_infra"
SCHEMAS = ROOT / "local" / "firnline_local" / "pulumi" / "schemas"
READS = (
    *("Get", "List", "Describe", "Head", "Select", "Scan", "Query", "Batch", "Test", "Validate", "Preview", "Filter"),
    *("Generate", "Simulate", "Search", "Verify", "Check"),
)
"""Operations whose names begin so change nothing."""
OBJECTS = {
    "kinesis": ("StreamName", "StreamARN", "ConsumerARN", "ResourceARN"),
    "dynamodb": ("TableName", "ResourceArn", "TableArn", "GlobalTableName"),
    "s3": ("Bucket",),
    "s3control": ("Bucket",),
    "iam": ("RoleName", "UserName", "PolicyArn", "InstanceProfileName"),
    "kms": ("KeyId", "TargetKeyId", "AliasName"),
    "secretsmanager": ("SecretId",),
    "logs": ("logGroupName", "logGroupIdentifier", "resourceIdentifier"),
    "cloudwatch": ("AlarmName", "AlarmNames", "DashboardName", "DashboardNames", "MuteTargets"),
    "ecr": ("repositoryName",),
    "emr-serverless": ("applicationId",),
    "emr-containers": ("virtualClusterId",),
    "eks": ("associationId",),
    "ec2": ("GroupId",),
    "sns": ("TopicArn", "SubscriptionArn"),
    "ssm": ("Name", "Names"),
    "events": ("Rule",),
    "scheduler": ("Name",),
}
"""By service: the members of a request that name an object which an environment makes."""
OF_OTHERS = {"ssm": "Parameter", "scheduler": "Schedule"}
"""Where other objects are named by the same member, what an operation on ours has in its name."""
ATTRIBUTES_OF_OTHERS = {"id", "region", "name", "name_prefix"}


class Row(NamedTuple):
    what: str
    names: tuple[str, ...]
    verdict: str


def rows_under(title: str) -> list[Row]:
    section = PAGE.partition(f"\n### {title}\n")[2].partition("\n#")[0]
    lines = [line.strip("|").split(" | ") for line in section.splitlines() if line.startswith("| ") and "`" in line]
    return [Row(what.strip(), tuple(re.findall("`([^`]+)`", names)), verdict.strip()) for what, names, verdict in lines]


def operations_of(service: str) -> set[str]:
    model = botocore.session.get_session().get_service_model(service)
    found = set()
    for name in model.operation_names:
        request = model.operation_model(name).input_shape
        members = set(request.members) if request else set()
        is_of_object = service == "s3" and {"Key", "UploadId"} & members
        if OBJECTS[service] and members & {*OBJECTS[service]} and not name.startswith(READS) and not is_of_object:
            found.add(name)
    return {name for name in found if OF_OTHERS.get(service, "") in name}


@pytest.mark.parametrize("service", OBJECTS)
def test_each_operation_that_changes_an_object_has_one_verdict(service: str) -> None:
    decided = Counter(name for row in rows_under("Operations of AWS") if row.what == service for name in row.names)
    assert sorted(operations_of(service) - decided.keys()) == [], "the services' models have these, too"
    if Version(botocore.__version__) >= Version(*re.findall(r"\(botocore ([0-9.]+)\)", PAGE)):  # an older one has fewer
        assert sorted(decided.keys() - operations_of(service)) == [], "there is none of this name"
    assert [name for name, times in decided.items() if times > 1] == []


def tried() -> dict[str, set[str]]:
    section = PAGE.partition("\n## What is tried\n")[2].partition("\n## ")[0]
    lines = re.findall(r"^\| ([a-z0-9 ]+) \| (`.+`) \|$", section, re.M)
    return {what: set(re.findall("`([^`]+)`", paths)) for what, paths in lines}


@pytest.mark.parametrize("title", ["Operations of AWS", "Clauses of ALTER in Snowflake"])
def test_a_verdict_is_a_finding_that_was_tried_a_comparison_an_attribute_that_is_set_or_a_reason(title: str) -> None:
    found, compared = tried(), compared_by_provider()
    comparisons = {noun_of(kind.token): {each.what for each in kind.comparisons} for kind in (*KINDS, *SNOWFLAKE_KINDS)}
    wrong = []
    for row in rows_under(title):
        if row.verdict.startswith("no: ") and len(row.verdict) > 20:
            continue
        beside = re.findall(r"comparison of ([a-z0-9 ]+) `([^`]+)`", row.verdict)
        claims = re.findall(
            r"(?:^|; )([a-z0-9 ]+) `([^`]+)`", re.sub(r"comparison of [a-z0-9 ]+ `[^`]+`", "", row.verdict)
        )
        wrong += [(row.what, *each) for each in beside if each[1] not in comparisons.get(each[0], ())]
        for what, path in claims:
            is_known = path in found.get(what, ()) or path == "exists"
            if not is_known and snake(path.partition(".")[0]) not in compared.get(what, ()):
                wrong.append((row.what, what, path))
        if not claims and not beside:
            wrong.append((row.what, *row.names))
    assert wrong == []


def compared_by_provider() -> dict[str, set[str]]:
    """Returns by kind what a refresh shows as changed; of what a provider computes where nothing is set, what we set."""
    sources = [each for folder in ("kinds", "resources") for each in (INFRA / folder).glob("*.py")]
    set_here = set(re.findall(r'"([a-z_0-9]+)":', "".join(each.read_text(encoding="utf-8") for each in sources)))
    found = {}
    for file in ("aws.json", "snowflake.json"):
        for token, fields in json.loads((SCHEMAS / file).read_text()).items():
            if ":" in token:
                flags = {name: each if isinstance(each, str) else each.get("flag", "") for name, each in fields.items()}
                found[noun_of(token)] = {
                    name for name, flag in flags.items() if not flag.endswith("=") or (name in set_here and "?" in flag)
                }
    return found


def test_each_attribute_that_the_provider_leaves_to_snowflake_is_decided() -> None:
    """The provider reports no change of what it computes where nothing is set."""
    schemas = json.loads((SCHEMAS / "snowflake.json").read_text())
    with_parameters = {
        each.token
        for each in SNOWFLAKE_KINDS
        if any(comparison.what == "parameters" for comparison in each.comparisons)
    } | {"snowflake:index/icebergTable:IcebergTable"}  # as the tables that they are
    decided = {name for row in rows_under("Attributes that the provider leaves to Snowflake") for name in row.names}
    made = {each.token for each in SNOWFLAKE_KINDS}
    left = {
        f"{noun_of(token)}.{name}"
        for token in made - with_parameters
        for name, flags in schemas[token].items()
        if isinstance(flags, str) and flags.endswith("?=") and name not in ATTRIBUTES_OF_OTHERS
    }
    assert (sorted(left - decided), sorted(decided - left)) == ([], [])


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
