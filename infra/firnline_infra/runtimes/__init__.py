"""The engine's job on each runtime, as pure data: what a service is asked for to run it. No SDK, no call."""

from firnline_infra.blueprint.size import Size, shards_of, size_of
from firnline_infra.runtimes.around import surroundings
from firnline_infra.runtimes.job import Artefact, EngineJob, RuntimeKind
from firnline_infra.runtimes.of_specification import engine_job
from firnline_infra.runtimes.render import render

__all__ = [
    "Artefact",
    "EngineJob",
    "RuntimeKind",
    "Size",
    "engine_job",
    "render",
    "shards_of",
    "size_of",
    "surroundings",
]
