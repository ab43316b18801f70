"""Tests of what is there and can't be seen, in the embedded Snowflake, as a role that deploys and is not an administrator."""

import re
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from firnline_infra.accounts.accounts import rows
from firnline_infra.blueprint import Blueprint, blueprint_of
from firnline_infra.observe import invisible, lookup
from firnline_infra.observe.errors import ObjectsHidden, OtherObjectsThere, OthersWouldLose
from firnline_infra.observe.invisible import (
    asked_by_statement_alone,
    hidden_by_statement,
    remove_left,
    taken_out_of_sight,
)
from firnline_infra.observe.removable import check_alone, check_removable
from firnline_infra.observe.sight import check_visible, hidden_objects, resources_behind
from firnline_infra.specification.identifier import QualifiedName
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.running import RunningEnvironment
from tests.infra.specifications import one_pipeline, smallest

pytestmark = pytest.mark.contract
DOCUMENT: dict[str, Any] = {
    "name": "sight",
    "durability": "EPHEMERAL",
    "aws": {"region": "us-east-1", "account": "000000000000", "key": {"origin": "skip"}},
    "snowflake": {"account": "FIRNLINE-LOCAL", "warehouse": None},
    **one_pipeline(database="SIGHT", table="ORDERS"),
}
DEPLOY, INGEST = "FIRNLINE_SIGHT_DEPLOY", "FIRNLINE_SIGHT_INGEST"
TABLE = {"type": "snowflake:index/table:Table", "urn": "u:table"}
TABLE["inputs"] = {"database": "SIGHT", "schema": "RAW", "name": "ORDERS"}  # type: ignore[assignment] # JSON
GRANT = {"type": "snowflake:index/grantPrivilegesToAccountRole:GrantPrivilegesToAccountRole", "urn": "u:grant"}
GRANT["inputs"] = {"onSchemaObject": {"objectName": '"SIGHT"."RAW"."ORDERS"'}}  # type: ignore[assignment] # JSON
USER = {"type": "snowflake:index/serviceUser:ServiceUser", "urn": "u:user", "inputs": {"name": INGEST}}
STATE: dict[str, Any] = {"deployment": {"resources": [TABLE, GRANT, USER]}}


class World:
    def __init__(self, environment: RunningEnvironment) -> None:
        self._environment = environment

    def sql(self, *statements: str) -> None:
        with closing(self._environment.connect("admin")) as session:
            for statement in statements:
                rows(session, statement)

    def session(self) -> Any:
        return EmbeddedAccounts(self._environment, DEPLOY).snowflake()


@pytest.fixture
def world(local_environment: RunningEnvironment) -> Iterator[World]:
    world = World(local_environment)
    roles = [f"CREATE ROLE {role}" for role in (DEPLOY, INGEST)]
    world.sql(
        *roles, f"GRANT ROLE {DEPLOY} TO USER FIRNLINE_ADMIN", f"GRANT CREATE DATABASE ON ACCOUNT TO ROLE {DEPLOY}"
    )
    yield world
    world.sql("DROP DATABASE IF EXISTS SIGHT", f"DROP ROLE {DEPLOY}", f"DROP ROLE {INGEST}")


@pytest.fixture
def blueprint() -> Blueprint:
    return blueprint_of(smallest(**DOCUMENT))


def made(world: World) -> None:
    """Makes objects as `up` does."""
    with closing(world.session()) as session:
        for statement in (
            "CREATE DATABASE SIGHT",
            "CREATE SCHEMA SIGHT.RAW",
            "CREATE TABLE SIGHT.RAW.ORDERS (A VARCHAR)",
            f"GRANT INSERT ON TABLE SIGHT.RAW.ORDERS TO ROLE {INGEST}",
        ):
            rows(session, statement)


def test_a_table_that_moved_to_another_owner_is_refused_by_name_until_it_is_given_back(
    world: World, blueprint: Blueprint
) -> None:
    made(world)
    with closing(world.session()) as session:
        check_visible(blueprint, session, STATE)
        world.sql("GRANT OWNERSHIP ON TABLE SIGHT.RAW.ORDERS TO ROLE SYSADMIN COPY CURRENT GRANTS")
        with pytest.raises(ObjectsHidden, match=r"snowflake table SIGHT\.RAW\.ORDERS") as refused:
            check_visible(blueprint, session, STATE)
        (hidden,) = hidden_objects(blueprint, session, STATE)
        assert resources_behind([hidden], STATE) == ("u:table", "u:grant")
        world.sql(refused.value.next_step.partition("run this:")[2].partition(";")[0].strip())
        check_visible(blueprint, session, STATE)


