from collections.abc import Callable
from typing import Any

import pytest

from firnline_infra.runtimes.engine_job import engine_job
from firnline_infra.runtimes.job import Artefact, EngineJob
from firnline_infra.runtimes.options import Architecture
from firnline_infra.specification import EnvironmentSpec, parse_spec

HASH = "ab" * 32
SERVERLESS = {
    "trust": "emr-serverless",
    "emr_serverless": {
        "subnets": ["subnet-0a1b2c3d4e5f60718", "subnet-1a1b2c3d4e5f60718"],
        "security_group": {"vpc": "vpc-0a1b2c3d4e5f60718"},
    },
}
Job = Callable[..., EngineJob]


@pytest.fixture
def spec() -> Callable[..., EnvironmentSpec]:
    def spec(**runtime: Any) -> EnvironmentSpec:
        """The smallest specification, with a runtime."""
        import yaml

        document = {
            "version": 1,
            "name": "dev",
            "aws": {"region": "eu-central-1", "account": "123456789012", "runtime": runtime or SERVERLESS},
            "snowflake": {"account": "ORG-ACCOUNT", "warehouse": "SMALL"},
            "streams": [{"name": "orders", "shards": 2}],
            "pipelines": [{"stream": "orders", "database": "LAKE", "schema": "RAW"}],
        }
        return parse_spec(yaml.safe_dump(document), "dev.yaml")

    return spec


@pytest.fixture
def artefact() -> Artefact:
    folder = f"s3://firnline-dev-123456789012-eu-central-1/artefacts/{HASH}"
    return Artefact(
        hash=HASH,
        python="3.13",
        architecture=Architecture.ARM64,
        entry=f"{folder}/entry.py",
        archive=f"{folder}/firnline-engine-{HASH}.tar.gz",
    )


@pytest.fixture
def job(artefact: Artefact) -> Job:
    def job(spec: EnvironmentSpec, **changes: Any) -> EngineJob:
        bucket = "s3://firnline-dev-123456789012-eu-central-1"
        arguments: dict[str, Any] = {
            "artefact": artefact,
            "configuration": f"{bucket}/configuration/{'cd' * 32}.json",
            "configuration_hash": "cd" * 32,
            "role_arn": "arn:aws:iam::123456789012:role/firnline-dev-engine",
            "logs": f"{bucket}/logs/",
            "place": "00fabcdefghijk09",
        }
        return engine_job(spec, **(arguments | changes))

    return job
