"""Packages of the engine's environment: exactly those that were tested, by version and SHA-256.

engine.lock.txt is made of uv.lock by `scripts/check --fix`, for every Python and architecture at once, and is in our wheel.
pip asks a requirement's markers about the machine that it runs on (pypa/pip#11664), so they are asked here, about the cluster.
"""

import re
from dataclasses import dataclass
from importlib.resources import files

from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

from firnline_infra.artefact.target import Target
from firnline_ingest.config.metrics import EXTRAS as OF_METRICS

LOCK = "engine.lock.txt"
LOCK_OF_EXTRA = "engine.{}.lock.txt"
"""The engine with an extra of its own: what it needs all in all."""
FILES = "files"
EXTRAS = (FILES, *OF_METRICS)
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Pin:
    name: NormalizedName
    version: str
    hashes: frozenset[str]
    """SHA-256 of each file of this release, as hex digits."""

    def __str__(self) -> str:
        return f"{self.name}=={self.version}"

    @property
    def line(self) -> str:
        """The line for a requirements file."""
        return " ".join([str(self), *(f"--hash=sha256:{digest}" for digest in sorted(self.hashes))])


def locked(extras: tuple[str, ...] = ()) -> str:
    """All of one uv.lock, so that what two of them have is the same."""
    names = [LOCK, *(LOCK_OF_EXTRA.format(extra) for extra in extras)]
    return "".join(files(__package__).joinpath(name).read_text(encoding="utf-8") for name in names)


def pins_of(lock: str, target: Target) -> list[Pin]:
    """Sorted by name."""
    pins = set[Pin]()
    for line in lock.replace("\\\n", " ").splitlines():
        said = line.partition("--hash=")[0].strip()
        if not said or said.startswith("#"):
            continue
        requirement = Requirement(said)
        if requirement.marker is None or requirement.marker.evaluate(target.markers):
            (version,) = requirement.specifier
            pins.add(Pin(canonicalize_name(requirement.name), version.version, frozenset(_HASH.findall(line))))
    return sorted(pins, key=lambda pin: pin.name)
