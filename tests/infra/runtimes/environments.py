"""The shipped environments on each runtime: what a platform team would write, and no more."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from firnline_infra.blueprint.bucket_layout import log_uri, s3_url
from firnline_infra.environment import Environment
from firnline_infra.runtimes.engine_job import engine_job
from firnline_infra.runtimes.job import Artefact, EngineJob
from firnline_infra.specification import EnvironmentSpec, parse_spec
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.names import Names
from firnline_infra.specification.runtimes.options import Architecture
from tests.infra.specifications import smallest

ENVIRONMENTS = Path(__file__).parents[3] / "stacks" / "environments"
SHIPPED = ("dev", "staging", "prod")
ARTEFACT, CONFIGURATION = "ab" * 32, "cd" * 32
PROVIDER = "oidc.eks.eu-central-1.amazonaws.com/id/0123456789ABCDEF0123456789ABCDEF"
IMAGE = "123456789012.dkr.ecr.eu-central-1.amazonaws.com/firnline@sha256:" + "ef" * 32
PODS = {"namespace": "firnline", "service_account": "engine"}
TAINT = {"key": "dedicated", "value": "streams"}
RUNTIMES: dict[str, dict[str, Any]] = {
    "emr_serverless": {
        "trust": "emr-serverless",
        "emr_serverless": {
            "subnets": ["subnet-0a1b2c3d4e5f60718", "subnet-1a1b2c3d4e5f60718"],
            "security_group": {"vpc": "vpc-0a1b2c3d4e5f60718"},
            "log_group": "firnline-engine",
        },
    },
    "emr_eks": {
        "trust": "emr-eks",
        "oidc_provider": PROVIDER,
        "cluster": "platform",
        "namespace": "firnline",
        "emr_eks": {"node_selector": {"team": "data"}},
    },
    "emr_ec2": {"trust": "emr-ec2", "emr_ec2": {"subnet": "subnet-0a1b2c3d4e5f60718"}},
    "kubeflow": {
        "trust": "irsa",
        "oidc_provider": PROVIDER,
        **PODS,
        "kubernetes": {
            "image": IMAGE,
            "context": "platform",
            "tolerations": [TAINT, {"key": "spot"}],
            "annotations": {"sidecar.istio.io/inject": "false"},
            "environment": {"HTTPS_PROXY": "http://proxy:3128"},
            "volumes": [
                {"name": "authorities", "path": "/etc/company", "config_map": "company-ca"},
                {"name": "snowflake-key", "path": "/etc/firnline", "secret_provider_class": "firnline-vault"},
                {"name": "spark-local-dir-1", "path": "/scratch", "empty_dir": "20Gi"},
            ],
        },
    },
    "apache": {
        "trust": "static-keys",
        **PODS,
        "kubernetes": {
            "image": IMAGE,
            "operator": "apache",
            "keys_secret": "aws",
            "tolerations": [TAINT],
            "volumes": [
                {"name": "registry", "path": "/etc/registry", "secret": "registry"},
                {"name": "shared", "path": "/shared", "claim": "shared"},
            ],
        },
    },
}
PLACES = {"emr_serverless": "00fabcdefghijk09", "emr_eks": "0123456789abcdefghijklmno", "emr_ec2": "j-2AXXXXXXGAPLF"}


def spec_of(environment: str, runtime: str, **changes: Any) -> EnvironmentSpec:
    """`changes` are of the runtime's fields."""
    document = yaml.safe_load((ENVIRONMENTS / f"{environment}.yaml").read_text())
    document["aws"]["runtime"] = RUNTIMES[runtime] | changes
    return parse_spec(yaml.safe_dump(document), environment)


BUCKET = "firnline-dev-123456789012-eu-central-1"
ROLE = "arn:aws:iam::123456789012:role/firnline-dev-engine"
SERVERLESS = {"trust": "emr-serverless", "emr_serverless": {"origin": "adopt", "application_id": "00fapp"}}
Job = Callable[..., EngineJob]


def job_on(runtime: dict[str, Any] | None = None, **changes: Any) -> EngineJob:
    """Returns the job of the smallest specification with a runtime."""
    is_image = "kubernetes" in (runtime or {})
    folder = f"s3://{BUCKET}/artefacts/{ARTEFACT}"
    artefact = Artefact(
        hash=ARTEFACT,
        python="3.13",
        architecture=Architecture.ARM64,
        entry="/opt/firnline/entry.py" if is_image else f"{folder}/entry.py",
        archive="/opt/firnline/environment" if is_image else f"{folder}/engine.tar.gz",
    )
    arguments: dict[str, Any] = {
        "artefact": artefact,
        "configuration": f"s3://{BUCKET}/configuration/cd.json",
        "configuration_hash": CONFIGURATION,
        "role_arn": ROLE,
        "logs": f"s3://{BUCKET}/logs/",
        "place": "00fapp",
    }
    spec = smallest(aws={"runtime": runtime or SERVERLESS}, streams=[{"name": "orders", "shards": 2}])
    return engine_job(spec, **(arguments | changes))


def job_of(spec: EnvironmentSpec) -> EngineJob:
    runtime = spec.aws.runtime
    in_image = Artefact(
        hash=ARTEFACT,
        python=runtime.python,
        architecture=Architecture.ARM64,
        entry="/opt/firnline/entry.py",
        archive="/opt/firnline/environment",
    )
    folder = s3_url(Environment.of(spec), f"artefacts/{ARTEFACT}")
    in_s3 = replace(in_image, entry=f"{folder}/entry.py", archive=f"{folder}/firnline-engine-{ARTEFACT}.tar.gz")
    job = engine_job(
        spec,
        artefact=in_s3 if runtime.kubernetes is None else in_image,
        configuration=s3_url(Environment.of(spec), f"configuration/{CONFIGURATION}.json"),
        configuration_hash=CONFIGURATION,
        role_arn=Arns(spec).role(Names.of(spec).engine_role),
        logs=log_uri(Environment.of(spec)),
    )
    return replace(job, place=PLACES.get(job.runtime.kind or "", ""))
