"""CREATE TABLE, of each variety, and what DESCRIBE and SHOW say about it; the external volumes that Iceberg tables are on."""

import json

import pytest

from firnline_infra.blueprint.aws import Bucket
from firnline_infra.blueprint.iceberg_volume import IcebergVolumeDefinition
from firnline_infra.specification.identifier import Identifier


def test_a_table_has_the_columns_and_properties_that_it_was_given(sql) -> None:
    sql(
        "CREATE TABLE t (id NUMBER NOT NULL PRIMARY KEY, \"Name\" VARCHAR(10) DEFAULT 'x' COMMENT 'who', v VARIANT, "
        "n NUMBER(10, 2) DEFAULT 1.5 NOT NULL, seq INT IDENTITY (5, 10)) "
        "CLUSTER BY (id, TO_DATE(v)) ENABLE_SCHEMA_EVOLUTION = TRUE ERROR_LOGGING = TRUE, ROW_TIMESTAMP = true "
        "DATA_RETENTION_TIME_IN_DAYS = 3 COMMENT = 'it''s'"
    )
    columns = sql.table("DESCRIBE TABLE t")
    (table,) = sql.table("SHOW TABLES LIKE 't'")

    assert [(row["name"], row["type"], row["null?"], row["default"]) for row in columns] == [
        ("ID", "NUMBER(38,0)", "N", None),
        ("Name", "VARCHAR(10)", "Y", "'x'"),
        ("V", "VARIANT", "Y", None),
        ("N", "NUMBER(10,2)", "N", "1.5"),
        ("SEQ", "NUMBER(38,0)", "Y", "IDENTITY START 5 INCREMENT 10 NOORDER"),
    ]
    assert [(row["primary key"], row["unique key"], row["comment"]) for row in columns[:3]] == [
        ("Y", "N", None),
        ("N", "N", "who"),
        ("N", "N", None),
    ]
    shown = (
        "cluster_by",
        "enable_schema_evolution",
        "error_logging",
        "row_timestamp",
        "retention_time",
        "comment",
        "owner",
    )
    assert [table[name] for name in shown] == ["LINEAR(id, TO_DATE(v))", "Y", "ON", "ON", "3", "it's", "ACCOUNTADMIN"]


def test_defaults_are_for_columns_that_an_insert_leaves_out(sql) -> None:
    sql(
        "CREATE TABLE t (a INT, b VARCHAR DEFAULT 'x', c INT IDENTITY(1, 2), d TIMESTAMP_NTZ DEFAULT CURRENT_TIMESTAMP())"
    )
    sql("INSERT INTO t (a, b) VALUES (1, NULL)")
    sql("INSERT INTO t (a) VALUES (2)")

    assert sql.rows("SELECT a, b, c, d IS NOT NULL FROM t ORDER BY a") == [("1", None, "1", "1"), ("2", "x", "3", "1")]


def test_if_not_exists_keeps_and_or_replace_makes_anew(sql) -> None:
    sql.run("CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)")

    assert sql.value("CREATE TABLE IF NOT EXISTS t (b INT)") == "T already exists, statement succeeded."
    assert sql.value("SELECT a FROM t") == "1"
    assert sql.refusal("CREATE TABLE t (b INT)").code == "002002"
    sql("CREATE OR REPLACE TABLE t (b INT)")
    assert sql.rows("SELECT b FROM t") == []


def test_a_replaced_table_loses_its_grants_unless_they_are_copied(sql) -> None:
    sql.run("CREATE ROLE r", "CREATE TABLE t (a INT)", "GRANT SELECT ON TABLE t TO ROLE r")
    sql("CREATE OR REPLACE TABLE t (a INT) COPY GRANTS")
    assert [row["privilege"] for row in sql.table("SHOW GRANTS ON TABLE t")] == ["OWNERSHIP", "SELECT"]

    sql("CREATE OR REPLACE TABLE t (a INT)")
    assert [row["privilege"] for row in sql.table("SHOW GRANTS ON TABLE t")] == ["OWNERSHIP"]


def test_a_table_with_copied_grants_gets_no_future_ones(sql) -> None:
    sql.run("CREATE ROLE r", "CREATE TABLE t (a INT)", "GRANT SELECT ON FUTURE TABLES IN SCHEMA db.public TO ROLE r")
    sql("CREATE OR REPLACE TABLE t (a INT) COPY GRANTS")
    assert [row["privilege"] for row in sql.table("SHOW GRANTS ON TABLE t")] == ["OWNERSHIP"]

    sql("CREATE OR REPLACE TABLE t (a INT)")
    assert [row["privilege"] for row in sql.table("SHOW GRANTS ON TABLE t")] == ["OWNERSHIP", "SELECT"]


