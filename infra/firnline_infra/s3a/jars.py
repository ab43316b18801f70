"""Jars that S3A needs, for each Hadoop: pinned, with their SHA-256, in the files beside this one.

`hadoop-aws` of the very Hadoop that Spark has, and of the AWS SDK only what S3A uses: 12 MB instead of the 500 MB of its bundle.
What Spark brings itself (Netty, the HTTP client, SLF4J) is not among them.
"""

import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from firnline_infra.s3a.errors import HadoopUnknown

_LISTS = files("firnline_infra.s3a")
_LIST = re.compile(r"hadoop-(\d+\.\d+\.\d+)\.sha256")
_HADOOP = re.compile(r"hadoop-client-api-(\d+\.\d+\.\d+)[^/]*\.jar")


@dataclass(frozen=True, slots=True)
class Jar:
    path: str
    """In a Maven repository."""
    sha256: str

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


def jars_for(hadoop: str) -> tuple[Jar, ...]:
    """Raises HadoopUnknown."""
    if hadoop not in known_hadoops():
        raise HadoopUnknown(hadoop, known_hadoops())
    return jars_of((_LISTS / f"hadoop-{hadoop}.sha256").read_text(encoding="ascii"))


def jars_of(text: str) -> tuple[Jar, ...]:
    """The jars of a list, as `sha256sum` writes one."""
    return tuple(Jar(path, digest) for digest, path in (line.split("  ") for line in text.splitlines()))


def known_hadoops() -> tuple[str, ...]:
    """The oldest first."""
    found = [match[1] for match in (_LIST.fullmatch(each.name) for each in _LISTS.iterdir()) if match]
    return tuple(sorted(found, key=lambda version: [int(part) for part in version.split(".")]))


def hadoop_of(jars: Path) -> str | None:
    """The Hadoop of a Spark, by its folder `jars`; None where there is none in it."""
    found = [
        match[1] for match in (_HADOOP.fullmatch(jar.name) for jar in jars.glob("hadoop-client-api-*.jar")) if match
    ]
    return found[0] if found else None