def test_a_right_that_was_taken_from_who_deploys_hides_and_a_dropped_table_does_not(
    world: World, blueprint: Blueprint
) -> None:
    made(world)
    with closing(world.session()) as session:
        world.sql("DROP TABLE SIGHT.RAW.ORDERS")
        assert list(hidden_objects(blueprint, session, STATE)) == []
        check_visible(blueprint, session, STATE)


def test_a_database_that_the_deployer_sees_nothing_of_is_refused_and_a_free_name_leaves_nothing(
    world: World, blueprint: Blueprint
) -> None:
    with closing(world.session()) as session:
        assert list(taken_out_of_sight(blueprint, session, {})) == []
        assert rows(session, "SHOW DATABASES LIKE 'SIGHT'") == []
        world.sql("CREATE DATABASE SIGHT")
        assert list(taken_out_of_sight(blueprint, session, {})) == [
            "database SIGHT in Snowflake, of which this role sees nothing"
        ]


def test_what_a_killed_up_has_left_by_asking_is_dropped_and_nothing_else(
    world: World, blueprint: Blueprint, monkeypatch: pytest.MonkeyPatch
) -> None:
    def until_drop(session: Any, statement: str) -> list[Any]:
        if statement.startswith("DROP"):
            raise KeyboardInterrupt
        return list(rows(session, statement))

    with closing(world.session()) as session:
        with monkeypatch.context() as patched:
            patched.setattr(invisible, "rows", until_drop)
            with pytest.raises(KeyboardInterrupt):
                list(taken_out_of_sight(blueprint, session, {}))
        (left,) = rows(session, "SHOW DATABASES LIKE 'SIGHT'")
        assert "may be dropped" in left["comment"]
        remove_left(blueprint, session, {})
        assert rows(session, "SHOW DATABASES LIKE 'SIGHT'") == []
        rows(session, "CREATE DATABASE SIGHT COMMENT = 'of a person'")
        remove_left(blueprint, session, {})
        assert len(rows(session, "SHOW DATABASES LIKE 'SIGHT'")) == 1


def test_a_table_in_an_adopted_schema_is_refused_too(world: World) -> None:
    schemas = [{"name": "RAW", "origin": "adopt"}]
    adopted = {"databases": [{"name": "SIGHT", "origin": "adopt", "schemas": schemas}]}
    blueprint = blueprint_of(smallest(**DOCUMENT | {"snowflake": {**DOCUMENT["snowflake"], **adopted}}))
    world.sql("CREATE DATABASE SIGHT", "CREATE SCHEMA SIGHT.RAW")
    world.sql(f"GRANT USAGE ON DATABASE SIGHT TO ROLE {DEPLOY}")
    world.sql(f"GRANT USAGE, CREATE TABLE ON SCHEMA SIGHT.RAW TO ROLE {DEPLOY}")
    with closing(world.session()) as session:
        assert list(taken_out_of_sight(blueprint, session, {})) == []
        world.sql("CREATE TABLE SIGHT.RAW.ORDERS (A VARCHAR)")
        assert asked_by_statement_alone(blueprint, session, {}) == ["table SIGHT.RAW.ORDERS"]
        assert asked_by_statement_alone(blueprint, session, STATE) == []
        assert list(taken_out_of_sight(blueprint, session, {})) == [
            "table SIGHT.RAW.ORDERS in Snowflake, of which this role sees nothing"
        ]


def test_a_role_that_has_a_users_name_is_no_user(world: World, blueprint: Blueprint) -> None:
    """An `up` that was killed may have made the one and not the other: the next one makes it."""
    world.sql(f"GRANT OWNERSHIP ON ROLE {INGEST} TO ROLE {DEPLOY} COPY CURRENT GRANTS")
    with closing(world.session()) as session:
        assert [each.display_name for each in hidden_objects(blueprint, session, STATE)] == []
        check_visible(blueprint, session, STATE)


REPLACED = "CREATE OR REPLACE TABLE SIGHT.RAW.ORDERS (A VARCHAR)"


