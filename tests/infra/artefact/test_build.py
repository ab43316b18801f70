"""Tests of what is in an artefact, and that its bytes follow from what went in."""

import gzip
import json
import os
import tarfile
from pathlib import Path

import pytest

from firnline_infra.artefact import read_artefact, read_artefact_for, target_of
from firnline_infra.artefact.errors import (
    ArtefactTooLarge,
    ArtefactUnfit,
    ModuleTaken,
    NoArtefact,
    WheelForeign,
    WheelMissing,
)
from tests.infra.artefact.conftest import Wheels


def test_the_same_inputs_give_the_same_bytes(wheels: Wheels, tmp_path: Path) -> None:
    wheels.add("orders", {"orders/b.py": b"b", "orders/a.py": b"a", "orders/native.so": b"\x7fELF"})
    first = wheels.built(tmp_path / "first")
    os.utime(wheels.folder / "orders-1.0-py3-none-any.whl", (0, 0))
    umask = os.umask(0o077)
    try:
        second = wheels.built(tmp_path / "second")
    finally:
        os.umask(umask)
    assert [file.name for file in first.files] == [file.name for file in second.files]
    assert [file.read_bytes() for file in first.files] == [file.read_bytes() for file in second.files]


def test_an_archive_tells_no_time_and_no_owner(wheels: Wheels) -> None:
    wheels.add("orders", {"orders/a.py": b"a"})
    built = wheels.built()
    head = built.archive.read_bytes()[:10]
    assert (head[3], head[4:8]) == (0, bytes(4))  # RFC 1952: no name, no time
    with tarfile.open(built.archive) as archive:
        entries = archive.getmembers()
    assert [entry.name for entry in entries] == sorted(entry.name for entry in entries)
    assert {(entry.uid, entry.gid, entry.uname, entry.gname, entry.mtime) for entry in entries} == {
        (0, 0, "", "", 315_532_800)
    }
    assert {entry.name: entry.mode for entry in entries if entry.mode != 0o644} == {"bin/python": 0o755}


def test_what_nothing_runs_is_left_out(wheels: Wheels) -> None:
    left_out = (
        "orders/tests/test_a.py",
        "orders/conftest.py",
        "orders/native.pyx",
        "orders/__pycache__/a.cpython-313.pyc",
        "orders-1.0.dist-info/RECORD",
        "orders-1.0.dist-info/direct_url.json",
        "orders-1.0.data/scripts/orders",
    )
    kept = {
        "orders/a.py": "packages/orders/a.py",
        "orders/latest.py": "packages/orders/latest.py",
        "orders-1.0.data/platlib/orders/native.so": "packages/orders/native.so",
        "orders-1.0.dist-info/licenses/LICENSE": "packages/orders-1.0.dist-info/licenses/LICENSE",
    }
    wheels.add("orders", dict.fromkeys([*left_out, *kept], b"x"))
    built = wheels.built()
    ours = {name for name in built.manifest.content if not name.startswith("packages/firnline_ingest")}
    assert ours == {"bin/python", "packages/orders-1.0.dist-info/METADATA", *kept.values()}


def test_the_hash_is_of_what_runs(wheels: Wheels) -> None:
    wheels.add("orders", {"orders/a.py": b"a"})
    before = wheels.built()
    wheels.lines.clear()
    wheels.add("orders", {"orders/a.py": b"another"})
    after = wheels.built()
    assert before.hash != after.hash
    assert after.archive.name == f"firnline-engine-{after.hash}.tar.gz"


def test_what_was_built_is_not_built_again(wheels: Wheels, monkeypatch: pytest.MonkeyPatch) -> None:
    wheels.add("orders", {"orders/a.py": b"a"})
    cache = wheels.new_cache()
    first = wheels.built(cache=cache)
    monkeypatch.setattr(gzip, "GzipFile", None)
    assert wheels.built(cache=cache).folder == first.folder
    first.archive.write_bytes(b"torn")
    monkeypatch.undo()
    assert wheels.built(cache=cache).hash == first.hash


def test_an_archive_beyond_the_limit_is_refused(wheels: Wheels, monkeypatch: pytest.MonkeyPatch) -> None:
    wheels.add("orders", {"orders/a.so": os.urandom(2000)})
    monkeypatch.setattr("firnline_infra.artefact.assemble.LIMIT_BYTES", 1000)
    with pytest.raises(ArtefactTooLarge, match="1,000 is the limit"):
        wheels.built()


def test_a_folder_with_anything_else_is_left_alone(wheels: Wheels, tmp_path: Path) -> None:
    wheels.add("orders", {"orders/a.py": b"a"})
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(NoArtefact, match="it holds other files"):
        wheels.built(tmp_path / "mine")
    assert (tmp_path / "mine" / "notes.txt").read_text() == "mine"


