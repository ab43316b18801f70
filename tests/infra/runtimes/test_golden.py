"""Tests of what starts the engine of each shipped environment, on each runtime, as it was reviewed, and as the services
would judge it.

FIRNLINE_WRITE_GOLDEN=1 writes the files anew: what changes in them restarts engines.
"""

import json
import os
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from firnline_infra.runtimes.registry import render
from firnline_infra.runtimes.spark_operator.kubernetes_prerequisites import kubernetes_prerequisites
from firnline_infra.specification import load_spec
from tests.infra.runtimes.environments import ENVIRONMENTS, RUNTIMES, SHIPPED, job_of, spec_of
from tests.infra.runtimes.models import faults

HERE = Path(__file__).parent
OPERATIONS = {
    "emr_serverless": ("emr-serverless", "StartJobRun"),
    "emr_eks": ("emr-containers", "StartJobRun"),
    "emr_ec2": ("emr", "AddJobFlowSteps"),
}
SCHEMAS = {"kubeflow": "spark-operator-v1beta2.json", "apache": "apache-spark-operator-v1.json"}
EVERY = [(environment, runtime) for environment in SHIPPED for runtime in RUNTIMES]


@cache
def rendered(environment: str, runtime: str) -> Any:
    job = job_of(spec_of(environment, runtime))
    return render(job, token=job.hash, tags={"firnline:generation": "7"})


def text_of(environment: str, runtime: str) -> str:
    """Returns what starts the engine, and on Kubernetes what is there before it."""
    spec = spec_of(environment, runtime)
    document = {"request": rendered(environment, runtime)}
    if spec.aws.runtime.kubernetes is not None:
        document["before"] = kubernetes_prerequisites(spec)
    return json.dumps(document, indent=2) + "\n"


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_what_starts_the_engine_is_what_was_reviewed(runtime: str) -> None:
    text, golden = text_of("prod", runtime), HERE / "golden" / f"prod-{runtime}.json"
    if os.environ.get("FIRNLINE_WRITE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
        pytest.fail(f"{golden.name} was written: review it, and run the test again")
    assert text == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_environments_differ_in_their_names_accounts_and_hashes_alone(runtime: str) -> None:
    def nameless(environment: str) -> str:
        spec = spec_of(environment, runtime)
        digest, text = job_of(spec).hash, text_of(environment, runtime)
        for taken in (digest, digest[:63], digest[:12]):  # as much as each service takes of a name
            text = text.replace(taken, "HASH")
        text = re.sub(rf"firnline-{environment}-[0-9a-f]{{6}}\b", "RUN", text)
        return text.replace(spec.aws.account, "ACCOUNT").replace(f"firnline-{environment}", "APPLICATION")

    prod = nameless("prod").replace('"prod"', '"ENVIRONMENT"')
    for environment in ("dev", "staging"):
        assert nameless(environment).replace(f'"{environment}"', '"ENVIRONMENT"') == prod


@pytest.mark.parametrize(("environment", "runtime"), [each for each in EVERY if each[1] in OPERATIONS])
def test_the_services_model_takes_it(environment: str, runtime: str) -> None:
    assert faults(*OPERATIONS[runtime], rendered(environment, runtime)) == []


def test_what_is_shipped_starts_an_engine_as_it_stands() -> None:
    on_kubernetes, on_serverless = (job_of(load_spec(ENVIRONMENTS / f"{name}.yaml")) for name in ("staging", "prod"))
    assert faults("emr-serverless", "StartJobRun", render(on_serverless, token="1")) == []
    schema = json.loads((HERE / "schemas" / SCHEMAS["kubeflow"]).read_text())
    assert list(Draft202012Validator(schema).iter_errors(render(on_kubernetes, token="1"))) == []


def test_the_services_model_takes_a_log_group_of_emr_on_eks() -> None:
    job = job_of(spec_of("dev", "emr_eks", emr_eks={"log_group": "/firnline/dev"}))
    request = render(job, token=job.hash)
    monitoring = request["configurationOverrides"]["monitoringConfiguration"]
    assert monitoring["cloudWatchMonitoringConfiguration"]["logGroupName"] == "/firnline/dev"
    assert faults("emr-containers", "StartJobRun", request) == []


@pytest.mark.parametrize(("environment", "runtime"), [each for each in EVERY if each[1] in SCHEMAS])
def test_the_operators_schema_takes_it(environment: str, runtime: str) -> None:
    schema = json.loads((HERE / "schemas" / SCHEMAS[runtime]).read_text())
    found = [error.message for error in Draft202012Validator(schema).iter_errors(rendered(environment, runtime))]
    assert found == []


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_nothing_secret_and_no_time_limit_is_in_it(runtime: str) -> None:
    request = dict(rendered("prod", runtime))
    assert request.pop("executionTimeoutMinutes", 0) == 0, "0 is none"
    text = json.dumps(request)
    for word in (
        "imeoutMinutes",
        "timeToLiveSeconds",
        "activeDeadlineSeconds",
        "PRIVATE KEY",
        "AKIA",
        "aws_secret",
        "fs.s3a.secret",
    ):
        assert word not in text
