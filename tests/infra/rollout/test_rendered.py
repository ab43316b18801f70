"""Tests of `firnline deploy --render`: on every runtime what a deploy would apply, the same each time."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from firnline_infra.cli.main import firnline
from firnline_infra.rollout.rendered import rendered
from firnline_infra.runtimes.registry import rendering_of
from firnline_infra.runtimes.spark_operator.kubernetes_prerequisites import kubernetes_prerequisites
from tests.infra.runtimes.environments import RUNTIMES, job_of, spec_of

DEV = Path(__file__).parents[3] / "stacks" / "environments" / "dev.yaml"


@pytest.mark.parametrize("runtime", ["emr_serverless", "emr_eks", "emr_ec2"])
def test_for_emr_it_is_the_request_that_starts_the_job(runtime: str) -> None:
    job = job_of(spec_of("prod", runtime))
    document = json.loads(rendered(job, spec_of("prod", runtime)))
    assert document == json.loads(json.dumps(rendering_of(job).render(job, token=job.hash[:12])))


@pytest.mark.parametrize("operator", ["kubeflow", "apache"])
def test_for_an_operator_it_is_the_application_behind_what_is_around_it(operator: str) -> None:
    spec, job = spec_of("prod", operator), job_of(spec_of("prod", operator))
    *around, application = yaml.safe_load_all(rendered(job, spec))
    assert around == json.loads(json.dumps(kubernetes_prerequisites(spec)))
    assert application["kind"] == "SparkApplication"
    assert application == json.loads(json.dumps(rendering_of(job).render(job, token=job.hash[:12])))


def test_what_others_make_around_the_engine_is_left_to_them() -> None:
    section = {**RUNTIMES["kubeflow"]["kubernetes"], "origin": "adopt"}
    spec = spec_of("prod", "kubeflow", kubernetes=section)
    (application,) = yaml.safe_load_all(rendered(job_of(spec), spec))
    assert application["kind"] == "SparkApplication"


@pytest.mark.parametrize("runtime", list(RUNTIMES))
def test_the_same_job_is_the_same_text_and_holds_nothing_secret(runtime: str) -> None:
    spec = spec_of("prod", runtime)
    text = rendered(job_of(spec), spec)
    assert text == rendered(job_of(spec_of("prod", runtime)), spec)
    assert "PRIVATE KEY" not in text


def test_it_goes_with_no_rollback() -> None:
    refused: Any = CliRunner().invoke(firnline, ["deploy", str(DEV), "--render", "--rollback"])
    assert refused.exit_code == 2
    assert "leave --rollback out" in refused.output
