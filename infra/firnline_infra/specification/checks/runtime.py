"""Checks of what the engine's job may be given: nothing that lets a row be written twice, and nothing secret."""

import re
from collections.abc import Iterator

from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.runtime import Trust
from firnline_ingest.secret_names import CONFIDENTIAL

OURS = (
    r"spark\.(speculation|master|submit\.deployMode|archives|task\.cpus|python\.worker\.reuse"
    r"|dynamicAllocation\.enabled|pyspark\..*|yarn\.(maxAppAttempts|submit\.waitAppCompletion|tags))"
)
"""One writer to a shard, one way to the engine's Python, and a run that its service can see."""
SIZES = r"spark\.(driver|executor)\.(cores|memory|memoryOverhead)|spark\.executor\.instances"
CREDENTIALS = rf"(?i){CONFIDENTIAL}|credential"
REFERENCE = r"EMR\.secret@.+|software\.amazon\..*|org\.apache\..*|[\w.-]+:[\w.-]+"
"""A secret's name, or a class: no secret itself."""


def _what_keeps_rows_single_is_not_changed(spec: EnvironmentSpec) -> Iterator[str]:
    for name in spec.aws.runtime.spark_conf:
        path = f"aws.runtime.spark_conf.{name}"
        if re.fullmatch(OURS, name):
            yield f"{path}: is the engine's own; remove it."
        elif re.fullmatch(SIZES, name):
            yield f"{path}: belongs into aws.runtime.size, which decides what the job may have, too."


SPARKS_OWN = re.compile(r"spark\.[^\s=]+")
"""Names of settings: spark-submit ignores every other one, and says no more than a warning."""
TAKES_NO_BLANK = {"emr_serverless": "EMR Serverless", "emr_eks": "EMR on EKS"}
"""Runtimes whose settings are properties of a classification: botocore's models want a character in each value."""


def _settings_are_ones_that_are_heeded(spec: EnvironmentSpec) -> Iterator[str]:
    service = TAKES_NO_BLANK.get(spec.aws.runtime.kind or "")
    for name, value in spec.aws.runtime.spark_conf.items():
        path = f"aws.runtime.spark_conf.{name}"
        if SPARKS_OWN.fullmatch(name) is None:
            yield f"{path}: is not a setting of Spark; expected a name that begins with spark. and has neither a blank nor =."
        elif service is not None and not value.strip():
            yield f"{path}: {service} takes no value that is empty or blank; give one, or remove the setting."


def _nothing_secret_is_an_argument(spec: EnvironmentSpec) -> Iterator[str]:
    for name, value in spec.aws.runtime.spark_conf.items():
        if re.search(CREDENTIALS, name) and not re.fullmatch(REFERENCE, value):
            yield (
                f"aws.runtime.spark_conf.{name}: looks like a secret, and every job's settings can be read by many; name a "
                f"secret in place of it (EMR.secret@NAME, or a Kubernetes secret NAME:KEY)."
            )


def _keys_of_pods_are_referred_to(spec: EnvironmentSpec) -> Iterator[str]:
    runtime = spec.aws.runtime
    section = runtime.kubernetes
    if section is None:
        return
    if runtime.trust is Trust.STATIC_KEYS and section.keys_secret is None:
        yield "aws.runtime.kubernetes.keys_secret: trust: static-keys needs the name of the Kubernetes secret with the keys."
    if runtime.trust is not Trust.STATIC_KEYS and section.keys_secret is not None:
        yield f"aws.runtime.kubernetes.keys_secret: trust: {runtime.trust.value} needs no keys; remove it."


BEGINS_ITSELF = (Trust.NOBODY, Trust.STATIC_KEYS, Trust.IRSA)
"""Where the engine is who its machine or its pod says; any other runtime gives it a role."""


def _the_engine_is_one_identity(spec: EnvironmentSpec) -> Iterator[str]:
    trust = spec.aws.runtime.trust
    if spec.aws.runtime.credentials.has_beginning and trust not in BEGINS_ITSELF:
        yield (
            f"aws.runtime.credentials: with trust: {trust.value} the engine is the role that its runtime gives it; remove what "
            f"it begins with, or say at a stream (access) how that one is reached."
        )


MOST_GROUPS_OF_EMR = 4  # Amazon EMR management guide, "Specify Amazon EMR-managed security groups" (2026-11-30)


def _a_cluster_takes_a_few_security_groups(spec: EnvironmentSpec) -> Iterator[str]:
    options = spec.aws.runtime.emr_ec2.security_group if spec.aws.runtime.emr_ec2 is not None else None
    count = 0 if options is None else len(options.ids)
    if count > MOST_GROUPS_OF_EMR:
        yield (
            f"aws.runtime.emr_ec2.security_group.ids: must be {MOST_GROUPS_OF_EMR} or fewer for a cluster of EMR; got {count}."
        )


CHECKS = (
    _a_cluster_takes_a_few_security_groups,
    _the_engine_is_one_identity,
    _settings_are_ones_that_are_heeded,
    _what_keeps_rows_single_is_not_changed,
    _nothing_secret_is_an_argument,
    _keys_of_pods_are_referred_to,
)