@pytest.mark.parametrize(
    "statement", [REPLACED, "GRANT OWNERSHIP ON TABLE SIGHT.RAW.ORDERS TO ROLE SYSADMIN REVOKE CURRENT GRANTS"]
)
def test_a_table_that_was_replaced_or_given_away_without_its_grants_is_hidden_and_its_owner_named(
    world: World, blueprint: Blueprint, statement: str
) -> None:
    """No role of the environment has a grant on it any more."""
    made(world)
    world.sql(statement)
    with closing(world.session()) as session:
        with pytest.raises(ObjectsHidden, match=r"ORDERS, which role (ACCOUNTADMIN|SYSADMIN) owns") as refused:
            check_visible(blueprint, session, STATE)
        assert [each.display_name for each in hidden_by_statement(blueprint, session, STATE)] == [
            "snowflake table SIGHT.RAW.ORDERS"
        ]
        world.sql(refused.value.next_step.partition("run this:")[2].partition(";")[0].strip())
        check_visible(blueprint, session, STATE)
        assert list(hidden_by_statement(blueprint, session, STATE)) == []


def test_a_dropped_table_is_asked_for_and_can_be_undropped_afterwards(world: World, blueprint: Blueprint) -> None:
    made(world)
    with closing(world.session()) as session:
        rows(session, "ALTER TABLE SIGHT.RAW.ORDERS SET COMMENT = 'of the stack'")
        world.sql("DROP TABLE SIGHT.RAW.ORDERS")
        assert list(hidden_by_statement(blueprint, session, STATE)) == []
        assert rows(session, "SHOW TABLES IN SCHEMA SIGHT.RAW") == []
        rows(session, "UNDROP TABLE SIGHT.RAW.ORDERS")
        (found,) = rows(session, "SHOW TABLES IN SCHEMA SIGHT.RAW")
        assert found["comment"] == "of the stack"


@pytest.mark.parametrize("kept", ["COPY", "REVOKE"])
@pytest.mark.parametrize("seen", [True, False])
def test_destroy_is_refused_while_another_owner_has_a_table(
    world: World, blueprint: Blueprint, kept: str, seen: bool
) -> None:
    made(world)
    with closing(world.session()) as session:
        check_removable(blueprint, session, STATE)
        world.sql(f"GRANT OWNERSHIP ON TABLE SIGHT.RAW.ORDERS TO ROLE SYSADMIN {kept} CURRENT GRANTS")
        if seen:
            world.sql(f"GRANT SELECT ON TABLE SIGHT.RAW.ORDERS TO ROLE {DEPLOY}")
        with pytest.raises(OthersWouldLose, match=r"table SIGHT\.RAW\.ORDERS, which role SYSADMIN owns") as refused:
            check_removable(blueprint, session, STATE)
        world.sql(refused.value.next_step.partition("run this:")[2].partition(";")[0].strip())
        check_removable(blueprint, session, STATE)


def test_a_table_that_is_gone_keeps_no_environment_from_going(world: World, blueprint: Blueprint) -> None:
    made(world)
    world.sql("DROP TABLE SIGHT.RAW.ORDERS")
    with closing(world.session()) as session:
        check_removable(blueprint, session, STATE)


def test_a_network_policy_of_another_owner_is_there(world: World) -> None:
    kept = {**DOCUMENT["snowflake"], "allowed_networks": ["192.0.2.0/24"]}
    blueprint = blueprint_of(smallest(**DOCUMENT | {"snowflake": kept}))
    policy = blueprint.landing.network_policy
    assert policy is not None
    inputs = {"name": policy.name.name}
    state = {"deployment": {"resources": [{"type": "snowflake:index/networkPolicy:NetworkPolicy", "inputs": inputs}]}}
    world.sql(f"GRANT CREATE NETWORK POLICY ON ACCOUNT TO ROLE {DEPLOY}")
    create = f"CREATE NETWORK POLICY {policy.name.sql} ALLOWED_IP_LIST = ('192.0.2.0/24')"
    with closing(world.session()) as session:
        rows(session, create)
        check_visible(blueprint, session, state)
        world.sql(f"GRANT OWNERSHIP ON NETWORK POLICY {policy.name.sql} TO ROLE SYSADMIN")
        with pytest.raises(ObjectsHidden, match=f"network policy {policy.name}, which role SYSADMIN owns"):
            check_visible(blueprint, session, state)
        assert len(list(hidden_by_statement(blueprint, session, state))) == 1
        world.sql(f"DROP NETWORK POLICY {policy.name.sql}")
        check_visible(blueprint, session, state)
        assert list(hidden_by_statement(blueprint, session, state)) == []


