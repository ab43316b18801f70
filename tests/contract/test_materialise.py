"""Every kind of object is made, read back and removed through the real clients; everything is named for its test."""

from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

import pytest
import yaml

from firnline_infra.blueprint import Blueprint, blueprint_of
from firnline_infra.blueprint.ledger_table import LedgerTable
from firnline_infra.blueprint.snowflake import PrivilegeGrant, RoleGrant, Table, User
from firnline_infra.blueprint.stream import Stream
from firnline_infra.local.errors import NotMaterialised, UnknownKind
from firnline_infra.local.keys import make_key_pair
from firnline_infra.local.materialise import Clients, dematerialise, materialise, materialiser
from firnline_infra.local.running import RunningEnvironment
from firnline_infra.spec import parse_spec
from firnline_ingest.snowflake.errors import KeyRefused

pytestmark = pytest.mark.contract


@pytest.fixture
def clients(local_environment: RunningEnvironment) -> Iterator[Clients]:
    with closing(Clients(local_environment.endpoints, local_environment.logins["admin"])) as clients:
        yield clients


@pytest.fixture
def blueprint(local_environment: RunningEnvironment) -> Iterator[Blueprint]:
    """An environment of its own inside the shared one, removed afterwards."""
    blueprint = blueprint_of(
        parse_spec(
            yaml.safe_dump(
                {
                    "version": 1,
                    "name": "mat",
                    "aws": {"region": "us-east-1", "account": "000000000000"},
                    "snowflake": {"account": "FIRNLINE-LOCAL", "reader_warehouse": "COMPUTE_WH"},
                    "streams": [{"name": "mat-a", "shards": 2, "retention_hours": 48}, {"name": "mat-b"}],
                    "pipelines": [
                        {"stream": "mat-a", "database": "MAT", "schema": "RAW", "table": '"My Table"'},
                        {"stream": "mat-b", "database": "MAT", "schema": "RAW", "error_logging": False},
                    ],
                }
            ),
            "mat.yaml",
        )
    )
    yield blueprint
    dematerialise(blueprint, local_environment.endpoints, local_environment.logins["admin"])


def make(blueprint: Blueprint, environment: RunningEnvironment) -> None:
    materialise(blueprint, environment.endpoints, environment.logins["admin"])


def found(blueprint: Blueprint, clients: Clients) -> list[dict[str, Any] | None]:
    return [materialiser(each.kind).read(each, clients) for each in blueprint.definitions]


Kind = TypeVar("Kind")


def only(blueprint: Blueprint, kind: type[Kind]) -> list[Kind]:
    return [each for each in blueprint.definitions if isinstance(each, kind)]


def test_everything_is_made_once_however_often_it_is_asked_for(
    blueprint: Blueprint, clients: Clients, local_environment: RunningEnvironment
) -> None:
    assert found(blueprint, clients) == [None] * len(blueprint.definitions)
    make(blueprint, local_environment)
    first = found(blueprint, clients)
    assert None not in first
    make(blueprint, local_environment)
    assert found(blueprint, clients) == first


def test_everything_is_removed_however_often_it_is_asked_for(
    blueprint: Blueprint, clients: Clients, local_environment: RunningEnvironment
) -> None:
    make(blueprint, local_environment)
    for _ in range(2):
        dematerialise(blueprint, local_environment.endpoints, local_environment.logins["admin"])
        assert found(blueprint, clients) == [None] * len(blueprint.definitions)


