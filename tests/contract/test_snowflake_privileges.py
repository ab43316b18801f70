"""The ingest role, proven by removal: each of its privileges is needed, each that is missing is named, and there is no other."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.grants import PrivilegeGrant
from firnline_infra.blueprint.iam import policy_document
from firnline_infra.blueprint.iam.volume import volume_statements, volume_trust
from firnline_infra.environment import Environment
from firnline_infra.kinds.storage import external_volumes
from firnline_infra.specification import parse_spec
from firnline_infra.specification.names import Names
from firnline_ingest.errors import FirnlineError
from firnline_ingest.snowflake.sdk import SdkChannels
from firnline_local.running import RunningEnvironment
from tests.fakes.kinesis import made_active
from tests.tiers import every_third

EngineWithoutSpark = Any  # of conftest.py

pytestmark = pytest.mark.contract

SPEC = parse_spec(
    """
    version: 1
    name: privileges
    aws: {region: us-east-1, account: "000000000000"}
    snowflake:
      account: FIRNLINE-LOCAL
      warehouse: COMPUTE_WH
      ingest: {user: FIRNLINE_LOCAL_INGEST, role: '"Least of roles"'}
      external_volumes: [{name: LEAST_LAKE}]
    streams: [{name: evolving}, {name: piped}, {name: frozen}]
    pipelines:
      - {stream: evolving, database: least, schema: '"raw"'}
      - {stream: piped, database: least, schema: '"raw"', table: '"Piped"', schema_evolution: false,
         columns: [{name: N, type: NUMBER}], pipe: {name: loads, select: "$1:KINESISMETADATA::OBJECT, $1:n::NUMBER"}}
      - {stream: frozen, database: least, schema: '"raw"', table_kind: iceberg, external_volume: LEAST_LAKE}
    """,
    "privileges.yaml",
)
ROLE = Names.of(SPEC).ingest.role
DDL = (
    "CREATE DATABASE LEAST",
    'CREATE SCHEMA LEAST."raw"',
    'CREATE TABLE LEAST."raw".EVOLVING (KINESISMETADATA OBJECT) ENABLE_SCHEMA_EVOLUTION = TRUE ERROR_LOGGING = TRUE',
    'CREATE TABLE LEAST."raw"."Piped" (KINESISMETADATA OBJECT, N NUMBER)',
    """CREATE ICEBERG TABLE LEAST."raw".FROZEN (KINESISMETADATA VARIANT, N NUMBER(10,0)) CATALOG = 'SNOWFLAKE'
       EXTERNAL_VOLUME = 'LEAST_LAKE' BASE_LOCATION = 'frozen/' ICEBERG_VERSION = 3
       ENABLE_SCHEMA_EVOLUTION = TRUE ERROR_LOGGING = TRUE""",
    """CREATE PIPE LEAST."raw".LOADS AS COPY INTO LEAST."raw"."Piped" FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING'))
       MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE""",
    f"CREATE ROLE {ROLE.sql}",
    f"GRANT ROLE {ROLE.sql} TO USER FIRNLINE_LOCAL_INGEST",
)
TABLES = {"evolving": 'LEAST."raw".EVOLVING', "piped": 'LEAST."raw"."Piped"', "frozen": 'LEAST."raw".FROZEN'}
ONLY = {"PIPE": "piped", "EXTERNAL VOLUME": "frozen"}
"""Kinds of objects that one pipeline alone uses."""


def privileges() -> list[tuple[str, str, str]]:
    """Privilege, kind and name, as SQL writes them."""
    grants = blueprint_of(SPEC).landing.grants
    return [
        (privilege, str(grant.on), str(grant.name))
        for grant in grants
        if isinstance(grant, PrivilegeGrant) and grant.role == ROLE
        for privilege in grant.privileges
    ]


def needed_by(stream: str) -> list[tuple[str, str, str]]:
    """Returns those on what the pipeline uses."""
    foreign = {table for whose, table in TABLES.items() if whose != stream}
    return [one for one in privileges() if one[2] not in foreign and ONLY.get(one[1], stream) == stream]


CASES = [(stream, *one) for stream in TABLES for one in needed_by(stream)]
REFUSED = [case for case in CASES if case[1] != "EVOLVE SCHEMA"]


@dataclass
class Lane:
    """The three pipelines on the embedded environment."""

    environment: RunningEnvironment
    engines: dict[str, EngineWithoutSpark]

    def sql(self, statement: str) -> list[tuple[Any, ...]]:
        return self.environment.query(statement, login="admin")[1]

    def rows(self, stream: str) -> int:
        count: int = self.sql(f"SELECT COUNT(*) FROM {TABLES[stream]}")[0][0]
        return count

    @contextmanager
    def without(self, privilege: str, kind: str, name: str) -> Iterator[None]:
        self.sql(f"REVOKE {privilege} ON {kind} {name} FROM ROLE {ROLE.sql}")
        try:
            yield
        finally:
            self.sql(f"GRANT {privilege} ON {kind} {name} TO ROLE {ROLE.sql}")


@pytest.fixture(scope="session")
def lanes(local_environment: RunningEnvironment) -> Iterator[list[Lane]]:
    """At most one: a run may come back to this module after others."""
    made: list[Lane] = []
    yield made
    for lane in made:
        lane.sql("DROP DATABASE LEAST")
        lane.sql(f"DROP ROLE {ROLE.sql}")
        lane.sql("DROP EXTERNAL VOLUME LEAST_LAKE")


@pytest.fixture(scope="module")
def lane(
    lanes: list[Lane],
    local_environment: RunningEnvironment,
    engine_of: Callable[..., EngineWithoutSpark],
    tmp_path_factory: pytest.TempPathFactory,
) -> Lane:
    if lanes:
        return lanes[0]
    folder = str(tmp_path_factory.mktemp("letters"))

    def engine(**pipeline: Any) -> EngineWithoutSpark:
        return engine_of(
            application="least",
            pipeline={"database": "least", "schema": '"raw"', **pipeline},
            snowflake={"role": str(ROLE)},
            dead_letters={"folder": folder},
        )

    engines = {
        "evolving": engine(stream="evolving"),
        "piped": engine(stream="piped", table='"Piped"', pipe="loads"),
        "frozen": engine(stream="frozen"),
    }
    made = Lane(local_environment, engines)
    make_volume(local_environment)
    for statement in DDL:
        made.sql(statement)
    for privilege, kind, name in privileges():
        made.sql(f"GRANT {privilege} ON {kind} {name} TO ROLE {ROLE.sql}")
    for stream in TABLES:
        made_active(local_environment.client("kinesis"), stream)
    lanes.append(made)
    return made


def make_volume(environment: RunningEnvironment) -> None:
    """On a bucket and a role of the embedded AWS, as the blueprint describes them."""
    (volume,) = external_volumes(Environment.of(SPEC))
    s3, iam, role = environment.client("s3"), environment.client("iam"), volume.role.name
    s3.create_bucket(Bucket=volume.bucket.name)
    environment.query(
        f"CREATE EXTERNAL VOLUME LEAST_LAKE STORAGE_LOCATIONS = ((NAME = 'one' STORAGE_PROVIDER = 'S3' "
        f"STORAGE_BASE_URL = 's3://{volume.bucket.name}/' STORAGE_AWS_EXTERNAL_ID = 'ours' "
        f"STORAGE_AWS_ROLE_ARN = 'arn:aws:iam::000000000000:role/{role}'))",
        login="admin",
    )
    described = environment.query("DESCRIBE EXTERNAL VOLUME LEAST_LAKE", login="admin")[1]
    location = next(json.loads(row[3]) for row in described if row[1] == "STORAGE_LOCATION_1")
    trust = policy_document(volume_trust(principal=location["STORAGE_AWS_IAM_USER_ARN"], external_id="ours"))
    policy = policy_document(volume_statements(bucket_arn=f"arn:aws:s3:::{volume.bucket.name}", prefix=""))
    iam.create_role(RoleName=role, AssumeRolePolicyDocument=json.dumps(trust))
    iam.put_role_policy(RoleName=role, PolicyName="volume", PolicyDocument=json.dumps(policy))


@pytest.mark.parametrize("stream", TABLES)
def test_with_all_of_its_privileges_the_engine_takes_records_in(lane: Lane, stream: str) -> None:
    lane.engines[stream].run()  # what other tests left
    before = lane.rows(stream)
    lane.environment.put_events(stream, [{"n": 1}, {"n": 2}])
    assert lane.engines[stream].run() == [None]
    assert lane.rows(stream) == before + 2


@pytest.mark.parametrize(("stream", "privilege", "kind", "name"), every_third(CASES), ids=map(" ".join, CASES))
def test_without_one_of_them_the_run_ends_before_a_row_flows_and_names_it_with_its_grant(
    lane: Lane, stream: str, privilege: str, kind: str, name: str
) -> None:
    before = lane.rows(stream)
    lane.environment.put_events(stream, [{"n": 3, "new_key": 1}])
    with lane.without(privilege, kind, name), pytest.raises(FirnlineError) as raised:
        lane.engines[stream].run()
    error = raised.value
    assert not error.is_retryable
    assert f"it lacks {privilege} on {kind.lower()} {name}" in error.what
    assert str(ROLE) in error.what
    assert f"GRANT {privilege} ON {kind} {name} TO ROLE {ROLE};" in error.next_step
    assert error.next_step.count("GRANT ") == 1, "nothing is named that is not missing"
    assert lane.rows(stream) == before


@pytest.mark.parametrize(("stream", "privilege", "kind", "name"), every_third(REFUSED), ids=map(" ".join, REFUSED))
def test_snowflake_refuses_a_task_that_lost_one_of_them(
    lane: Lane, stream: str, privilege: str, kind: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = dict(
        SdkChannels.__init__.__kwdefaults__ or {}, missing_patience_s=0.5
    )  # a 404 may pass: a minute is the rule
    monkeypatch.setattr(SdkChannels.__init__, "__kwdefaults__", given)
    target = lane.engines[stream].preflight()
    with lane.without(privilege, kind, name):
        (problem,) = lane.engines[stream].epoch(target)
    assert problem.id == "FL-3005"
    assert not problem.is_retryable
    assert str(target) in problem.what


def test_without_evolve_schema_snowflake_does_not_add_the_column(lane: Lane) -> None:
    lane.environment.put_events("evolving", [{"n": 4}])
    lane.engines["evolving"].run()
    target = lane.engines["evolving"].preflight()
    lane.environment.put_events("evolving", [{"n": 5, "only_here": 1}])
    with lane.without("EVOLVE SCHEMA", "TABLE", TABLES["evolving"]):
        lane.engines["evolving"].epoch(target)
    columns = [row[0] for row in lane.sql(f"DESCRIBE TABLE {TABLES['evolving']}")]
    assert "N" in columns
    assert "ONLY_HERE" not in columns


def test_nothing_else_is_granted(lane: Lane) -> None:
    names, rows = lane.environment.query(f"SHOW GRANTS TO ROLE {ROLE.sql}", login="admin")
    shown = [dict(zip(names, row, strict=True)) for row in rows]
    called = {"VOLUME": "EXTERNAL VOLUME"}
    found = [(row["privilege"], called.get(row["granted_on"], row["granted_on"]), row["name"]) for row in shown]
    assert sorted(found) == sorted(privileges())
