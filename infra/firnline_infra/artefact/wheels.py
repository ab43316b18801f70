"""Sources of an environment's wheels: a folder, the cache, or the package index, and always the ones that were tested.

pip does the fetching, so that indexes, mirrors, proxies and credentials are those of whoever builds.
"""

import hashlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from firnline_infra.artefact.errors import IndexUnreachable, PipFailed, WheelForeign, WheelMissing
from firnline_infra.artefact.lock import Pin
from firnline_infra.artefact.target import Target
from firnline_ingest.activity import waiting_for

NO_WHEEL = re.compile(r"No matching distribution found for (\S+)")
NO_INDEX = re.compile(
    r"(Max retries|NewConnectionError|NameResolution|Connection (?:refused|aborted)|timed out|ProxyError|SSLError).*"
)
INDEX_SETTING = re.compile(r"^(:env:|[a-z]+)\.index-url='([^']*)'", re.MULTILINE)
OTHER_HASH = re.compile(r"(\S+==\S+) from (\S+?)(?:#\S*)? [^\n]*\s+Expected sha256")


def wheels_of(pins: Sequence[Pin], target: Target, *, cache: Path, given: Path | None = None) -> list[Path]:
    """One of each pin, in their order. From the folder `given` alone, where there is one; else what `cache` lacks is fetched.

    Raises WheelMissing, WheelForeign, IndexUnreachable, PipFailed.
    """
    if given is not None:
        found = _found(pins, target, given)
        missing = [str(pin) for pin in pins if pin not in found]
        if missing:
            raise WheelMissing(missing, target=str(target), place=f"The folder {given}")
        return [found[pin] for pin in pins]
    cache.mkdir(parents=True, exist_ok=True)
    found = _found(pins, target, cache)
    missing_pins = [pin for pin in pins if pin not in found]
    if missing_pins:
        _fetch(missing_pins, target, cache)
        found |= _found(missing_pins, target, cache)
    return [found[pin] for pin in pins]


def sha256_of(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _found(pins: Iterable[Pin], target: Target, folder: Path) -> dict[Pin, Path]:
    """The best wheel of each pin that has one. Raises WheelForeign where it is another file than was tested."""
    ranks = {tag: rank for rank, tag in enumerate(target.tags())}
    best: dict[tuple[str, str], tuple[int, Path]] = {}
    for path in sorted(folder.glob("*.whl")):
        try:
            name, version, _, tags = parse_wheel_filename(path.name)
        except InvalidWheelFilename:
            continue
        rank = min((ranks[tag] for tag in tags if tag in ranks), default=None)
        key = (name, str(version))
        if rank is not None and (key not in best or rank < best[key][0]):
            best[key] = (rank, path)
    found = {pin: best[pin.name, pin.version][1] for pin in pins if (pin.name, pin.version) in best}
    for pin, path in found.items():
        if sha256_of(path) not in pin.hashes:
            raise WheelForeign(path.name, str(folder))
    return found


def _fetch(pins: Sequence[Pin], target: Target, into: Path) -> None:
    with tempfile.TemporaryDirectory(dir=into, prefix=".fetching-") as name:
        folder = Path(name)
        wanted = folder / "requirements.txt"
        wanted.write_text("\n".join(pin.line for pin in pins) + "\n", encoding="utf-8")
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check"]
        command += ["--no-deps", "--only-binary=:all:", "--require-hashes", "--implementation", "cp"]
        command += ["--python-version", target.python, *(f"--platform={each}" for each in target.platforms)]
        with waiting_for(f"pip: {len(pins)} wheels for {target}"):
            pip = subprocess.run(
                [*command, "--dest", str(folder), "--requirement", str(wanted)],
                capture_output=True,
                text=True,
                check=False,
            )
        if pip.returncode:
            raise _explained(pip.stderr, target)
        for wheel in folder.glob("*.whl"):
            wheel.replace(into / wheel.name)


def _explained(said: str, target: Target) -> Exception:
    """pip's words, as an error that says what to do next."""
    if foreign := OTHER_HASH.search(said):
        return WheelForeign(foreign[1], foreign[2])
    if unreachable := NO_INDEX.search(said):  # before "no matching distribution", which pip says then too
        return IndexUnreachable(unreachable[0], index=_index())
    if missing := NO_WHEEL.findall(said):
        return WheelMissing(sorted(set(missing)), target=str(target), place="The package index")
    return PipFailed(said.strip()[-2000:] or "it said nothing")


def _index() -> str:
    """The index that pip asks, by its own configuration and without a login: the messages of pip before 23.2 do not name it."""
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False
    ).stdout
    named = dict(INDEX_SETTING.findall(listed))
    found = (named.get(where) for where in (":env:", "download", "global"))
    parts = urlsplit(next(filter(None, found), "https://pypi.org/simple"))
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
