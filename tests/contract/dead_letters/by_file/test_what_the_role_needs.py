"""Stage, pipe and grants as the blueprint has them carry a file; each right of the engine's role is needed, proven by removal."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.grants import PrivilegeGrant, Securable
from firnline_infra.render.bootstrap.snowflake import required_grant_statements
from firnline_infra.specification import parse_spec
from firnline_infra.specification.names import Names
from firnline_ingest.dead_letters.file_load import FileLoads, Loading
from firnline_ingest.dead_letters.file_pipe import AccountSnowpipe, FileTarget, pipe_created
from firnline_ingest.errors import FirnlineError
from firnline_ingest.snowflake.connection import connect, rows_of
from firnline_ingest.snowflake.errors import StatementRefused

pytestmark = [
    pytest.mark.contract,
    # The package asks datetime.utcnow (1.0.13), which Python 3.12 is to lose.
    pytest.mark.filterwarnings("ignore:datetime.datetime.utcnow:DeprecationWarning"),
]
World = Any  # of conftest.py
TEXT = """
    version: 1
    name: letters
    aws: {region: us-east-1, account: "000000000000"}
    snowflake: {account: FIRNLINE-LOCAL, ingest: {user: LETTERS_ENGINE, role: LETTERS_INGEST}}
    streams: [{name: orders}]
    pipelines: [{stream: orders, database: lettered, schema: '"raw"', table: '"Orders"', file_replay: true}]
    """
SPEC = parse_spec(TEXT, "letters.yaml")
ADOPTING = parse_spec(
    TEXT.replace("file_replay", "table_origin: adopt, file_replay")
    .replace("lettered", "anothers")
    .replace(
        "LETTERS_INGEST}",
        "LETTERS_INGEST}, databases: [{name: anothers, origin: adopt, schemas: [{name: '\"raw\"', origin: adopt}]}]",
    ),
    "letters.yaml",
)
TARGET = FileTarget("LETTERED", "raw", "Orders")
ROLE = Names.of(SPEC).ingest.role
RIGHTS = [
    (privilege, f"{grant.on} {grant.name.sql}")
    for grant in blueprint_of(SPEC).landing.grants
    if isinstance(grant, PrivilegeGrant) and grant.role == ROLE and grant.on is not Securable.WAREHOUSE
    for privilege in grant.privileges
    if privilege != "EVOLVE SCHEMA"  # the pipe acts as its owner
]


@pytest.fixture(scope="module")
def landed(served: World) -> World:
    landing = blueprint_of(SPEC).landing
    body = "".join(served.public_key.splitlines()[1:-1])
    (stage,), (pipe,) = landing.stages, landing.pipes
    for statement in (
        "CREATE DATABASE LETTERED",
        'CREATE SCHEMA LETTERED."raw"',
        'CREATE TABLE LETTERED."raw"."Orders" (KINESISMETADATA OBJECT, ID NUMBER)',
        stage.create,
        f"CREATE PIPE {pipe.name.sql} AS {pipe.copy_statement}",
        f"CREATE ROLE {ROLE.sql}",
        f"CREATE USER LETTERS_ENGINE TYPE = SERVICE DEFAULT_ROLE = {ROLE.sql} RSA_PUBLIC_KEY = '{body}'",
        f"GRANT ROLE {ROLE.sql} TO USER LETTERS_ENGINE",
        *(f"GRANT {privilege} ON {on} TO ROLE {ROLE.sql}" for privilege, on in RIGHTS),
    ):
        served.rows(statement)
    return served


class Engine:
    """The service user's session, which answers as SqlSession does."""

    def __init__(self, world: World) -> None:
        self._connection = connect(
            account="firnline",
            user="LETTERS_ENGINE",
            role=ROLE.sql,
            url=world.server.url,
            key=world.key,
            ca_file=world.server.ca_file,
        )

    def rows(self, statement: str, empty: Any = (2003, 2043)) -> list[dict[str, Any]]:
        from snowflake.connector.errors import ProgrammingError

        try:
            return rows_of(self._connection, statement)
        except ProgrammingError as error:
            if error.errno in empty:
                return []
            raise StatementRefused(f"answer {statement!r}", str(error)) from error

    def close(self) -> None:
        self._connection.close()


