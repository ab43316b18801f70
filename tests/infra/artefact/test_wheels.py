"""Fetching, by the real pip from an index that is a folder, or that is not there."""

import pytest

from firnline_infra.artefact import build_cached
from firnline_infra.artefact.errors import IndexUnreachable, WheelForeign, WheelMissing
from firnline_infra.artefact.lock import pins_of
from firnline_infra.artefact.wheels import wheels_of
from tests.infra.artefact.conftest import TARGET, Wheels


@pytest.fixture(autouse=True)
def index(wheels: Wheels, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels.folder))


def test_what_is_fetched_is_for_the_cluster_and_stays_in_the_cache(
    wheels: Wheels, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheels.add("clicks", {"clicks.py": b""}, tag="cp39-abi3-manylinux_2_34_aarch64")
    wheels.add("orders", {"orders.py": b""})
    wheels.lines[1] = wheels.lines[1].replace("==1.0", '==1.0 ; python_version == "3.13"')
    cache = wheels.new_cache()
    pins = pins_of(wheels.lock, TARGET)
    names = ["clicks-1.0-cp39-abi3-manylinux_2_34_aarch64.whl", "orders-1.0-py3-none-any.whl"]
    assert [path.name for path in wheels_of(pins, TARGET, cache=cache)] == names
    monkeypatch.setenv("PIP_FIND_LINKS", "/nowhere")
    assert [path.name for path in wheels_of(pins, TARGET, cache=cache)] == names


def test_an_index_without_a_wheel_for_the_cluster_is_told_with_the_package(wheels: Wheels) -> None:
    wheels.add("orders", {"orders.py": b""}, tag="cp313-cp313-manylinux_2_17_x86_64")
    with pytest.raises(WheelMissing, match=r"index has no wheel of orders==1\.0 for Python 3\.13 on aarch64"):
        build_cached(TARGET, lock=wheels.lock, cache=wheels.new_cache())


def test_an_index_with_another_file_is_told(wheels: Wheels) -> None:
    wheels.add("orders", {"orders.py": b""})
    wheels.lines[0] = f"orders==1.0 --hash=sha256:{'0' * 64}"
    with pytest.raises(WheelForeign, match=r"orders==1\.0"):
        build_cached(TARGET, lock=wheels.lock, cache=wheels.new_cache())


def test_an_index_that_does_not_answer_is_told(wheels: Wheels, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", "http://reader:secret-of-the-index@127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "1")
    wheels.add("orders", {"orders.py": b""})
    with pytest.raises(IndexUnreachable) as raised:
        build_cached(TARGET, lock=wheels.lock, cache=wheels.new_cache())
    assert "The package index http://127.0.0.1:9 can't be reached" in str(raised.value)
    assert "secret-of-the-index" not in str(raised.value)
