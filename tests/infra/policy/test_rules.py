"""The shipped environments break no rule; each rule is broken by one change, and no other rule is."""

import importlib
import inspect
import json
import os
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.kinds import KINDS, Kind
from firnline_infra.policy import RULES, DeclaredStack, declared_by, find_breaches
from firnline_infra.policy.declared import DeclaredResource
from firnline_infra.policy.pack import declared_by_pulumi
from tests.infra.blueprint.test_every_field import samples
from tests.infra.policy.breaking import BREAKING, BYPASSES, Breaking
from tests.infra.pulumi.conftest import SpecOf
from tests.infra.pulumi.test_beside_terraform import CASES

PAGE = Path(__file__).parents[3] / "docs" / "policy.md"
MARK = "<!-- rules -->"


@cache
def prod(spec_of: SpecOf) -> DeclaredStack:
    return declared_by(spec_of("prod"))


@pytest.mark.parametrize("case", CASES)
def test_an_environment_as_it_is_shipped_breaks_no_rule(case: str, spec_of: SpecOf) -> None:
    name, changes = CASES[case]
    assert [str(each) for each in find_breaches(declared_by(spec_of(name, **changes)))] == []


LEFT_OUT = {"permissions-boundary", "retention"}
"""Rules that these samples break: they give streams the shortest retention, and name no boundary."""


@pytest.mark.parametrize("number", range(len(samples())))
def test_whatever_an_environment_has_breaks_no_rule(number: int) -> None:
    found = [each for each in find_breaches(declared_by(samples()[number])) if each.rule not in LEFT_OUT]
    assert [str(each) for each in found] == []


KEY = "arn:aws:kms:eu-central-1:123456789012:key/1a2b3c4d"
GROUPS = "arn:aws:redshift-serverless:eu-central-1:123456789012:workgroup/*"
THROUGH_REDSHIFT = {"StringEquals": {"kms:ViaService": "redshift.eu-central-1.amazonaws.com"}}
OURS = {"StringEquals": {"aws:ResourceTag/firnline:application": "lake"}}


@pytest.mark.parametrize(
    ("action", "resource", "condition", "rules"),
    [
        ("kms:CreateGrant", KEY, THROUGH_REDSHIFT, set()),
        ("kms:CreateGrant", KEY, {}, {"least-privilege"}),
        ("redshift-data:ExecuteStatement", GROUPS, OURS, set()),
        ("redshift-data:ExecuteStatement", GROUPS, {}, {"wildcard-resource"}),
        ("kinesis:GetRecords", "arn:aws:kinesis:eu-central-1:123456789012:stream/*", OURS, {"wildcard-resource"}),
        ("sts:AssumeRole", "arn:aws:iam::999988887777:role/reads-orders", {}, set()),
        ("sts:AssumeRole", "arn:aws:iam::999988887777:role/*", {}, {"wildcard-resource"}),
    ],
)
def test_what_refreshes_views_and_reads_elsewhere_is_let_through_as_narrow_as_it_is_made(
    action: str, resource: str, condition: dict[str, Any], rules: set[str]
) -> None:
    statement = {"Effect": "Allow", "Action": action, "Resource": resource, "Condition": condition}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    declared = DeclaredResource("aws_iam_role_policy", "one", {"role": "one", "policy": policy})
    assert {each.rule for each in find_breaches(DeclaredStack((declared,)))} == rules


OF_AWS = [kind for kind in KINDS if kind.token.startswith("aws:")]


@pytest.mark.parametrize("kind", OF_AWS, ids=lambda kind: kind.terraform_type)
def test_tags_are_asked_of_each_type_that_the_provider_gives_them(kind: Kind) -> None:
    resource = DeclaredResource(kind.terraform_type, "one", {})
    found = [each for each in find_breaches(DeclaredStack((resource,))) if each.rule == "tags"]
    _, module, name = kind.token.split(":")
    by_provider = getattr(importlib.import_module(f"pulumi_aws.{module.partition('/')[0]}"), name)
    assert bool(found) == ("tags" in inspect.signature(by_provider._internal_init).parameters)


@pytest.mark.parametrize("name", ["staging", "prod"])
def test_staging_and_prod_are_what_a_team_demands_of_them(name: str, spec_of: SpecOf) -> None:
    assert list(find_breaches(declared_by(spec_of(name), must_protect=True))) == []


