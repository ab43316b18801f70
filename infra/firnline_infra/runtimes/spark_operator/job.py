"""The engine as a SparkApplication of whichever operator the cluster has."""

import re
from collections.abc import Iterator
from typing import Any

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.iam import Conditions, PolicyStatement
from firnline_infra.blueprint.iam.statement import allow
from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.machine_prices import MachinePrices
from firnline_infra.runtimes.render import Rendering, Start
from firnline_infra.runtimes.spark_operator import apache, kubeflow
from firnline_infra.specification.runtimes.spark_operator import Operator

DNS_1035 = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
DENIED = (
    r"spark\.master|spark\.kubernetes\.(driver\.master|((driver|executor)\.)?container\.image)"
    r"|spark\.kubernetes\.authenticate\.((driver|executor)\.serviceAccountName|((driver|executor)\.)?oauthToken(File)?)"
)
"""Settings that the kubeflow operator's webhook refuses in sparkConf (internal/webhook/sparkconf_validator.go)."""

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
OURS = ("FIRNLINE_", "PYSPARK_", "SPARK_")
"""Beginnings of variables that Spark and the engine set."""


def spark_application(job: EngineJob, start: Start) -> dict[str, Any]:
    section = job.runtime.kubernetes
    assert section is not None
    if section.operator is Operator.KUBEFLOW:
        return kubeflow.spark_application(job, section, start)
    return apache.spark_application(job, section, start)


def refusals(job: EngineJob, request: dict[str, Any]) -> Iterator[str]:
    section = job.runtime.kubernetes
    assert section is not None
    if not DNS_1035.fullmatch(request["metadata"]["name"]):
        yield f"application: {job.application!r} makes no name that Kubernetes takes for a service."
    if not job.artefact.entry.startswith("/"):
        yield (
            f"aws.runtime.kubernetes.image: has to hold the engine (an absolute path); its entry script is {job.artefact.entry}."
        )
    for name in section.environment:
        if not VARIABLE.fullmatch(name) or name.startswith(OURS):
            yield f"aws.runtime.kubernetes.environment: {name!r} is not a valid name, or one of {', '.join(OURS)}."
    if section.operator is not Operator.KUBEFLOW:
        return
    for name, value in request["spec"]["sparkConf"].items():
        is_elsewhere = name == "spark.kubernetes.namespace" and value != job.runtime.namespace
        if re.fullmatch(DENIED, name) or is_elsewhere:
            yield f"aws.runtime.spark_conf.{name}: the kubeflow operator refuses it; the specification has a field for it."


PUSH_IMAGE = {
    **dict.fromkeys(("ecr:DescribeImages",), "Whether the engine's image is there."),
    **dict.fromkeys(
        (
            *("ecr:BatchCheckLayerAvailability", "ecr:InitiateLayerUpload", "ecr:UploadLayerPart"),
            *("ecr:CompleteLayerUpload", "ecr:PutImage", "ecr:BatchGetImage"),
        ),
        'Pushes it (Amazon ECR User Guide, "IAM permissions for pushing an image").',
    ),
}
LOG_IN = {"ecr:GetAuthorizationToken": "Logs in to the registry; AWS can't narrow it."}


def run_statements(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """Starting the engine asks nothing of AWS, but for the image of a repository that is the environment's own."""
    environment = blueprint.environment
    if environment.aws.runtime.has_repository:
        repository = environment.arns.repository(blueprint.names.repository)
        yield allow("PushImage", PUSH_IMAGE, resources=(repository,))
        region: Conditions = {"StringEquals": {"aws:RequestedRegion": environment.aws.region}}
        yield allow("LogInToRegistry", LOG_IN, resources=("*",), conditions=region)


JOB = Rendering(
    service="Kubernetes",
    driver_variable="spark.kubernetes.driverEnv.",
    request=spark_application,
    refusals=refusals,
)
PRICES = MachinePrices(core_hour=("ec2_vcpu_hour_{architecture}",))
