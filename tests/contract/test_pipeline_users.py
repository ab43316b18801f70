"""A pipeline with a user of its own: its key opens channels to its own table alone, and an adopted user stays as it is."""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from firnline_infra.blueprint import EngineInputs, blueprint_of, engine_config
from firnline_infra.doctor import examine
from firnline_infra.environment import Environment
from firnline_infra.specification import EnvironmentSpec, parse_spec
from firnline_infra.specification.keys_file import with_users
from firnline_infra.specification.service_users import service_users
from firnline_infra.specification.snowflake import PublicKeys
from firnline_ingest.checks import Verdict
from firnline_ingest.config.document import parse
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.errors import FirnlineError
from firnline_ingest.snowflake.errors import KeyRefused
from firnline_ingest.snowflake.sdk import SdkChannels
from firnline_ingest.snowflake.sql_session import SqlSession
from firnline_ingest.snowflake.target import TargetCatalog, TargetState
from firnline_ingest.validate import validate
from firnline_ingest.values import TargetTable
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.keys import KeyFiles, make_key_pair
from firnline_local.provisioning import bootstrap, provision
from firnline_local.running import RunningEnvironment

pytestmark = pytest.mark.contract
SPEC = """
version: 1
name: own
durability: EPHEMERAL
aws: {region: us-east-1, account: "000000000000", key: {origin: skip}, bucket: {origin: skip}, runtime: {trust: nobody}}
snowflake: {account: FIRNLINE-LOCAL, warehouse: COMPUTE_WH}
streams: [{name: own-a, shards: 1}, {name: own-b, shards: 1}, {name: own-c, shards: 1}]
pipelines:
  - {stream: own-a, database: OWN, schema: RAW, table: A, ingest: {}}
  - {stream: own-b, database: OWN, schema: RAW, table: B, ingest: {origin: adopt, user: KAFKA_USER, role: KAFKA_ROLE}}
  - {stream: own-c, database: OWN, schema: RAW, table: C}
"""
STREAMS = ("own-a", "own-b", "own-c")


@dataclass
class World:
    environment: RunningEnvironment
    spec: EnvironmentSpec
    config: EngineConfig
    targets: dict[str, TargetTable]

    def as_user_of(self, stream: str) -> EngineConfig:
        return self.config.logged_in_for(self.config.pipeline_of(stream))

    def sql(self, statement: str) -> list[tuple[object, ...]]:
        return self.environment.query(statement, login="admin")[1]

    @contextmanager
    def changed(self, statement: str, back: str) -> Iterator[None]:
        self.sql(statement)
        try:
            yield
        finally:
            self.sql(back)


