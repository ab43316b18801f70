"""Whoever asks for a test's stack looks through no modules."""

import inspect
import sys

import pytest


class Untouched(dict[str, object]):
    def copy(self) -> dict[str, object]:
        raise AssertionError("all modules are looked through")


def test_the_stack_is_known_to_its_bottom(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "modules", Untouched(sys.modules))
    assert inspect.stack(context=0)[-1].filename
