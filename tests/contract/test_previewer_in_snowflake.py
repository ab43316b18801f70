"""The role of previews in Snowflake sees all that a preview reads, changes nothing, and needs each privilege that it has."""

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice

import pytest
from snowflake.connector import SnowflakeConnection

from firnline_infra.accounts.accounts import rows
from firnline_infra.accounts.errors import SnowflakeRefused
from firnline_infra.blueprint import Blueprint, blueprint_of
from firnline_infra.blueprint.grants import PrivilegeGrant
from firnline_infra.blueprint.previewing import SEEN_BY, previewers_grants
from firnline_infra.environment import Environment
from firnline_infra.observe.adopted import check_adopted
from firnline_infra.observe.readback import read_back
from firnline_infra.observe.sight import hidden_objects, resources_behind
from firnline_infra.specification import EnvironmentSpec, parse_spec
from firnline_local.endpoints import sql_session
from firnline_local.provisioning import bootstrap
from firnline_local.pulumi.cloud import Cloud
from firnline_local.pulumi.in_process.deployment import Record
from firnline_local.running import RunningEnvironment

from .watched import Watched

pytestmark = pytest.mark.contract
SPEC = """
version: 1
name: looks
durability: EPHEMERAL
aws: {region: us-east-1, account: "000000000000", key: {origin: skip}}
snowflake:
  account: FIRNLINE-LOCAL
  warehouse: COMPUTE_WH
  key_pair_only: true
  allowed_networks: [127.0.0.0/8]
  external_volumes: [{name: LOOKS_LAKE}]
  interactive_warehouse: {name: LOOKS_FAST}
streams: [{name: looks-a, shards: 1}, {name: looks-b, shards: 1}, {name: looks-c, shards: 1}]
pipelines:
  - {stream: looks-a, database: LOOKS, schema: RAW, table: A, table_privilege: ownership,
     pipe: {name: P, select: "$1:KINESISMETADATA::OBJECT, $1:id::NUMBER(18, 0), $1:at::TIMESTAMP_NTZ"},
     schema_evolution: false, columns: [{name: ID, type: "NUMBER(18, 0)", nullable: false}, {name: AT, type: TIMESTAMP_NTZ}]}
  - {stream: looks-b, database: LOOKS, schema: RAW, table: B, table_kind: iceberg, external_volume: LOOKS_LAKE,
     columns: [{name: PLACE, type: VARIANT}, {name: AT, type: TIMESTAMP_NTZ(6)}]}
  - {stream: looks-c, database: LOOKS, schema: RAW, table: C, table_kind: interactive, cluster_by: [ID],
     columns: [{name: ID, type: VARCHAR}, {name: V, type: FLOAT}]}
"""
OUT_OF_SIGHT = {
    "NetworkPolicy",
    "AuthenticationPolicy",
    "UserAuthenticationPolicyAttachment",
    "ServiceUser",
    "IcebergTable",
}
"""What previews do without refreshing: no privilege shows it to a provider and allows nothing. Users and Iceberg tables are
described instead."""


@dataclass
class Looking:
    spec: EnvironmentSpec
    environment: RunningEnvironment
    records: list[Record]
    out_of_sight: list[Record]
    administrator: SnowflakeConnection
    session: SnowflakeConnection
    """In the role of previews."""

    @property
    def blueprint(self) -> Blueprint:
        return blueprint_of(self.spec)

    @property
    def grants(self) -> tuple[PrivilegeGrant, ...]:
        return previewers_grants(Environment.of(self.spec), self.blueprint.landing, self.blueprint.names.preview_role)

    def differences(self) -> Generator[str]:
        """Yields what a preview would show, though nothing differs."""
        yield from (str(finding) for finding in read_back(self.blueprint, self.session))
        yield from map(str, check_adopted(self.blueprint, self.session))
        yield from (
            each.display_name
            for each in hidden_objects(self.blueprint, self.session, {})
            if not each.is_described and each.word == "USER"
        )
        with closing(self.cloud()) as cloud:
            yield from (record.name for record in self.records if self._differs(cloud, record))

    def unreadable(self) -> set[str]:
        """The types of which a refresh in this role fails, or takes one for gone."""
        with closing(self.cloud()) as cloud:
            return {record.token.rpartition(":")[2] for record in self.out_of_sight if self._differs(cloud, record)}

    def cloud(self) -> Cloud:
        """The provider, in the role of previews."""
        cloud = Cloud("snowflake", self.environment)
        said = {"organizationName": "FIRNLINE", "accountName": "LOCAL", "warehouse": "COMPUTE_WH"}
        cloud.configure({**said, "role": str(self.blueprint.names.preview_role)})
        return cloud

    def _differs(self, cloud: Cloud, record: Record) -> bool:
        try:
            there = cloud.read(record.token, record.name, record.id, inputs=record.inputs, properties=record.properties)
        except Exception:  # whatever is refused, a preview would fail with it
            return True
        if there is None:
            return True
        return bool(cloud.diff(record.token, old=there.inputs, state=there.properties, new=record.inputs))


@pytest.fixture(scope="module")
def looking(local_environment: RunningEnvironment) -> Iterator[Looking]:
    spec, watched = parse_spec(SPEC, "looks.yaml"), Watched(local_environment)
    bootstrap(local_environment, spec)
    login = local_environment.logins["admin"]
    preview = blueprint_of(spec).names.preview_role
    with closing(local_environment.connect("admin")) as administrator:
        rows(administrator, f"GRANT ROLE {preview.sql} TO USER {login.user}")
        watched.up(spec)
        records, hidden = list[Record](), list[Record]()
        for record in watched.application.resources:
            if record.token.startswith("snowflake:"):
                (hidden if record.token.rpartition(":")[2] in OUT_OF_SIGHT else records).append(record)
        with closing(sql_session(local_environment.endpoints, replace(login, role=preview.name))) as session:
            yield Looking(spec, local_environment, records, hidden, administrator, session)
        watched.application.destroy()


