"""Tests of how seldom a registry is asked."""

import threading

import pytest

from firnline_ingest.config.format import KEPT, RegisteredSchema
from firnline_ingest.schemas.errors import RegistryUnreachable
from firnline_ingest.schemas.known import FAULT_FOR_S, MISSING_FOR_S, KnownSchemas


class Asked:
    """A registry whose schemas are their ids, up to `last`; `fails` for as long as it says so."""

    def __init__(self) -> None:
        self.ids: list[object] = []
        self.last, self.fails, self.now_s = 1_000, False, 100.0
        self.known = KnownSchemas(self._ask, clock=lambda: self.now_s)

    def _ask(self, schema_id: object) -> RegisteredSchema | None:
        self.ids.append(schema_id)
        if self.fails:
            raise RegistryUnreachable("r", "down")
        assert isinstance(schema_id, int)
        return RegisteredSchema(str(schema_id)) if schema_id <= self.last else None


def test_a_schema_is_asked_for_once() -> None:
    asked = Asked()
    assert [asked.known(7), asked.known(7)] == [RegisteredSchema("7")] * 2
    asked.now_s += 1e9
    assert asked.known(7) == RegisteredSchema("7")
    assert asked.ids == [7]


def test_no_more_schemas_are_kept_than_was_said() -> None:
    asked = Asked()
    for number in range(KEPT + 1):
        asked.known(number)
    asked.known(KEPT)
    asked.known(1)
    assert len(asked.ids) == KEPT + 1
    asked.known(0)
    assert len(asked.ids) == KEPT + 2


def test_what_is_not_there_is_asked_for_again_after_a_while() -> None:
    asked = Asked()
    assert asked.known(2_000) is None
    assert asked.known(2_000) is None
    assert asked.ids == [2_000]
    asked.now_s, asked.last = asked.now_s + MISSING_FOR_S, 2_000
    assert asked.known(2_000) == RegisteredSchema("2000")


def test_a_registry_that_failed_is_left_alone_for_a_moment_and_what_is_known_goes_on() -> None:
    asked = Asked()
    asked.known(1)
    asked.fails = True
    for number in (2, 3, 4):
        with pytest.raises(RegistryUnreachable):
            asked.known(number)
    assert asked.known(1) == RegisteredSchema("1")
    assert asked.ids == [1, 2]
    asked.now_s, asked.fails = asked.now_s + FAULT_FOR_S, False
    assert asked.known(3) == RegisteredSchema("3")


def test_a_question_that_takes_long_keeps_nobody_from_what_is_known() -> None:
    """A producer whose frames are full of ids that nobody knows costs the other pipelines of its registry nothing."""
    told: list[object] = []

    def ask(schema_id: object) -> RegisteredSchema | None:
        if schema_id == 1:
            return RegisteredSchema("1")
        other = threading.Thread(target=lambda: told.append(known(1)), daemon=True)
        other.start()
        other.join(20.0)
        return None

    known = KnownSchemas(ask)
    known(1)
    assert known(99) is None
    assert told == [RegisteredSchema("1")]
