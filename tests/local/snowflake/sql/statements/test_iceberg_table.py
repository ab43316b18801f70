"""Iceberg tables and the external volumes that they are on."""

import json

import pytest

from firnline_infra.blueprint.aws import Bucket
from firnline_infra.blueprint.iceberg_volume import IcebergVolume
from firnline_infra.specification.identifier import Identifier

LOCATION = (
    "(NAME = 'one' STORAGE_PROVIDER = 'S3' STORAGE_BASE_URL = 's3://lake/raw/' STORAGE_AWS_EXTERNAL_ID = 'ours' "
    "STORAGE_AWS_ROLE_ARN = 'arn:aws:iam::123456789012:role/lake' "
    "ENCRYPTION = (TYPE = 'AWS_SSE_KMS' KMS_KEY_ID = 'arn:aws:kms:key'))"
)
TABLE = "CREATE ICEBERG TABLE t (id STRING, v VARIANT) EXTERNAL_VOLUME = 'VOL' BASE_LOCATION = 't/' ICEBERG_VERSION = 3"


@pytest.fixture
def asked(catalog) -> list[tuple[object, ...]]:
    """What AWS was asked; nothing is in the way."""
    asked: list[tuple[object, ...]] = []

    def access(location, principal: str) -> list[str]:
        asked.append((location.bucket, location.prefix, location.external_id, location.kms_key, principal))
        return []

    catalog.volume_access = access
    return asked


@pytest.fixture
def account(sql, asked):
    sql(f"CREATE EXTERNAL VOLUME vol STORAGE_LOCATIONS = ({LOCATION})")
    return sql


def test_verify_asks_aws_as_the_user_that_describe_names(account, asked) -> None:
    rows = account.table("DESC EXTERNAL VOLUME vol")
    (described,) = [json.loads(row["property_value"]) for row in rows if row["property"] == "STORAGE_LOCATION_1"]
    answer = json.loads(account.value("SELECT SYSTEM$VERIFY_EXTERNAL_VOLUME('vol')"))

    assert (answer["success"], answer["storageLocationSelectionResult"]) == (True, "PASSED")
    assert asked == [("lake", "raw/", "ours", "arn:aws:kms:key", described["STORAGE_AWS_IAM_USER_ARN"])]
    assert (described["STORAGE_AWS_EXTERNAL_ID"], described["ENCRYPTION_TYPE"]) == ("ours", "AWS_SSE_KMS")


def test_what_is_in_the_way_is_told_and_no_table_is_made(account, catalog) -> None:
    catalog.volume_access = lambda _location, _principal: ["the role's trust names another external id"]
    answer = json.loads(account.value("SELECT SYSTEM$VERIFY_EXTERNAL_VOLUME('VOL')"))
    assert (answer["success"], answer["readResult"]) == (False, "FAILED")
    assert "another external id" in answer["error"]
    assert "another external id" in account.refusal(TABLE).message
    assert account.rows("SHOW ICEBERG TABLES") == []


def test_the_blueprints_proof_of_a_volume_fails_with_what_verify_says(account, catalog) -> None:
    lake = IcebergVolume(
        name=Identifier("VOL"), bucket=Bucket(name="lake"), role_arn="arn:aws:iam::1:role/r", external_id="ours"
    )
    assert account.value(lake.prove) == "1"
    catalog.volume_access = lambda _location, _principal: ["the role's trust names another external id"]
    assert "another external id" in account.refusal(lake.prove).message


def test_a_volume_by_itself_has_no_aws(sql) -> None:
    sql(f"CREATE EXTERNAL VOLUME vol STORAGE_LOCATIONS = ({LOCATION})")
    assert "without an AWS endpoint" in str(sql.value("SELECT SYSTEM$VERIFY_EXTERNAL_VOLUME('vol')"))


def test_rows_of_an_iceberg_table_are_like_any_other_s(account) -> None:
    account.run(TABLE, """INSERT INTO t SELECT 'a', PARSE_JSON('{"b": 1}')""")
    assert account.rows("SELECT id, v:b::INT FROM t") == [("a", "1")]
    (shown,) = account.table("SHOW ICEBERG TABLES LIKE 't'")
    assert [
        shown[key] for key in ("external_volume_name", "catalog_name", "base_location", "iceberg_table_format_version")
    ] == [
        "VOL",
        "SNOWFLAKE",
        "t/",
        "3",
    ]
    assert account.table("SHOW TABLES LIKE 't'")[0]["is_iceberg"] == "Y"


