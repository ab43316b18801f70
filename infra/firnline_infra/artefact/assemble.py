"""Builds the engine's artefact for one cluster: what was tested, nothing else, and the same bytes each time.

What was built once of the same inputs is taken from the cache, so that a roll-out with an unchanged engine costs nothing.
"""

import gzip
import hashlib
import io
import json
import os
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.resources import files
from pathlib import Path

from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from firnline_infra.artefact.artefact import (
    CONTAINERFILE,
    ENTRY,
    LICENCES,
    MANIFEST,
    SBOM,
    BuiltArtefact,
    Manifest,
    ShippedPackage,
    read_artefact,
)
from firnline_infra.artefact.contents import Package, files_of, module_files, package_of
from firnline_infra.artefact.engine_wheel import engine_version, write_engine_wheel
from firnline_infra.artefact.errors import ArtefactTooLarge, ModuleTaken, NoArtefact
from firnline_infra.artefact.image import PLATFORMS, UV, hadoop_of_spark
from firnline_infra.artefact.lock import locked, pins_of
from firnline_infra.artefact.sbom import sbom_of
from firnline_infra.artefact.target import Target
from firnline_infra.artefact.wheels import sha256_of, wheels_of
from firnline_ingest.errors import UsageError

LIMIT_BYTES = 128 * 1024**2
"""Of the archive: each executor fetches and unpacks it when it starts."""
KEPT = 8  # artefacts in the cache: four targets, and what was before
WRITTEN_S = 315_532_800  # 1980-01-01 UTC, as in our wheels
COMPRESSION = 2  # a third of level 6's time for a tenth more bytes
EXECUTABLES = frozenset({"bin/python"})
NATIVE_WHEEL = "firnline-native"
HERE = Path(__file__).parent


def build(
    into: Path,
    target: Target,
    *,
    wheels: Path | None = None,
    native: Path | None = None,
    lock: str | None = None,
    cache: Path | None = None,
    modules: Sequence[str] = (),
) -> BuiltArtefact:
    """Writes the artefact's files into the folder `into`, which holds nothing else but an earlier artefact.

    `wheels` is a folder that has every wheel, for who has no index; `native` a wheel of firnline-native, left out by default;
    `lock` what is pinned, engine.lock.txt by default; `cache` where wheels and artefacts are kept; `modules` the user's own
    files and folders of Python. Raises BuildError, and UsageError for another wheel than `native` may be.
    """
    cache = cache or default_cache()
    built = build_cached(target, wheels=wheels, native=native, lock=lock, cache=cache, modules=modules)
    _clear(into)
    for file in built.files:
        shutil.copyfile(file, into / file.name)
    return read_artefact(into)


def build_cached(
    target: Target,
    *,
    wheels: Path | None = None,
    native: Path | None = None,
    lock: str | None = None,
    cache: Path | None = None,
    modules: Sequence[str] = (),
) -> BuiltArtefact:
    """Builds like `build`, and leaves the artefact in the cache, where it may be read and not changed."""
    if native is not None:
        check_native_wheel(native, target)
    cache = cache or default_cache()
    lock = locked(target.extras) if lock is None else lock
    (cache / "artefacts").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix=".building-") as name:
        made = Path(name, "artefact")
        made.mkdir()
        engine = write_engine_wheel(made)
        ours = [engine] if native is None else [engine, native]
        own = module_files(modules)
        folder = cache / "artefacts" / _inputs(target, lock, ours, own)
        if not _is_whole(folder):
            found = wheels_of(pins_of(lock, target), target, cache=cache / "wheels", given=wheels)
            _write(made, target, [*found, *ours], own)
            shutil.rmtree(folder, ignore_errors=True)
            with suppress(OSError):  # another command has built the same meanwhile
                made.rename(folder)
    os.utime(folder)
    _forget_old(cache / "artefacts")
    return read_artefact(folder)


def _is_whole(folder: Path) -> bool:
    try:
        read_artefact(folder)
    except NoArtefact:
        return False
    return True


def default_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "firnline"


def _inputs(target: Target, lock: str, engine: Sequence[Path], own: Mapping[str, bytes]) -> str:
    """Everything that decides the bytes: what is pinned, the engine's wheels, how it is put together, and who compresses."""
    ours = {
        path.relative_to(HERE).as_posix(): sha256_of(path)
        for path in HERE.rglob("*")
        if path.suffix != ".pyc" and path.is_file()
    }
    target_says = [target.python, target.architecture, target.spark, *target.extras]
    wheels = [sha256_of(wheel) for wheel in engine]
    decides = [target_says, lock, *wheels, sorted(ours.items()), zlib.ZLIB_RUNTIME_VERSION, digests_of(own)]
    return hashlib.sha256(json.dumps(decides).encode()).hexdigest()


