"""The engine's image, built from the artefact's folder by whichever of docker, podman and buildah is there."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from firnline_infra.build.artefact import CONTAINERFILE, BuiltArtefact
from firnline_infra.build.errors import ImageFailed, NoBuilder
from firnline_infra.s3a import known_hadoops, provide

BUILDERS = ("docker", "podman", "buildah")
PLATFORMS = {"aarch64": "linux/arm64", "x86_64": "linux/amd64"}
HADOOP_OF = {"4.0": "3.4.1", "4.1": "3.4.2"}
"""Of Spark's own distributions, by its version's first two numbers; the newest that is known in those after these."""
UV = "0.13.9"
TAG = re.compile(r":[\w.-]+$")
LAST = 15  # lines of a builder that failed


def hadoop_of_spark(spark: str) -> str:
    """With which the base's Spark was built; the image's build checks it."""
    return HADOOP_OF.get(".".join(spark.split(".")[:2]), known_hadoops()[-1])


def build_image(
    built: BuiltArtefact,
    name: str,
    *,
    base: str | None = None,
    push: bool = False,
    login: tuple[str, str] | None = None,
    say: Callable[[str], None] = print,
) -> str:
    """The image's reference: its digest once it is pushed, its name before. S3A's jars are put into the artefact's folder.
    `login` is ECR's registry with its password; without it the builder has logged in. Raises NoBuilder, ImageFailed, and what
    fetching the jars does.
    """
    builder = next((each for each in BUILDERS if shutil.which(each)), None)
    platform, folder = PLATFORMS[built.manifest.architecture], built.folder
    provide(hadoop_of_spark(built.manifest.spark), folder / "jars")
    asked = ["build", "--platform", platform, "--tag", name, "--file", str(folder / CONTAINERFILE)]
    asked += ["--build-arg", f"BASE={base}"] if base else []
    if builder is None:
        raise NoBuilder(BUILDERS, [BUILDERS[0], *asked, str(folder)])
    say(f"{builder} builds {name} for {platform}.")
    _run([builder, *asked, str(folder)], name)
    if not push:
        return name
    if login is not None:
        _run([builder, "login", "--username", "AWS", "--password-stdin", login[0]], login[0], given=login[1])
    return f"{TAG.sub('', name)}@{_pushed(builder, name)}"


def _pushed(builder: str, name: str) -> str:
    """The digest that the registry has given it."""
    if builder == "docker":
        _run([builder, "push", name], name)
        found = _run([builder, "image", "inspect", "--format", "{{index .RepoDigests 0}}", name], name)
        return found.strip().rpartition("@")[2]
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "digest"
        _run([builder, "push", "--digestfile", str(file), name], name)
        return file.read_text(encoding="ascii").strip()


def _run(command: list[str], name: str, *, given: str = "") -> str:
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = [*done.stdout.splitlines(), *done.stderr.splitlines()][-LAST:]
        raise ImageFailed(name, command, done.returncode, said)
    return done.stdout
