"""An artefact as files in a folder, and its manifest. `read_artefact` is how anyone gets at one: it looks at every file first."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from firnline_infra.artefact.errors import ArtefactUnfit, NoArtefact
from firnline_infra.artefact.target import Target
from firnline_infra.artefact.wheels import sha256_of

MANIFEST, ENTRY, SBOM, CONTAINERFILE, LICENCES = (
    "manifest.json",
    "entry.py",
    "sbom.cdx.json",
    "Containerfile",
    "LICENCES.txt",
)


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ShippedPackage(_Model):
    """One package of the environment."""

    name: str
    version: str
    licence: str
    wheel: str
    sha256: str


class Manifest(_Model):
    """manifest.json."""

    format: int = 1
    hash: str
    """SHA-256 of what runs: the entry script and every file of the archive. One hash is one behaviour, on whatever machine it
    was built."""
    version: str
    python: str
    architecture: str
    spark: str
    extras: tuple[str, ...] = ()
    """What the engine's configuration asks for beyond the engine."""
    archive: str
    unpacked_bytes: int
    files: dict[str, str]
    """SHA-256 of each file of this folder but the manifest, by its name."""
    packages: list[ShippedPackage]
    content: dict[str, str]
    """SHA-256 of each file of the archive, by its path in it."""


class BuiltArtefact:
    """Made by `build` and `read_artefact`."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest

    @property
    def hash(self) -> str:
        return self.manifest.hash

    @property
    def archive(self) -> Path:
        return self.folder / self.manifest.archive

    @property
    def entry(self) -> Path:
        return self.folder / ENTRY

    @property
    def files(self) -> list[Path]:
        """All of them, as they are to be uploaded to artefacts/<hash>/."""
        return [self.folder / name for name in (*self.manifest.files, MANIFEST)]


def read_artefact(folder: Path) -> BuiltArtefact:
    """Raises NoArtefact where something is missing, or not as it was built."""
    try:
        document: Any = json.loads((folder / MANIFEST).read_bytes())
        manifest = Manifest.model_validate(document)
        changed = [name for name, digest in manifest.files.items() if sha256_of(folder / name) != digest]
    except OSError as error:
        raise NoArtefact(folder, f"{error.filename} can't be read ({error.strerror})") from error
    except (ValueError, ValidationError) as error:
        raise NoArtefact(folder, f"{MANIFEST} is not one of this version") from error
    if changed:
        raise NoArtefact(folder, f"{', '.join(changed)} is not as it was built")
    return BuiltArtefact(folder, manifest)


def read_artefact_for(folder: Path, target: Target) -> BuiltArtefact:
    """Reads the artefact like `read_artefact`. Raises ArtefactUnfit if it can't run on the target, or lacks an extra; any
    Spark that the engine supports will do."""
    built = read_artefact(folder)
    made = Target(built.manifest.python, built.manifest.architecture, target.spark, built.manifest.extras)
    if replace(made, extras=()) != replace(target, extras=()) or not set(target.extras) <= set(made.extras):
        raise ArtefactUnfit(folder, built_for=str(made), needed=str(target))
    return built
