"""The driver's look at its tables, with the real connector, against servers whose sessions end."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.new_columns import NewColumns
from firnline_ingest.records.first_sight import JsonKind, NewKey
from firnline_ingest.shard.receipt import Receipt, ShardState, Tally
from firnline_ingest.snowflake.connection import connect, rows_of
from firnline_ingest.snowflake.errors import SnowflakeUnavailable, StatementRefused
from firnline_ingest.snowflake.key import load_key
from firnline_ingest.snowflake.sql_session import SqlSession
from firnline_ingest.snowflake.target import TargetCatalog, TargetState
from firnline_ingest.spark.columns import ColumnWatch
from firnline_ingest.values import ShardKey
from firnline_local.snowflake.catalog import Catalog
from firnline_local.snowflake.server import EmbeddedSnowflake
from firnline_local.snowflake.sql import sessions
from tests.fakes import configs

pytestmark = pytest.mark.contract
STREAMS = ("orders", "clicks", "gone")


@dataclass
class World:
    """A server that can be started again, as a service is."""

    folder: Path
    key: rsa.RSAPrivateKey = field(default_factory=lambda: rsa.generate_private_key(65537, 2048))

    def __post_init__(self) -> None:
        public = self.key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        self.catalog = Catalog("firnline", admin_public_key="".join(public.decode().splitlines()[1:-1]))
        self.key_file = self.folder / "key.pem"
        self.key_file.write_bytes(self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        self.server = EmbeddedSnowflake(self.catalog, folder=self.folder).start()
        self.run("CREATE DATABASE db")
        for table in ("orders", "clicks"):
            self.run(f"CREATE TABLE db.public.{table} (kinesisMetadata OBJECT)")

    def restart(self) -> None:
        port = int(self.server.url.rpartition(":")[2])
        self.server.close()
        self.server = EmbeddedSnowflake(self.catalog, folder=self.folder, port=port).start()

    @property
    def config(self) -> EngineConfig:
        snowflake = {
            "account": "firnline",
            "user": "FIRNLINE_ADMIN",
            "role": "SYSADMIN",
            "private_key": {"file": str(self.key_file)},
            "url": self.server.url,
            "ca_file": str(self.server.ca_file),
        }
        pipelines = [configs.reading(stream, database="db", schema="public") for stream in STREAMS]
        return configs.config(snowflake=snowflake, pipelines=pipelines)

    def run(self, statement: str, role: str = "SYSADMIN") -> None:
        snowflake = self.config.snowflake
        named = {
            "account": snowflake.account,
            "user": snowflake.user,
            "role": role,
            "url": snowflake.base_url,
        }
        with closing(connect(**named, key=load_key(self.config), ca_file=snowflake.ca_file)) as connection:
            rows_of(connection, statement)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    world.server.close()
    world.catalog.close()


@pytest.fixture
def catalog(world: World) -> Iterator[TargetCatalog]:
    with closing(TargetCatalog(world.config)) as catalog:
        yield catalog


def tables(catalog: TargetCatalog, world: World) -> dict[str, str]:
    found = catalog.states(world.config.pipelines)
    return {
        stream: str(state.target) if isinstance(state, TargetState) else type(state).__name__
        for stream, state in found.items()
    }


ALL = {"orders": "DB.PUBLIC.ORDERS", "clicks": "DB.PUBLIC.CLICKS", "gone": "TableMissing"}


def test_a_table_that_is_missing_is_its_own_pipelines_error(catalog: TargetCatalog, world: World) -> None:
    assert tables(catalog, world) == ALL


def test_which_columns_take_null_is_seen_and_that_one_does_from_now_on(catalog: TargetCatalog, world: World) -> None:
    state = catalog.states(world.config.pipelines)["orders"]
    assert isinstance(state, TargetState)
    world.run(f"ALTER TABLE {state.target} ADD COLUMN D NUMBER NOT NULL")
    catalog.states(world.config.pipelines)
    assert catalog.columns_of(state.target) == {"KINESISMETADATA": True, "D": False}
    world.run(f"ALTER TABLE {state.target} ALTER COLUMN D DROP NOT NULL")
    catalog.states(world.config.pipelines)
    assert catalog.columns_of(state.target) == {"KINESISMETADATA": True, "D": True}


def test_the_owner_of_a_table_adds_a_column_and_nobody_else_does(catalog: TargetCatalog, world: World) -> None:
    state = catalog.states(world.config.pipelines)["orders"]
    assert isinstance(state, TargetState)
    for _ in range(2):  # a second engine comes too late
        catalog.add_columns(state, ['"It\'s ""new""" FLOAT'])
    assert catalog.columns_of(state.target) == {"KINESISMETADATA": True, 'It\'s "new"': True}
    world.run("GRANT OWNERSHIP ON TABLE db.public.orders TO ROLE ACCOUNTADMIN REVOKE CURRENT GRANTS")
    world.run("GRANT INSERT, EVOLVE SCHEMA ON TABLE db.public.orders TO ROLE SYSADMIN", "ACCOUNTADMIN")
    with pytest.raises(StatementRefused, match="privileges"):
        catalog.add_columns(state, ['"D" FLOAT'])


