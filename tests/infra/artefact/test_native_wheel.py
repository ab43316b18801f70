"""The engine's optional wheel is in the archive where it is named, and in no other."""

import hashlib
from pathlib import Path

import pytest

from firnline_infra.artefact.engine_wheel import engine_version
from firnline_ingest.errors import UsageError
from tests.infra.artefact.conftest import Wheels

OURS, OTHER = "cp311-abi3-manylinux_2_17_aarch64", "cp311-abi3-manylinux_2_34_x86_64"


def native(wheels: Wheels, *, name: str = "firnline_native", tag: str = OURS, version: str | None = None) -> Path:
    return wheels.add(name, {"firnline_native/n.abi3.so": b"1"}, tag=tag, version=version or engine_version())


def test_it_is_shipped_beside_the_engine_and_listed(wheels: Wheels) -> None:
    wheels.add("orders", {"orders/a.py": b"a"})
    lock = wheels.lock
    before, wheel = wheels.built(), native(wheels)
    built = wheels.built(lock=lock, native=wheel)
    assert built.hash != before.hash
    assert "packages/firnline_native/n.abi3.so" in built.manifest.content
    (listed,) = [each for each in built.manifest.packages if each.name == "firnline_native"]
    assert listed.sha256 == hashlib.sha256(wheel.read_bytes()).hexdigest()


def test_another_one_is_another_artefact_of_the_same_cache(wheels: Wheels, tmp_path: Path) -> None:
    wheels.add("orders", {"orders/a.py": b"a"})
    lock, hashes = wheels.lock, set()
    for content in (b"1", b"2"):
        wheel = wheels.add("firnline_native", {"n.so": content}, tag=OURS, version=engine_version())
        hashes.add(wheels.built(cache=tmp_path / "cache", lock=lock, native=wheel).hash)
    assert len(hashes) == 2


def test_what_lies_beside_the_others_or_in_the_cache_decides_nothing(wheels: Wheels, tmp_path: Path) -> None:
    """Else two machines would build another artefact of the same specification, and each deploy would roll the engine."""
    wheels.add("orders", {"orders/a.py": b"a"})
    lock, cache = wheels.lock, tmp_path / "cache"
    before, wheel = wheels.built(lock=lock), native(wheels)
    kept = cache / "native" / "wheels"
    kept.mkdir(parents=True)
    (kept / wheel.name).write_bytes(wheel.read_bytes())
    assert wheels.built(cache=cache, lock=lock).hash == before.hash


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"tag": OTHER}, "does not run on"),
        ({"version": "99.0.0"}, "must be firnline-native"),
        ({"name": "orders"}, "must be firnline-native"),
    ],
)
def test_one_that_is_not_the_engines_or_the_clusters_is_refused(wheels: Wheels, more: dict[str, str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        wheels.built(lock="", native=native(wheels, **more))


def test_a_file_that_is_not_a_wheel_is_refused(wheels: Wheels, tmp_path: Path) -> None:
    (tmp_path / "native.whl").touch()
    with pytest.raises(UsageError, match="is not the name of a wheel"):
        wheels.built(lock="", native=tmp_path / "native.whl")
