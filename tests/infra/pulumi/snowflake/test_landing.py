"""Order and dependencies: what has to be there before, and what has to go before."""

from dataclasses import replace
from typing import Any

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.grants import PrivilegeGrant, RoleGrant, Securable
from firnline_infra.blueprint.pipeline import table
from firnline_infra.blueprint.snowflake import SnowflakeObjects
from firnline_infra.pulumi.snowflake import SnowflakeLanding
from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_infra.specification.model import Durability
from firnline_infra.specification.pipeline import Pipeline
from firnline_infra.specification.target_tables import TargetTable
from tests.infra.pulumi.conftest import Deploy, SpecOf


def test_a_columns_type_and_need_are_written_as_each_of_the_two_resources_has_them(deploy: Deploy) -> None:
    column = {"name": "AT", "type": "TIMESTAMP_NTZ", "nullable": False}
    place = {"stream": "s", "database": "LAKE", "schema": "RAW", "columns": [column]}
    kinds: list[dict[str, Any]] = [{"table": "T"}, {"table": "I", "table_kind": "iceberg", "external_volume": "V"}]
    made = [table(TargetTable(Pipeline.model_validate({**place, **kind})), Durability.PROTECTED, "c") for kind in kinds]
    landing = SnowflakeObjects(databases=(), schemas=(), tables=tuple(made))
    deployment = deploy(lambda: SnowflakeLanding("l", landing))
    (standard,), (iceberg,) = deployment.of("Table"), deployment.of("IcebergTable")
    assert standard.inputs["columns"][1] == {"name": "AT", "type": "TIMESTAMP_NTZ", "nullable": False}
    assert iceberg.inputs["columns"][1] == {"name": "AT", "type": "TIMESTAMP_NTZ(6)", "notNull": "true"}


def test_a_table_with_structured_columns_is_made_by_a_statement_that_waits_for_its_volume(deploy: Deploy) -> None:
    place = {"stream": "s", "database": "LAKE", "schema": "RAW", "table": "T"}
    kind = {"table_kind": "iceberg", "external_volume": "V", "iceberg_version": 2, "metadata": {"partition_key": False}}
    made = table(TargetTable(Pipeline.model_validate({**place, **kind})), Durability.PROTECTED, "it's ours")
    landing = SnowflakeObjects(databases=(), schemas=(), tables=(made,))
    deployment = deploy(lambda: SnowflakeLanding("l", landing))
    assert deployment.of("IcebergTable") == []
    created, evolves = deployment.of("Execute")
    assert created.inputs["execute"] == (
        'CREATE ICEBERG TABLE IF NOT EXISTS "LAKE"."RAW"."T" ("KINESISMETADATA" OBJECT(stream VARCHAR, shardId VARCHAR, '
        "approximateArrival VARCHAR, sequenceNumber VARCHAR, subSequenceNumber NUMBER(38, 0), shardedSequenceNumber VARCHAR)) "
        "EXTERNAL_VOLUME = '\"V\"' CATALOG = 'SNOWFLAKE' BASE_LOCATION = 'lake/raw/t' ICEBERG_VERSION = 2 "
        "ERROR_LOGGING = TRUE COMMENT = 'it''s ours'"
    )
    assert created.inputs["revert"] == "SELECT 1"
    assert "ENABLE_SCHEMA_EVOLUTION" in evolves.inputs["execute"]
    assert created.name in evolves.after


def test_a_table_in_a_schema_that_was_there_before_is_made_in_it(deploy: Deploy, spec_of: SpecOf) -> None:
    args = replace(blueprint_of(spec_of("dev")).landing, databases=(), schemas=(), authentication_policy=None, users=())
    made = deploy(lambda: SnowflakeLanding("l", replace(args, role_grants=())))["l-table-FIRNLINE_DEV.RAW.ORDERS"]
    assert (made.inputs["database"], made.inputs["schema"], made.after) == ("FIRNLINE_DEV", "RAW", frozenset())


def test_names_that_need_quotes_are_stored_names_to_the_provider(deploy: Deploy, spec_of: SpecOf) -> None:
    pipelines = [{"stream": "orders", "database": '"my lake"', "schema": '"Raw"', "table": '"Orders"'}]
    args = blueprint_of(spec_of("dev", pipelines=pipelines)).landing
    deployment = deploy(lambda: SnowflakeLanding("l", args))
    (table,), (database,) = deployment.of("Table"), deployment.of("Database")
    place = [table.inputs[each] for each in ("database", "schema", "name")]
    assert (place, database.inputs["name"]) == (["my lake", "Raw", "Orders"], "my lake")
    names = {
        each.inputs["onSchemaObject"]["objectName"]
        for each in deployment.of("GrantPrivilegesToAccountRole")
        if "onSchemaObject" in each.inputs
    }
    assert names == {'"my lake"."Raw"."Orders"'}


def test_a_grant_says_what_is_given_on_which_object_to_which_role(deploy: Deploy) -> None:
    table, insert = QualifiedName.of("LAKE", "RAW", '"Orders"'), ("INSERT", "EVOLVE SCHEMA")
    grant = PrivilegeGrant(privileges=insert, on=Securable.TABLE, name=table, role=Identifier("R"))
    args = SnowflakeObjects(databases=(), schemas=(), tables=(), grants=(grant,))
    (made,) = deploy(lambda: SnowflakeLanding("l", args)).of("GrantPrivilegesToAccountRole")
    assert made.inputs == {
        "accountRoleName": "R",
        "privileges": ["INSERT", "EVOLVE SCHEMA"],
        "onSchemaObject": {"objectType": "TABLE", "objectName": '"LAKE"."RAW"."Orders"'},
    }


def test_a_role_is_for_a_user_or_for_another_role(deploy: Deploy) -> None:
    role = Identifier("R")
    grants = (RoleGrant(role=role, user=Identifier("U")), RoleGrant(role=role, to_role=Identifier("P")))
    args = SnowflakeObjects(databases=(), schemas=(), tables=(), role_grants=grants)
    made = deploy(lambda: SnowflakeLanding("l", args)).of("GrantAccountRole")
    assert [each.inputs for each in made] == [
        {"roleName": "R", "parentRoleName": "P"},
        {"roleName": "R", "userName": "U"},
    ]


def test_a_pipe_of_letters_comes_after_its_stage_and_its_table(deploy: Deploy, spec_of: SpecOf) -> None:
    pipelines = [{"stream": "orders", "database": "lake", "schema": "raw", "file_replay": True}]
    args = blueprint_of(spec_of("dev", pipelines=pipelines)).landing
    landed = deploy(lambda: SnowflakeLanding("l", args))
    stage, pipe = landed["l-stage-LAKE.RAW.ORDERS_DEAD_LETTERS"], landed["l-pipe-LAKE.RAW.ORDERS_DEAD_LETTERS"]
    assert {stage.name, "l-table-LAKE.RAW.ORDERS"} <= pipe.after
    assert "l-schema-LAKE.RAW" in stage.after
    assert stage.inputs["execute"].startswith('CREATE STAGE IF NOT EXISTS "LAKE"."RAW"."ORDERS_DEAD_LETTERS" COMMENT')
    (on_stage,) = [each for each in landed.of("GrantPrivilegesToAccountRole") if "stage" in each.name]
    assert stage.name in on_stage.after
    assert on_stage.inputs["onSchemaObject"]["objectType"] == "STAGE"
