"""Objects and switches of which Pulumi sees nothing, made again and set back in the embedded Snowflake: each by its statement."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest
from snowflake.connector import SnowflakeConnection

from firnline_infra.accounts.accounts import rows
from firnline_infra.blueprint import Blueprint, blueprint_of
from firnline_infra.blueprint.snowflake import Table
from firnline_infra.observe.readback import read_back
from firnline_infra.stack.table_readback import TableReadback
from firnline_local.running import RunningEnvironment
from tests.infra.specifications import one_pipeline, smallest

pytestmark = pytest.mark.contract
numbers = count(1)


@dataclass
class Landed:
    """A table and the stage of its dead letters, as the statements of a stack make them."""

    blueprint: Blueprint
    session: SnowflakeConnection
    said: list[str] = field(default_factory=list)

    @property
    def readback(self) -> TableReadback:
        return TableReadback(self.blueprint, self.said.append)

    @property
    def state(self) -> dict[str, Any]:
        (stage,), (table,) = self.blueprint.landing.stages, self.blueprint.landing.tables
        assert isinstance(table, Table)
        executed = [stage.create, *(each.execute for each in table.alterations)]
        type_ = "snowflake:index/execute:Execute"
        made = [{"type": type_, "urn": each, "inputs": {"execute": each}} for each in executed]
        return {"deployment": {"resources": made}}

    def differing(self) -> list[tuple[str, str]]:
        return [(each.object, each.path) for each in read_back(self.blueprint, self.session)]


@pytest.fixture
def landed(local_environment: RunningEnvironment) -> Iterator[Landed]:
    name = f"READ_BACK_{next(numbers)}"
    pipeline = one_pipeline(database=name, schema="RAW", table="ORDERS", file_replay=True)
    aws = {"region": "us-east-1", "account": "000000000000", "key": {"origin": "skip"}}
    snowflake = {"account": "FIRNLINE-LOCAL", "warehouse": "COMPUTE_WH"}
    spec = smallest(name="readback", durability="EPHEMERAL", aws=aws, snowflake=snowflake, **pipeline)
    with closing(local_environment.connect("admin")) as session:
        landed = Landed(blueprint_of(spec), session)
        for statement in (
            f"CREATE DATABASE {name}",
            f"CREATE SCHEMA {name}.RAW",
            f"CREATE TABLE {name}.RAW.ORDERS (KINESISMETADATA OBJECT)",
            *(each["inputs"]["execute"] for each in landed.state["deployment"]["resources"]),
        ):
            rows(session, statement)
        assert landed.differing() == []
        yield landed
        rows(session, f"DROP DATABASE {name}")


def test_a_stage_that_was_dropped_is_made_again_and_said_to_be_empty(landed: Landed) -> None:
    (stage,) = landed.blueprint.landing.stages
    rows(landed.session, f"DROP STAGE {stage.name.sql}")
    assert landed.differing() == [(f"stage {stage.name}", "exists")]
    landed.readback.make_again(landed.session, landed.state)
    assert landed.differing() == []
    (said,) = landed.said
    assert said.startswith(
        f"stage {stage.name}: exists is nothing, expected yes: recreated, empty. See whether its pipe"
    )


def test_one_that_no_statement_of_the_stack_made_is_left_to_it(landed: Landed) -> None:
    (stage,) = landed.blueprint.landing.stages
    rows(landed.session, f"DROP STAGE {stage.name.sql}")
    landed.readback.make_again(landed.session, {"deployment": {"resources": []}})
    assert (landed.differing(), landed.said) == ([(f"stage {stage.name}", "exists")], [])


def test_a_switch_is_set_back_and_what_no_statement_sets_back_is_said(landed: Landed) -> None:
    (table,) = landed.blueprint.landing.tables
    for change in ("ADD COLUMN N NUMBER", "DROP COLUMN KINESISMETADATA", "ADD COLUMN KINESISMETADATA VARCHAR"):
        rows(landed.session, f"ALTER TABLE {table.name.sql} {change}")
    rows(landed.session, f"ALTER TABLE {table.name.sql} SET ERROR_LOGGING = FALSE")
    landed.readback.set_back(landed.session)
    assert landed.differing() == [(f"table {table.name}", "column KINESISMETADATA")]
    assert sorted(each.rpartition(": ")[2] for each in landed.said) == ["no statement sets that back.", "set back."]


def test_before_the_first_up_nothing_differs(landed: Landed) -> None:
    rows(landed.session, f"DROP STAGE {landed.blueprint.landing.stages[0].name.sql}")
    assert landed.readback.findings(landed.session, {"deployment": {"resources": []}}) == []
    assert landed.readback.findings(landed.session, landed.state) != []
