"""The program that spark-submit is given: `entry.py CONFIGURATION`, its URI in S3 or its path.

Installs nothing; ends as the engine does.

More arguments are the engine's own, such as --available-now. The engine is in the archive beside it: `spark.archives` has it
unpacked in the working directory, an image has it in /opt/firnline.
"""

import os
import sys
from pathlib import Path

REFUSED = 2
PLACES = (Path("environment"), Path(__file__).resolve().parent / "environment")


def main(arguments: list[str]) -> int:
    try:
        import firnline_ingest.__main__ as engine
    except ModuleNotFoundError as error:
        if error.name != "firnline_ingest" or not _take_environment():
            print(f"firnline: the engine's environment is not here ({error}).", file=sys.stderr)
            print(
                "  Next: give spark-submit the archive: --archives firnline-engine-....tar.gz#environment",
                file=sys.stderr,
            )
            return REFUSED
        import firnline_ingest.__main__ as engine
    if not arguments or arguments[0].startswith("-"):
        print("usage: entry.py CONFIGURATION [--available-now]", file=sys.stderr)
        return REFUSED
    return engine.main(["run", "--config", *arguments], program="entry.py")


def _take_environment() -> bool:
    """Takes the archive's environment, for a driver that another Python started: executors have to have the archive's all
    the same."""
    for place in PLACES:
        if (place / "packages" / "firnline_ingest").is_dir():
            sys.path.insert(0, str((place / "packages").resolve()))
            os.environ["PYSPARK_PYTHON"] = (
                f"./{place}/bin/python" if not place.is_absolute() else str(place / "bin" / "python")
            )
            return True
    return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
