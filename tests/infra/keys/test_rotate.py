"""A rotation against the embedded environment, with the real engine's shards ingesting from beginning to end."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from snowflake.connector import SnowflakeConnection

from firnline_infra.blueprint import engine_config
from firnline_infra.blueprint.engine_config import engine_inputs
from firnline_infra.cli.keys import registers
from firnline_infra.environment import Environment
from firnline_infra.keys import Rotation, create_key
from firnline_infra.keys.errors import KeysDisagree, PrivateHalfMissing, UserNotDescribed
from firnline_infra.keys.pair import KeyPair
from firnline_infra.keys.rotate import DoneStep
from firnline_infra.keys.steps import RotationStep
from firnline_infra.specification import EnvironmentSpec, load_spec
from firnline_infra.specification.errors import KeysMissing
from firnline_infra.specification.names import Names
from firnline_infra.specification.service_users import NamedUser, service_users
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.ledger.backend import Run
from firnline_ingest.ledger.dynamodb import KEY_SCHEMA, DynamoLedger
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.running import RunningEnvironment
from tests.fakes.kinesis import made_active

from .conftest import owner_of
from .engine_thread import EngineThread

LOGIN = ("user", "role", "private_key")
pytestmark = pytest.mark.contract

SPEC = """
version: 1
name: {name}
durability: EPHEMERAL
aws: {{region: us-east-1, account: "000000000000"}}
snowflake: {{account: FIRNLINE-LOCAL, warehouse: COMPUTE_WH}}
streams: [{{name: {name}, shards: 2}}]
pipelines: [{{stream: {name}, database: FIRNLINE, schema: RAW{ingest}}}]
"""
OWN = {
    "the engine's": "",
    "a pipeline's": ", ingest: {{}}",
    "an adopted one's": ", ingest: {{origin: adopt, user: {name}_kafka, role: {name}_loader}}",
}
"""Whose key it is, and what the pipeline says of it."""
numbers = count(1)


@dataclass
class World:
    """An environment of this test's own in the shared embedded one."""

    environment: RunningEnvironment
    spec_file: Path
    pairs: list[KeyPair]

    @property
    def spec(self) -> EnvironmentSpec:
        return load_spec(self.spec_file)

    @property
    def writer(self) -> NamedUser:
        return service_users(self.spec)[0]

    @property
    def accounts(self) -> EmbeddedAccounts:
        return EmbeddedAccounts(self.environment)

    def make(self) -> None:
        """Makes what `up` makes before there is a user: stream, ledger, table."""
        spec, names = self.spec, Names.of(self.spec)
        made_active(self.environment.client("kinesis"), spec.name, shards=2)
        self.environment.client("dynamodb").create_table(
            TableName=names.ledger_table,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in KEY_SCHEMA],
            KeySchema=[{"AttributeName": name, "KeyType": kind} for name, kind in KEY_SCHEMA.items()],
        )
        table, ingest = f"FIRNLINE.RAW.{spec.name.upper()}", self.writer.principal.role.sql
        self.sql(f"CREATE TABLE {table} (KINESISMETADATA OBJECT) ENABLE_SCHEMA_EVOLUTION = TRUE ERROR_LOGGING = TRUE")
        for principal in (self.writer.principal, names.reader):
            user, role = principal.user.sql, principal.role.sql
            self.sql(f"CREATE ROLE {role}")
            self.sql(f"CREATE USER {user} TYPE = SERVICE DEFAULT_ROLE = {role}")
            self.sql(f"GRANT ROLE {role} TO USER {user}")
        for what in (
            "USAGE ON DATABASE FIRNLINE",
            "USAGE ON SCHEMA FIRNLINE.RAW",
            f"INSERT ON TABLE {table}",
            f"EVOLVE SCHEMA ON TABLE {table}",
        ):
            self.sql(f"GRANT {what} TO ROLE {ingest}")

    def up(self) -> None:
        """Does what `up` does about keys: registers those of the file, and clears the places without one. An adopted user's owner
        runs what the command prints."""
        for user in service_users(self.spec):
            if not user.is_made:
                printed = registers(owner_of(self.spec_file, user.key)).partition("runs: ")[2]
                for statement in printed.rstrip(";").split("; "):
                    self.sql(statement)
                continue
            keys, name = user.options.public_keys, user.principal.user.sql
            for place, key in (("RSA_PUBLIC_KEY", keys.slot_1), ("RSA_PUBLIC_KEY_2", keys.slot_2)):
                self.sql(f"ALTER USER {name} " + (f"SET {place} = '{key}'" if key else f"UNSET {place}"))

    @cached_property
    def session(self) -> SnowflakeConnection:
        return self.environment.connect("admin")

    def sql(self, statement: str) -> list[tuple[Any, ...]]:
        with closing(self.session.cursor()) as cursor:
            return [tuple(row) for row in cursor.execute(statement).fetchall()]

    def create(self, pair: KeyPair, user: str | None = None) -> None:
        create_key(owner_of(self.spec_file, user or self.writer.key), self.accounts, make_pair=lambda: pair)

    def rotate(self, pair: KeyPair | None = None, *, user: str | None = None, wait_s: float = 0) -> list[DoneStep]:
        rotation = Rotation(
            owner=owner_of(self.spec_file, user or self.writer.key),
            accounts=self.accounts,
            make_pair=lambda: pair or pytest.fail("no pair is needed here"),
            sleep=lambda _: time.sleep(0.1),
        )
        return list(rotation.advance(wait_s=wait_s))

    @property
    def config(self) -> EngineConfig:
        spec, names = self.spec, Names.of(self.spec)
        document = self.environment.engine_config(
            snowflake={
                name: engine_config(Environment.of(spec), engine_inputs(Environment.of(spec)))["snowflake"][name]
                for name in LOGIN
            },
            ledger={"table": names.ledger_table},
            dead_letters={"folder": str(self.spec_file.parent / "letters")},
        )
        pipeline = {"stream": spec.name, "database": "FIRNLINE", "schema": "RAW"}
        document |= {"application": names.application, "pipelines": [pipeline]}
        return EngineConfig.model_validate_json(json.dumps(document))


