"""The statements are golden: a changed text would be run against accounts that live."""

from pathlib import Path

import pytest

from firnline_infra.blueprint import Blueprint, blueprint_of
from firnline_infra.blueprint.ledger_table import LedgerTable
from firnline_infra.blueprint.snowflake import Schema, Table
from firnline_infra.blueprint.stream import Stream
from firnline_infra.spec import EnvironmentSpec

GOLDEN = Path(__file__).parent / "golden"


def statements(blueprint: Blueprint) -> str:
    return "".join(
        f"{definition.create};\n"
        for definition in blueprint.definitions
        if not isinstance(definition, Stream | LedgerTable)
    )


@pytest.mark.parametrize("name", ["local", "wide"])
def test_the_statements_are_the_reviewed_ones(name: str, request: pytest.FixtureRequest) -> None:
    spec = request.getfixturevalue(f"{name}_spec")
    assert statements(blueprint_of(spec)) == (GOLDEN / f"{name}.sql").read_text()


def test_streams_are_what_the_specification_says(wide_spec: EnvironmentSpec) -> None:
    streams = [definition for definition in blueprint_of(wide_spec).definitions if isinstance(definition, Stream)]
    tags = {
        "team": "data",
        "firnline:environment": "prod",
        "firnline:application": "lake",
        "firnline:component": "stream",
    }
    assert streams == [
        Stream(name="clicks", shards=2, retention_hours=168, tags=tags),
        Stream(name="order-lines", shards=1, retention_hours=24, tags=tags),
    ]


def test_the_ledger_is_keyed_by_stream_and_shard_and_billed_per_request(wide_spec: EnvironmentSpec) -> None:
    (table,) = [each for each in blueprint_of(wide_spec).definitions if isinstance(each, LedgerTable)]
    assert (table.name, table.hash_key, table.range_key) == ("lake-ledger", "stream", "shard")
    assert table.billing_mode == "PAY_PER_REQUEST"
    assert table.tags["firnline:component"] == "ledger"


def test_what_two_pipelines_share_is_made_once(wide_spec: EnvironmentSpec) -> None:
    definitions = blueprint_of(wide_spec).definitions
    assert sum(isinstance(definition, Schema) for definition in definitions) == 1
    assert sum(isinstance(definition, Table) for definition in definitions) == 2


def test_the_same_specification_gives_the_same_blueprint(wide_spec: EnvironmentSpec) -> None:
    assert blueprint_of(wide_spec) == blueprint_of(wide_spec)
