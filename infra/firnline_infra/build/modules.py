"""The user's own modules in the engine's environment, for callables of transforms: names and bytes, whatever the machine."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from firnline_infra.build.contents import PACKAGES
from firnline_infra.specification.modules import is_shipped


def module_files(paths: Sequence[str]) -> dict[str, bytes]:
    """Of files and of folders with all that is in them but what is hidden, by their paths in the environment."""
    return {
        f"{PACKAGES}/{file.relative_to(root.parent).as_posix()}": file.read_bytes()
        for root in map(Path, paths)
        for file in _files(root)
    }


def _files(root: Path) -> Iterator[Path]:
    if root.is_file():
        yield root
        return
    for file in sorted(root.rglob("*")):
        if file.is_file() and is_shipped(file, root):
            yield file
