"""Iceberg tables on a volume that the embedded AWS lets Snowflake use; each thing that is taken away is in the way."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from snowflake.connector.errors import ProgrammingError

from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.pipeline import table
from firnline_infra.blueprint.snowflake import Column, IcebergTable, SnowflakeObjects
from firnline_infra.observe.readback import read_back
from firnline_infra.specification.iceberg_types import with_size
from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_infra.specification.model import Durability
from firnline_infra.specification.pipeline import Pipeline
from firnline_infra.specification.target_tables import TargetTable
from firnline_local.errors import InputNotCarried
from firnline_local.providers.snowflake.execute import EXECUTE
from firnline_local.providers.snowflake.tables import ICEBERG_TABLE
from firnline_local.providers.snowflake.volumes import EXTERNAL_VOLUME

BUCKET, ROLE, EXTERNAL_ID = "providers-lake", "providers-lake", "ours"
OBJECTS = ["s3:GetObject", "s3:GetObjectVersion", "s3:PutObject", "s3:DeleteObject", "s3:DeleteObjectVersion"]
TABLE = "PROVIDED_DB.S.ICE"


def trust(principal: str, external_id: str = EXTERNAL_ID) -> str:
    statement = {
        "Effect": "Allow",
        "Principal": {"AWS": principal},
        "Action": "sts:AssumeRole",
        "Condition": {"StringEquals": {"sts:ExternalId": external_id}},
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def policy(key_arn: str) -> str:
    statements = [
        {"Effect": "Allow", "Action": OBJECTS, "Resource": f"arn:aws:s3:::{BUCKET}/raw/*"},
        {"Effect": "Allow", "Action": ["s3:ListBucket", "s3:GetBucketLocation"], "Resource": f"arn:aws:s3:::{BUCKET}"},
        {"Effect": "Allow", "Action": ["kms:Decrypt", "kms:GenerateDataKey"], "Resource": key_arn},
    ]
    return json.dumps({"Version": "2012-10-17", "Statement": statements})


@pytest.fixture
def key_arn(clients) -> str:
    return clients.aws("kms").create_key()["KeyMetadata"]["Arn"]


@pytest.fixture
def volume(clients, live, key_arn: str) -> Iterator[dict[str, Any]]:
    """The inputs of a volume that can be used."""
    iam, s3 = clients.aws("iam"), clients.aws("s3")
    s3.create_bucket(Bucket=BUCKET)
    location = {
        "storageLocationName": "lake", "storageProvider": "S3", "storageBaseUrl": f"s3://{BUCKET}/raw/",
        "storageAwsRoleArn": f"arn:aws:iam::{clients.account}:role/{ROLE}", "storageAwsExternalId": EXTERNAL_ID,
        "encryptionType": "AWS_SSE_KMS", "encryptionKmsKeyId": key_arn,
    }  # fmt: skip # a paragraph, not a column
    inputs = {"name": "M_LAKE", "storageLocations": [location]}
    with live(EXTERNAL_VOLUME, inputs) as made:
        iam.create_role(RoleName=ROLE, AssumeRolePolicyDocument=trust(principal(made.read())))
        iam.put_role_policy(RoleName=ROLE, PolicyName="lake", PolicyDocument=policy(key_arn))
        yield made.read()
        iam.delete_role_policy(RoleName=ROLE, PolicyName="lake")
        iam.delete_role(RoleName=ROLE)
    s3.delete_bucket(Bucket=BUCKET)


def principal(properties: dict[str, Any]) -> str:
    found = properties["describeOutputs"][0]["storageLocations"][0]["s3StorageLocations"][0]["storageAwsIamUserArn"]
    return str(found)


def verified(clients) -> dict[str, Any]:
    ((answer,),) = (row.values() for row in clients.rows("SELECT SYSTEM$VERIFY_EXTERNAL_VOLUME('M_LAKE') AS ANSWER"))
    return dict(json.loads(answer))


INPUTS = {
    "database": "PROVIDED_DB", "schema": "S", "name": "ICE", "externalVolume": "M_LAKE", "catalog": "SNOWFLAKE",
    "baseLocation": "ice/", "icebergVersion": 3, "comment": "c", "errorLogging": "true",
    "columns": [{"name": "META", "type": "VARIANT"}, {"name": "ID", "type": "STRING", "notNull": "true"}],
}  # fmt: skip # a paragraph, not a column


def test_an_iceberg_table_lives_and_repairs(volume, live, clients) -> None:
    with live(ICEBERG_TABLE, INPUTS) as table:
        assert table.made.id == '"PROVIDED_DB"."S"."ICE"'
        table.drifts(f"ALTER ICEBERG TABLE {TABLE} SET COMMENT = 'x'", comment="x")
        table.drifts(f"ALTER ICEBERG TABLE {TABLE} SET ERROR_LOGGING = FALSE")  # which the provider doesn't read
        table.drifts(f"ALTER ICEBERG TABLE {TABLE} SET DATA_RETENTION_TIME_IN_DAYS = 3", dataRetentionTimeInDays=3)
        clients.execute(f"ALTER ICEBERG TABLE {TABLE} ADD COLUMN EXTRA STRING")
        assert [column["name"] for column in table.read()["columns"]] == ["META", "ID", "EXTRA"]
        imported = ICEBERG_TABLE.read(table.made.id, {}, clients)
        assert [column["type"] for column in imported["columns"]] == [
            "VARIANT",
            "VARCHAR(16777216)",  # as the provider wrote it
            "VARCHAR(134217728)",
        ]


def test_a_structured_table_of_version_2_is_made_by_a_statement_and_read_back(
    volume, live, clients, local_environment
) -> None:
    declared = [
        {"name": "TAGS", "type": "MAP(VARCHAR, ARRAY(NUMBER(10, 2) NOT NULL))"},
        {"name": "AT", "type": "TIMESTAMP_NTZ"},
    ]
    asked = asked_for(iceberg_version=2, columns=declared, schema_evolution=False)
    assert asked.needs_statement
    as_typed = {**INPUTS, "columns": [{"name": "KINESISMETADATA", "type": asked.metadata[0].type}]}
    with pytest.raises(InputNotCarried, match="structured"), live(ICEBERG_TABLE, as_typed):
        pass  # as the stock provider refuses it
    statement = {"execute": asked.create, "revert": asked.drop, "query": asked.query}
    made = EXECUTE.create(statement, clients)
    with closing(local_environment.connect("admin")) as session:
        assert len(made.properties["queryResults"]) == 1
        assert read_back(only(asked), session) == []
        tags, at = asked.columns
        other = replace(asked, columns=(replace(tags, type="MAP(VARCHAR, FLOAT)"), at))
        (found,) = read_back(only(other), session)
        assert (found.path, found.expected, found.found) == (
            "column TAGS",
            "MAP(VARCHAR, FLOAT)",
            "MAP(VARCHAR(134217728), ARRAY(NUMBER(10,2) NOT NULL))",
        )
    EXECUTE.delete(made.id, statement, clients)
    assert clients.rows("SHOW ICEBERG TABLES IN SCHEMA PROVIDED_DB.S") == []


def test_sizes_that_the_provider_would_write_itself_are_icebergs(volume, live) -> None:
    declared = [("A", "TIMESTAMP_NTZ"), ("B", "TIME"), ("C", "BINARY"), ("D", "VARCHAR"), ("E", "NUMBER(5, 1)")]
    columns = [{"name": name, "type": with_size(kind)} for name, kind in declared]
    with live(ICEBERG_TABLE, {**INPUTS, "columns": columns, "icebergVersion": 2}) as made:
        assert made.read()["columns"] == columns
    bare = [{"name": "A", "type": "TIMESTAMP_NTZ"}]
    with (
        pytest.raises(ProgrammingError, match=r"TIMESTAMP_NTZ\(9\)"),
        live(ICEBERG_TABLE, {**INPUTS, "columns": bare, "icebergVersion": 2}),
    ):
        pass


def asked_for(**more: Any) -> IcebergTable:
    place = {"stream": "orders", "database": "PROVIDED_DB", "schema": "S", "table": "ICE"}
    document = {**place, "table_kind": "iceberg", "external_volume": "M_LAKE", **more}
    made = table(TargetTable(Pipeline.model_validate(document)), Durability.EPHEMERAL, "it's c")
    assert isinstance(made, IcebergTable)
    return made


def only(made: IcebergTable) -> Blueprint:
    return cast("Blueprint", SimpleNamespace(landing=SnowflakeObjects(databases=(), schemas=(), tables=(made,))))


def test_what_the_provider_does_not_read_is_read_back(volume, live, clients, local_environment) -> None:
    made = IcebergTable(
        name=QualifiedName.of("PROVIDED_DB", "S", "ICE"),
        metadata=(Column(name=Identifier("META"), type="VARIANT"),),
        volume=Identifier("M_LAKE"),
        base_location="ice/",
    )
    landing = SnowflakeObjects(databases=(), schemas=(), tables=(made,))
    meta = [each for each in INPUTS["columns"] if each["name"] == "META"]
    inputs = {**INPUTS, "columns": meta}
    with live(ICEBERG_TABLE, inputs), closing(local_environment.connect("admin")) as session:

        def findings() -> list[tuple[str, str]]:
            found = read_back(cast("Blueprint", SimpleNamespace(landing=landing)), session)
            return [(each.path, each.repair) for each in found]

        evolve = 'ALTER ICEBERG TABLE "PROVIDED_DB"."S"."ICE" SET ENABLE_SCHEMA_EVOLUTION = TRUE'
        assert findings() == [("ENABLE_SCHEMA_EVOLUTION", evolve)]
        clients.execute(evolve, f"ALTER ICEBERG TABLE {TABLE} SET ERROR_LOGGING = FALSE")
        ((property_, repair),) = findings()
        assert property_ == "ERROR_LOGGING"
        clients.execute(repair)
        assert findings() == []


def test_each_thing_that_is_taken_away_fails_the_verification(volume, clients, key_arn: str) -> None:
    iam, kms, who = clients.aws("iam"), clients.aws("kms"), principal(volume)
    assert verified(clients)["success"]

    def refused(*words: str) -> None:
        answer = verified(clients)
        assert not answer["success"]
        assert all(word in answer["error"] for word in words), answer["error"]
        with pytest.raises(ProgrammingError) as no_table:
            ICEBERG_TABLE.create(INPUTS, clients)
        assert words[0] in str(no_table.value)

    iam.update_assume_role_policy(RoleName=ROLE, PolicyDocument=trust(who, "theirs"))
    refused("external id ours")
    iam.update_assume_role_policy(RoleName=ROLE, PolicyDocument=trust("arn:aws:iam::999999999999:root"))
    refused("does not name", who)
    iam.update_assume_role_policy(RoleName=ROLE, PolicyDocument=trust(who))

    iam.put_role_policy(
        RoleName=ROLE, PolicyName="lake", PolicyDocument=policy(key_arn).replace("s3:PutObject", "s3:x")
    )
    refused("s3:PutObject")
    iam.put_role_policy(RoleName=ROLE, PolicyName="lake", PolicyDocument=policy(key_arn))
    kms.disable_key(KeyId=key_arn.rpartition("/")[2])
    refused("not enabled")
    kms.enable_key(KeyId=key_arn.rpartition("/")[2])
    assert verified(clients)["success"]


def test_a_bucket_that_is_not_there_is_named(clients, live, key_arn: str) -> None:
    location = {
        "storageLocationName": "lake", "storageProvider": "S3", "storageBaseUrl": "s3://nowhere/",
        "storageAwsRoleArn": f"arn:aws:iam::{clients.account}:role/nobody",
    }  # fmt: skip # a paragraph, not a column
    with live(EXTERNAL_VOLUME, {"name": "M_LAKE", "storageLocations": [location]}):
        assert "role/nobody does not exist" in verified(clients)["error"]


def test_a_table_in_snowflakes_own_storage_lives_without_a_volume(live, clients) -> None:
    own = {
        "database": "PROVIDED_DB",
        "schema": "S",
        "name": "OWN",
        "externalVolume": "SNOWFLAKE_MANAGED",
        "catalog": "SNOWFLAKE",
        "icebergVersion": 3,
        "columns": [{"name": "V", "type": "VARIANT"}],
    }
    with live(ICEBERG_TABLE, own) as made:
        assert made.read()["externalVolume"] == "SNOWFLAKE_MANAGED"
        assert made.read().get("baseLocation") in (None, "")
