"""The engine's image, built from the artefact's folder by whichever of docker, podman and buildah is there."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from firnline_infra.artefact.artefact import CONTAINERFILE, BuiltArtefact
from firnline_infra.artefact.errors import ImageFailed, NoBuilder
from firnline_infra.s3a import known_hadoops, provide
from firnline_ingest.activity import waiting_for

BUILDERS = ("docker", "podman", "buildah")
PLATFORMS = {"aarch64": "linux/arm64", "x86_64": "linux/amd64"}
HADOOP_OF = {"4.0": "3.4.1", "4.1": "3.4.2"}
"""Of Spark's own distributions, by its version's first two numbers; the newest that is known in those after these."""
UV = "0.13.9"
MIRRORS = ("PIP_INDEX_URL", "UV_PYTHON_INSTALL_MIRROR", "UV_PYTHON_DOWNLOADS_JSON_URL")
"""Variables of pip and uv that say where a base gets the archive's Python from. They reach the build by name: a URL may have a
password, and the stage that sees it is not part of the image."""
READABLE = 0o644
"""A builder copies a file with its mode, which the umask of whoever builds has decided; the pods' user has to read it."""
TAG = re.compile(r":[\w.-]+$")
LAST = 15  # lines of a builder that failed


def hadoop_of_spark(spark: str) -> str:
    """The Hadoop version with which the base's Spark was built; the image's build checks it."""
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
    builder = _builder()
    platform, folder = PLATFORMS[built.manifest.architecture], built.folder
    provide(hadoop_of_spark(built.manifest.spark), folder / "jars")
    for file in (built.entry, *(folder / "jars").iterdir()):
        file.chmod(READABLE)
    asked = ["build", "--platform", platform, "--tag", name, "--file", str(folder / CONTAINERFILE)]
    for argument in (*([f"BASE={base}"] if base else []), *(each for each in MIRRORS if os.environ.get(each))):
        asked += ["--build-arg", argument]
    if builder is None:
        raise NoBuilder(BUILDERS, [BUILDERS[0], *asked, str(folder)])
    say(f"{builder} builds {name} for {platform}.")
    _run([builder, *asked, str(folder)], name)
    if not push:
        return name
    if login is not None:
        _run([builder, "login", "--username", "AWS", "--password-stdin", login[0]], login[0], given=login[1])
    return f"{TAG.sub('', name)}@{_pushed(builder, name)}"


def _builder() -> str | None:
    """The first that is there, but for a docker that has no daemon where there is another one."""
    there = [each for each in BUILDERS if shutil.which(each)]
    if len(there) > 1 and there[0] == "docker":
        asked = ["docker", "version", "--format", "{{.Server.Version}}"]
        if subprocess.run(asked, capture_output=True, check=False).returncode != 0:
            return there[1]
    return next(iter(there), None)


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
    with waiting_for(" ".join(command[:2])):
        done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = [*done.stdout.splitlines(), *done.stderr.splitlines()][-LAST:]
        raise ImageFailed(name, command, done.returncode, said)
    return done.stdout
