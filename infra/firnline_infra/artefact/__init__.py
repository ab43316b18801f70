"""`firnline build`: the engine as files that a cluster runs."""

from firnline_infra.artefact.artefact import BuiltArtefact, read_artefact, read_artefact_for
from firnline_infra.artefact.assemble import build, build_cached
from firnline_infra.artefact.of_specification import native_wheel_of, target_of_specification
from firnline_infra.artefact.target import Target, target_of

__all__ = [
    "BuiltArtefact",
    "Target",
    "build",
    "build_cached",
    "native_wheel_of",
    "read_artefact",
    "read_artefact_for",
    "target_of",
    "target_of_specification",
]
