"""Checks of what Kubernetes takes for the engine's pods, before a cluster refuses them or lets them wait for ever."""

import re
from collections.abc import Iterator, Mapping

from firnline_infra.specification.kubernetes_names import LABEL_KEY, LABEL_VALUE
from firnline_infra.specification.model import EnvironmentSpec
from firnline_ingest.config.form import Form

ARCHITECTURE = "kubernetes.io/arch"


def _nodes_are_chosen_by_labels(spec: EnvironmentSpec) -> Iterator[str]:
    for section in ("emr_eks", "kubernetes"):
        if (options := getattr(spec.aws.runtime, section)) is None:
            continue
        path = f"aws.runtime.{section}.node_selector"
        yield from _labels(path, options.node_selector)
        if ARCHITECTURE in options.node_selector:
            yield f"{path}.{ARCHITECTURE}: follows from aws.runtime.{section}.architecture; remove it."


def _labels(path: str, given: Mapping[str, str]) -> Iterator[str]:
    for key, value in given.items():
        yield from _of_form(f"{path}.{key}", key, LABEL_KEY)
        yield from _of_form(f"{path}.{key}", value, LABEL_VALUE)


def _of_form(path: str, text: str, form: Form) -> Iterator[str]:
    if re.fullmatch(form.pattern, text, re.ASCII) is None:
        yield f"{path}: has to be {form.words_and_example} (got {text!r})."


def _taints_and_annotations_have_keys(spec: EnvironmentSpec) -> Iterator[str]:
    if (section := spec.aws.runtime.kubernetes) is None:
        return
    for index, toleration in enumerate(section.tolerations):
        path = f"aws.runtime.kubernetes.tolerations[{index}]"
        if toleration.key or toleration.value is not None:  # an empty key alone is every taint
            yield from _of_form(f"{path}.key", toleration.key, LABEL_KEY)
        yield from _of_form(f"{path}.value", toleration.value or "", LABEL_VALUE)
    for key in section.annotations:  # unlike a label's, its domain may have capital letters
        yield from _of_form(f"aws.runtime.kubernetes.annotations.{key}", key.lower(), LABEL_KEY)


def _volumes_are_apart(spec: EnvironmentSpec) -> Iterator[str]:
    if (section := spec.aws.runtime.kubernetes) is None:
        return
    for field in ("name", "path"):
        values = [getattr(volume, field) for volume in section.volumes]
        for index, value in enumerate(values):
            if value in values[:index]:
                yield f"aws.runtime.kubernetes.volumes[{index}].{field}: another volume has {value}, too; give it one of its own."


CHECKS = (_nodes_are_chosen_by_labels, _taints_and_annotations_have_keys, _volumes_are_apart)
