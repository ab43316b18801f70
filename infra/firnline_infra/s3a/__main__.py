"""`python -m firnline_infra.s3a`: fetches the jars and prints the folder that they are in."""

import argparse
import sys
from pathlib import Path

from firnline_infra.s3a import MAVEN_CENTRAL, known_hadoops, provide
from firnline_ingest.errors import FirnlineError


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m firnline_infra.s3a", description=__doc__)
    newest = known_hadoops()[-1]
    parser.add_argument(
        "--hadoop", default=newest, help=f"the version of Spark's hadoop-client-api jar; {newest} if absent"
    )
    parser.add_argument(
        "--into", type=Path, help="a folder, such as the jars of an image's Spark; the user's cache if absent"
    )
    parser.add_argument("--repository", default=MAVEN_CENTRAL, help=f"a Maven repository; {MAVEN_CENTRAL} if absent")
    given = parser.parse_args(arguments)
    try:
        print(provide(given.hadoop, given.into, repository=given.repository))
    except FirnlineError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
