"""The engine's optional wheel is in the archive of its architecture, and in no other."""

import hashlib
from pathlib import Path

from firnline_infra.build.engine_wheel import engine_version
from firnline_infra.build.native_wheel import BUILT, find_native_wheel
from tests.infra.build.conftest import TARGET, Wheels

OURS, OTHER = "cp311-abi3-manylinux_2_17_aarch64", "cp311-abi3-manylinux_2_34_x86_64"


def test_one_of_the_targets_architecture_is_found(wheels: Wheels, tmp_path: Path) -> None:
    for tag in (OURS, OTHER, "cp311-abi3-manylinux_2_28_aarch64"):
        wheels.add("firnline_native", {"firnline_native/native.abi3.so": b"x"}, tag=tag, version=engine_version())
    found = find_native_wheel(TARGET, cache=tmp_path, given=wheels.folder)
    assert found is not None
    assert found.name == f"firnline_native-{engine_version()}-cp311-abi3-manylinux_2_28_aarch64.whl", "the newest tag"


def test_it_is_shipped_beside_the_engine_and_listed(wheels: Wheels) -> None:
    wheels.add("orders", {"orders/a.py": b"a"})
    lock = wheels.lock
    before = wheels.built()
    native = wheels.add("firnline_native", {"firnline_native/n.abi3.so": b"1"}, tag=OURS, version=engine_version())
    built = wheels.built(lock=lock)
    assert built.hash != before.hash
    assert "packages/firnline_native/n.abi3.so" in built.manifest.content
    (listed,) = [each for each in built.manifest.packages if each.name == "firnline_native"]
    assert listed.sha256 == hashlib.sha256(native.read_bytes()).hexdigest()


def test_another_one_is_another_artefact_of_the_same_cache(wheels: Wheels, tmp_path: Path) -> None:
    wheels.add("orders", {"orders/a.py": b"a"})
    lock, hashes = wheels.lock, set()
    for content in (b"1", b"2"):
        wheels.add("firnline_native", {"firnline_native/n.abi3.so": content}, tag=OURS, version=engine_version())
        hashes.add(wheels.built(cache=tmp_path / "cache", lock=lock).hash)
    assert len(hashes) == 2


def test_one_of_another_architecture_or_version_is_left_where_it_is(wheels: Wheels, tmp_path: Path) -> None:
    wheels.add("firnline_native", {"firnline_native/n.abi3.so": b"x"}, tag=OTHER, version=engine_version())
    wheels.add("firnline_native", {"firnline_native/n.abi3.so": b"x"}, tag=OURS, version="99.0.0")
    assert find_native_wheel(TARGET, cache=tmp_path, given=wheels.folder) is None
    built = wheels.built(lock="")
    assert not [name for name in built.manifest.content if "native" in name and "firnline_ingest" not in name]


def test_what_a_clone_has_built_is_found_in_the_cache(wheels: Wheels, tmp_path: Path) -> None:
    made = wheels.add("firnline_native", {"firnline_native/n.abi3.so": b"x"}, tag=OURS, version=engine_version())
    kept = tmp_path / "cache" / BUILT
    kept.mkdir(parents=True)
    made.rename(kept / made.name)
    assert find_native_wheel(TARGET, cache=tmp_path / "cache") == kept / made.name
