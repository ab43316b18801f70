"""The archive runs: unpacked elsewhere, by an interpreter that sees nothing but it."""

import os
import platform
import subprocess
import sys
import zipfile
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest

from firnline_infra.artefact import build, target_of
from firnline_infra.artefact.lock import locked, pins_of
from tests.infra.artefact.conftest import Wheels

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
WITHOUT_SPARK = {"pyarrow"}  # Spark's alone, and more than half of the bytes
LOOK = """
import sys
sys.path.insert(0, sys.argv[1])
import boto3, firnline_ingest.__main__, firnline_ingest.shard.runner, snowflake.ingest.streaming
from firnline_ingest.snowflake import sdk, sql_session
foreign = {module.__file__ for module in sys.modules.values() if "site-packages" in (getattr(module, "__file__", None) or "")}
print(foreign or "nothing else", snowflake.ingest.streaming._python_ffi.__file__)
"""

pytestmark = pytest.mark.skipif(
    platform.system() != "Linux", reason="an artefact is for Linux, and so runs nowhere else"
)


def repacked(wheels: Wheels, package: Distribution) -> None:
    """The wheel that an installed package came from, near enough: its files, under its tags."""
    files = [file for file in package.files or () if ".." not in file.parts and "__pycache__" not in file.parts]
    tags = next(file for file in files if file.name == "WHEEL").read_text().split("Tag: ")[1:]
    name = package.name.replace("-", "_")
    tag = "-".join(
        ".".join(sorted(parts)) for parts in map(set, zip(*(tag.split()[0].split("-") for tag in tags), strict=True))
    )
    path = wheels.folder / f"{name}-{package.version}-{tag}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for file in files:
            archive.write(str(file.locate()), str(file))
    wheels.pin(package.name, package.version, path)


def test_the_archive_of_this_machine_runs_where_nothing_else_is_installed(wheels: Wheels, tmp_path: Path) -> None:
    target = target_of(python=PYTHON, architecture=platform.machine(), spark="4.1.1")
    for pin in pins_of(locked(), target):
        if pin.name not in WITHOUT_SPARK:
            repacked(wheels, distribution(pin.name))
    built = build(tmp_path / "built", target, wheels=wheels.folder, lock=wheels.lock, cache=tmp_path / "cache")
    elsewhere = tmp_path / "elsewhere" / "environment"
    elsewhere.mkdir(parents=True)
    subprocess.run(["tar", "-xzf", str(built.archive), "-C", str(elsewhere)], check=True)  # as Spark does
    looked = subprocess.run(
        [sys._base_executable, "-I", "-S", "-c", LOOK, str(elsewhere / "packages")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert looked.stdout.splitlines()[-1].startswith(f"nothing else {elsewhere}/packages/snowflake/ingest/streaming/")
    started = [str(elsewhere / "bin" / "python"), str(built.entry)]
    for arguments, said in (([], "usage: entry.py"), (["nowhere.json"], "There is no nowhere.json.")):
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # where a python3.x is
        entry = subprocess.run(
            [*started, *arguments],
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (entry.returncode, said in entry.stderr) == (2, True), entry.stderr
