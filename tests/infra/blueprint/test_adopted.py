"""Tests of what belongs to others is not made, and what its owners have to grant follows from what is made around it."""

from firnline_infra.blueprint import blueprint_of
from firnline_infra.kinds.buckets import BUCKET
from firnline_infra.kinds.iam import ROLE
from firnline_infra.render.bootstrap.snowflake import required_grant_statements, statements
from firnline_infra.specification import EnvironmentSpec
from tests.infra.render.conftest import adopting_spec, prod_spec
from tests.infra.specifications import one_pipeline, smallest

__all__ = ["adopting_spec", "prod_spec"]


def test_nothing_that_is_adopted_is_made(adopting_spec: EnvironmentSpec) -> None:
    blueprint = blueprint_of(adopting_spec)
    landing = blueprint.landing
    assert (landing.databases, [str(each.name) for each in landing.schemas]) == ((), ["LAKE.LIVE"])
    assert [str(each.name) for each in landing.tables] == ["LAKE.PUBLIC.CLICKS", "LAKE.LIVE.VIEWS"]
    assert (landing.pipes, landing.network_policy, landing.warehouse) == ((), None, None)
    assert (ROLE.instances(blueprint), blueprint.key, BUCKET.instances(blueprint)) == ([], None, [])
    assert [str(user.adopted_network_policy) for user in landing.users] == ["CORPORATE", "CORPORATE"]


def test_the_owners_grant_what_is_handed_on_and_what_is_made_inside(adopting_spec: EnvironmentSpec) -> None:
    to = 'TO ROLE "SHOP_ADOPTING_DEPLOY"'
    assert list(required_grant_statements(blueprint_of(adopting_spec))) == [
        f'GRANT USAGE ON WAREHOUSE "REPORTING" {to} WITH GRANT OPTION',
        f'GRANT USAGE ON WAREHOUSE "FAST" {to} WITH GRANT OPTION',
        f'GRANT USAGE ON DATABASE "LAKE" {to} WITH GRANT OPTION',
        f'GRANT USAGE ON EXTERNAL VOLUME "VOLUME" {to} WITH GRANT OPTION',
        f'GRANT CREATE SCHEMA ON DATABASE "LAKE" {to}',
        f'GRANT USAGE ON SCHEMA "LAKE"."RAW" {to} WITH GRANT OPTION',
        f'GRANT USAGE ON SCHEMA "LAKE"."PUBLIC" {to} WITH GRANT OPTION',
        f'GRANT CREATE ICEBERG TABLE ON SCHEMA "LAKE"."PUBLIC" {to}',
        'GRANT INSERT, EVOLVE SCHEMA, SELECT, SELECT ERROR TABLE, REFERENCES ON TABLE "LAKE"."RAW"."ORDERS" '
        + f"{to} WITH GRANT OPTION",
        f'GRANT OPERATE ON PIPE "LAKE"."RAW"."P" {to} WITH GRANT OPTION',
    ]


def test_who_adopts_databases_alone_needs_no_right_to_make_one(adopting_spec: EnvironmentSpec) -> None:
    text = statements(blueprint_of(adopting_spec))
    made = {line.partition(" ON ACCOUNT")[0] for line in text.splitlines() if " ON ACCOUNT" in line}
    assert made == {"GRANT CREATE ROLE", "GRANT CREATE USER"}
    assert "OWNERSHIP" not in text


def test_nothing_is_asked_of_owners_where_nothing_is_adopted(prod_spec: EnvironmentSpec) -> None:
    (warehouse,) = required_grant_statements(blueprint_of(prod_spec))
    assert warehouse.startswith('GRANT USAGE ON WAREHOUSE "REPORTING" TO ROLE')


def test_the_public_schema_of_a_database_that_is_made_needs_no_owner() -> None:
    public = {"name": "LAKE", "schemas": [{"name": "PUBLIC", "origin": "adopt"}]}
    spec = smallest(snowflake={"warehouse": None, "databases": [public]}, **one_pipeline(schema="PUBLIC"))
    blueprint = blueprint_of(spec)
    assert [str(each.name) for each in blueprint.landing.databases] == ["LAKE"]
    assert (blueprint.landing.schemas, blueprint.required_grants) == ((), ())


def test_a_way_for_files_beside_anothers_table_is_made_in_its_schema_by_what_the_owner_grants() -> None:
    lake = {"name": "LAKE", "origin": "adopt", "schemas": [{"name": "RAW", "origin": "adopt"}]}
    adopted = one_pipeline(schema="RAW", table="ORDERS", table_origin="adopt", file_replay=True)
    blueprint = blueprint_of(smallest(snowflake={"warehouse": None, "databases": [lake]}, **adopted))
    landing = blueprint.landing
    assert ([str(each.name) for each in landing.stages], landing.tables) == (["LAKE.RAW.ORDERS_DEAD_LETTERS"], ())
    assert [(str(each.name), str(each.table)) for each in landing.pipes] == [
        ("LAKE.RAW.ORDERS_DEAD_LETTERS", "LAKE.RAW.ORDERS")
    ]
    role = f"TO ROLE {blueprint.names.deploy_role.sql}"
    asked = [each for each in required_grant_statements(blueprint) if '"RAW"' in each]
    assert asked == [
        f'GRANT USAGE ON SCHEMA "LAKE"."RAW" {role} WITH GRANT OPTION',
        f'GRANT CREATE STAGE, CREATE PIPE ON SCHEMA "LAKE"."RAW" {role}',
        f'GRANT INSERT, EVOLVE SCHEMA, SELECT, SELECT ERROR TABLE, REFERENCES ON TABLE "LAKE"."RAW"."ORDERS" {role} '
        "WITH GRANT OPTION",
    ]
