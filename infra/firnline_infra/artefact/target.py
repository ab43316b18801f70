"""The target of an artefact: the cluster's Python, architecture and Spark, not those of the machine that builds."""

from collections.abc import Iterator
from dataclasses import dataclass

from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.version import InvalidVersion, Version

from firnline_infra.artefact.errors import TargetUnsupported

PYTHONS = ("3.11", "3.12", "3.13")
ARCHITECTURES = ("x86_64", "aarch64")
ALSO_CALLED = {"X86_64": "x86_64", "amd64": "x86_64", "ARM64": "aarch64", "arm64": "aarch64"}
OLDEST_SPARK, TOO_NEW_SPARK = Version("4.0.2"), Version("5")
GLIBC = (2, 34)
"""Amazon Linux 2023's, on which every EMR release with Spark 4 stands; the Spark project's own images have a newer one."""
OLDEST_GLIBC = {"x86_64": 5, "aarch64": 17}  # PEP 600: the oldest that a tag can name
LEGACY = {"x86_64": ("manylinux2014", "manylinux2010", "manylinux1"), "aarch64": ("manylinux2014",)}


@dataclass(frozen=True, slots=True)
class Target:
    """Made by `target_of`, which checks it."""

    python: str
    architecture: str
    spark: str
    extras: tuple[str, ...] = ()
    """Of firnline-ingest, which the engine's configuration asks for; sorted."""

    @property
    def platforms(self) -> list[str]:
        """Tags of the wheels that run there, the newest first."""
        minors = range(GLIBC[1], OLDEST_GLIBC[self.architecture] - 1, -1)
        perennial = [f"manylinux_{GLIBC[0]}_{minor}_{self.architecture}" for minor in minors]
        return perennial + [f"{name}_{self.architecture}" for name in LEGACY[self.architecture]]

    def tags(self) -> Iterator[Tag]:
        """The best first."""
        version = tuple(int(part) for part in self.python.split("."))
        yield from cpython_tags(version, platforms=self.platforms)
        yield from compatible_tags(version, f"cp{version[0]}{version[1]}", self.platforms)

    @property
    def markers(self) -> dict[str, str]:
        """Values of environment markers that a requirement is asked about."""
        return {
            "implementation_name": "cpython",
            "os_name": "posix",
            "platform_machine": self.architecture,
            "platform_python_implementation": "CPython",
            "platform_system": "Linux",
            "python_full_version": f"{self.python}.0",
            "python_version": self.python,
            "sys_platform": "linux",
        }

    def __str__(self) -> str:
        return f"Python {self.python} on {self.architecture}" + "".join(f" with {extra}" for extra in self.extras)


def target_of(*, python: str, architecture: str, spark: str, extras: tuple[str, ...] = ()) -> Target:
    """Raises TargetUnsupported, with every reason at once."""
    architecture = ALSO_CALLED.get(architecture, architecture)
    reasons = []
    if python not in PYTHONS:
        reasons.append(f"Python {python}: the engine needs one of {', '.join(PYTHONS)}")
    if architecture not in ARCHITECTURES:
        reasons.append(
            f"architecture {architecture}: the Snowpipe Streaming SDK is made for {', '.join(ARCHITECTURES)}"
        )
    if not _is_supported(spark):
        reasons.append(
            f"Spark {spark}: the engine needs {OLDEST_SPARK} or newer, below {TOO_NEW_SPARK}; EMR has it from "
            "emr-spark-8.0.0 on, and no emr-7.x release does"
        )
    if reasons:
        raise TargetUnsupported(reasons)
    return Target(python, architecture, spark, extras)


def _is_supported(spark: str) -> bool:
    try:
        return OLDEST_SPARK <= Version(spark) < TOO_NEW_SPARK
    except InvalidVersion:
        return False
