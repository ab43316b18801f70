"""The wheel of firnline-ingest, as it is installed here: from an index, from a file, or as a clone's own source.

What is tested, validated and deployed from is then what runs on the cluster, and neither an index nor a build backend is
asked for it.
"""

import base64
import hashlib
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import firnline_ingest

NAME = "firnline-ingest"
EPOCH = (1980, 1, 1, 0, 0, 0)  # the first that a zip can say
WHEEL = "Wheel-Version: 1.0\nGenerator: firnline build\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def engine_version() -> str:
    return distribution(NAME).version


def write_engine_wheel(folder: Path) -> Path:
    """Equal source gives equal bytes."""
    package = Path(firnline_ingest.__file__).parent
    sources = (path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    content = {f"{package.name}/{path.relative_to(package).as_posix()}": path.read_bytes() for path in sources}
    stem = f"{package.name}-{engine_version()}"
    metadata = distribution(NAME).read_text("METADATA") or ""
    content |= {f"{stem}.dist-info/METADATA": metadata.encode(), f"{stem}.dist-info/WHEEL": WHEEL.encode()}
    content |= {f"{stem}.dist-info/licenses/{path.name}": path.read_bytes() for path in _licence()}
    record = f"{stem}.dist-info/RECORD"
    lines = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in sorted(content.items())]
    wheel = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in [*sorted(content.items()), (record, "\n".join([*lines, f"{record},,", ""]).encode())]:
            archive.writestr(_entry(name), data)
    return wheel


def _licence() -> list[Path]:
    """The text, where the installation brought it."""
    files = distribution(NAME).files or ()
    return [Path(str(file.locate())) for file in files if file.parent.name == "licenses"]


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o100644 << 16
    return entry


def _digest(data: bytes) -> str:
    """The digest in the form of PEP 376."""
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
