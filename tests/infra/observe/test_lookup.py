"""SHOW lists every kind of object that an environment has."""

from firnline_infra.blueprint.snowflake import Securable
from firnline_infra.observe.lookup import PLURALS


def test_each_kind_of_object_is_looked_for() -> None:
    assert {each.value for each in Securable} <= PLURALS.keys()
