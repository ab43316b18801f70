"""A base image that stands in for the Spark project's, which no registry here has.

It has that image's layout (Spark in /opt/spark, the user spark with the number 185, an entry point that tini holds), of Debian's
packages and PyPI's pyspark. What it is not: Ubuntu, the project's own entry point, its builds of Java and Spark's distribution.
"""

import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from firnline_infra.artefact.artefact import CONTAINERFILE
from tests.image.tools import Tools, run

HERE = Path(__file__).parent
NAME = "localhost/firnline-tests/stands-in-for-apache-spark"
SUITES = {"3.11": ("bookworm", "openjdk-17-jre-headless"), "3.13": ("trixie", "openjdk-21-jre-headless")}
"""Of Debian, by the Python that each has; with the newest Java that Spark 4 runs on."""
PACKAGES = ("bash", "ca-certificates", "python3", "python3-pip", "procps", "tini")
CPUS = {"x86_64": "amd64", "aarch64": "arm64"}
LAYOUT = ("bin", "jars", "sbin")
CONTENT = """\
FROM scratch
ADD {suite}.tar /
COPY spark/ /opt/spark/
COPY entrypoint.sh /opt/entrypoint.sh
RUN groupadd --system --gid=185 spark && useradd --system --uid=185 --gid=spark -d /nonexistent spark \\
    && mkdir /opt/spark/work-dir && chown spark:spark /opt/spark /opt/spark/work-dir
ENV SPARK_HOME=/opt/spark PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
WORKDIR /opt/spark/work-dir
USER spark
ENTRYPOINT ["/opt/entrypoint.sh"]
"""


@dataclass(frozen=True)
class Base:
    python: str
    architecture: str
    spark: str

    @property
    def suite(self) -> str:
        return SUITES[self.python][0]

    @property
    def name(self) -> str:
        return f"{NAME}:{self.spark}-{self.suite}-{CPUS[self.architecture]}"

    def build(self, tools: Tools, cache: Path) -> str:
        """Returns the image's name in the builder's store. What was fetched stays in the cache."""
        with tempfile.TemporaryDirectory(dir=tools.folder) as place:
            context = Path(place)
            shutil.copy(self._debian(cache), context / f"{self.suite}.tar")
            shutil.copy(HERE / "entrypoint.sh", context)
            _lay_out(_spark(self.spark, cache), context / "spark")
            (context / CONTAINERFILE).write_text(CONTENT.format(suite=self.suite))
            platform = f"linux/{CPUS[self.architecture]}"
            tools.buildah(
                "build", "--platform", platform, "--tag", self.name, "--file", str(context / CONTAINERFILE), place
            )
        return self.name

    def _debian(self, cache: Path) -> Path:
        """A root filesystem, as an archive."""
        suite, java = SUITES[self.python]
        cpu = CPUS[self.architecture]
        archive = cache / f"{suite}-{cpu}.tar"
        if not archive.exists():
            cache.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=cache) as place:
                root, packed = Path(place) / "root", Path(place) / "packed"
                packages = ",".join((*PACKAGES, java))
                run(["debootstrap", f"--arch={cpu}", "--variant=minbase", f"--include={packages}", suite, str(root)])
                run(
                    [
                        "tar",
                        "-C",
                        str(root),
                        "--exclude=./var/cache/apt/*",
                        "--exclude=./proc/*",
                        "-cf",
                        str(packed),
                        ".",
                    ]
                )
                packed.rename(archive)
        return archive


def _spark(version: str, cache: Path) -> Path:
    """pyspark's package, which has Spark's distribution in it."""
    folder = cache / f"pyspark-{version}"
    if not folder.exists():
        with tempfile.TemporaryDirectory(dir=cache) as place:
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile", "--target", place]
            run([*pip, f"pyspark=={version}"])
            Path(place, "pyspark").rename(folder)
    return folder


def _lay_out(package: Path, spark: Path) -> None:
    """/opt/spark, as the Spark project's images have it."""
    (spark / "python").mkdir(parents=True)
    for name in LAYOUT:
        shutil.copytree(package / name, spark / name)
    shutil.copytree(package / "python" / "lib", spark / "python" / "lib")
    own = shutil.ignore_patterns(*LAYOUT, "examples", "data", "licenses", "__pycache__")
    shutil.copytree(package, spark / "python" / "pyspark", ignore=own)
