"""A mistaken document is told what it was probably meant to say."""

from typing import Any

import pytest

from tests.infra.runtimes.environments import RUNTIMES
from tests.infra.specifications import one_pipeline, problems, told

SERVERLESS = RUNTIMES["emr_serverless"]
PODS = RUNTIMES["kubeflow"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            one_pipeline(initial_position="latest"),
            "pipelines[0].initial_position: must be a mapping of names to values, such as {at: LATEST}",
        ),
        (
            one_pipeline(initial_position="yesterday"),
            "pipelines[0].initial_position: must be a mapping of names to values, such as {at: …}",
        ),
        (
            one_pipeline(format="csv"),
            "pipelines[0].format: must be a mapping of names to values, such as {type: csv}",
        ),
        ({"durability": "EPHEMRAL"}, "durability: …(got 'EPHEMRAL'); did you mean 'EPHEMERAL'?"),
        ({"durability": "ephemeral"}, "durability: …(got 'ephemeral'); did you mean 'EPHEMERAL'?"),
        (
            {"aws": {"runtime": {**SERVERLESS, "trust": "emr_serverless"}}},
            "aws.runtime.trust: …(got 'emr_serverless'); did you mean 'emr-serverless'?",
        ),
        (
            {"aws": {"runtime": {**PODS, "kubernetes": {**PODS["kubernetes"], "namespace": "x"}}}},
            "aws.runtime.kubernetes.namespace: unknown name; did you mean 'aws.runtime.namespace'?",
        ),
        (
            {"aws": {"runtime": {**SERVERLESS, "security_group": {}}}},
            "aws.runtime.security_group: unknown name; did you mean 'aws.runtime.emr_serverless.security_group'?",
        ),
        (
            one_pipeline(dead_letters={"folder": "/x"}),
            "pipelines[0].dead_letters: unknown name; dead_letters is a section of its own, at the top of the document.",
        ),
        ({"durability": "NEVER"}, "durability: …(got 'NEVER')"),
    ],
)
def test_what_was_meant_is_said(changes: dict[str, Any], said: str) -> None:
    assert problems(**changes)[:1] == told(said)
