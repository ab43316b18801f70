"""Errors while an artefact is built.

BuildError
├── TargetUnsupported   no engine can run there
├── WheelMissing        a pinned package has no wheel for the target
├── IndexUnreachable    the package index did not answer
├── WheelForeign        a wheel is not the one that was tested
├── PipFailed           pip is missing, or failed otherwise
├── ArtefactTooLarge    more than the limit
├── ModuleTaken         a module of the user's has the name of a file of the engine's
├── NoArtefact          a folder holds none, or a damaged one
├── ArtefactUnfit       an artefact was built for another cluster
├── NoBuilder           none of docker, podman, buildah is here
└── ImageFailed         the builder did not build or push the image
"""

import shlex
from collections.abc import Sequence
from pathlib import Path

from firnline_ingest.errors import EnvironmentalError, declared


class BuildError(EnvironmentalError):
    """The engine's artefact could not be built or read."""

    id = "FL-5441"


@declared
class TargetUnsupported(BuildError):
    """The engine can't run on that Python, architecture or Spark. Nothing was built."""

    reasons: Sequence[str]

    id = "FL-5442"
    message = "There is no engine for this cluster:\n{reasons:list}"
    causes = "No engine runs on that Python, architecture or Spark; all reasons are reported. Nothing was built"
    remedy = (
        "take a release with Spark 4 (emr-spark-8.0.0 or newer), a Python of 3.11 to 3.13 that it has, x86_64 or arm64."
    )


@declared
class WheelMissing(BuildError):
    """A package that the engine needs has no wheel for the cluster."""

    packages: Sequence[str]
    target: str
    place: str

    id = "FL-5443"
    message = "{place} has no wheel of {packages} for {target} (glibc 2.34)."
    causes = (
        "A pinned package has no wheel for the cluster's Python and architecture, in the index or in the folder of "
        "`--wheels`"
    )
    remedy = (
        "put one that was built for it into a folder and name that with --wheels; if it is the index that lacks "
        "it, take another Python or architecture."
    )


@declared
class IndexUnreachable(BuildError):
    """pip could not reach the package index."""

    cause: str
    index: str

    id = "FL-5444"
    message = "The package index {index} can't be reached: {cause}"
    causes = "The package index does not answer"
    remedy = "name yours (PIP_INDEX_URL, PIP_PROXY), try again later, or give the wheels in a folder: --wheels."


@declared
class WheelForeign(BuildError):
    """A wheel of the right name and version has other content than the one that the engine was tested with."""

    wheel: str
    where: str

    id = "FL-5445"
    message = (
        "{wheel} in {where} is not the file that the engine was tested with: its SHA-256 is not among the pinned ones."
    )
    causes = "A wheel has the right name and is not the file that was tested"
    remedy = "find out where it comes from; take the one of PyPI, or a mirror that passes files on unchanged."


@declared
class PipFailed(BuildError):
    """pip is not there, or ended with an error of its own."""

    cause: str

    id = "FL-5446"
    message = "pip could not fetch the engine's packages: {cause}"
    causes = "Pip is missing, or failed"
    remedy = "fix the reported error; if there is no pip: python -m ensurepip. Or give the wheels: --wheels."


@declared
class ArtefactTooLarge(BuildError):
    """The archive is larger than the stated limit."""

    size: int
    limit: int

    id = "FL-5447"
    message = "The engine's archive has {size:,} bytes; {limit:,} is the limit."
    causes = "The archive is larger than 128 MiB"
    remedy = "report it: a dependency has grown beyond what every executor should unpack at its start."


@declared
class ModuleTaken(BuildError):
    """A module of the user's would take the place of one that the engine needs."""

    name: str

    id = "FL-4142"
    message = "aws.runtime.modules would replace {name}, which the engine's packages have."
    causes = "A module of `aws.runtime.modules` has the name of one that the engine needs"
    remedy = "give the module another name."


@declared
class NoArtefact(BuildError):
    """A folder holds no artefact, or one with files missing or changed."""

    folder: Path
    cause: str

    id = "FL-5448"
    message = "{folder} holds no artefact that can be used: {cause}."
    causes = "A folder has no artefact, a damaged one, or something else in it"
    remedy = "build it: firnline build ENV --into a new or empty folder."


@declared
class ArtefactUnfit(BuildError):
    """An artefact was built for another Python or architecture than the runtime has. Nothing was stopped or started."""

    folder: Path
    built_for: str
    needed: str

    id = "FL-5449"
    message = "The artefact in {folder} was built for {built_for}, and the specification's runtime has {needed}."
    causes = "`firnline deploy --artefact` of one for another Python or architecture. Nothing was stopped or started"
    remedy = "build it again: firnline build ENV --into the same folder, without --python and --architecture."


@declared
class NoBuilder(BuildError):
    """Nothing here builds images. The folder has all that is needed."""

    builders: Sequence[str]
    command: Sequence[str]

    id = "FL-5450"
    message = "There is none of {builders} here to build the image with."
    next_step = "install one, or copy the folder to a machine that has one and run there: {command_line}"
    causes = "None of docker, podman and buildah is on the PATH. The artefact's folder has all that the image needs"
    remedy = "the command in the message, on a machine that has one, for example in CI"

    @property
    def command_line(self) -> str:
        return shlex.join(self.command)


@declared
class ImageFailed(BuildError):
    """The image was not built, or not pushed, in the builder's own words."""

    name: str
    command: Sequence[str]
    status: int
    said: Sequence[str]

    id = "FL-5451"
    message = "{build} of {name} ended with status {status}:\n{said:lines}"
    causes = (
        "The builder can't reach its daemon, a base image, PyPI or the registry; or a check of the Containerfile failed"
    )
    remedy = (
        "fix the reported error, and run the same command again; if the registry denied it, log in: for ECR aws ecr "
        "get-login-password | docker login --username AWS --password-stdin REGISTRY."
    )

    @property
    def build(self) -> str:
        return shlex.join(self.command[:2])