def test_a_preview_sees_everything_as_it_is(looking: Looking) -> None:
    assert len(looking.records) > 30
    assert list(looking.differences()) == []


def test_what_previews_do_not_refresh_is_what_they_can_not(looking: Looking) -> None:
    assert looking.unreadable() == OUT_OF_SIGHT


def test_an_iceberg_table_is_described_and_its_grants_are_refreshed(looking: Looking) -> None:
    """SHOW ICEBERG TABLES asks for SELECT, which would show the records. What a statement has set is read back."""
    assert rows(looking.session, "SHOW ICEBERG TABLES IN SCHEMA LOOKS.RAW") == []
    resources = [
        {"urn": record.name, "type": record.token, "inputs": record.inputs}
        for record in (*looking.records, *looking.out_of_sight)
    ]
    hidden = [each for each in hidden_objects(looking.blueprint, looking.session, {}) if each.word == "ICEBERG TABLE"]
    assert [(each.display_name, each.is_described) for each in hidden] == [
        ("snowflake iceberg table LOOKS.RAW.B", True)
    ]
    behind = resources_behind(hidden, {"deployment": {"resources": resources}})
    assert {each["type"].rpartition(":")[2] for each in resources if each["urn"] in behind} == {
        "IcebergTable",
        "Execute",
    }


def test_show_users_hides_all_but_the_name_and_describe_user_does_not(looking: Looking) -> None:
    """No provider can refresh a user in this role, and drift compares by DESCRIBE USER."""
    (user,) = rows(looking.session, "SHOW USERS LIKE 'FIRNLINE_LOOKS_INGEST'")
    assert {name for name, value in user.items() if value is not None} == {"name"}
    described = {row["property"]: row["value"] for row in rows(looking.session, "DESCRIBE USER FIRNLINE_LOOKS_INGEST")}
    assert described["DEFAULT_ROLE"] == "FIRNLINE_LOOKS_INGEST"
    (owned,) = rows(looking.administrator, "SHOW USERS LIKE 'FIRNLINE_LOOKS_INGEST'")
    assert owned["created_on"] is not None


def test_each_privilege_is_needed(looking: Looking) -> None:
    for grant in looking.grants:
        what = f"{', '.join(grant.privileges)} ON {grant.on.value} {grant.name.sql}"
        rows(looking.administrator, f"REVOKE {what} FROM ROLE {grant.role.sql}")
        with closing(looking.differences()) as differences:
            missed = list(islice(differences, 2))
        rows(looking.administrator, f"GRANT {what} TO ROLE {grant.role.sql}")
        assert len(missed) > 1, f"besides the grant itself, nothing is missed without {what}"


def test_it_creates_owns_and_applies_nothing(looking: Looking) -> None:
    held = rows(looking.administrator, f"SHOW GRANTS TO ROLE {looking.blueprint.names.preview_role.sql}")
    assert {row["privilege"] for row in held} == set(SEEN_BY.values())
    assert {row["grant_option"] for row in held} == {"false"}


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE DATABASE D",
        "CREATE SCHEMA LOOKS.S",
        "CREATE TABLE LOOKS.RAW.T (A INT)",
        "CREATE ROLE R",
        "CREATE USER U",
        "DROP TABLE LOOKS.RAW.A",
        "ALTER TABLE LOOKS.RAW.C SET COMMENT = 'x'",
        "ALTER PIPE LOOKS.RAW.P SET COMMENT = 'x'",
        "ALTER USER FIRNLINE_LOOKS_INGEST SET COMMENT = 'x'",
        "ALTER USER FIRNLINE_LOOKS_INGEST UNSET AUTHENTICATION POLICY",
        "GRANT SELECT ON TABLE LOOKS.RAW.A TO ROLE FIRNLINE_LOOKS_PREVIEW",
        "GRANT ROLE FIRNLINE_LOOKS_INGEST TO ROLE FIRNLINE_LOOKS_PREVIEW",
        "INSERT INTO LOOKS.RAW.C (ID) VALUES ('x')",
        "SELECT * FROM LOOKS.RAW.A",
        "DROP WAREHOUSE LOOKS_FAST",
        "DROP EXTERNAL VOLUME LOOKS_LAKE",
    ],
)
def test_it_changes_and_reads_nothing(looking: Looking, statement: str) -> None:
    with pytest.raises(SnowflakeRefused, match=r"(?i)insufficient privileges|does not exist"):
        rows(looking.session, statement)


def test_tables_have_the_columns_that_were_declared(looking: Looking) -> None:
    def columns(table: str) -> list[tuple[str, str, str]]:
        described = rows(looking.session, f"DESCRIBE TABLE LOOKS.RAW.{table}")
        return [(row["name"], row["type"], row["null?"]) for row in described]

    assert columns("A") == [
        ("KINESISMETADATA", "OBJECT", "Y"),
        ("ID", "NUMBER(18,0)", "N"),
        ("AT", "TIMESTAMP_NTZ(9)", "Y"),
    ]
    assert columns("B")[1:] == [("PLACE", "VARIANT", "Y"), ("AT", "TIMESTAMP_NTZ(6)", "Y")]
    assert [name for name, _, _ in columns("C")] == ["KINESISMETADATA", "ID", "V"]
