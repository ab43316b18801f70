"""Ways to log in beside a user's keys, for users of any name."""

from dataclasses import replace
from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.kinds.comparison import Subject
from firnline_infra.kinds.snowflake_users import logins_of_user
from firnline_infra.specification import load_spec
from firnline_infra.specification.identifier import Identifier
from tests.infra.runtimes.environments import ENVIRONMENTS

SPEC = load_spec(ENVIRONMENTS / "dev.yaml")


@pytest.mark.parametrize(
    ("name", "literal"),
    [("ENGINE", "'ENGINE'"), ("O'Brien", "'O''Brien'"), ("a_b\\c", r"'a\\_b\\\\c'")],
)
def test_a_user_of_any_name_is_looked_for_by_it(name: str, literal: str) -> None:
    """What LIKE would take for a pattern, or SQL for the end of a text, is a part of the name."""
    asked: list[str] = []

    def rows(statement: str) -> list[dict[str, Any]]:
        asked.append(statement)
        return [{"name": name, "has_pat": "true"}] if statement.startswith("SHOW") else []

    (user, *_) = blueprint_of(SPEC).landing.users
    wanted = replace(user, name=Identifier(name))
    subject = Subject(wanted=wanted, spec=SPEC, blueprint=blueprint_of(SPEC), clients={}.__getitem__, rows=rows)
    (found,) = logins_of_user(subject)
    assert asked[0] == f"SHOW USERS LIKE {literal}"
    assert found.path == "programmatic access token"
