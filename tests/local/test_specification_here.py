"""Tests of what the machine and the environment decide, in one copy of the specification that all commands read."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from firnline_infra.build import target_of_specification
from firnline_infra.specification import load_spec
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.machine import ARCHITECTURE
from firnline_local.running import RunningEnvironment
from firnline_local.specification_here import specification_here
from tests.infra.runtimes.environments import IMAGE, RUNTIMES
from tests.infra.specifications import document

OTHER = {"arm64": "x86_64", "x86_64": "arm64"}[ARCHITECTURE]
SERVERLESS = RUNTIMES["emr_serverless"]["emr_serverless"]
SECRET = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:one"


class NoBootstrap:
    """As much of an environment as is asked where the specification has no key of a bootstrap's."""

    def client(self, service: str) -> None:
        return None


ENVIRONMENT = cast("RunningEnvironment", NoBootstrap())


def written(folder: Path, runtime: Mapping[str, Any]) -> Path:
    aws = {"key": {"origin": "skip"}, "runtime": runtime}
    path = folder / "dev.yaml"
    path.write_text("# a person's\n" + yaml.safe_dump(document(aws=aws)))
    path.with_name("dev.keys.yaml").write_text(
        yaml.safe_dump({user: {"secret_arn": f"{SECRET}-{user}"} for user in ("ingest", "reader")})
    )
    return path


def here(spec_file: Path) -> Path:
    return specification_here(ENVIRONMENT, spec_file, spec_file.parent / "environment")


@pytest.mark.parametrize("kind", ["emr_serverless", "emr_eks", "emr_ec2"])
def test_an_application_is_made_for_the_machine_that_runs_its_jobs(tmp_path: Path, kind: str) -> None:
    """The archive is built for this machine, so an application of another architecture would refuse it."""
    runtime = {**RUNTIMES[kind], kind: {**RUNTIMES[kind][kind], "architecture": OTHER}}
    spec_file = written(tmp_path, runtime)
    path = here(spec_file)
    spec, given = load_spec(path), load_spec(spec_file)
    assert path.parent == tmp_path / "environment"
    assert spec.aws.runtime.job is not None
    assert given.aws.runtime.job is not None
    assert spec.aws.runtime.job == given.aws.runtime.job.model_copy(
        update={"architecture": type(given.aws.runtime.job.architecture)(ARCHITECTURE)}
    )
    assert spec.snowflake.ingest.secret_arn == f"{SECRET}-ingest"
    machine = EmbeddedAccounts(ENVIRONMENT).engines_machine
    assert target_of_specification(spec, **machine) == target_of_specification(spec, python=machine["python"])
    assert here(path) == path
    assert [file.name for file in sorted(path.parent.iterdir())] == ["dev.keys.yaml", "dev.yaml"]


def test_where_nothing_is_decided_here_the_file_is_the_one_that_a_person_wrote(tmp_path: Path) -> None:
    spec_file = written(
        tmp_path, {"trust": "emr-serverless", "emr_serverless": {**SERVERLESS, "architecture": ARCHITECTURE}}
    )
    assert here(spec_file) == spec_file
    assert here(written(tmp_path, {"trust": "emr-serverless"})) == spec_file


def test_the_nodes_of_a_kubernetes_cluster_are_the_cluster_s(tmp_path: Path) -> None:
    spec_file = written(tmp_path, {**RUNTIMES["kubeflow"], "kubernetes": {"image": IMAGE, "architecture": OTHER}})
    assert here(spec_file) == spec_file


def test_modules_beside_the_specification_are_found_from_the_copy(tmp_path: Path) -> None:
    (tmp_path / "cleaning.py").write_text("def clean(row):\n    return row\n")
    runtime = {
        "trust": "emr-serverless",
        "modules": ["cleaning.py"],
        "emr_serverless": {**SERVERLESS, "architecture": OTHER},
    }
    assert load_spec(here(written(tmp_path, runtime))).aws.runtime.modules == [str(tmp_path / "cleaning.py")]