@pytest.mark.parametrize("version", [2, 3])
def test_an_iceberg_table_gets_the_columns_that_its_format_has_and_the_rest_is_told(
    catalog: TargetCatalog, world: World, caplog: pytest.LogCaptureFixture, version: int
) -> None:
    world.catalog.volume_access = lambda _location, _principal: []
    world.run(
        "CREATE EXTERNAL VOLUME lake STORAGE_LOCATIONS = ((NAME = 'l' STORAGE_PROVIDER = 'S3' STORAGE_BASE_URL = 's3://b/' "
        "STORAGE_AWS_ROLE_ARN = 'r'))",
        "ACCOUNTADMIN",
    )
    world.run("GRANT USAGE ON EXTERNAL VOLUME lake TO ROLE SYSADMIN", "ACCOUNTADMIN")
    world.run(
        "CREATE ICEBERG TABLE db.public.gone (id STRING) EXTERNAL_VOLUME = 'lake' BASE_LOCATION = 'g/' "
        f"ICEBERG_VERSION = {version}"
    )
    (_, _, gone) = world.config.pipelines
    watch, kinds = ColumnWatch(), {"Price": "number", "note": "text", "place": "object", "tags": "array"}
    seen = {key: [str(number), kind] for number, (key, kind) in enumerate(kinds.items())}
    watch.sighted([Receipt.of(ShardKey("gone", 1, "a"), Tally(new_keys=seen), epoch=1, state=ShardState.READING)])
    adding = gone.model_copy(update={"adds_columns": True})
    wanted = {key: NewKey(JsonKind(kind), 0) for key, kind in kinds.items()}
    with caplog.at_level("INFO"):
        NewColumns(catalog).answer(adding, {"": wanted}, "a")
        states = catalog.states([adding])
        watch.look(catalog, {"gone": _state(states["gone"])})
    added = {"ID", "PRICE", "NOTE"} | ({"PLACE"} if version == 3 else set())
    assert catalog.columns_of(_state(states["gone"]).target).keys() == added
    told = next(vars(record)["next_step"] for record in caplog.records if record.message == "schema.unknown_keys")
    nested = '"PLACE" OBJECT(…), ' if version == 2 else ""
    assert told.endswith(f'ALTER ICEBERG TABLE "DB"."PUBLIC"."GONE" ADD COLUMN {nested}"TAGS" ARRAY(…)')
    (refused,) = [vars(record) for record in caplog.records if record.message == "schema.column_refused"]
    assert refused["causes"].keys() == ({"place", "tags"} if version == 2 else {"tags"})
    world.run(told.rpartition(": ")[2].replace("OBJECT(…)", "OBJECT(city STRING)").replace("(…)", "(STRING)"))
    catalog.states([gone])
    assert catalog.columns_of(_state(states["gone"]).target).keys() == {"ID", *map(str.upper, kinds)}


def _state(found: object) -> TargetState:
    assert isinstance(found, TargetState), found
    return found


def test_a_session_that_a_restarted_server_does_not_know_is_opened_again(catalog: TargetCatalog, world: World) -> None:
    assert tables(catalog, world) == ALL
    world.restart()
    assert tables(catalog, world) == ALL


def test_a_session_whose_master_token_ran_out_while_the_machine_slept_is_opened_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = SqlSession(world.config)
    with monkeypatch.context() as asleep:
        asleep.setattr(sessions, "TOKEN_LIFETIME", timedelta())
        asleep.setattr(sessions, "MASTER_TOKEN_LIFETIME", timedelta())
        session._opened()
    with closing(TargetCatalog(world.config, session)) as catalog:
        assert tables(catalog, world) == ALL


def test_a_server_that_answers_nothing_is_everybodys_trouble_and_the_next_look_finds_the_tables(
    catalog: TargetCatalog, world: World
) -> None:
    assert tables(catalog, world) == ALL
    world.server.close()
    with pytest.raises(SnowflakeUnavailable):
        tables(catalog, world)
    world.restart()
    assert tables(catalog, world) == ALL