def test_evolution_and_error_logging_are_switched_on_afterwards(account) -> None:
    account.run(
        TABLE,
        "ALTER ICEBERG TABLE t SET ENABLE_SCHEMA_EVOLUTION = TRUE",
        "ALTER ICEBERG TABLE t SET ERROR_LOGGING = TRUE",
    )
    (shown,) = account.table("SHOW ICEBERG TABLES")
    assert (shown["enable_schema_evolution"], shown["error_logging"]) == ("Y", "ON")
    assert account.rows("SELECT * FROM ERROR_TABLE(t)") == []
    assert "ROW_TIMESTAMP" in account.refusal("ALTER ICEBERG TABLE t SET ROW_TIMESTAMP = TRUE").message


@pytest.mark.parametrize(
    ("columns", "version", "is_taken"),
    [
        ("v VARIANT", 2, False),
        ("v VARIANT", 3, True),
        ("o OBJECT", 3, False),
        ("s VARCHAR(10)", 2, False),
        ("s STRING, b BOOLEAN, n NUMBER(10, 2), t TIMESTAMP_NTZ(6)", 2, True),
        ("t TIMESTAMP_NTZ(9)", 2, False),
        ("t TIMESTAMP_NTZ(9)", 3, True),
    ],
)
def test_each_format_version_has_its_types(account, columns: str, version: int, is_taken: bool) -> None:
    create = (
        f"CREATE ICEBERG TABLE t ({columns}) EXTERNAL_VOLUME = VOL BASE_LOCATION = 't/' ICEBERG_VERSION = {version}"
    )
    if is_taken:
        account(create)
    else:
        assert account.refusal(create).code == "091386"


def test_it_takes_a_privilege_on_the_schema_and_usage_on_the_volume(account) -> None:
    account.run("CREATE ROLE r", "GRANT USAGE ON DATABASE db TO ROLE r", "GRANT USAGE ON SCHEMA public TO ROLE r")
    maker = account.as_role("R")
    account("GRANT CREATE TABLE ON SCHEMA public TO ROLE r")
    assert maker.refusal(TABLE).code == "002003"  # the volume is out of sight
    account("GRANT USAGE ON EXTERNAL VOLUME vol TO ROLE r")
    assert maker.refusal(TABLE).code == "003001"
    account("GRANT CREATE ICEBERG TABLE ON SCHEMA public TO ROLE r")
    maker(TABLE)


def test_the_volume_may_be_the_schema_s_or_the_database_s(account) -> None:
    bare = "CREATE ICEBERG TABLE t (id STRING) BASE_LOCATION = 't/'"
    assert "needs EXTERNAL_VOLUME" in account.refusal(bare).message
    account.run('ALTER DATABASE db SET EXTERNAL_VOLUME = "VOL"', bare)


def test_a_volume_with_tables_can_t_be_dropped_and_a_standard_table_is_no_iceberg_one(account) -> None:
    account.run(TABLE, "CREATE TABLE plain (a INT)")
    assert account.refusal("DROP EXTERNAL VOLUME vol").code == "001492"
    assert account.refusal("DROP ICEBERG TABLE plain").code == "002203"
    account.run("DROP ICEBERG TABLE t", "DROP EXTERNAL VOLUME vol")


def test_only_an_iceberg_table_has_its_properties(account) -> None:
    assert account.refusal("CREATE TABLE u (a INT) BASE_LOCATION = 'x'").message.startswith("[FL-6040]")
    account("CREATE TABLE u (a INT)")
    assert account.refusal("ALTER TABLE u SET CATALOG_SYNC = 'x'").message.startswith("[FL-6040]")
    assert not {row["key"] for row in account.table("SHOW PARAMETERS IN TABLE u")} & {"CATALOG", "EXTERNAL_VOLUME"}
    account(TABLE)
    rows = {row["key"]: row for row in account.table("SHOW PARAMETERS IN TABLE t")}
    assert (rows["EXTERNAL_VOLUME"]["value"], rows["EXTERNAL_VOLUME"]["level"]) == ("VOL", "TABLE")


def test_locations_come_and_go_but_never_all(account) -> None:
    account(f"ALTER EXTERNAL VOLUME vol ADD STORAGE_LOCATION = {LOCATION.replace('one', 'two')}")
    account("ALTER EXTERNAL VOLUME vol REMOVE STORAGE_LOCATION 'one'")
    assert "last storage location" in account.refusal("ALTER EXTERNAL VOLUME vol REMOVE STORAGE_LOCATION 'two'").message
    rows = {row["property"]: row["property_value"] for row in account.table("DESC EXTERNAL VOLUME vol")}
    assert rows["ACTIVE"] == "two"
