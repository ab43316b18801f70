"""Wheels to build of: small ones that are made here, and those of the packages that run these tests."""

import hashlib
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.artefact import BuiltArtefact, build, build_cached, target_of

TARGET = target_of(python="3.13", architecture="aarch64", spark="4.1.1")


@dataclass
class Wheels:
    """A folder of wheels, and the lock that pins them."""

    folder: Path
    lines: list[str] = field(default_factory=list)
    caches: int = 0

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

    def new_cache(self) -> Path:
        self.caches += 1
        return self.folder.parent / f"cache-{self.caches}"

    def built(self, into: Path | None = None, *, cache: Path | None = None, **more: Any) -> BuiltArtefact:
        """An artefact of these wheels, with a cache of its own unless one is given."""
        given = {"wheels": self.folder, "lock": self.lock, "cache": cache or self.new_cache(), **more}
        return build(into, TARGET, **given) if into else build_cached(TARGET, **given)


@pytest.fixture
def wheels(tmp_path: Path) -> Wheels:
    (tmp_path / "wheels").mkdir()
    return Wheels(tmp_path / "wheels")
