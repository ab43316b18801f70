"""A table that was given to a role which the deployer then loses, in the embedded Snowflake."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from firnline_infra.accounts.accounts import rows
from firnline_infra.observe.errors import OwnerOutOfReach
from firnline_infra.observe.ownership import check_ownership
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.running import RunningEnvironment

pytestmark = pytest.mark.contract
TABLE = '"OWNERS"."S"."T"'
GIVEN = {
    "type": "snowflake:index/grantOwnership:GrantOwnership",
    "inputs": {"accountRoleName": "OWNERS_ENGINE", "on": {"objectName": TABLE, "objectType": "TABLE"}},
}
STATE = {"deployment": {"resources": [{"type": "pulumi:pulumi:Stack"}, GIVEN]}}
BEGIN = [
    "CREATE ROLE OWNERS_DEPLOY",
    "CREATE ROLE OWNERS_ENGINE",
    "GRANT ROLE OWNERS_DEPLOY TO USER FIRNLINE_ADMIN",
    "GRANT OWNERSHIP ON ROLE OWNERS_ENGINE TO ROLE OWNERS_DEPLOY",
    "GRANT ROLE OWNERS_ENGINE TO ROLE OWNERS_DEPLOY",
    "CREATE DATABASE OWNERS",
    "CREATE SCHEMA OWNERS.S",
    "GRANT USAGE ON DATABASE OWNERS TO ROLE OWNERS_DEPLOY",
    "GRANT USAGE ON SCHEMA OWNERS.S TO ROLE OWNERS_DEPLOY",
    "CREATE TABLE OWNERS.S.T (A VARCHAR)",
    "GRANT OWNERSHIP ON TABLE OWNERS.S.T TO ROLE OWNERS_ENGINE",
]
END = ["DROP DATABASE OWNERS", "DROP ROLE IF EXISTS OWNERS_ENGINE", "DROP ROLE OWNERS_DEPLOY"]


class World:
    def __init__(self, environment: RunningEnvironment) -> None:
        self._environment = environment

    def sql(self, *statements: str) -> None:
        with closing(self._environment.connect("admin")) as session:
            for statement in statements:
                rows(session, statement)

    def check(self, state: dict[str, Any]) -> None:
        with closing(EmbeddedAccounts(self._environment, "OWNERS_DEPLOY").snowflake()) as session:
            check_ownership(session, state)


@pytest.fixture
def world(local_environment: RunningEnvironment) -> Iterator[World]:
    world = World(local_environment)
    world.sql(*BEGIN)
    yield world
    world.sql(*END)


def test_the_deployer_reaches_what_the_engine_owns_through_its_role(world: World) -> None:
    world.check(STATE)


def test_without_that_role_it_is_told_which_grant_is_missing_and_the_statement_mends_it(world: World) -> None:
    world.sql("REVOKE ROLE OWNERS_ENGINE FROM ROLE OWNERS_DEPLOY")
    with pytest.raises(OwnerOutOfReach, match="OWNERS_DEPLOY no longer has") as caught:
        world.check(STATE)
    world.sql(caught.value.next_step.partition("run: ")[2].partition(";")[0])
    world.check(STATE)


def test_a_table_that_was_dropped_is_drift_and_no_missing_grant(world: World) -> None:
    world.sql("DROP TABLE OWNERS.S.T")
    world.check(STATE)


def test_so_is_one_whose_owner_was_dropped(world: World) -> None:
    world.sql("DROP TABLE OWNERS.S.T", "DROP ROLE OWNERS_ENGINE")
    world.check(STATE)


def test_a_stack_that_gave_nothing_away_is_not_asked(world: World) -> None:
    world.sql("REVOKE ROLE OWNERS_ENGINE FROM ROLE OWNERS_DEPLOY")
    world.check({})
