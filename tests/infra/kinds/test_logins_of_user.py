"""Tests of what DESCRIBE USER and SHOW USERS tell of a user, and what they hide: ways to log in, and what ends a login."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.kinds.comparison import Difference, Subject
from firnline_infra.kinds.snowflake_roles import owner_of_role
from firnline_infra.kinds.snowflake_users import logins_of_user, properties_of_user
from firnline_infra.specification import load_spec
from firnline_infra.specification.identifier import Identifier
from tests.infra.runtimes.environments import ENVIRONMENTS

SPEC = load_spec(ENVIRONMENTS / "dev.yaml")
SERVICE = {"TYPE": "SERVICE", "DISABLED": "false"}
NO_LOGINS = {"PASSWORD": "null", "HAS_PAT": "false", "HAS_WORKLOAD_IDENTITY": "false"}


class OutOfSight(Exception):  # what drift raises, under its name
    pass


class Snowflake:
    """One user, as the two statements show it."""

    def __init__(
        self, *, described: dict[str, Any], listed: dict[str, Any] | None = None, name: str = "ENGINE"
    ) -> None:
        self.asked: list[str] = []
        self.described, self.listed, self.name = described, listed or {}, name

    def __call__(self, statement: str) -> list[dict[str, Any]]:
        self.asked.append(statement)
        if statement.startswith("DESCRIBE USER"):
            return [{"property": key, "value": value} for key, value in self.described.items()]
        return [{"name": self.name, **self.listed}] if statement.startswith(("SHOW USERS", "SHOW ROLES")) else []

    @property
    def subject(self) -> Subject:
        (user, *_) = blueprint_of(SPEC).landing.users
        wanted = replace(user, name=Identifier(self.name), public_key=None)
        return Subject(
            wanted=wanted,
            blueprint=blueprint_of(SPEC),
            clients={}.__getitem__,
            rows=self,
            out_of_sight=OutOfSight,
        )


def paths(found: Iterator[Difference]) -> list[str]:
    return [each.path for each in found]


@pytest.mark.parametrize(
    ("name", "literal"),
    [("ENGINE", "'ENGINE'"), ("O'Brien", "'O''Brien'"), ("a_b\\c", r"'a\\_b\\\\c'")],
)
def test_a_user_of_any_name_is_looked_for_by_it(name: str, literal: str) -> None:
    """The name holds what LIKE would take for a pattern, or SQL for the end of a text."""
    listed = {"has_pat": "true", "has_password": "false", "has_workload_identity": "false"}
    snowflake = Snowflake(described={}, listed=listed, name=name)
    (found,) = logins_of_user(snowflake.subject)
    assert snowflake.asked[-1] == f"SHOW USERS LIKE {literal}"
    assert found.path == "programmatic access token"


@pytest.mark.parametrize(
    ("told", "path"),
    [
        ({"PASSWORD": "********"}, "password"),
        ({"HAS_PAT": "true"}, "programmatic access token"),
        ({"HAS_WORKLOAD_IDENTITY": "TRUE"}, "workload identity"),
    ],
)
def test_what_describe_user_tells_needs_no_show_users(told: dict[str, str], path: str) -> None:
    snowflake = Snowflake(described={**NO_LOGINS, **told})
    assert paths(logins_of_user(snowflake.subject)) == [path]
    assert paths(logins_of_user(Snowflake(described=NO_LOGINS).subject)) == []
    assert not any(each.startswith("SHOW USERS") for each in snowflake.asked)


@pytest.mark.parametrize("hidden", [*NO_LOGINS])
def test_what_is_null_is_out_of_sight_and_not_absent(hidden: str) -> None:
    described = {key: value for key, value in NO_LOGINS.items() if key != hidden}
    for told in (described, {**described, hidden: None}):
        with pytest.raises(OutOfSight):
            list(logins_of_user(Snowflake(described=told, listed={hidden.lower(): None}).subject))


def test_what_is_seen_is_told_before_what_is_hidden() -> None:
    found = logins_of_user(Snowflake(described={"HAS_PAT": "true"}).subject)
    assert next(found).path == "programmatic access token"
    with pytest.raises(OutOfSight, match="password or workload identity"):
        next(found)


@pytest.mark.parametrize(
    ("told", "path"),
    [
        ({"LOGIN_NAME": "ELSEWHERE"}, "loginName"),
        ({"DAYS_TO_EXPIRY": "0.9"}, "daysToExpiry"),
        ({"MINS_TO_UNLOCK": "15"}, "minsToUnlock"),
        ({"MINS_TO_BYPASS_NETWORK_POLICY": "60"}, "minsToBypassNetworkPolicy"),
        ({"SNOWFLAKE_LOCK": "true"}, "snowflakeLock"),
    ],
)
def test_what_ends_or_opens_a_login_is_told(told: dict[str, str], path: str) -> None:
    known = {**SERVICE, "LOGIN_NAME": "ENGINE", "DAYS_TO_EXPIRY": "null", "MINS_TO_UNLOCK": None}
    as_made = paths(properties_of_user(Snowflake(described=known).subject))
    assert list(paths(properties_of_user(Snowflake(described={**known, **told}).subject))) == [
        path,
        *as_made,
    ]


@pytest.mark.parametrize("hidden", ["TYPE", "DISABLED"])
def test_a_user_that_is_described_in_part_is_out_of_sight(hidden: str) -> None:
    described = {key: value for key, value in SERVICE.items() if key != hidden}
    with pytest.raises(OutOfSight):
        list(properties_of_user(Snowflake(described=described).subject))


@pytest.mark.parametrize(
    ("owner", "found"), [(None, None), ("", None), ("FIRNLINE_DEV_DEPLOY", []), ("ANALYST", ["owner"])]
)
def test_who_owns_a_role_is_compared(owner: str | None, found: list[str] | None) -> None:
    snowflake = Snowflake(described={}, listed={"owner": owner}, name=SPEC_ROLE.name)
    subject = replace(snowflake.subject, wanted=replace(blueprint_of(SPEC).landing.roles[0]), rows=asking(snowflake))
    if found is None:
        with pytest.raises(OutOfSight):
            list(owner_of_role(subject))
        return
    assert paths(owner_of_role(subject)) == found


SPEC_ROLE = blueprint_of(SPEC).landing.roles[0].name


def asking(snowflake: Snowflake) -> Any:
    def rows(statement: str) -> list[dict[str, Any]]:
        return [{"name": "FIRNLINE_DEV_DEPLOY"}] if statement.startswith("SELECT") else snowflake(statement)

    return rows
