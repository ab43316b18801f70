"""What the services take, where a specification can exceed it. Lengths are those of botocore 1.44's models; the sizes of workers
are those of EMR Serverless's guide (app-behavior).
"""

import re
from collections.abc import Iterator
from typing import Any

from firnline_infra.runtimes.job import EngineJob
from firnline_infra.specification.emr import EmrEc2, EmrEks, EmrServerless
from firnline_infra.specification.runtime import Kubernetes, Operator

PROPERTIES, PROPERTY = 100, 1024
"""Of a classification: how many, and characters of a name or a value."""
SERVERLESS_ENTRY, EKS_ENTRY = 4096, 256
SERVERLESS_TAGS, EKS_TAGS = 200, 50
STEP_NAME, STEP_TEXT = 256, 10_280
WORKERS = {1: 8, 2: 16, 4: 30, 8: 60, 16: 120}
"""GB at the most of a worker of EMR Serverless, by its vCPUs."""
MIB_PER_GB = 1024
DNS_1035 = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
DENIED = (
    r"spark\.master|spark\.kubernetes\.(driver\.master|((driver|executor)\.)?container\.image)"
    r"|spark\.kubernetes\.authenticate\.((driver|executor)\.serviceAccountName|((driver|executor)\.)?oauthToken(File)?)"
)
"""Settings that the kubeflow operator's webhook refuses in sparkConf (internal/webhook/sparkconf_validator.go)."""


def refusals(job: EngineJob, request: dict[str, Any]) -> Iterator[str]:
    """Sentences that name the field of the specification that makes it fit."""
    match job.runtime.job:
        case EmrServerless():
            yield from _workers(job)
            yield from _entry(job, SERVERLESS_ENTRY)
            yield from _classifications(request)
            yield from _tags(request, SERVERLESS_TAGS)
        case EmrEks():
            yield from _entry(job, EKS_ENTRY)
            yield from _classifications(request)
            yield from _tags(request, EKS_TAGS)
        case EmrEc2():
            yield from _step(request["Steps"][0])
        case Kubernetes() as section:
            yield from _object(job, section, request)
        case None:
            return


def _workers(job: EngineJob) -> Iterator[str]:
    size = job.size
    workers = {
        "driver": (size.driver_cores, size.driver_memory_mib + size.driver_overhead_mib),
        "executor": (size.executor_cores, size.executor_memory_mib + size.overhead_mib),
    }
    for who, (cores, memory_mib) in workers.items():
        if cores not in WORKERS:
            expected = ", ".join(map(str, WORKERS))
            yield f"aws.runtime.size.{who}_cores: a worker of EMR Serverless has {expected} vCPUs, not {cores}."
        elif memory_mib > WORKERS[cores] * MIB_PER_GB:
            yield (
                f"aws.runtime.size.{who}_memory_mib: {memory_mib} MiB with what is beside the JVM; a worker with {cores} vCPUs "
                f"has {WORKERS[cores]} GB at the most. Give it more cores or less memory."
            )


def _entry(job: EngineJob, longest: int) -> Iterator[str]:
    if len(job.artefact.entry) > longest:
        yield f"aws.bucket.name: the entry script's URI has {len(job.artefact.entry)} characters; {longest} are taken."


def _classifications(request: dict[str, Any]) -> Iterator[str]:
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


def _tags(request: dict[str, Any], most: int) -> Iterator[str]:
    if len(request["tags"]) > most:
        yield f"tags: make {len(request['tags'])} tags on the run, with Firnline's own; {most} are taken."


def _step(step: dict[str, Any]) -> Iterator[str]:
    if len(step["Name"]) > STEP_NAME:
        yield f"application: makes a step's name of {len(step['Name'])} characters; {STEP_NAME} are taken."
    for argument in step["HadoopJarStep"]["Args"]:
        if len(argument) > STEP_TEXT:
            yield f"aws.runtime.spark_conf.{argument.partition('=')[0]}: a step's argument has {STEP_TEXT} characters at most."


def _object(job: EngineJob, section: Kubernetes, request: dict[str, Any]) -> Iterator[str]:
    if not DNS_1035.fullmatch(request["metadata"]["name"]):
        yield f"application: {job.application!r} makes no name that Kubernetes takes for a service."
    if not job.artefact.entry.startswith("/"):
        yield (
            f"aws.runtime.kubernetes.image: has to hold the engine (an absolute path); its entry script is {job.artefact.entry}."
        )
    if section.operator is not Operator.KUBEFLOW:
        return
    for name, value in request["spec"]["sparkConf"].items():
        is_elsewhere = name == "spark.kubernetes.namespace" and value != job.runtime.namespace
        if re.fullmatch(DENIED, name) or is_elsewhere:
            yield f"aws.runtime.spark_conf.{name}: the kubeflow operator refuses it; the specification has a field for it."
