"""Where the jars of S3A are: `hadoop-aws` of the very Hadoop that Spark has, with what it needs."""

import os
from pathlib import Path

FOLDER = "FIRNLINE_S3A_JARS"
"""An environment variable that names another folder."""
DEFAULT = Path.home() / ".cache" / "firnline" / "s3a"


def s3a_jars() -> list[Path]:
    """Empty where there are none: jobs that open S3 then fail with Spark's own words."""
    folder = Path(os.environ.get(FOLDER, DEFAULT))
    return sorted(folder.glob("*.jar"))
