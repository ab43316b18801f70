"""Tests of which wheel of firnline-native is used, and what is said of one that is not."""

from types import SimpleNamespace
from typing import Any

import pytest

from firnline_ingest import native
from firnline_ingest.native import SWITCH, find_native


def loading(result: Any) -> Any:
    def load(name: str) -> Any:
        assert name == "firnline_native"
        if isinstance(result, Exception):
            raise result
        return result

    return load


def test_one_of_the_engines_version_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "_own_version", lambda: "1.2.3")
    found = find_native({}, loading(SimpleNamespace(__version__="1.2.3")))
    assert (found.module is not None, str(found), found.is_expected) == (True, "firnline-native", True)


def test_none_is_what_is_usual() -> None:
    found = find_native({}, loading(ModuleNotFoundError("No module named 'firnline_native'")))
    assert (str(found), found.is_expected) == ("Python (firnline-native is not installed)", True)


def test_one_of_another_version_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "_own_version", lambda: "1.2.3")
    found = find_native({}, loading(SimpleNamespace(__version__="1.3.0")))
    assert found.module is None
    assert str(found) == "Python (firnline-native 1.3.0 is installed, and the engine is 1.2.3)"
    assert not found.is_expected


def test_one_of_another_architecture_is_named() -> None:
    cause = ImportError("firnline_native.abi3.so: cannot open shared object file: No such file or directory")
    found = find_native({}, loading(cause))
    assert found.module is None
    assert str(found) == f"Python (firnline-native can't be loaded: {cause})"
    assert not found.is_expected


def test_it_can_be_switched_off() -> None:
    found = find_native({SWITCH: "off"}, loading(AssertionError("it is not loaded")))
    assert (str(found), found.is_expected) == ("Python (FIRNLINE_NATIVE is off)", True)