@pytest.fixture
def world(
    local_environment: RunningEnvironment,
    tmp_path: Path,
    pairs: list[KeyPair],
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Iterator[World]:
    monkeypatch.setenv("SSL_CERT_FILE", str(local_environment.endpoints.ca_file))
    name = f"rotation{next(numbers)}"
    spec_file = tmp_path / f"{name}.yaml"
    ingest = OWN[getattr(request, "param", "the engine's")]
    spec_file.write_text(SPEC.format(name=name, ingest=ingest.format(name=name)))
    world = World(local_environment, spec_file, pairs)
    with closing(world.session):
        yield world


@pytest.fixture
def engine(world: World) -> Iterator[EngineThread]:
    """With a first key, and running."""
    world.make()
    world.create(world.pairs[0])
    world.create(world.pairs[2], "reader")
    world.up()
    engine = EngineThread(world.config)
    engine.start()
    yield engine
    engine.stop()


class Producer(threading.Thread):
    """Puts numbered records, a few at a time, until it is stopped."""

    def __init__(self, world: World) -> None:
        super().__init__(daemon=True)
        self._put, self._stream = world.environment.put_events, world.spec.name
        self._over = threading.Event()
        self.sent = 0

    def run(self) -> None:
        while not self._over.wait(0.05):
            self._put(self._stream, [{"n": self.sent + index} for index in range(5)])
            self.sent += 5

    def stop(self) -> None:
        self._over.set()
        self.join()


@pytest.fixture
def producer(engine: EngineThread, world: World) -> Iterator[Producer]:
    producer = Producer(world)
    producer.start()
    yield producer
    producer.stop()


def until(holds: Callable[[], bool], what: str) -> None:
    give_up_s = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < give_up_s, what
        time.sleep(0.05)


def steps(done: list[DoneStep]) -> list[RotationStep]:
    return [each.step for each in done]


@pytest.mark.parametrize("world", ["the engine's", "an adopted one's"], indirect=True)
def test_a_key_is_replaced_without_a_gap_in_ingestion(world: World, engine: EngineThread, producer: Producer) -> None:
    old, new = world.pairs[:2]
    until(lambda: engine.uses == {old.fingerprint}, "the engine begins")

    assert steps(world.rotate(new)) == [RotationStep.STAGE, RotationStep.RECORD, RotationStep.REGISTER]
    assert steps(world.rotate()) == [RotationStep.REGISTER]  # again, without `up`: nothing more can be done
    world.up()
    assert steps(world.rotate(wait_s=60)) == [RotationStep.PROMOTE, RotationStep.RETIRE, RotationStep.UNREGISTER]
    assert steps(world.rotate()) == [RotationStep.UNREGISTER]
    world.up()
    *_, last = world.rotate()
    assert (last.step, last.fingerprint) == (RotationStep.FORGET, new.fingerprint)

    seen = len(engine.receipts)
    until(lambda: len(engine.receipts) > seen + 4, "the engine goes on with nothing but the new key")
    producer.stop()
    table = f"FIRNLINE.RAW.{world.spec.name.upper()}"
    until(lambda: world.sql(f"SELECT COUNT(*) FROM {table}")[0][0] >= producer.sent, "all rows are there")
    engine.stop()
    assert {receipt.fingerprint for receipt in engine.receipts[seen:]} == {new.fingerprint}
    assert engine.problems == []
    assert world.sql(f"SELECT COUNT(*), COUNT(DISTINCT N) FROM {table}") == [(producer.sent, producer.sent)]
    registered = {row[0]: row[1] for row in world.sql(f"DESCRIBE USER {world.writer.principal.user.sql}")}
    assert registered["RSA_PUBLIC_KEY_FP"] == "null"
    assert registered["RSA_PUBLIC_KEY_2_FP"] == new.fingerprint


@pytest.mark.parametrize("world", ["the engine's", "a pipeline's"], indirect=True)
def test_the_old_key_stays_while_an_engine_uses_it(world: World) -> None:
    world.make()
    world.create(world.pairs[0])
    world.up()
    world.rotate(world.pairs[1])
    world.up()
    assert steps(world.rotate()) == [RotationStep.PROMOTE, RotationStep.TAKE_UP]  # no engine was seen at all
    old, new = (pair.fingerprint for pair in world.pairs[:2])
    ledger = DynamoLedger(world.environment.client("dynamodb"), Names.of(world.spec).ledger_table)
    ledger.begin_run(Run("one", "elsewhere"), None)
    for in_use in ((old,), (new, old)):
        ledger.show_fingerprints("one", in_use)
        (done,) = world.rotate()
        assert (done.step, done.in_use) == (RotationStep.TAKE_UP, frozenset(in_use))
    assert world.writer.options.public_keys.slot_1 == world.pairs[0].public_key
    ledger.show_fingerprints("one", (new,))
    assert steps(world.rotate()) == [RotationStep.RETIRE, RotationStep.UNREGISTER]


def test_the_readers_new_key_is_tried_before_the_old_one_goes(world: World) -> None:
    world.make()
    world.create(world.pairs[0], "reader")
    world.up()
    assert steps(world.rotate(world.pairs[1], user="reader"))[-1] is RotationStep.REGISTER
    world.up()
    assert steps(world.rotate(user="reader")) == [RotationStep.PROMOTE, RotationStep.RETIRE, RotationStep.UNREGISTER]
    world.up()
    assert steps(world.rotate(user="reader")) == [RotationStep.FORGET]
    slots = world.spec.snowflake.reader.public_keys
    assert (slots.slot_1, slots.slot_2) == (None, world.pairs[1].public_key)


def test_the_readers_rotation_ends_also_where_a_network_policy_keeps_this_machine_out(world: World) -> None:
    world.make()
    world.create(world.pairs[0], "reader")
    world.up()
    reader = Names.of(world.spec).reader.user.sql
    world.sql("CREATE NETWORK POLICY ROTATED ALLOWED_IP_LIST = ('203.0.113.0/24')")
    world.sql(f"ALTER USER {reader} SET NETWORK_POLICY = ROTATED")
    try:
        world.rotate(world.pairs[1], user="reader")
        world.up()
        assert steps(world.rotate(user="reader"))[-1] is RotationStep.UNREGISTER
        world.up()
        assert steps(world.rotate(user="reader")) == [RotationStep.FORGET]
    finally:
        world.sql(f"ALTER USER {reader} UNSET NETWORK_POLICY")
        world.sql("DROP NETWORK POLICY ROTATED")


def test_a_second_rotation_takes_the_slot_that_the_first_one_cleared(world: World) -> None:
    world.make()
    world.create(world.pairs[0], "reader")
    for pair in (world.pairs[1], world.pairs[2]):
        world.up()
        world.rotate(pair, user="reader")
        world.up()
        world.rotate(user="reader")
        world.up()
        assert steps(world.rotate(user="reader")) == [RotationStep.FORGET]
    slots = world.spec.snowflake.reader.public_keys
    assert (slots.slot_1, slots.slot_2) == (world.pairs[2].public_key, None)


def test_a_user_without_a_key_has_nothing_to_rotate(world: World) -> None:
    with pytest.raises(KeysMissing, match="firnline keys create dev ingest"):
        world.rotate()


def test_a_user_that_snowflake_does_not_know_is_made_first(world: World) -> None:
    world.create(world.pairs[0])
    with pytest.raises(UserNotDescribed, match="firnline up"):
        world.rotate()


def test_a_secret_that_is_gone_is_said_so(world: World) -> None:
    world.create(world.pairs[0])
    arn = world.spec.snowflake.ingest.secret_arn
    world.environment.client("secretsmanager").delete_secret(SecretId=arn, ForceDeleteWithoutRecovery=True)
    with pytest.raises(PrivateHalfMissing):
        world.rotate()


def test_a_file_that_lost_the_current_key_is_refused(world: World) -> None:
    world.make()
    world.create(world.pairs[0])
    world.up()
    file = world.spec_file.with_name(f"{world.spec_file.stem}.keys.yaml")
    file.write_text(file.read_text().replace(world.pairs[0].public_key, world.pairs[1].public_key))
    with pytest.raises(KeysDisagree, match="in no slot"):
        world.rotate()
