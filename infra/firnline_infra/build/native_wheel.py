"""The wheel of firnline-native for a target, where it was built: optional, and never of another version than the engine.

`scripts/native` keeps what it builds in the cache; a folder of wheels that is given has its own. No index is asked.
"""

from pathlib import Path

from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from firnline_infra.build.engine_wheel import engine_version
from firnline_infra.build.target import Target

NAME = "firnline-native"
BUILT = Path("native", "wheels")
"""In the cache."""


def find_native_wheel(target: Target, *, cache: Path, given: Path | None = None) -> Path | None:
    """Returns the best for the target; None if there is none that runs there."""
    ranks = {tag: rank for rank, tag in enumerate(target.tags())}
    best: tuple[int, Path] | None = None
    for path in sorted((given or cache / BUILT).glob("firnline_native-*.whl")):
        try:
            name, version, _, tags = parse_wheel_filename(path.name)
        except InvalidWheelFilename:
            continue
        rank = min((ranks[tag] for tag in tags if tag in ranks), default=None)
        if rank is None or (name, str(version)) != (NAME, engine_version()):
            continue
        if best is None or rank < best[0]:
            best = rank, path
    return None if best is None else best[1]
