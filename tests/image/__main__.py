"""`scripts/image`: the engine's image, built by `firnline build --image --push`, pulled by its digest, and run in the pods of a
Spark operator of the embedded cluster: up, deployed, rolled while records flow, audited.
"""

import argparse
import json
import os
import platform
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from firnline_infra.artefact.assemble import default_cache
from firnline_infra.specification import load_spec
from firnline_infra.specification.runtimes.spark_operator import Operator
from firnline_local.demo.deployment_story import DeploymentStory
from firnline_local.demo.events import shop_events
from firnline_local.demo.screen import Screen
from firnline_local.demo.story import COMMIT_LAG_MS
from firnline_local.environment import LocalEnvironment
from tests.e2e.operator_story import LOCAL, RECORDS, WITH_CLUSTER, OnOperator, specification
from tests.fakes.kubernetes.bundle import PULLED
from tests.image.base import SUITES, Base
from tests.image.tools import NODE, Tools, missing, run, tools

REFERENCE = re.compile(r"^aws\.runtime\.kubernetes\.image: (\S+)$", re.M)
ARCHITECTURES = {"x86_64": "x86_64", "arm64": "aarch64"}
IMAGE_OF_ACCOUNT = "firnline/engine:built"
AUTHORITIES = "authorities"
EMULATION = Path("/proc/sys/fs/binfmt_misc")


@dataclass
class OnBuiltImage(OnOperator):
    """A namespace, whose pods' root filesystem is that of the image."""

    pulled: Path = Path()

    def image_folder(self) -> Path:
        return self.pulled

    def config_maps(self) -> dict[str, str]:
        """Nothing of this machine is in the pods, so neither is the embedded Snowflake's certificate authority."""
        folder = self.folder / "authorities"
        folder.mkdir()
        shutil.copyfile(self.environment.endpoints.ca_file, folder / self.environment.endpoints.ca_file.name)
        for path, mode in ((folder, 0o755), (folder / self.environment.endpoints.ca_file.name, 0o644)):
            path.chmod(mode)
        return {AUTHORITIES: str(folder.absolute())}


def documented(given: argparse.Namespace, account: str, region: str, image: str) -> dict[str, Any]:
    """The environment's specification."""
    document = specification(Operator(given.operator), account, region, image)
    runtime = document["aws"]["runtime"]
    runtime["python"] = given.python
    runtime["kubernetes"] |= {"spark": given.spark, "architecture": given.architecture}
    return document


def built_and_pushed(into: Path, document: dict[str, Any], base: Base, found: Tools) -> str:
    """By the command that a person types; its reference is the one that the command prints."""
    file = into.parent / "build.yaml"
    file.write_text(yaml.safe_dump(document), encoding="utf-8")
    firnline = str(Path(sys.executable).with_name("firnline"))
    name = f"{found.registry}/{IMAGE_OF_ACCOUNT}"
    command = [firnline, "build", str(file), "--into", str(into), "--image", name, "--base", base.name, "--push"]
    match = REFERENCE.search(run(command, found.variables()))
    assert match is not None
    return match[1]


def pulled(reference: str, folder: Path, found: Tools) -> Path:
    """Returns what a node has of the image: its unpacked layers, and its configuration."""
    container = found.buildah("from", "--pull", f"docker://{reference}", store=NODE)
    root = found.buildah("mount", container, store=NODE)
    about = json.loads(found.buildah("inspect", container, store=NODE))
    folder.mkdir()
    (folder / PULLED).write_text(json.dumps({"root": root, "config": about["OCIv1"]["config"]}), encoding="utf-8")
    return folder.absolute()


def play(given: argparse.Namespace, place: Path, found: Tools) -> int:
    screen, architecture = Screen(), ARCHITECTURES[given.architecture]
    base = Base(given.python, architecture, given.spark)
    screen.step("The base: Debian's packages and PyPI's Spark stand in for the Spark project's image")
    screen.say(base.build(found, default_cache() / "image-base"))
    made = LocalEnvironment(
        place / "environment", load_spec(LOCAL), is_provisioned=False, modules=WITH_CLUSTER, commit_lag_ms=COMMIT_LAG_MS
    )
    with made as environment, ExitStack() as stack:
        os.environ.update(environment.variables)
        endpoints = environment.endpoints
        document = documented(given, endpoints.aws_account, endpoints.region, IMAGE_OF_ACCOUNT)
        screen.step("The image: firnline build --image --base --push, with buildah")
        image = built_and_pushed(place / "artefact", document, base, found)
        screen.say(image)
        trusted = {"name": AUTHORITIES, "path": str(endpoints.ca_file.parent), "config_map": AUTHORITIES}
        document["aws"]["runtime"]["kubernetes"] |= {"image": image, "volumes": [trusted]}
        folder = pulled(image, place / "image", found)
        operator = Operator(given.operator)
        stack.callback(_keep_logs, place / "environment" / "runtimes", given.keep)
        deployable = OnBuiltImage(environment, place, document, screen.say, operator=operator, pulled=folder)
        result = DeploymentStory(deployable, list(shop_events(RECORDS)), screen, kills=False).run()
    return result.report.exit_status


def _keep_logs(runtimes: Path, folder: Path | None) -> None:
    """Keeps what the drivers wrote, whatever became of the rest."""
    if folder is not None:
        for logs in runtimes.glob("*/logs"):
            shutil.copytree(logs, folder / logs.parent.name)


def arguments_of(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/image", description=__doc__)
    parser.add_argument("--operator", choices=list(Operator), default=Operator.KUBEFLOW)
    parser.add_argument("--python", choices=list(SUITES), default="3.13", help="the base's, and the archive's")
    parser.add_argument("--spark", default="4.1.1", help="a version of pyspark that PyPI has as a source")
    parser.add_argument("--architecture", choices=list(ARCHITECTURES), default=_own())
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="leaves the drivers' logs in a new folder")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> int:
    given = arguments_of(arguments)
    is_own = given.architecture == _own()
    if lacks := missing(emulated=None if is_own else EMULATION / f"qemu-{ARCHITECTURES[given.architecture]}"):
        print("scripts/image: this machine has not what it takes:", *lacks, sep="\n  ", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what is mounted is unmounted, and the registry ends
    with tempfile.TemporaryDirectory(prefix="firnline-image-") as place, tools(Path(place) / "tools") as found:
        return play(given, Path(place), found)


def _own() -> str:
    return "arm64" if platform.machine() in ("arm64", "aarch64") else "x86_64"


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