def test_a_table_like_another_has_its_columns_and_none_of_its_rows(sql) -> None:
    sql.run("CREATE TABLE t (a INT, b VARCHAR) ERROR_LOGGING = TRUE", "INSERT INTO t VALUES (1, 'x')")
    sql.run("CREATE TABLE l LIKE t")

    assert sql.rows("SELECT * FROM l") == []
    assert {row["error_logging"] for row in sql.table("SHOW TABLES")} == {"ON"}


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        ("(a INT, A INT)", "duplicate column name 'A'"),
        ('(a INT, "a" INT)', "[FL-6044]"),
        ("(rowid INT)", "[FL-6040]"),
        ("(a INT, PRIMARY KEY (b))", "invalid identifier 'B'"),
        ("(a INT, FOREIGN KEY (a) REFERENCES u (a))", "[FL-6040]"),
        ("(a INT COLLATE 'en')", "[FL-6040]"),
        ("(a INT, UNIQUE (a))", "only PRIMARY KEY"),
        ("(a INT AUTOINCREMENT)", "AUTOINCREMENT"),
        ("(a GEOGRAPHY)", "the type GEOGRAPHY"),
        ("(a INT DEFAULT b)", "the default b"),
        ("(a INT) ENABLE_SCHEMA_EVOLUTION = MAYBE", "invalid boolean value 'MAYBE'"),
        ("(a INT) COMPRESSION = 'x'", "the property COMPRESSION of TABLE"),
        ("(a INT", "syntax error"),
    ],
)
def test_a_definition_that_is_wrong_or_not_known_makes_no_table(sql, definition: str, message: str) -> None:
    assert message in sql.refusal(f"CREATE TABLE t {definition}").message
    assert sql.table("SHOW TABLES") == []


LOCATION = (
    "(NAME = 'one' STORAGE_PROVIDER = 'S3' STORAGE_BASE_URL = 's3://lake/raw/' STORAGE_AWS_EXTERNAL_ID = 'ours' "
    "STORAGE_AWS_ROLE_ARN = 'arn:aws:iam::123456789012:role/lake' "
    "ENCRYPTION = (TYPE = 'AWS_SSE_KMS' KMS_KEY_ID = 'arn:aws:kms:key'))"
)
TABLE = "CREATE ICEBERG TABLE t (id STRING, v VARIANT) EXTERNAL_VOLUME = 'VOL' BASE_LOCATION = 't/' ICEBERG_VERSION = 3"


@pytest.fixture
def asked(catalog) -> list[tuple[object, ...]]:
    """Returns what AWS was asked; nothing is in the way."""
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
    lake = IcebergVolumeDefinition(
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
    (shown,) = account.table("SHOW TABLES LIKE 't'")
    assert (shown["enable_schema_evolution"], shown["error_logging"]) == ("Y", "ON")
    assert account.rows("SELECT * FROM ERROR_TABLE(t)") == []
    assert "ROW_TIMESTAMP" in account.refusal("ALTER ICEBERG TABLE t SET ROW_TIMESTAMP = TRUE").message
    kept = account.refusal("ALTER ICEBERG TABLE t SET STORAGE_SERIALIZATION_POLICY = COMPATIBLE").message
    assert "STORAGE_SERIALIZATION_POLICY can't be changed" in kept


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
        (
            "t TIMESTAMP_NTZ, l TIMESTAMP_LTZ, d TIME, b BINARY, f BINARY(16)",
            2,
            True,
        ),  # microseconds, where nothing is said
        ("t TIMESTAMP_TZ", 3, False),
        ("t TIMESTAMP_NTZ(3)", 3, False),
        ("t TIME(9)", 3, False),
        ("o OBJECT(a INT, b ARRAY(VARCHAR)), m MAP(VARCHAR, FLOAT)", 2, True),
        ("a ARRAY", 3, False),
        ("o OBJECT(a VARIANT)", 3, False),
        ("a ARRAY(OBJECT)", 3, False),
        ("a ARRAY(VARCHAR(10))", 2, False),
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


def test_a_column_that_is_added_has_the_formats_types_too(account) -> None:
    account(TABLE)
    assert account.refusal("ALTER ICEBERG TABLE t ADD COLUMN o OBJECT").code == "091386"
    account("ALTER ICEBERG TABLE t ADD COLUMN o OBJECT(a STRING, shardId INT NOT NULL)")
    described = {row["name"]: row["type"] for row in account.table("DESCRIBE TABLE t")}
    assert (described["ID"], described["O"]) == (
        "VARCHAR(134217728)",
        "OBJECT(a VARCHAR(134217728), shardId NUMBER(10,0) NOT NULL)",
    )
    assert "expecting OBJECT(a " in account.refusal("INSERT INTO t (o) SELECT PARSE_JSON('{}')").message
    assert account.rows("SELECT o:a::VARCHAR FROM t") == []


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


INTERACTIVE = "CREATE INTERACTIVE TABLE i (meta OBJECT, id VARCHAR) CLUSTER BY (id)"


def test_an_interactive_table_is_clustered_and_shown_apart(sql) -> None:
    assert "needs CLUSTER BY" in sql.refusal("CREATE INTERACTIVE TABLE i (a VARCHAR)").message
    sql(INTERACTIVE)
    assert [row["name"] for row in sql.table("SHOW INTERACTIVE TABLES")] == ["I"]


@pytest.mark.parametrize("dml", ["INSERT INTO i (id) VALUES ('a')", "UPDATE i SET id = 'b'", "DELETE FROM i"])
def test_rows_of_an_interactive_table_come_by_channel_and_never_by_dml(sql, dml) -> None:
    sql(INTERACTIVE)
    assert "is not supported for the interactive table" in sql.refusal(dml).message


@pytest.mark.parametrize(
    ("select", "said"),
    [
        ("SELECT $1:meta::OBJECT FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING'))", "expecting 2 but got 1"),
        ("SELECT $1:meta, $1:id FROM orders", "STREAMING"),
        ("SELECT $1:meta, UPPER($1:id) FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING'))", "only $1 and paths"),
    ],
)
def test_a_select_that_fills_it_otherwise_than_its_columns_is_refused_and_nothing_is_made(
    sql, select: str, said: str
) -> None:
    assert said in sql.refusal(f"{INTERACTIVE} AS ({select})").message
    assert sql.table("SHOW INTERACTIVE TABLES") == []


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE i ADD COLUMN b INT",
        "ALTER TABLE i SET ENABLE_SCHEMA_EVOLUTION = TRUE",
        "ALTER TABLE i SET ROW_TIMESTAMP = TRUE",
        "UPDATE i SET id = 'b'",
        "DELETE FROM i",
        "CREATE INTERACTIVE TABLE j (a VARCHAR) CLUSTER BY (a) ERROR_LOGGING = TRUE",
    ],
)
def test_it_never_evolves_and_its_rows_never_change(sql, statement: str) -> None:
    sql(INTERACTIVE)
    sql.refusal(statement)


