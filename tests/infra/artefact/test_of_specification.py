import re
from pathlib import Path

import pytest

from firnline_infra.artefact import native_wheel_of, target_of, target_of_specification
from firnline_infra.artefact.engine_wheel import engine_version
from firnline_infra.artefact.errors import TargetUnsupported
from firnline_infra.specification import EnvironmentSpec, load_spec
from firnline_infra.specification.runtime import Runtime
from firnline_ingest.errors import UsageError

PROD = load_spec(Path(__file__).parents[3] / "stacks" / "environments" / "prod.yaml")
POOL = {"subnets": ["subnet-0a1b2c3d"], "security_group": {"vpc": "vpc-0a1b2c3d"}}


def prod_with(**runtime: object) -> EnvironmentSpec:
    aws = PROD.aws.model_copy(update={"runtime": Runtime.model_validate(runtime)})
    return PROD.model_copy(update={"aws": aws})


def test_a_job_of_emr_serverless_gets_what_its_release_has() -> None:
    spec = prod_with(trust="emr-serverless", python="3.12", emr_serverless=POOL)
    assert target_of_specification(spec) == target_of(python="3.12", architecture="aarch64", spark="4.1.1")


def test_emr_on_eks_names_its_release_with_a_date() -> None:
    eks = {
        "release": "emr-spark-8.0.0-20260421",
        "virtual_cluster_id": "abc",
        "origin": "adopt",
        "architecture": "x86_64",
    }
    oidc = {"oidc_provider": "oidc.eks.eu-central-1.amazonaws.com/id/0123", "namespace": "firnline"}
    spec = prod_with(trust="emr-eks", emr_eks=eks, **oidc)
    assert target_of_specification(spec) == target_of(python="3.13", architecture="x86_64", spark="4.0.2")


@pytest.mark.parametrize("architecture", ["x86_64", "arm64"])
def test_a_cluster_of_ec2_gets_what_its_machines_run(architecture: str) -> None:
    cluster = {"origin": "adopt", "cluster_id": "j-2AXXXXXXGAPLF", "architecture": architecture}
    wanted = target_of_specification(prod_with(trust="emr-ec2", emr_ec2=cluster))
    assert wanted.architecture == {"x86_64": "x86_64", "arm64": "aarch64"}[architecture]


def test_a_python_that_the_release_does_not_have_is_refused_before_anything_is_built() -> None:
    spec = prod_with(trust="emr-serverless", python="3.12", emr_serverless={**POOL, "release": "emr-spark-8.0.0"})
    with pytest.raises(TargetUnsupported, match=r"Python 3\.12: emr-spark-8\.0\.0 has 3\.11, 3\.13 there"):
        target_of_specification(spec)


def test_an_engine_that_is_started_by_hand_is_built_for_what_is_said_with_the_command() -> None:
    spec = prod_with(trust="emr-serverless")
    assert target_of_specification(spec) == target_of(python="3.13", architecture="x86_64", spark="4.1.1")
    given = target_of_specification(spec, python="3.11", architecture="arm64", spark="4.0.2")
    assert given == target_of(python="3.11", architecture="aarch64", spark="4.0.2")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("firnline_native-0.0.9-cp311-abi3-manylinux_2_34_aarch64.whl", "must be firnline-native"),
        (f"firnline_native-{engine_version()}-cp311-abi3-manylinux_2_34_x86_64.whl", "does not run on"),
        ("native.txt", "is not the name of a wheel"),
    ],
)
def test_a_wheel_that_no_engine_of_the_specification_can_have_is_refused_under_its_field(name: str, why: str) -> None:
    spec = prod_with(trust="emr-serverless", native_wheel=name, emr_serverless=POOL)
    with pytest.raises(UsageError, match=rf"aws\.runtime\.native_wheel: {re.escape(name)} {why}"):
        native_wheel_of(spec, target_of_specification(spec), print)