def test_what_was_made_is_what_the_blueprint_says(
    blueprint: Blueprint, clients: Clients, local_environment: RunningEnvironment
) -> None:
    make(blueprint, local_environment)

    def read(definition: Any) -> dict[str, Any]:
        return materialiser(definition.kind).read(definition, clients) or {}

    stream = only(blueprint, Stream)[0]
    assert read(stream) == {"shards": 2, "retention_hours": 48, "tags": dict(stream.tags)}
    assert read(only(blueprint, LedgerTable)[0]) == {
        "keys": {"HASH": "stream", "RANGE": "shard"},
        "billing_mode": "PAY_PER_REQUEST",
        "status": "ACTIVE",
    }
    tables = [read(table) for table in only(blueprint, Table)]
    assert [table["columns"] for table in tables] == [["KINESISMETADATA"]] * 2
    assert [(table["schema_evolution"], table["error_logging"]) for table in tables] == [(True, True), (True, False)]
    assert read(only(blueprint, User)[0])["type"] == "SERVICE"
    assert read(only(blueprint, RoleGrant)[0]) == {"roles": ["FIRNLINE_MAT_INGEST"]}
    assert [read(grant)["privileges"] for grant in only(blueprint, PrivilegeGrant)] == [
        sorted(grant.privileges) for grant in only(blueprint, PrivilegeGrant)
    ]


@pytest.mark.parametrize("hours", [24, 72])
def test_retention_follows_the_blueprint_in_both_directions(blueprint: Blueprint, clients: Clients, hours: int) -> None:
    stream = only(blueprint, Stream)[0]
    kind = materialiser(stream.kind)
    kind.make(stream, clients)
    kind.make(replace(stream, retention_hours=hours), clients)
    assert (kind.read(stream, clients) or {})["retention_hours"] == hours


def test_a_key_is_replaced_while_its_user_lives(
    blueprint: Blueprint, local_environment: RunningEnvironment, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("keys")
    old, new = make_key_pair(folder, "old"), make_key_pair(folder, "new")

    def with_keys(first: str | None, second: str | None) -> Blueprint:
        definitions = (
            replace(each, public_key=first, public_key_2=second) if isinstance(each, User) else each
            for each in blueprint.definitions
        )
        return replace(blueprint, definitions=tuple(definitions))

    def opens(pair: Any) -> bool:
        login = replace(
            local_environment.logins["reader"],
            user="FIRNLINE_MAT_READER",
            role="FIRNLINE_MAT_READER",
            private_key_file=pair.private_key_file,
        )
        state = local_environment.state.model_copy(update={"logins": {"reader": login}})
        with suppress(KeyRefused):
            RunningEnvironment(local_environment.folder.path, state).query("SELECT 1")
            return True
        return False

    old_key, new_key = ("".join(pair.public_key.splitlines()[1:-1]) for pair in (old, new))
    make(with_keys(old_key, None), local_environment)
    assert (opens(old), opens(new)) == (True, False)
    make(with_keys(old_key, new_key), local_environment)
    assert (opens(old), opens(new)) == (True, True)
    make(with_keys(None, new_key), local_environment)
    assert (opens(old), opens(new)) == (False, True)


def test_a_table_with_other_properties_is_refused(
    blueprint: Blueprint, clients: Clients, local_environment: RunningEnvironment
) -> None:
    make(blueprint, local_environment)
    table = only(blueprint, Table)[0]
    with pytest.raises(NotMaterialised, match=r'MAT\.RAW\."My Table" exists, but not as the blueprint wants it'):
        materialiser(table.kind).make(replace(table, error_logging=False), clients)


def test_a_ledger_with_other_keys_is_refused(blueprint: Blueprint, clients: Clients) -> None:
    table = only(blueprint, LedgerTable)[0]
    clients.dynamodb.create_table(
        TableName=table.name,
        AttributeDefinitions=[{"AttributeName": "leaseKey", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "leaseKey", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )
    with pytest.raises(NotMaterialised, match="leaseKey"):
        materialiser(table.kind).make(table, clients)


def test_a_kind_that_nothing_here_makes_is_refused_by_name_before_anything_is_made(
    blueprint: Blueprint, clients: Clients, local_environment: RunningEnvironment
) -> None:
    @dataclass(frozen=True)
    class Teapot:
        kind: ClassVar[str] = "teapot"

    strange: Any = (*blueprint.definitions, Teapot())
    with pytest.raises(UnknownKind, match="can't make a teapot; it makes: Snowflake database, "):
        make(replace(blueprint, definitions=strange), local_environment)
    assert found(blueprint, clients) == [None] * len(blueprint.definitions)