def test_tables_that_others_put_into_our_schema_are_named_before_they_go_with_it(
    world: World, blueprint: Blueprint
) -> None:
    """The schema is the stack's, as its state says; of an adopted one nothing would go."""
    made(world)
    schema = {
        "type": "snowflake:index/schema:Schema",
        "custom": True,
        "urn": "s",
        "inputs": {"database": "SIGHT", "name": "RAW"},
    }
    ours = {"deployment": {"resources": [*STATE["deployment"]["resources"], schema]}}
    with closing(world.session()) as session:
        check_alone(blueprint, session, ours)
        world.sql("CREATE TABLE SIGHT.RAW.THEIRS (A INT)", f"GRANT SELECT ON TABLE SIGHT.RAW.THEIRS TO ROLE {DEPLOY}")
        with pytest.raises(OtherObjectsThere, match=r"table SIGHT\.RAW\.THEIRS, which role \w+ owns") as refused:
            check_alone(blueprint, session, ours)
        assert "ORDERS" not in refused.value.what
        assert "--with-others" in refused.value.next_step
        check_alone(blueprint, session, STATE)


@pytest.mark.parametrize("made_kind", ["schema", "database"])
def test_what_another_role_may_have_put_there_unseen_is_named_by_its_right(
    world: World, blueprint: Blueprint, made_kind: str
) -> None:
    """A second environment that adopts the schema of a first one has it: the first sees none of its tables."""
    made(world)
    inputs = {"schema": {"database": "SIGHT", "name": "RAW"}, "database": {"name": "SIGHT"}}[made_kind]
    type_ = f"snowflake:index/{made_kind}:{made_kind.title()}"
    resource = {"type": type_, "custom": True, "urn": "s", "inputs": inputs}
    ours = {"deployment": {"resources": [*STATE["deployment"]["resources"], resource]}}
    world.sql("CREATE ROLE IF NOT EXISTS SECOND", "GRANT USAGE ON DATABASE SIGHT TO ROLE SECOND")
    world.sql("GRANT USAGE ON SCHEMA SIGHT.RAW TO ROLE SECOND")
    with closing(world.session()) as session:
        check_alone(blueprint, session, ours)
        world.sql("GRANT USAGE, CREATE TABLE ON SCHEMA SIGHT.RAW TO ROLE SECOND")
        world.sql("CREATE TABLE SIGHT.RAW.THEIRS (A INT)")
        world.sql("GRANT OWNERSHIP ON TABLE SIGHT.RAW.THEIRS TO ROLE SECOND REVOKE CURRENT GRANTS")
        with pytest.raises(
            OtherObjectsThere, match=r"whatever role SECOND made in schema SIGHT\.RAW, unseen from here"
        ):
            check_alone(blueprint, session, ours)


OTHERS = {
    "view SIGHT.RAW.VIEWS": "VIEW SIGHT.RAW.VIEWS AS SELECT ID FROM SIGHT.RAW.ORDERS",
    "materialized view SIGHT.RAW.KEPT": "MATERIALIZED VIEW SIGHT.RAW.KEPT AS SELECT ID FROM SIGHT.RAW.ORDERS",
    "stage SIGHT.RAW.THEIRS": "STAGE SIGHT.RAW.THEIRS",
    "sequence SIGHT.RAW.THEIRS": "SEQUENCE SIGHT.RAW.THEIRS START 1 INCREMENT 1",
    "file format SIGHT.RAW.THEIRS": "FILE FORMAT SIGHT.RAW.THEIRS TYPE = CSV",
    "function SIGHT.RAW.THEIRS": "FUNCTION SIGHT.RAW.THEIRS(A INT) RETURNS INT AS 'A + 1'",
    "procedure SIGHT.RAW.THEIRS": "PROCEDURE SIGHT.RAW.THEIRS() RETURNS INT LANGUAGE SQL AS 'BEGIN RETURN 1; END'",
    "stream SIGHT.RAW.THEIRS": "STREAM SIGHT.RAW.THEIRS ON TABLE SIGHT.RAW.ORDERS",
    "task SIGHT.RAW.THEIRS": "TASK SIGHT.RAW.THEIRS SCHEDULE = '1 MINUTE' AS SELECT 1",
    "alert SIGHT.RAW.THEIRS": "ALERT SIGHT.RAW.THEIRS SCHEDULE = '1 MINUTE' IF (EXISTS (SELECT 1)) THEN SELECT 1",
    "notebook SIGHT.RAW.THEIRS": "NOTEBOOK SIGHT.RAW.THEIRS QUERY_WAREHOUSE = WH",
    "streamlit SIGHT.RAW.THEIRS": "STREAMLIT SIGHT.RAW.THEIRS MAIN_FILE = 'app.py'",
    "model SIGHT.RAW.THEIRS": "MODEL SIGHT.RAW.THEIRS FROM MODEL SIGHT.RAW.TRAINED",
    "service SIGHT.RAW.THEIRS": "SERVICE SIGHT.RAW.THEIRS IN COMPUTE POOL POOL FROM @SIGHT.RAW.SPECS SPEC = 'service.yaml'",
    "image repository SIGHT.RAW.THEIRS": "IMAGE REPOSITORY SIGHT.RAW.THEIRS",
    "git repository SIGHT.RAW.THEIRS": "GIT REPOSITORY SIGHT.RAW.THEIRS ORIGIN = 'https://a/b' API_INTEGRATION = GIT",
    "secret SIGHT.RAW.THEIRS": "SECRET SIGHT.RAW.THEIRS TYPE = GENERIC_STRING SECRET_STRING = 'x'",
    "schema SIGHT.THEIRS": "SCHEMA SIGHT.THEIRS",
    "stream SIGHT.RAW.ORDERS": "STREAM SIGHT.RAW.ORDERS ON TABLE SIGHT.RAW.ORDERS",
    "task SIGHT.RAW.ORDERS": "TASK SIGHT.RAW.ORDERS SCHEDULE = '1 MINUTE' AS SELECT 1",
}