def test_a_later_artefact_takes_an_earlier_ones_place(wheels: Wheels, tmp_path: Path) -> None:
    wheels.add("orders", {"orders/a.py": b"a"})
    wheels.built(tmp_path / "into")
    wheels.lines.clear()
    wheels.add("orders", {"orders/a.py": b"b"})
    later = wheels.built(tmp_path / "into")
    assert {path.name for path in (tmp_path / "into").iterdir()} == {file.name for file in later.files}


@pytest.mark.parametrize("change", ["remove", "tear", "manifest"])
def test_an_artefact_is_read_as_it_was_built_or_not_at_all(change: str, wheels: Wheels, tmp_path: Path) -> None:
    wheels.add("orders", {"orders/a.py": b"a"})
    built = wheels.built(tmp_path / "into")
    assert read_artefact(built.folder).hash == built.hash
    match change:
        case "remove":
            built.entry.unlink()
        case "tear":
            built.archive.write_bytes(built.archive.read_bytes()[:-1])
        case _:
            (built.folder / "manifest.json").write_text("{}")
    with pytest.raises(NoArtefact, match="firnline build"):
        read_artefact(built.folder)


def test_an_artefact_of_another_architecture_is_refused(wheels: Wheels) -> None:
    wheels.add("orders", {"orders/a.py": b"a"})
    built = wheels.built()
    newer_spark = target_of(python="3.13", architecture="aarch64", spark="4.3.0")
    assert read_artefact_for(built.folder, newer_spark).hash == built.hash
    other = target_of(python="3.13", architecture="x86_64", spark="4.1.1")
    with pytest.raises(ArtefactUnfit, match=r"built for Python 3\.13 on aarch64, and .* has Python 3\.13 on x86_64"):
        read_artefact_for(built.folder, other)


def test_the_bill_of_materials_names_every_package(wheels: Wheels) -> None:
    wheels.add("orders", {"orders/a.py": b"a"})
    built = wheels.built()
    bill = json.loads((built.folder / "sbom.cdx.json").read_text())
    assert [component["purl"] for component in bill["components"]] == [
        f"pkg:pypi/firnline-ingest@{built.manifest.version}",
        "pkg:pypi/orders@1.0",
    ]
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert {licence["expression"] for component in bill["components"] for licence in component["licenses"]} == {
        "MIT",
        "Apache-2.0",
    }


@pytest.mark.parametrize("tag", ["manylinux_2_17_x86_64", "manylinux_2_35_aarch64"])
def test_a_wheel_for_another_processor_or_a_newer_glibc_is_none_for_the_cluster(wheels: Wheels, tag: str) -> None:
    wheels.add("orders", {"orders/a.py": b"a"}, tag=f"cp313-cp313-{tag}")
    with pytest.raises(WheelMissing, match=r"no wheel of orders==1\.0 for Python 3\.13 on aarch64") as raised:
        wheels.built()
    assert "--wheels" in str(raised.value)


def test_a_wheel_that_was_not_tested_is_refused(wheels: Wheels) -> None:
    path = wheels.add("orders", {"orders/a.py": b"a"})
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(WheelForeign, match=r"orders-1\.0-py3-none-any\.whl"):
        wheels.built()


def test_modules_of_ones_own_are_among_the_packages(wheels: Wheels, tmp_path: Path) -> None:
    wheels.add("orders", {"orders/a.py": b"a"})
    package = tmp_path / "acme"
    (package / "__pycache__").mkdir(parents=True)
    (package / "__pycache__" / "a.cpython-313.pyc").write_bytes(b"x")
    (package / "clean.py").write_bytes(b"def f(record): return record\n")
    (package / ".env").write_bytes(b"AWS_SECRET_ACCESS_KEY=x")
    (package / ".venv").mkdir()
    (package / ".venv" / "a.py").write_bytes(b"x")
    (tmp_path / "single.py").write_bytes(b"one")
    given, cache = [str(package), str(tmp_path / "single.py")], wheels.new_cache()
    plain = wheels.built(cache=cache)
    first = wheels.built(cache=cache, modules=given)
    own = first.manifest.content.keys() - plain.manifest.content.keys()
    assert own == {"packages/acme/clean.py", "packages/single.py"}
    (tmp_path / "single.py").write_bytes(b"two")
    second = wheels.built(cache=cache, modules=given)
    assert len({plain.manifest.hash, first.manifest.hash, second.manifest.hash}) == 3


def test_a_module_takes_no_place_of_the_engines(wheels: Wheels, tmp_path: Path) -> None:
    wheels.add("orders", {"orders.py": b"a"})
    (tmp_path / "orders.py").write_bytes(b"mine")
    with pytest.raises(ModuleTaken, match=r"packages/orders\.py"):
        wheels.built(modules=[str(tmp_path / "orders.py")])
