"""Against the embedded Snowflake: what the blueprint wants, and what somebody changed behind its back."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from snowflake.connector import SnowflakeConnection

from firnline_infra.blueprint import Blueprint, blueprint_of
from firnline_infra.blueprint.snowflake import Table
from firnline_infra.observe.readback import read_back
from firnline_infra.specification import load_spec
from firnline_ingest.identifiers import quoted
from firnline_local.running import RunningEnvironment

pytestmark = pytest.mark.contract
numbers = count(1)


class World:
    def __init__(self, environment: RunningEnvironment, blueprint: Blueprint, session: SnowflakeConnection) -> None:
        self.environment, self.blueprint, self.session = environment, blueprint, session
        self.name = str(blueprint.landing.tables[0].name)

    def sql(self, statement: str) -> None:
        self.environment.query(statement.replace("THE_TABLE", self.name), login="admin")

    def findings(self) -> list[tuple[str, str, str]]:
        found = read_back(self.blueprint, self.session)
        assert {each.object for each in found} <= {f"table {self.name}"}
        return [(each.path, each.expected, each.found) for each in found]


@pytest.fixture
def world(local_environment: RunningEnvironment, spec_file: Path) -> Iterator[World]:
    """A table of its own, as `up` makes it: columns by its resource, switches by statements."""
    spec_file.write_text(spec_file.read_text().replace("database: SHOP", "database: FIRNLINE"))
    blueprint = blueprint_of(load_spec(spec_file))
    (table,) = blueprint.landing.tables
    assert isinstance(table, Table)
    name = table.name.parts[-1].name + str(next(numbers))
    own = replace(table, name=type(table.name).of("FIRNLINE", "RAW", name))
    landing = replace(blueprint.landing, tables=(own,))
    with closing(local_environment.connect("admin")) as session:
        world = World(local_environment, replace(blueprint, landing=landing), session)
        world.sql("CREATE TABLE THE_TABLE (KINESISMETADATA OBJECT)")
        for alteration in own.alterations:
            world.sql(alteration.execute)
        yield world


def test_what_was_just_made_is_as_it_should_be(world: World) -> None:
    assert world.findings() == []


@pytest.mark.parametrize("name", ["ENABLE_SCHEMA_EVOLUTION", "ERROR_LOGGING", "ROW_TIMESTAMP"])
def test_a_property_that_was_switched_off_is_found(world: World, name: str) -> None:
    world.sql(f"ALTER TABLE THE_TABLE SET {name} = FALSE")
    assert world.findings() == [(name, "TRUE", "FALSE")]


def test_the_repair_that_a_finding_names_repairs_it(world: World) -> None:
    world.sql("ALTER TABLE THE_TABLE SET ERROR_LOGGING = FALSE")
    (finding,) = read_back(world.blueprint, world.session)
    world.environment.query(finding.repair, login="admin")
    assert world.findings() == []


def test_a_table_that_is_gone_is_found(world: World) -> None:
    world.sql("DROP TABLE THE_TABLE")
    assert world.findings() == [("exists", "yes", "nothing")]


def test_a_table_of_nearly_the_same_name_is_not_taken_for_it(world: World) -> None:
    lower = '"' + world.name.rpartition(".")[2].lower() + '"'
    world.environment.query(f"CREATE TABLE FIRNLINE.RAW.{lower} (KINESISMETADATA OBJECT)", login="admin")
    world.sql("DROP TABLE THE_TABLE")
    assert world.findings() == [("exists", "yes", "nothing")]


@pytest.mark.parametrize("name", ["A\\B", "A_B", "50%", "it's", 'say "hi"'])
def test_a_table_is_found_whatever_its_name_is_made_of(world: World, name: str) -> None:
    (table,) = world.blueprint.landing.tables
    named = replace(table, name=type(table.name).of("FIRNLINE", "RAW", quoted(name)))
    landing = replace(world.blueprint.landing, tables=(named,))
    world.environment.query(f"CREATE TABLE {named.name.sql} (KINESISMETADATA OBJECT)", login="admin")
    found = read_back(replace(world.blueprint, landing=landing), world.session)
    assert "exists" not in {finding.path for finding in found}