@pytest.fixture(scope="module")
def world(local_environment: RunningEnvironment, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("keys")
    spec = parse_spec(SPEC, "own.yaml")
    keys = {user.key: make_key_pair(folder, user.key) for user in service_users(spec)}
    spec = _with_keys(spec, keys)
    bootstrap(local_environment, spec)
    local_environment.query("CREATE TABLE IF NOT EXISTS FIRNLINE.RAW.KAFKAS (KINESISMETADATA OBJECT)", login="admin")
    local_environment.query("GRANT SELECT ON TABLE FIRNLINE.RAW.KAFKAS TO ROLE KAFKA_ROLE", login="admin")
    provision(local_environment, spec)
    config = _config(local_environment, spec, keys, folder)
    with closing(TargetCatalog(config)) as catalog:
        states = catalog.states(config.pipelines)
    targets = {stream: state.target for stream, state in states.items() if isinstance(state, TargetState)}
    assert targets.keys() == set(STREAMS), states
    yield World(local_environment, spec, config, targets)
    for statement in (
        "DROP DATABASE OWN",
        "DROP TABLE FIRNLINE.RAW.KAFKAS",
        "DROP USER KAFKA_USER",
        "DROP ROLE KAFKA_ROLE",
    ):
        local_environment.query(statement, login="admin")


def _with_keys(spec: EnvironmentSpec, keys: dict[str, KeyFiles]) -> EnvironmentSpec:
    slots = {user: PublicKeys(slot_1=pair.public_key) for user, pair in keys.items()}
    users = {each.key: each.options.model_copy(update={"public_keys": slots[each.key]}) for each in service_users(spec)}
    return with_users(spec, users)


def _config(
    environment: RunningEnvironment, spec: EnvironmentSpec, keys: dict[str, KeyFiles], folder: Path
) -> EngineConfig:
    inputs = EngineInputs(
        private_keys={user: {"file": str(pair.private_key_file)} for user, pair in keys.items()},
        dead_letters={"folder": str(folder / "letters")},
        spark_checkpoint=str(folder / "checkpoint"),
        aws_endpoints={"kinesis": environment.endpoints.of_service("kinesis")},
        snowflake_url=environment.endpoints.snowflake,
        snowflake_ca_file=str(environment.endpoints.ca_file),
        spark_master="local[1]",
    )
    return parse(EngineConfig, json.loads(json.dumps(engine_config(Environment.of(spec), inputs))), "engine.json")


def test_doctor_names_the_users_that_an_up_would_make_and_asks_an_adopted_one_to_be_there(world: World) -> None:
    """To a stack that has made nothing yet, all of its own is in the way; what it adopts is not."""
    accounts = EmbeddedAccounts(world.environment)
    report = examine(world.spec, accounts, state=dict, areas=("accounts", "names"))
    wrong = {each.object for each in report.findings if each.verdict is Verdict.WRONG}
    assert {"user FIRNLINE_OWN_INGEST in Snowflake", "user FIRNLINE_OWN_INGEST_OWN_A in Snowflake"} <= wrong
    assert not [each for each in wrong if "KAFKA" in each]
    assert not [each for each in report.findings if each.verdict is Verdict.UNKNOWN]
    with world.changed("ALTER USER KAFKA_USER RENAME TO ELSEWHERE", "ALTER USER ELSEWHERE RENAME TO KAFKA_USER"):
        report = examine(world.spec, accounts, state=dict, areas=("names",))
    assert [each.found for each in report.findings if "KAFKA_USER" in each.found] != []


@pytest.fixture
def quick(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(world.environment.endpoints.ca_file))


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.usefixtures("quick")
def test_a_pipelines_key_opens_channels_to_its_own_table_and_to_no_other(world: World, stream: str) -> None:
    channels = SdkChannels(world.as_user_of(stream), missing_patience_s=0)
    with closing(channels):
        channel, _ = channels.open(world.targets[stream], "own")
        channel.close()
        for other in set(STREAMS) - {stream}:
            with pytest.raises(FirnlineError) as refused:
                channels.open(world.targets[other], "foreign")
            assert refused.value.id == "FL-3005", refused.value


@pytest.mark.parametrize("stream", STREAMS)
def test_a_pipelines_session_sees_no_other_table_and_takes_no_other_role(world: World, stream: str) -> None:
    own, others = world.targets[stream].table, {world.targets[each].table for each in set(STREAMS) - {stream}}
    with closing(SqlSession(world.as_user_of(stream))) as session:
        assert {row["name"] for row in session.rows("SHOW TABLES IN SCHEMA OWN.RAW")} == {own}
        for statement in (*(f"SELECT * FROM OWN.RAW.{each}" for each in others), "USE ROLE FIRNLINE_OWN_DEPLOY"):
            with pytest.raises(FirnlineError):
                session.rows(statement, empty=())


def test_the_users_key_is_no_other_users(world: World) -> None:
    mixed = world.as_user_of("own-a")
    snowflake = mixed.snowflake.model_copy(update={"private_key": world.config.snowflake.private_key})
    wrong = mixed.model_copy(update={"snowflake": snowflake})
    with closing(SqlSession(wrong)) as session, pytest.raises(KeyRefused):
        session.rows("SELECT 1")


def test_a_user_that_is_disabled_stops_its_own_pipeline_alone(world: World) -> None:
    a = world.as_user_of("own-a").snowflake.user
    with world.changed(f"ALTER USER {a} SET DISABLED = TRUE", f"ALTER USER {a} SET DISABLED = FALSE"):
        with closing(TargetCatalog(world.config)) as catalog:
            states = catalog.states(world.config.pipelines)
        assert isinstance(states["own-a"], FirnlineError)
        assert [type(states[each]) for each in ("own-b", "own-c")] == [TargetState, TargetState]
        found = {
            each.name: each.verdict.name
            for each in validate(world.config).findings
            if "own-" in each.name or "snow" in each.name
        }
    said = {"snowflake": "GOOD", "snowflake as KAFKA_USER": "GOOD", f"snowflake as {a}": "WRONG"}
    said |= {"table of own-a": "UNKNOWN", "table of own-b": "GOOD", "table of own-c": "GOOD"}
    assert {name: found[name] for name in said} == said


def test_an_adopted_user_is_neither_made_nor_altered_and_keeps_what_it_had(world: World) -> None:
    landing = blueprint_of(world.spec).landing
    assert "KAFKA_USER" not in {each.name.name for each in landing.users}
    assert "KAFKA_ROLE" not in {each.name.name for each in landing.roles}
    assert not [each for each in landing.role_grants if each.role.name == "KAFKA_ROLE"]
    given = {str(row[1]): str(row[3]) for row in world.sql("SHOW GRANTS TO ROLE KAFKA_ROLE")}
    assert given == {
        "SELECT": "FIRNLINE.RAW.KAFKAS",
        "USAGE": "OWN.RAW",
        "INSERT": "OWN.RAW.B",
        "EVOLVE SCHEMA": "OWN.RAW.B",
    }
    with closing(world.environment.connect("admin")) as session:
        session.cursor().execute("USE ROLE FIRNLINE_OWN_DEPLOY")
        for statement in ("ALTER USER KAFKA_USER SET DISABLED = TRUE", "DROP USER KAFKA_USER", "DROP ROLE KAFKA_ROLE"):
            with pytest.raises(Exception, match=r"Insufficient|does not exist|privileges"):
                session.cursor().execute(statement)
