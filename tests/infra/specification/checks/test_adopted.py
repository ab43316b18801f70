from typing import Any

import pytest

from tests.infra.specifications import one_pipeline, problems, told

LAKE = {"name": "LAKE", "origin": "adopt", "schemas": [{"name": "RAW", "origin": "adopt"}]}
ROLE = "arn:aws:iam::{}:role/engines"


def test_a_database_of_somebody_else_with_a_schema_and_a_table_is_fine() -> None:
    made = one_pipeline(table_origin="adopt", pipe={"name": "P", "origin": "adopt"})
    assert problems(snowflake={"databases": [LAKE]}, **made) == []


@pytest.mark.parametrize("origin", ["create", "adopt"])
def test_the_public_schema_can_be_adopted_in_any_database(origin: str) -> None:
    public = {"name": "LAKE", "origin": origin, "schemas": [{"name": "PUBLIC", "origin": "adopt"}]}
    assert problems(snowflake={"databases": [public]}, **one_pipeline(schema="PUBLIC")) == []


@pytest.mark.parametrize("databases", [[], [{"name": "LAKE", "schemas": [{"name": "PUBLIC"}]}]])
def test_the_public_schema_is_not_made(databases: list[Any]) -> None:
    found = problems(snowflake={"databases": databases}, **one_pipeline(schema="PUBLIC"))
    assert found == told("…adopt it in snowflake.databases…")


@pytest.mark.parametrize(
    ("databases", "expected"),
    [
        pytest.param(
            [{"name": "OTHER", "schemas": [{"name": "RAW"}]}],
            ["snowflake.databases[0].name:…", "snowflake.databases[0].schemas[0].name:…"],
            id="what nobody uses",
        ),
        pytest.param(
            [LAKE, LAKE],
            ["snowflake.databases[1].name: LAKE is already at snowflake.databases[0]; list it once.", "…"],
            id="what is listed already",
        ),
        pytest.param(
            [{**LAKE, "origin": "create"}],
            ["…LAKE is made here, so it has no schema RAW to adopt…"],
            id="a schema of a database that is made",
        ),
    ],
)
def test_what_is_not_there_to_adopt_is_not_listed(databases: list[Any], expected: list[str]) -> None:
    assert problems(snowflake={"databases": databases}) == told(*expected)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"table_origin": "adopt", "table_privilege": "ownership"}, "table_privilege: 'ownership' would take"),
        ({"pipe": {"name": "P", "origin": "adopt"}}, "say table_origin: adopt too"),
        ({"pipe": {"name": "P", "origin": "adopt", "select": "$1"}}, "give select with origin: create, and only then"),
        ({"pipe": {"name": "P"}}, "give select with origin: create, and only then"),
    ],
)
def test_what_is_adopted_is_left_as_it_is(changes: dict[str, Any], expected: str) -> None:
    assert problems(snowflake={"databases": [LAKE]}, **one_pipeline(**changes)) == told(f"…{expected}…")


def test_a_table_is_adopted_where_one_can_be() -> None:
    expected = told("…LAKE.RAW is made here, so it holds no table to adopt…")
    assert problems(**one_pipeline(table_origin="adopt")) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
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
def test_what_goes_with_an_adopted_object_is_its_owners(changes: dict[str, Any], expected: str) -> None:
    assert any(expected in problem for problem in problems(snowflake=changes))


@pytest.mark.parametrize(
    ("runtime", "expected"),
    [
        ({"role_arn": ROLE.format("9" * 12)}, "aws.runtime.role_arn: is of account 999999999999…"),
        ({"role_arn": ROLE.format("1" * 12), "role": "mine"}, "…give one of them…"),
        ({"role_arn": ROLE.format(123456789012), "trust": "static-keys"}, "…no role is used with trust: static-keys…"),
    ],
)
def test_an_adopted_role_is_of_the_account_and_not_named_twice(runtime: dict[str, str], expected: str) -> None:
    assert problems(aws={"runtime": runtime}) == told(expected)