@pytest.fixture(scope="module")
def engine(landed: World) -> Iterator[Engine]:
    engine = Engine(landed)
    yield engine
    engine.close()


def load(world: World, engine: Engine, path: str, target: FileTarget = TARGET) -> Loading:
    """Loads as a replay does: the pipe is looked at first."""
    world.server.files.settings.scans_per_minute = 10_000
    pipe_created(engine, target)
    ticks = iter(range(10))
    snowpipe = AccountSnowpipe(target, engine, world.manager("LETTERS_ENGINE", pipe=target.pipe))

    def sleep(_: float) -> None:
        next(ticks)
        world.server.files.load_due()

    loads = FileLoads(snowpipe, sleep=sleep)
    return loads.load(path, [b'{"ID":1}'], begun=datetime.now(UTC) - timedelta(minutes=1)).status


def test_with_all_of_them_a_file_is_loaded(landed: World, engine: Engine) -> None:
    assert len(RIGHTS) == 8
    assert load(landed, engine, "all/1.json.gz") is Loading.LOADED


@pytest.mark.parametrize(("privilege", "on"), RIGHTS)
def test_without_any_one_of_them_it_is_refused_and_told(landed: World, engine: Engine, privilege: str, on: str) -> None:
    landed.rows(f"REVOKE {privilege} ON {on} FROM ROLE {ROLE.sql}")
    try:
        with pytest.raises(FirnlineError) as refused:
            load(landed, engine, f"{privilege}/1.json.gz".replace(" ", "-").lower())
    finally:
        landed.rows(f"GRANT {privilege} ON {on} TO ROLE {ROLE.sql}")
    assert refused.value.id in ("FL-4182", "FL-4183", "FL-4184")


def test_beside_anothers_table_who_deploys_makes_the_way_with_what_its_owner_grants(
    landed: World, engine: Engine
) -> None:
    blueprint = blueprint_of(ADOPTING)
    (stage,), (pipe,) = blueprint.landing.stages, blueprint.landing.pipes
    role, table = blueprint.names.deploy_role.sql, 'ANOTHERS."raw"."Orders"'
    made = [stage.create, f"CREATE PIPE {pipe.name.sql} AS {pipe.copy_statement}"]
    handed_on = [
        f"GRANT {', '.join(grant.privileges)} ON {grant.on} {grant.name.sql} TO ROLE {ROLE.sql}"
        for grant in blueprint.landing.grants
        if isinstance(grant, PrivilegeGrant) and grant.role == ROLE and grant.on is not Securable.WAREHOUSE
    ]
    for statement in (
        "CREATE DATABASE ANOTHERS",
        'CREATE SCHEMA ANOTHERS."raw"',
        f"CREATE TABLE {table} (KINESISMETADATA OBJECT, ID NUMBER) ERROR_LOGGING = TRUE ENABLE_SCHEMA_EVOLUTION = TRUE",
        f"CREATE ROLE {role}",
        f"GRANT ROLE {role} TO ROLE ACCOUNTADMIN",
        *required_grant_statements(blueprint),
        f"USE ROLE {role}",
        *made,
        *handed_on,
        "USE ROLE ACCOUNTADMIN",
    ):
        landed.rows(statement)
    target = FileTarget("ANOTHERS", "raw", "Orders")
    assert load(landed, engine, "adopted/1.json.gz", target) is Loading.LOADED
    landed.rows(f"REVOKE INSERT ON TABLE {table} FROM ROLE {role} CASCADE")
    assert load(landed, engine, "adopted/2.json.gz", target) is Loading.FAILED  # it stays a dead letter
    assert landed.rows(f"SELECT COUNT(*) AS N FROM {table}") == [{"n": 1}]