def _write(folder: Path, target: Target, wheels: Sequence[Path], own: Mapping[str, bytes]) -> None:
    packages = sorted((package_of(wheel) for wheel in wheels), key=lambda package: package.name.lower())
    content = {name: data for wheel in wheels for name, data in files_of(wheel)}
    if taken := sorted(own.keys() & content.keys()):
        raise ModuleTaken(taken[0])
    content |= own
    content["bin/python"] = _filled("python", PYTHON=target.python).encode()
    digests = digests_of(content)
    entry = _filled(ENTRY)
    digest = hashlib.sha256(json.dumps([digests, hashlib.sha256(entry.encode()).hexdigest()]).encode()).hexdigest()
    archive = f"firnline-engine-{digest}.tar.gz"
    write_archive(folder / archive, content)
    size = (folder / archive).stat().st_size
    if size > LIMIT_BYTES:
        raise ArtefactTooLarge(size, LIMIT_BYTES)
    version = engine_version()
    texts = {
        ENTRY: entry,
        SBOM: _json(sbom_of(packages, version=version, digest=digest)),
        LICENCES: "".join(f"{each.name} {each.version}: {each.licence}\n" for each in packages),
        CONTAINERFILE: _filled(
            CONTAINERFILE,
            ARCHIVE=archive,
            TAG=digest[:16],
            VERSION=version,
            PYTHON=target.python,
            PLATFORM=PLATFORMS[target.architecture],
            SPARK=target.spark,
            HADOOP=hadoop_of_spark(target.spark),
            UV=UV,
        ),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    shipped = sorted(path for path in folder.iterdir() if path.name != MANIFEST)
    manifest = Manifest(
        hash=digest,
        version=version,
        python=target.python,
        architecture=target.architecture,
        spark=target.spark,
        extras=target.extras,
        archive=archive,
        unpacked_bytes=sum(len(data) for data in content.values()),
        files={path.name: sha256_of(path) for path in shipped},
        packages=[_shipped(package) for package in packages],
        content=digests,
    )
    (folder / MANIFEST).write_text(_json(manifest.model_dump()), encoding="utf-8")


def _shipped(package: Package) -> ShippedPackage:
    return ShippedPackage(
        name=package.name,
        version=package.version,
        licence=package.licence,
        wheel=package.wheel,
        sha256=package.sha256,
    )


def _filled(name: str, **values: str) -> str:
    """A file of ours with @NAME@ replaced."""
    text = files(__package__).joinpath("files", name).read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    return text


def _json(document: Mapping[str, object]) -> str:
    return json.dumps(document, indent=1, sort_keys=True) + "\n"


def _clear(folder: Path) -> None:
    """Removes an earlier artefact. Raises NoArtefact if the folder holds anything else."""
    folder.mkdir(parents=True, exist_ok=True)
    there = {path.name for path in folder.iterdir()}
    if there and MANIFEST not in there:
        raise NoArtefact(folder, "it holds other files")
    if there:
        earlier = Manifest.model_validate_json((folder / MANIFEST).read_bytes())
        for name in (*earlier.files, MANIFEST):
            (folder / name).unlink(missing_ok=True)


def _forget_old(folder: Path) -> None:
    newest_first = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in newest_first[KEPT:]:
        shutil.rmtree(old, ignore_errors=True)


def write_archive(file: Path, content: Mapping[str, bytes]) -> None:
    """Writes a tar.gz whose bytes follow from its content: sorted, one time, one owner, two modes; no time and no name in gzip's
    header."""
    with (
        file.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=COMPRESSION, mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for name in sorted(content):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime = len(content[name]), WRITTEN_S
            entry.mode = 0o755 if name in EXECUTABLES else 0o644
            tar.addfile(entry, io.BytesIO(content[name]))


def digests_of(content: Mapping[str, bytes]) -> dict[str, str]:
    """Returns the SHA-256 of each file, sorted by name."""
    return {name: hashlib.sha256(content[name]).hexdigest() for name in sorted(content)}


def check_native_wheel(path: Path, target: Target) -> None:
    """Checks that a wheel is firnline-native of the engine's version, and runs on the target. Raises UsageError.

    An artefact has one only where it is named, so that no cache decides what an artefact holds.
    """
    if why := unfit_wheel(path, target):
        raise UsageError(
            f"{path.name} {why}.", next_step=f"take the one of {NATIVE_WHEEL} {engine_version()}: docs/build.md."
        )


def unfit_wheel(path: Path, target: Target) -> str | None:
    """The reason why a file can't be the target's firnline-native; None if its name says that it is."""
    try:
        name, version, _, tags = parse_wheel_filename(path.name)
    except InvalidWheelFilename:
        return "is not the name of a wheel"
    if (name, str(version)) != (NATIVE_WHEEL, engine_version()):
        return f"must be {NATIVE_WHEEL} {engine_version()}, as the engine is"
    return f"does not run on {target}" if tags.isdisjoint(target.tags()) else None