@pytest.mark.parametrize("breaking", [*BREAKING, *BYPASSES], ids=lambda each: f"{each.rule} {each.of}")
def test_what_breaks_a_rule_is_found_by_that_rule_alone(breaking: Breaking, spec_of: SpecOf) -> None:
    found = list(find_breaches(breaking.applied(prod(spec_of))))
    assert {each.rule for each in found} == {breaking.rule}
    assert all(each.found and each.next_step for each in found)


def test_each_rule_is_broken_by_something() -> None:
    assert {each.rule for each in (*BREAKING, *BYPASSES)} == {each.id for each in RULES}
    assert len({each.id for each in RULES}) == len(RULES)


LOOKUP: dict[str, Any] = {
    "sid": "Lookup",
    "why": "Reads the lookup table of the team.",
    "actions": ["sqs:SendMessage"],
    "resources": ["arn:aws:sqs:eu-central-1:333344445555:lookups"],
}
ENVIRONMENTS: dict[str, tuple[dict[str, Any], set[str]]] = {
    "a role for everybody": ({"snowflake": {"reader": {"granted_to": ["PUBLIC"]}}}, {"snowflake-roles"}),
    "a door for everybody": ({"snowflake": {"allowed_networks": ["0.0.0.0/0"]}}, {"open-network"}),
    "no boundary": ({"aws": {"permissions_boundary": None}}, {"permissions-boundary"}),
    "a statement of the team's": ({"aws": {"runtime": {"trust": "emr-serverless", "statements": [LOOKUP]}}}, {"least-privilege"}),
    "a day of records": ({"streams": [{"name": each} for each in ("orders", "clicks", "prices")]}, {"retention"}),
}  # fmt: skip # a row, a case


@pytest.mark.parametrize("case", ENVIRONMENTS)
def test_a_specification_that_breaks_a_rule_is_found(case: str, spec_of: SpecOf) -> None:
    changes, rules = ENVIRONMENTS[case]
    assert {each.rule for each in find_breaches(declared_by(spec_of("prod", **changes)))} == rules


def test_an_environment_that_calls_itself_ephemeral_is_found_where_a_team_demands_protection(spec_of: SpecOf) -> None:
    spec = spec_of("prod", durability="EPHEMERAL")
    assert list(find_breaches(declared_by(spec))) == []
    assert {each.rule for each in find_breaches(declared_by(spec, must_protect=True))} == {"protection", "retention"}


@pytest.mark.parametrize(
    ("token", "properties", "rule"),
    [
        ("aws:s3/bucketV2:BucketV2", {"bucket": "b", "grants": [{"permissions": ["READ"]}]}, "public-bucket"),
        ("aws:iam/role:Role", {"inlinePolicies": [{"policy": {"Statement": {"Action": "s3:*"}}}]}, "wildcard-action"),
        ("snowflake:index/networkRule:NetworkRule", {"valueLists": ["0.0.0.0/0"]}, "open-network"),
        ("aws:cloudformation/stack:Stack", {"templateBody": "{}"}, "unseen"),
        ("command:local:Command", {"create": "aws iam attach-role-policy"}, "unseen"),
    ],
)
def test_the_pack_reads_a_resource_by_the_names_that_pulumi_has(
    token: str, properties: dict[str, Any], rule: str
) -> None:
    declared = declared_by_pulumi(token, "added", properties, is_protected=False)
    found = {(each.rule, each.path) for each in find_breaches(DeclaredStack((declared,)))}
    assert rule in {each for each, _ in found}
    assert ("public-bucket", "grant") in found or rule != "public-bucket"


def test_the_page_has_every_rule() -> None:
    rows = [f"| `{each.id}` | {each.text} | {_types(each.types)} |" for each in RULES]
    table = "\n".join(["| rule | what is wrong | looks at |", "|---|---|---|", *rows])
    text = PAGE.read_text(encoding="utf-8")
    wanted = re.sub(f"({MARK}\n).*?(<!-- end)", lambda found: f"{found[1]}{table}\n{found[2]}", text, flags=re.DOTALL)
    if os.environ.get("FIRNLINE_WRITE_GOLDEN"):
        PAGE.write_text(wanted, encoding="utf-8")
        pytest.fail(f"{PAGE.name} was written: review it, and run the test again")
    assert wanted == text, "FIRNLINE_WRITE_GOLDEN=1 writes it anew"


def _types(types: tuple[str, ...]) -> str:
    return ", ".join(f"`{each}`" for each in types) or "every resource"
