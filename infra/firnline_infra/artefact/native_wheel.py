"""The wheel of firnline-native in an artefact: only where it is named, so that no cache decides what an artefact holds."""

from pathlib import Path

from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from firnline_infra.artefact.engine_wheel import engine_version
from firnline_infra.artefact.target import Target
from firnline_ingest.errors import UsageError

NAME = "firnline-native"


def check_native_wheel(path: Path, target: Target) -> None:
    """Checks that a wheel is firnline-native of the engine's version, and runs on the target. Raises UsageError."""
    if why := _unfit(path, target):
        raise UsageError(
            f"{path.name} {why}.", next_step=f"build one: scripts/native --for {target.architecture} --where"
        )


def _unfit(path: Path, target: Target) -> str | None:
    try:
        name, version, _, tags = parse_wheel_filename(path.name)
    except InvalidWheelFilename:
        return "is not the name of a wheel"
    if (name, str(version)) != (NAME, engine_version()):
        return f"must be {NAME} {engine_version()}, as the engine is"
    return f"does not run on {target}" if tags.isdisjoint(target.tags()) else None
