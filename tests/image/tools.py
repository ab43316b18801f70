"""The programs of this machine that build, keep and run an image, in a place of their own that nothing of the machine's sees."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.kubernetes.bundle import PROFILE

PROGRAMS = ("buildah", "crun", "debootstrap", "docker-registry", "unshare")
PACKAGES = "buildah crun debootstrap docker-registry golang-github-containers-common"
BUILDER, NODE = "builder", "node"
"""Stores of images: what the node runs it has pulled."""
LISTENS = re.compile(r"listening on (127\.0\.0\.1:\d+)")
REGISTRY = """\
version: 0.1
storage: {{filesystem: {{rootdirectory: {folder}}}}}
http: {{addr: "127.0.0.1:0"}}
"""


def missing(*, emulated: Path | None = None) -> list[str]:
    """Returns what this machine lacks, in words; `emulated` is where the kernel says how it runs programs of other processors."""
    if sys.platform != "linux":
        return ["Linux"]
    found = [program for program in PROGRAMS if shutil.which(program) is None]
    if not PROFILE.exists():
        found.append(str(PROFILE))
    if found:
        found[-1] += f" (Debian: apt-get install {PACKAGES})"
    if os.geteuid() != 0:
        found.append("root, who may mount the image and make a root filesystem of Debian's packages")
    if emulated is not None and not emulated.exists():
        found.append(f"{emulated} (Debian: apt-get install qemu-user-static, with binfmt_misc mounted)")
    return found


@dataclass(frozen=True)
class Tools:
    folder: Path
    registry: str
    """Host and port."""

    def variables(self, store: str = BUILDER) -> dict[str, str]:
        """Returns what buildah, started by whomever, has to find in its environment to use the store and the registry."""
        configuration = self.folder / f"{store}.conf"
        configuration.write_text(
            f'[storage]\ndriver = "overlay"\ngraphroot = "{self.folder / store}"\nrunroot = "{self.folder / store}-run"\n'
        )
        registries = self.folder / "registries.conf"
        registries.write_text(f'[[registry]]\nlocation = "{self.registry}"\ninsecure = true\n')
        return {
            "BUILDAH_ISOLATION": "chroot",
            "CONTAINERS_STORAGE_CONF": str(configuration),
            "CONTAINERS_REGISTRIES_CONF": str(registries),
        }

    def buildah(self, *arguments: str, store: str = BUILDER) -> str:
        return run(["buildah", *arguments], self.variables(store)).strip()

    def clean(self) -> None:
        """Unmounts what is mounted and removes the stores."""
        for store in (BUILDER, NODE):
            if (self.folder / store).exists():
                self.buildah("umount", "--all", store=store)
                self.buildah("rm", "--all", store=store)
                self.buildah("rmi", "--all", "--force", store=store)


@contextmanager
def tools(folder: Path) -> Iterator[Tools]:
    """With a registry on a port of its own."""
    folder.mkdir(parents=True)
    configuration = folder / "registry.yml"
    configuration.write_text(REGISTRY.format(folder=folder / "registry"))
    with subprocess.Popen(
        ["docker-registry", "serve", str(configuration)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as registry:
        try:
            found = Tools(folder, _address(registry))
            try:
                yield found
            finally:
                found.clean()
        finally:
            registry.terminate()


def _address(registry: "subprocess.Popen[str]") -> str:
    assert registry.stderr is not None
    said = []
    for line in registry.stderr:
        said.append(line)
        if match := LISTENS.search(line):
            return match[1]
    raise SystemExit("docker-registry did not start:\n" + "".join(said))


def run(command: Sequence[str], variables: dict[str, str] | None = None, *, folder: Path | None = None) -> str:
    """Returns its stdout. Ends the program with the last words of a command that failed."""
    done = subprocess.run(
        command, env={**os.environ, **(variables or {})}, cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        said = "\n".join([*done.stdout.splitlines(), *done.stderr.splitlines()][-30:])
        raise SystemExit(f"{' '.join(command[:3])} … ended with status {done.returncode}:\n{said}")
    return done.stdout
