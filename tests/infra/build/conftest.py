"""Wheels to build of: small ones that are made here, and those of the packages that run these tests."""

import hashlib
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from firnline_infra.build import Target, target_of

TARGET = target_of(python="3.13", architecture="aarch64", spark="4.1.1")


@dataclass
class Wheels:
    """A folder of wheels, and the lock that pins them."""

    folder: Path
    lines: list[str] = field(default_factory=list)

    @property
    def lock(self) -> str:
        return "\n".join(self.lines) + "\n"

    def add(self, name: str, files: Mapping[str, bytes], *, tag: str = "py3-none-any", version: str = "1.0") -> Path:
        path = self.folder / f"{name}-{version}-{tag}.whl"
        metadata = f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\nLicense-Expression: MIT\n"
        with zipfile.ZipFile(path, "w") as archive:
            folder = f"{name}-{version}.dist-info"
            about = {f"{folder}/METADATA": metadata.encode(), f"{folder}/WHEEL": b"Wheel-Version: 1.0\n"}
            for each, content in {**files, **about}.items():
                archive.writestr(each, content)
        self.pin(name, version, path)
        return path

    def pin(self, name: str, version: str, path: Path) -> None:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        self.lines.append(f"{name}=={version} \\\n    --hash=sha256:{digest}")


@pytest.fixture
def wheels(tmp_path: Path) -> Wheels:
    (tmp_path / "wheels").mkdir()
    return Wheels(tmp_path / "wheels")


@pytest.fixture
def target() -> Target:
    return TARGET


@pytest.fixture
def new_cache(tmp_path: Path) -> Callable[[], Path]:
    made = iter(range(100))
    return lambda: tmp_path / f"cache-{next(made)}"