PRIVILEGES = {
    **dict.fromkeys(("TASK", "ALERT", "SERVICE"), "MONITOR"),
    **dict.fromkeys(("IMAGE REPOSITORY", "GIT REPOSITORY"), "READ"),
    **dict.fromkeys(("VIEW", "MATERIALIZED VIEW", "STREAM"), "SELECT"),
}
"""By which who deploys sees it, where that is not USAGE."""


def test_whatever_a_drop_would_take_along_is_named(world: World, blueprint: Blueprint) -> None:
    """An administrator's, in what the stack made; the deploy role sees it by the privilege that it is given."""
    made(world)
    database = {"type": "snowflake:index/database:Database", "custom": True, "urn": "d", "inputs": {"name": "SIGHT"}}
    ours = {"deployment": {"resources": [*STATE["deployment"]["resources"], database]}}
    statements, named = list[str](), set[str]()
    for said, statement in OTHERS.items():
        kind = said.rpartition(" ")[0].upper()
        name = re.sub(r"\(A (\w+)\)", r"(\1)", statement.removeprefix(f"{kind} ")).split()[0]
        grant = f"GRANT {PRIVILEGES.get(kind, 'USAGE')} ON {kind} {name} TO ROLE {DEPLOY}"
        statements += [f"CREATE {statement}", grant]
        # A callable's row has no owner.
        named.add(said if kind in ("FUNCTION", "PROCEDURE") else f"{said}, which role ACCOUNTADMIN owns")
    with closing(world.session()) as session:
        check_alone(blueprint, session, ours)
        world.sql(*statements)
        with pytest.raises(OtherObjectsThere) as refused:
            check_alone(blueprint, session, ours)
    listed = [line.strip(" -") for line in refused.value.what.splitlines()[1:]]
    assert sorted(listed) == sorted(named)


def test_each_listing_is_asked_for_once_a_run_and_again_once_something_was_dropped(
    world: World, blueprint: Blueprint, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(world)
    asked = list[str]()
    ask = lookup.rows_if_there
    monkeypatch.setattr(lookup, "rows_if_there", lambda session, sql: asked.append(sql) or ask(session, sql))
    with closing(world.session()) as session:
        with lookup.listed_once():
            check_visible(blueprint, session, STATE)
            assert list(hidden_by_statement(blueprint, session, STATE)) == []
            check_removable(blueprint, session, STATE)
        assert asked
        assert len(asked) == len(set(asked))
        once, _ = set(asked), asked.clear()
        check_visible(blueprint, session, STATE)
        check_removable(blueprint, session, STATE)
        assert set(asked) <= once
        assert len(asked) > len(set(asked)), "without it each is asked for by each check"


def test_what_a_killed_up_has_left_is_gone_from_the_listings_too(world: World, blueprint: Blueprint) -> None:
    with closing(world.session()) as session, lookup.listed_once():
        rows(session, f"CREATE TRANSIENT DATABASE SIGHT COMMENT = '{invisible.MARK}'")
        remove_left(blueprint, session, {"deployment": {"resources": []}})
        assert lookup.listed(session, "DATABASE", QualifiedName((blueprint.landing.databases[0].name,))) is None
