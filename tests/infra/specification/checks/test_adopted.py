from typing import Any

import pytest

from tests.infra.specification.checks.conftest import Problems

LAKE = {"name": "LAKE", "origin": "adopt", "schemas": [{"name": "RAW", "origin": "adopt"}]}


def test_a_database_of_somebody_else_with_a_schema_and_a_table_is_fine(
    problems: Problems, snowflake: Any, pipeline: Any
) -> None:
    made = [pipeline(table_origin="adopt", pipe={"name": "P", "origin": "adopt"})]
    assert problems(snowflake=snowflake(databases=[LAKE]), pipelines=made) == []


@pytest.mark.parametrize("origin", ["create", "adopt"])
def test_the_public_schema_can_be_adopted_in_any_database(
    problems: Problems, snowflake: Any, pipeline: Any, origin: str
) -> None:
    public = {"name": "LAKE", "origin": origin, "schemas": [{"name": "PUBLIC", "origin": "adopt"}]}
    assert problems(snowflake=snowflake(databases=[public]), pipelines=[pipeline(schema="PUBLIC")]) == []


def test_the_public_schema_is_not_made(problems: Problems, snowflake: Any, pipeline: Any) -> None:
    listed = {"name": "LAKE", "schemas": [{"name": "PUBLIC"}]}
    for databases in ([], [listed]):
        (problem,) = problems(snowflake=snowflake(databases=databases), pipelines=[pipeline(schema="PUBLIC")])
        assert "adopt it in snowflake.databases" in problem


def test_what_nobody_uses_is_not_listed(problems: Problems, snowflake: Any) -> None:
    other = {"name": "OTHER", "schemas": [{"name": "RAW"}]}
    assert [each.partition(":")[0] for each in problems(snowflake=snowflake(databases=[other]))] == [
        "snowflake.databases[0].name",
        "snowflake.databases[0].schemas[0].name",
    ]


def test_what_is_listed_is_listed_once(problems: Problems, snowflake: Any) -> None:
    (problem, _) = problems(snowflake=snowflake(databases=[LAKE, LAKE]))
    assert problem == "snowflake.databases[1].name: LAKE is already at snowflake.databases[0]; list it once."


def test_a_database_that_is_made_has_no_schema_yet(problems: Problems, snowflake: Any) -> None:
    (problem,) = problems(snowflake=snowflake(databases=[{**LAKE, "origin": "create"}]))
    assert "LAKE is made here, so it has no schema RAW to adopt" in problem


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"table_origin": "adopt", "table_privilege": "ownership"}, "table_privilege: 'ownership' would take"),
        ({"pipe": {"name": "P", "origin": "adopt"}}, "say table_origin: adopt too"),
        ({"pipe": {"name": "P", "origin": "adopt", "select": "$1"}}, "give select with origin: create, and only then"),
        ({"pipe": {"name": "P"}}, "give select with origin: create, and only then"),
    ],
)
def test_what_is_adopted_is_left_as_it_is(
    problems: Problems, snowflake: Any, pipeline: Any, changes: dict[str, Any], told: str
) -> None:
    (problem,) = problems(snowflake=snowflake(databases=[LAKE]), pipelines=[pipeline(**changes)])
    assert told in problem


def test_a_table_is_adopted_where_one_can_be(problems: Problems, pipeline: Any) -> None:
    (problem,) = problems(pipelines=[pipeline(table_origin="adopt")])
    assert "LAKE.RAW is made here, so it holds no table to adopt" in problem


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"network_policy": {"origin": "adopt"}}, "give the name of the network policy to adopt"),
        (
            {"network_policy": {"origin": "adopt", "name": "CORP"}, "allowed_networks": ["192.0.2.0/24"]},
            "says from where",
        ),
        ({"network_policy": {"name": "CORP"}}, "none is made without allowed_networks"),
        ({"authentication_policy": "KEYS"}, "names the policy of key_pair_only: true"),
        ({"external_volumes": [{"name": "V", "origin": "adopt", "bucket": "acme-lake"}]}, "remove bucket"),
        ({"interactive_warehouse": {"name": "W", "origin": "adopt", "size": "LARGE"}}, "remove size"),
    ],
)
def test_what_goes_with_an_adopted_object_is_its_owners(
    problems: Problems, snowflake: Any, changes: dict[str, Any], told: str
) -> None:
    assert any(told in problem for problem in problems(snowflake=snowflake(**changes)))


def test_an_adopted_role_is_of_the_account_and_not_named_twice(problems: Problems, aws: Any) -> None:
    arn = "arn:aws:iam::999999999999:role/engines"
    (problem,) = problems(aws=aws(runtime={"role_arn": arn}))
    assert problem.startswith("aws.runtime.role_arn: is of account 999999999999")
    (problem,) = problems(aws=aws(runtime={"role_arn": arn.replace("9", "1"), "role": "mine"}))
    assert "give one of them" in problem
    (problem,) = problems(aws=aws(runtime={"role_arn": "arn:aws:iam::123456789012:role/e", "trust": "static-keys"}))
    assert "no role is used with trust: static-keys" in problem