def test_tables_are_attached_to_an_interactive_warehouse(sql) -> None:
    sql.run(
        INTERACTIVE,
        "CREATE TABLE plain (a INT)",
        "CREATE INTERACTIVE WAREHOUSE w TABLES (i) WAREHOUSE_SIZE = 'XSMALL'",
    )
    (shown,) = sql.table("SHOW WAREHOUSES LIKE 'w'")
    assert (shown["type"], shown["is_interactive"]) == ("INTERACTIVE", "Y")
    assert (shown["auto_suspend"], shown["tables"]) == ("86400", "[DB.PUBLIC.I]")
    assert "not an interactive table" in sql.refusal("ALTER WAREHOUSE w ADD TABLES (plain)").message
    sql("ALTER WAREHOUSE w DROP TABLES (db.public.i)")
    assert sql.table("SHOW WAREHOUSES LIKE 'w'")[0]["tables"] == "[]"
    assert "least" in sql.refusal("ALTER WAREHOUSE w SET AUTO_SUSPEND = 600").message


def test_attaching_needs_a_privilege_of_its_own(sql) -> None:
    sql.run(INTERACTIVE, "CREATE INTERACTIVE WAREHOUSE w", "CREATE ROLE r", "GRANT USAGE ON WAREHOUSE w TO ROLE r")
    sql.run(
        "GRANT USAGE ON DATABASE db TO ROLE r",
        "GRANT USAGE ON SCHEMA public TO ROLE r",
        "GRANT SELECT ON TABLE i TO ROLE r",
    )
    role = sql.as_role("R")
    assert role.refusal("ALTER WAREHOUSE w ADD TABLES (db.public.i)").code == "003001"
    sql("GRANT MANAGE ATTACHED TABLES ON WAREHOUSE w TO ROLE r")
    role("ALTER WAREHOUSE w ADD TABLES (db.public.i)")


def test_an_iceberg_table_in_snowflakes_own_storage_needs_no_volume(sql) -> None:
    sql(
        "CREATE ICEBERG TABLE OWN (V VARIANT) EXTERNAL_VOLUME = 'SNOWFLAKE_MANAGED' CATALOG = 'SNOWFLAKE' ICEBERG_VERSION = 3"
    )
    (shown,) = sql.table("SHOW ICEBERG TABLES")
    assert (shown["external_volume_name"], shown["base_location"]) == ("SNOWFLAKE_MANAGED", "")
    refusal = sql.refusal("CREATE ICEBERG TABLE O (A INT) EXTERNAL_VOLUME = 'SNOWFLAKE_MANAGED' BASE_LOCATION = 'x'")
    assert "BASE_LOCATION" in refusal.message
