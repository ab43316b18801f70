"""Limits that several services share: entry scripts, classifications and tags beyond the lengths of botocore 1.44's models."""

from collections.abc import Iterator
from typing import Any

from firnline_infra.runtimes.job import EngineJob

PROPERTIES, PROPERTY = 100, 1024
"""How many properties a classification takes, and how many characters a name or a value of one."""


def refused_entry(job: EngineJob, longest: int) -> Iterator[str]:
    if len(job.artefact.entry) > longest:
        yield f"aws.bucket.name: the entry script's URI has {len(job.artefact.entry)} characters; {longest} are taken."


def refused_classifications(request: dict[str, Any]) -> Iterator[str]:
    for classification in request["configurationOverrides"]["applicationConfiguration"]:
        properties = classification["properties"]
        if len(properties) > PROPERTIES:
            yield (
                f"aws.runtime.spark_conf: makes {len(properties)} settings; {PROPERTIES} are taken. Remove "
                f"{len(properties) - PROPERTIES}."
            )
        for name, value in properties.items():
            if max(len(name), len(value)) > PROPERTY:
                yield f"aws.runtime.spark_conf.{name}: name and value have {PROPERTY} characters at the most."


def refused_tags(request: dict[str, Any], most: int) -> Iterator[str]:
    if len(request["tags"]) > most:
        yield f"tags: make {len(request['tags'])} tags on the run, with Firnline's own; {most} are taken."
