"""Files of the environment, of which wheels and of the user's own modules, and where: pure names and bytes, nothing
that depends on a machine.
"""

import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path, PurePosixPath

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

from firnline_infra.artefact.wheels import sha256_of
from firnline_infra.specification.modules import is_shipped

PACKAGES = "packages"
LEFT_OUT = {
    "what only tests use": re.compile(r"(^|/)(tests?|testing|conftest)(\.py$|/)|_cpp_tests\."),
    "headers and sources of native modules": re.compile(
        r"\.(pxd|pxi|pyx|pyi|h|hpp|c|cc|cpp)$|^pyarrow/(include|includes|src)/"
    ),
    "Arrow's RPC, that nothing here speaks": re.compile(r"^pyarrow/(lib\w*_flight|_?flight)\."),
    "records of an installation": re.compile(
        r"\.dist-info/(RECORD|INSTALLER|REQUESTED|direct_url\.json|WHEEL|top_level\.txt)"
    ),
    "byte code": re.compile(r"(^|/)__pycache__/|\.pyc$"),
}
_SCHEME = re.compile(r"^[^/]+\.data/(\w+)/(.*)$")
_METADATA = re.compile(r"^[^/]+\.dist-info/METADATA$")
SPDX = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache License 2.0": "Apache-2.0",
    "Apache": "Apache-2.0",  # snowflake-ingest, by its classifier
    "Dual License": "Apache-2.0 OR BSD-3-Clause",  # python-dateutil, by its classifiers
    "MIT or Apache-2.0": "MIT OR Apache-2.0",
}
"""What packages without an expression call their licence."""
INTO_PACKAGES = {"purelib", "platlib"}


@dataclass(frozen=True, slots=True)
class Package:
    """One wheel, for the lists of what is shipped."""

    name: str
    version: str
    licence: str
    wheel: str
    sha256: str


def files_of(wheel: Path) -> Iterator[tuple[str, bytes]]:
    """Each file that goes into the environment: its path there, and its content."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            place = _place(name)
            if place is not None:
                yield f"{PACKAGES}/{place}", archive.read(name)


def module_files(paths: Sequence[str]) -> dict[str, bytes]:
    """The user's own modules, for callables of transforms: files, and folders with all that is in them but what is hidden."""
    return {
        f"{PACKAGES}/{file.relative_to(root.parent).as_posix()}": file.read_bytes()
        for root in map(Path, paths)
        for file in ([root] if root.is_file() else sorted(root.rglob("*")))
        if file.is_file() and (file == root or is_shipped(file, root))
    }


def package_of(wheel: Path) -> Package:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if _METADATA.match(each))
        said = HeaderParser().parsestr(archive.read(name).decode("utf-8"))
    return Package(said["Name"], said["Version"], licence_of(said), wheel.name, sha256_of(wheel))


def is_left_out(name: str) -> bool:
    return any(pattern.search(name) for pattern in LEFT_OUT.values())


def _place(name: str) -> str | None:
    if name.endswith("/") or is_left_out(name):
        return None
    scheme = _SCHEME.match(name)
    place = PurePosixPath(scheme[2] if scheme else name)
    if place.is_absolute() or ".." in place.parts:
        raise ValueError(f"a wheel would write outside of its folder: {name}")
    return str(place) if scheme is None or scheme[1] in INTO_PACKAGES else None


def licence_of(said: Message) -> str:
    """Returns an SPDX expression where the package gives one or means one; else the first line of its own words."""
    given = said["License-Expression"] or said["License"] or ""
    words = next(filter(None, map(str.strip, given.splitlines())), "NOASSERTION")
    return spdx_expression(SPDX.get(words, words)) or words


def spdx_expression(licence: str) -> str | None:
    """Returns it in the form of SPDX's list (https://spdx.org/licenses); None where it is not an expression of it."""
    try:
        return str(canonicalize_license_expression(licence))
    except InvalidLicenseExpression:
        return None
