"""Tests of where Spark finds the bucket, as what, and with which settings: by what it runs on."""

from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of, engine_config
from firnline_infra.blueprint.bucket_layout import checkpoint_folder, log_folder, spark_url
from firnline_infra.blueprint.engine_config import EngineInputs
from firnline_infra.blueprint.spark_s3 import spark_s3_settings
from firnline_infra.environment import Environment
from firnline_infra.specification import EnvironmentSpec
from tests.infra.specifications import smallest

BUCKET = "firnline-dev-123456789012-eu-central-1"
IRSA = {"trust": "irsa", "oidc_provider": "oidc.example.com/id/1", "namespace": "n", "service_account": "s"}
PODS = {"trust": "pod-identity", "cluster": "c", "namespace": "n", "service_account": "s"}
EMR_PODS = {"trust": "pod-identity", "cluster": "c", "namespace": "n", "emr_eks": {}}
EMR_EKS = {"trust": "emr-eks", "oidc_provider": "oidc.example.com/id/1", "namespace": "n"}
ELSEWHERE = (IRSA, PODS, {"trust": "static-keys"}, {"trust": "nobody"})
ON_EMR = ({"trust": "emr-serverless"}, {"trust": "emr-ec2"}, EMR_EKS, EMR_PODS)


def spec_of(runtime: dict[str, str], **aws: Any) -> EnvironmentSpec:
    return smallest(durability="EPHEMERAL", aws={"runtime": runtime, **aws})


def spark_of(spec: EnvironmentSpec) -> dict[str, Any]:
    spark: dict[str, Any] = engine_config(Environment.of(spec), blueprint_of(spec).outputs)["spark"]
    return spark


@pytest.mark.parametrize("runtime", ON_EMR)
def test_emr_opens_s3_with_settings_of_its_own(runtime: dict[str, Any]) -> None:
    spark = spark_of(spec_of(runtime))
    assert spark["checkpoint"] == f"s3://{BUCKET}/checkpoint/firnline-dev/"
    assert spark["conf"] == {"spark.hadoop.fs.s3a.performance.flags": "mkdir"}


@pytest.mark.parametrize("runtime", ELSEWHERE)
def test_elsewhere_it_is_s3a_in_the_environments_region(runtime: dict[str, Any]) -> None:
    spark = spark_of(spec_of(runtime))
    assert spark["checkpoint"] == f"s3a://{BUCKET}/checkpoint/firnline-dev/"
    assert spark["conf"]["spark.hadoop.fs.s3a.endpoint.region"] == "eu-central-1"
    assert "spark.hadoop.fs.s3a.endpoint" not in spark["conf"]


def test_spark_is_who_the_engine_is() -> None:
    """S3A's own chain knows no web identity, and would take the node for it."""
    providers = [
        spark_of(spec_of(runtime))["conf"]["spark.hadoop.fs.s3a.aws.credentials.provider"] for runtime in ELSEWHERE
    ]
    assert [provider.rpartition(".")[2] for provider in providers] == [
        "WebIdentityTokenFileCredentialsProvider",
        "DefaultCredentialsProvider",
        "DefaultCredentialsProvider",
        "DefaultCredentialsProvider",
    ]


@pytest.mark.parametrize("runtime", [*ON_EMR, *ELSEWHERE], ids=lambda runtime: runtime["trust"])
def test_the_checkpoint_lies_below_the_prefix_that_is_granted(runtime: dict[str, Any]) -> None:
    """S3A asks for the folder as a key without a slash: `checkpoint/<application>` is in `checkpoint/*`."""
    spec = spec_of(runtime)
    statements = {one.sid: one for one in blueprint_of(spec).engine_policy}
    for sid in ("ListCheckpoint", "KeepCheckpoint") if statements else ():
        one = statements[sid]
        (granted,) = [one.conditions["StringLike"]["s3:prefix"]] if one.conditions else one.resources
        assert str(granted).endswith("checkpoint/*")
    assert checkpoint_folder(Environment.of(spec)) == "checkpoint/firnline-dev/"
    assert spark_url(Environment.of(spec), checkpoint_folder(Environment.of(spec))).endswith(
        f"{BUCKET}/checkpoint/firnline-dev/"
    )


def test_only_emr_writes_logs_into_the_bucket() -> None:
    assert [log_folder(Environment.of(spec_of(runtime))) for runtime in ON_EMR] == ["logs/"] * len(ON_EMR)
    assert {log_folder(Environment.of(spec_of(runtime))) for runtime in ELSEWHERE} == {None}


def test_an_endpoint_in_place_of_awss_has_the_bucket_in_the_path() -> None:
    settings = spark_s3_settings(Environment.of(spec_of({"trust": "static-keys"})), "http://127.0.0.1:5000")
    assert settings["spark.hadoop.fs.s3a.endpoint"] == "http://127.0.0.1:5000"
    assert settings["spark.hadoop.fs.s3a.path.style.access"] == "true"


def test_without_a_bucket_nothing_is_said_about_s3() -> None:
    spec = spec_of({"trust": "nobody"}, bucket={"origin": "skip"})
    assert spark_s3_settings(Environment.of(spec)) == {}
    assert spark_of(spec)["conf"] == {}


def test_settings_that_were_given_win() -> None:
    spec = spec_of({"trust": "static-keys"})
    given = {"spark.hadoop.fs.s3a.endpoint.region": "us-east-1", "spark.ui.enabled": "false"}
    inputs = EngineInputs(
        private_keys={"ingest": {"env": "KEY"}},
        dead_letters={"folder": "d"},
        spark_checkpoint="s3a://b/c/",
        spark_conf=given,
    )
    conf = engine_config(Environment.of(spec), inputs)["spark"]["conf"]
    assert given.items() <= conf.items()
    assert "spark.hadoop.fs.s3a.aws.credentials.provider" in conf
